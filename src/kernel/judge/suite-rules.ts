import { countingRuns, type ReferenceRun, type SuiteComparison } from '../plan/suite-run.ts';
import type { Verdict, VerdictReason } from '../result/suite-result.ts';
import { fingerprintOf } from '../select/affected-suite.ts';
import type { Confirmation } from './confirmation.ts';
import type { FallUnderBase } from './under-base-scoring.ts';
import type { decisiveMoves } from './values.ts';

interface SideFacts {
  hasBase: boolean;
  hasHead: boolean;
  /** Number of references that can run. */
  runs: number;
  /** How many of `runs` have a try, even one that ended in an error. */
  tried: number;
  /** How many of `runs` are not skipped or quarantined. */
  counting: number;
  /** How many of `counting` have the same question on both sides. */
  same: number;
  /** How many of `counting` exist on base but cannot run on one of the sides. */
  unaskable: number;
}

interface Evidence {
  /** Null if e-values decided. */
  p: number | null;
  references: readonly string[];
  /** Metrics that fell, smallest p first. Absent if no individual metric fell. */
  metrics?: readonly string[];
}

/**
 * What a suite's statistical tests found. Holm's procedure sets the suite's share of alpha
 * (`alphaShares`).
 */
export interface SuiteFacts {
  /** What new tries show about a fall in stored answers, or in answers of one program process. */
  confirmation: Confirmation | null;
  /**
   * The suite or a metric fell by at least `gate.min_drop`. Test: permutes tries within questions,
   * with min-p over metrics, at the suite's share of alpha (`findRegression`).
   */
  fall: Evidence | null;
  /**
   * Individual references got worse. Test: the mean e-value of the run's references at 0.2 alpha,
   * or exact with fixed tries.
   */
  broken: Evidence | null;
  /**
   * Head has fewer answers than base, not counting those that a grader could not judge. Test:
   * exact, with Holm over suites, at an extra 0.2 alpha (`evidenceFacts`).
   */
  unanswered: Evidence | null;
  /** References without a judged try, if they keep the run from being green (`blocksGreen`). */
  missing: readonly string[] | null;
  /** References that got worse. At most 5 % of them are wrong on average (false-discovery rate). */
  named: readonly string[];
  /** Individual metrics that fell, at 5 % in total, with Bonferroni over metrics and suites. */
  fallenMetrics: readonly string[];
  /** References that look worse, but more tries may clear them. */
  suspicious: readonly string[];
  /**
   * Good verdicts that are ruled out, because more answers of one side end abnormally. Test: exact,
   * at 0.2 alpha (`ruledOutByEndings`).
   */
  endings: ReadonlySet<Verdict>;
  /**
   * Head does worse if base's scoring judges both sides. Tested like fixed tries, at the suite's
   * share of alpha.
   */
  underBase: FallUnderBase | null;
  /**
   * Deciding values (`isOutcome`) that got worse or better. Test: `valueTest`, with Holm over suites
   * and metrics.
   */
  worseValues: ReturnType<typeof decisiveMoves>;
  betterValues: ReturnType<typeof decisiveMoves>;
  /** Like `fall`, but for a rise of all metrics together. */
  rise: Evidence | null;
  /**
   * Each end has a one-sided level of 1 to 3.5 %, depending on the interim test (look), or 5 % with
   * fixed tries.
   */
  interval: { difference: number; low: number; high: number } | null;
  /** The interval rules out a drop above the tolerance. */
  isBound: boolean;
  /** Head's rate is not lower at the last look (in a small suite, at an earlier look). */
  isNotLower: boolean;
  /** All suites together rule out a drop, and no suite looks worse. */
  isBoundTogether: boolean;
}

interface Rule<Facts> {
  verdict: Verdict;
  /** docs/statistics.md prints this text. */
  words: string;
  when(facts: Facts): boolean;
}

interface ComparedRule extends Rule<SuiteFacts> {
  by: VerdictReason['by'];
  /** The test that decided, and its references. If absent, the rule needs no test. */
  found?(facts: SuiteFacts): Partial<Evidence> | null;
}

export const UNCOMPARED_RULES: readonly Rule<SideFacts>[] = [
  {
    verdict: 'removed',
    words: 'head no longer has the suite',
    when: ({ hasHead }) => !hasHead,
  },
  {
    verdict: 'new',
    words: 'base does not have the suite, and at least one test can run',
    when: ({ hasBase, runs }) => !hasBase && runs > 0,
  },
  {
    verdict: 'no_data',
    words: 'no test could run on either side',
    when: ({ hasBase, tried }) => !hasBase || tried === 0,
  },
  {
    verdict: 'not_compared',
    words: 'every test is skipped or quarantined',
    when: ({ counting }) => counting === 0,
  },
  {
    verdict: 'unchanged',
    words: "each of base's tests that counts for the verdict sends the same request on both sides",
    when: ({ same, unaskable }) => same > 0 && unaskable === 0,
  },
  {
    verdict: 'not_compared',
    words: "otherwise: one side cannot run the other side's tests",
    when: () => true,
  },
];

export const COMPARED_RULES: readonly ComparedRule[] = [
  {
    verdict: 'regressed',
    by: 'values',
    words:
      'values decide (no answer can fail by its value, or base rarely passes), and one got worse, ' +
      'beyond chance',
    when: ({ worseValues }) => worseValues !== null,
    found: ({ worseValues }) => worseValues,
  },
  {
    verdict: 'inconclusive',
    by: 'model',
    words:
      "the pass rate, a metric's mean or individual tests are worse on head than in base's " +
      "stored answers, and base's new answers are worse, too",
    when: ({ confirmation }) => confirmation?.status === 'model',
  },
  {
    verdict: 'inconclusive',
    by: 'unconfirmed',
    words:
      "the pass rate (of the suite or of all suites), a metric's mean or individual tests " +
      'got worse, but new answers did not confirm it (for example, without calls left)',
    when: ({ confirmation }) => confirmation?.status === 'unconfirmed',
  },
  {
    verdict: 'regressed',
    by: 'fall',
    words:
      'the pass rate of the suite, or of one of its metrics, fell by at least `min_drop`, ' +
      'beyond chance',
    when: ({ fall }) => fall !== null,
    found: ({ fall }) => fall,
  },
  {
    verdict: 'regressed',
    by: 'references',
    words: 'individual tests got worse, beyond chance',
    when: ({ broken }) => broken !== null,
    found: ({ broken }) => broken,
  },
  {
    verdict: 'regressed',
    by: 'unanswered',
    words:
      'head answers less often than base, beyond chance; or it leaves a `critical` test or the ' +
      'whole suite without an answer',
    when: ({ unanswered }) => unanswered !== null,
    found: ({ unanswered }) => unanswered,
  },
  {
    verdict: 'inconclusive',
    by: 'uncompared',
    words: 'too many tests could not be judged, and none could be compared',
    when: ({ missing, interval }) => missing !== null && interval === null,
    found: lacking,
  },
  {
    verdict: 'inconclusive',
    by: 'named',
    words: 'individual tests got worse, but the evidence is not strong enough for red',
    when: ({ named }) => named.length > 0,
    found: ({ named }) => ({ references: named }),
  },
  {
    verdict: 'inconclusive',
    by: 'metric',
    words: "one metric's pass rate fell beyond chance, but too little or too uncertainly for red",
    when: ({ fallenMetrics }) => fallenMetrics.length > 0,
    found: ({ fallenMetrics }) => ({ metrics: fallenMetrics }),
  },
  {
    verdict: 'inconclusive',
    by: 'suspicious',
    words: 'tests look worse, and more tries did not clear them',
    when: ({ suspicious }) => suspicious.length > 0,
    found: ({ suspicious }) => ({ references: suspicious }),
  },
  {
    verdict: 'inconclusive',
    by: 'uncompared',
    words: 'it would be green, but too many tests could not be judged',
    when: (facts) => facts.missing !== null && goodVerdict(facts) !== null,
    found: lacking,
  },
  {
    verdict: 'inconclusive',
    by: 'endings',
    words:
      "it would be green, but more of head's answers are empty, cut off, withheld, refusals " +
      "or ended for an unknown reason, or base's were withheld",
    when(facts) {
      const green = goodVerdict(facts);
      return green !== null && facts.endings.has(green);
    },
  },
  {
    verdict: 'inconclusive',
    by: 'scoring',
    words:
      "it would be green or undecided, but head is worse when base's scoring judges both " +
      "sides, and head's scoring does not excuse that",
    when: ({ underBase }) => underBase !== null && underBase.excusedBy !== 'passes',
    found: ({ underBase }) => underBase && { references: underBase.references },
  },
  {
    verdict: 'improved',
    by: 'rise',
    words: "the suite's pass rate rose, beyond chance, and does not fall if base's scoring judges",
    when: ({ rise, underBase }) => rise !== null && underBase === null,
    found: ({ rise }) => rise,
  },
  {
    verdict: 'improved',
    by: 'values',
    words: 'values decide, and one got better, beyond chance',
    when: ({ betterValues, underBase }) => betterValues !== null && underBase === null,
    found: ({ betterValues }) => betterValues,
  },
  {
    verdict: 'unchanged',
    by: 'bound',
    words: 'the tries rule out a drop larger than the tolerance',
    when: ({ isBound }) => isBound,
  },
  {
    verdict: 'unchanged',
    by: 'not-lower',
    words:
      'the pass rate is not lower after the last try (in a small suite, earlier); or it ' +
      "rose, and head's scoring excuses that it falls if base's scoring judges",
    when: ({ isNotLower, rise }) => isNotLower || rise !== null,
  },
  {
    verdict: 'unchanged',
    by: 'run',
    words:
      'all suites together rule out a drop of 5 points (or a smaller one that a suite sets), and no ' +
      'suite looks worse',
    when: ({ isBoundTogether }) => isBoundTogether,
  },
  {
    verdict: 'inconclusive',
    by: 'unsettled',
    words: 'otherwise: head looks worse, but the tries cannot decide',
    when: () => true,
  },
];

function goodVerdict(facts: SuiteFacts): Verdict | null {
  const { rise, underBase, betterValues, isBound, isNotLower, isBoundTogether } = facts;
  if ((rise ?? betterValues) !== null && underBase === null) return 'improved';
  return rise !== null || isBound || isNotLower || isBoundTogether ? 'unchanged' : null;
}

function lacking({ missing }: SuiteFacts): Partial<Evidence> {
  return { references: missing ?? [] };
}

function firstThatHolds<Facts, Row extends Rule<Facts>>(rules: readonly Row[], facts: Facts): Row {
  const rule = rules.find(({ when }) => when(facts));
  if (rule === undefined) throw new TypeError('the last rule must always apply');
  return rule;
}

const BEFORE_SCORING = COMPARED_RULES.slice(
  0,
  COMPARED_RULES.findIndex(({ by }) => by === 'scoring'),
);

interface RuledSuite extends Pick<VerdictReason, 'by' | 'p' | 'references' | 'metrics'> {
  verdict: Verdict;
  underBase: FallUnderBase | null;
}

export function ruleSuite(facts: SuiteFacts): RuledSuite {
  const rule = firstThatHolds(COMPARED_RULES, facts);
  const { p = null, references = [], metrics = [] } = rule.found?.(facts) ?? {};
  return {
    verdict: rule.verdict,
    by: rule.by,
    p,
    references: [...references],
    metrics: [...metrics],
    underBase: BEFORE_SCORING.includes(rule) ? null : facts.underBase,
  };
}

export function ruleUncompared(comparison: SuiteComparison): Verdict {
  const { suite, runs } = comparison.run;
  const counting = countingRuns(comparison);
  return firstThatHolds(UNCOMPARED_RULES, {
    hasBase: suite.base !== null,
    hasHead: suite.head !== null,
    runs: runs.length,
    tried: runs.filter(({ base, head }) => base.length > 0 || head.length > 0).length,
    counting: counting.length,
    same: counting.filter(asksTheSame).length,
    unaskable: counting.filter(isUnaskable).length,
  }).verdict;
}

function asksTheSame({ affected: { base, head }, base: answers }: ReferenceRun): boolean {
  return (
    base !== null &&
    head !== null &&
    fingerprintOf(base) === fingerprintOf(head) &&
    answers.length > 0
  );
}

export function isUnaskable({ affected: { base, head, baseReference } }: ReferenceRun): boolean {
  if (baseReference === null) return false;
  return base === null || [base, head].some((side) => side?.kind === 'impossible');
}
