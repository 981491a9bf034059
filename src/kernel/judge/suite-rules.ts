import type { SuiteComparison } from '../plan/suite-run.ts';
import type { Verdict, VerdictReason } from '../result/suite-result.ts';
import { gates } from '../select/affected-suite.ts';
import type { Confirmation } from './confirmation.ts';
import type { FallUnderBase } from './scoring-rates.ts';

/** The p of a test that decided (null: it was sequential), and the ids of what it names. */
interface Found {
  p: number | null;
  references: readonly string[];
  /** Metrics that fell, the one that fell most first; absent: all together. */
  metrics?: readonly string[];
}

/** What the verdict of a suite rests on. All of it is computed before the first rule is read. */
export interface SuiteFacts {
  hasBase: boolean;
  hasHead: boolean;
  /** References that can run. */
  runs: number;
  /** Of these, those with a try on some side. */
  asked: number;
  /** Those with a try on base that count: neither skipped nor in quarantine. */
  baseAnswered: number;
  /** Whether references ask different things on base and head, so that their tries are compared. */
  isCompared: boolean;
  /** The whole suite fell by at least `gate.min_drop`, beyond chance. */
  fall: Found | null;
  /** Single references broke beyond chance. */
  broken: Found | null;
  /** Head gives no outcome where base does, beyond chance. */
  unanswered: Found | null;
  /** What new tries say of a fall that rests on an earlier run or on one session; null: none. */
  confirmation: Confirmation | null;
  /** Ids of references without evidence, where too many lack it for green; null: not so. */
  missing: readonly string[] | null;
  /** Ids of references named as worse, and of those that more tries would have to clear. */
  named: readonly string[];
  suspicious: readonly string[];
  /** Single metrics that fell beyond chance, though not at the level of the verdict. */
  fallenMetrics: readonly string[];
  /** Good verdicts that would rest on answers that were cut, withheld or refused on one side. */
  endings: ReadonlySet<Verdict>;
  /** Head's answers fall under base's scoring although the scoring changed; null: they do not. */
  hidden: FallUnderBase | null;
  rise: Found | null;
  /** Two-sided 90 % interval of head − base; null: no tries on both sides. */
  interval: { difference: number; low: number; high: number } | null;
  /** A drop larger than the tolerance is ruled out: by the interval, or by a rate that is no lower. */
  isBound: boolean;
  isLevel: boolean;
  /** All suites of the run together rule out a drop, and none looks worse. */
  isBoundTogether: boolean;
}

interface SuiteRule {
  /** Names the row where the table is printed. */
  id: string;
  verdict: Verdict;
  /** Null: nothing was compared. */
  by: VerdictReason['by'] | null;
  when(facts: SuiteFacts): boolean;
  /** The test and the references that it rests on; absent: all references, and no test. */
  found?(facts: SuiteFacts): Partial<Found> | null;
}

/** The verdict of a suite: the first rule that holds. */
export const SUITE_RULES = [
  {
    id: 'removed',
    verdict: 'removed',
    by: null,
    when: (facts) => isUncompared(facts) && !facts.hasHead,
  },
  {
    id: 'new',
    verdict: 'new',
    by: null,
    when: (facts) => isUncompared(facts) && !facts.hasBase && facts.runs > 0,
  },
  {
    id: 'no-data',
    verdict: 'no_data',
    by: null,
    when: (facts) => isUncompared(facts) && (!facts.hasBase || facts.asked === 0),
  },
  {
    id: 'same-question',
    verdict: 'unchanged',
    by: null,
    when: (facts) => isUncompared(facts) && facts.baseAnswered > 0,
  },
  { id: 'not-compared', verdict: 'not_compared', by: null, when: isUncompared },
  {
    id: 'model',
    verdict: 'inconclusive',
    by: 'model',
    when: ({ confirmation }) => confirmation?.status === 'model',
  },
  {
    id: 'unconfirmed',
    verdict: 'inconclusive',
    by: 'unconfirmed',
    when: ({ confirmation }) => confirmation?.status === 'unconfirmed',
  },
  {
    id: 'fall',
    verdict: 'regressed',
    by: 'fall',
    when: ({ fall }) => fall !== null,
    found: ({ fall }) => fall,
  },
  {
    id: 'references',
    verdict: 'regressed',
    by: 'references',
    when: ({ broken }) => broken !== null,
    found: ({ broken }) => broken,
  },
  {
    id: 'unanswered',
    verdict: 'regressed',
    by: 'unanswered',
    when: ({ unanswered }) => unanswered !== null,
    found: ({ unanswered }) => unanswered,
  },
  {
    id: 'no-evidence',
    verdict: 'inconclusive',
    by: 'uncompared',
    when: ({ missing, interval }) => missing !== null && interval === null,
    found: lacking,
  },
  {
    id: 'named',
    verdict: 'inconclusive',
    by: 'named',
    when: ({ named }) => named.length > 0,
    found: ({ named }) => ({ references: named }),
  },
  {
    id: 'metric',
    verdict: 'inconclusive',
    by: 'metric',
    when: ({ fallenMetrics }) => fallenMetrics.length > 0,
    found: ({ fallenMetrics }) => ({ metrics: fallenMetrics }),
  },
  {
    id: 'suspicious',
    verdict: 'inconclusive',
    by: 'suspicious',
    when: ({ suspicious }) => suspicious.length > 0,
    found: ({ suspicious }) => ({ references: suspicious }),
  },
  {
    id: 'little-evidence',
    verdict: 'inconclusive',
    by: 'uncompared',
    when: (facts) => facts.missing !== null && greenOf(facts) !== null,
    found: lacking,
  },
  {
    id: 'endings',
    verdict: 'inconclusive',
    by: 'endings',
    when: (facts) => facts.endings.has(greenOf(facts) ?? 'inconclusive'),
  },
  {
    id: 'scoring',
    verdict: 'inconclusive',
    by: 'scoring',
    when: ({ hidden }) => hidden !== null && hidden.excuse !== 'passes',
    found: ({ hidden }) => hidden && { references: hidden.references },
  },
  // Better by head's own scoring and worse by base's is neither.
  {
    id: 'rise',
    verdict: 'improved',
    by: 'rise',
    when: ({ rise, hidden }) => rise !== null && hidden === null,
    found: ({ rise }) => rise,
  },
  { id: 'bound', verdict: 'unchanged', by: 'bound', when: ({ isBound }) => isBound },
  {
    id: 'level',
    verdict: 'unchanged',
    by: 'level',
    when: ({ isLevel, rise }) => isLevel || rise !== null,
  },
  { id: 'run', verdict: 'unchanged', by: 'run', when: ({ isBoundTogether }) => isBoundTogether },
  { id: 'unsettled', verdict: 'inconclusive', by: 'unsettled', when: () => true },
] as const satisfies readonly SuiteRule[];

export type SuiteRuleId = (typeof SUITE_RULES)[number]['id'];

function isUncompared({ isCompared }: SuiteFacts): boolean {
  return !isCompared;
}

/** What tries alone say, where they say something good. */
function greenOf({ rise, isBound, isLevel, isBoundTogether }: SuiteFacts): Verdict | null {
  if (rise !== null) return 'improved';
  return isBound || isLevel || isBoundTogether ? 'unchanged' : null;
}

function lacking({ missing }: SuiteFacts): Partial<Found> {
  return { references: missing ?? [] };
}

/** Rules after this one keep the fall under base's scoring in sight. */
const SCORING = SUITE_RULES.findIndex(({ by }) => by === 'scoring');

interface RuledSuite {
  verdict: Verdict;
  by: VerdictReason['by'] | null;
  p: number | null;
  references: string[];
  metrics: string[];
  /** The fall under base's scoring, where the verdict had to look at it. */
  hidden: FallUnderBase | null;
}

export function ruleSuite(facts: SuiteFacts): RuledSuite {
  const index = SUITE_RULES.findIndex(({ when }) => when(facts));
  const rule: SuiteRule | undefined = SUITE_RULES[index];
  if (rule === undefined) throw new TypeError('the last rule of a suite always holds');
  const { p = null, references = [], metrics = [] } = rule.found?.(facts) ?? {};
  const hidden = index >= SCORING ? facts.hidden : null;
  return {
    verdict: rule.verdict,
    by: rule.by,
    p,
    references: [...references],
    metrics: [...metrics],
    hidden,
  };
}

export function sideFacts({
  run: { suite, runs },
  quarantined,
}: SuiteComparison): Pick<SuiteFacts, 'hasBase' | 'hasHead' | 'runs' | 'asked' | 'baseAnswered'> {
  return {
    hasBase: suite.base !== null,
    hasHead: suite.head !== null,
    runs: runs.length,
    asked: runs.filter(({ base, head }) => base.length > 0 || head.length > 0).length,
    baseAnswered: runs.filter(
      ({ affected, base }) =>
        base.length > 0 && gates(suite, affected) && !quarantined(affected.reference.id),
    ).length,
  };
}

/** Of a suite of which nothing is compared. */
export function ruleUncompared(suite: SuiteComparison): Verdict {
  return ruleSuite({
    ...sideFacts(suite),
    isCompared: false,
    fall: null,
    broken: null,
    unanswered: null,
    confirmation: null,
    missing: null,
    named: [],
    suspicious: [],
    fallenMetrics: [],
    endings: new Set(),
    hidden: null,
    rise: null,
    interval: null,
    isBound: false,
    isLevel: false,
    isBoundTogether: false,
  }).verdict;
}
