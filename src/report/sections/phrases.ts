import type { OutcomeKind } from '../../kernel/result/outcome.ts';
import type {
  ReferenceResult,
  ReferenceStatus,
  SideResult,
} from '../../kernel/result/reference-result.ts';
import type { PassRate, SuiteResult, Verdict } from '../../kernel/result/suite-result.ts';
import {
  cost,
  count,
  counted,
  countedTries,
  percent,
  points,
  pointsBetween,
  signed,
} from '../../text/amounts.ts';
import type { Json, Purpose } from '../../types/plain.ts';
import type { UsageTotals } from '../../types/usage-totals.ts';
import { numberInWords, suitesWorstFirst } from '../../wording/figures.ts';
import type { Tone } from '../../wording/outcomes.ts';
import { suiteWords } from '../../wording/variants.ts';
import { group, wordsLine, type Block, type Line, moreBlock } from './document.ts';

export interface VerdictLook {
  sign: string;
  word: string;
  tone: Tone;
}

export const VERDICTS: Readonly<Record<Verdict, VerdictLook>> = {
  regressed: { sign: '✗', word: 'regressed', tone: 'bad' },
  improved: { sign: '↑', word: 'improved', tone: 'good' },
  unchanged: { sign: '✓', word: 'no regression', tone: 'good' },
  inconclusive: { sign: '?', word: 'inconclusive', tone: 'open' },
  new: { sign: '+', word: 'new', tone: 'neutral' },
  removed: { sign: '−', word: 'removed', tone: 'neutral' },
  not_compared: { sign: '·', word: 'not compared', tone: 'neutral' },
  no_data: { sign: '·', word: 'no data', tone: 'neutral' },
};

/** For suites that did not get worse, if the run has no verdict. */
export const LACKS_VERDICT: VerdictLook = { sign: '·', word: 'not judged', tone: 'neutral' };

export const WITHOUT_VERDICT: ReadonlySet<OutcomeKind> = new Set([
  'not-judged',
  'not-evaluated',
  'no-verdict',
]);

/** For suites whose references pass as before, although a metric's mean got worse. */
export const METRIC_FAILS: VerdictLook = { sign: '✗', word: 'metric got worse', tone: 'bad' };

export const SHOWN_ONLY: VerdictLook = { sign: '·', word: 'does not gate', tone: 'neutral' };

/** For answers that are as good as before, but scored differently. */
export const SCORING_CHANGED: VerdictLook = { sign: '≠', word: 'scoring changed', tone: 'open' };

/** A boolean of a metric that affects the verdict only repeats the status, so it is not shown. */
export function isShownValue(value: Json, skip: boolean): boolean {
  return value !== null && (skip || typeof value !== 'boolean');
}

const SIGNIFICANT_DIGITS = 6;

export function shownNumber(value: Json): string {
  const isFraction = (each: unknown): each is number =>
    typeof each === 'number' && !Number.isInteger(each);
  const rounded = (_: string, each: unknown) =>
    isFraction(each) ? Number(each.toPrecision(SIGNIFICANT_DIGITS)) : each;
  return typeof value === 'string' ? value : JSON.stringify(value, rounded);
}

export function statusWord(status: ReferenceStatus): string {
  return status === 'inconclusive' ? 'unclear' : status;
}

export function rates(base: number | null, head: number | null): string {
  return base === null ? percent(head) : `${percent(base)} → ${percent(head)}`;
}

/** For example `correct 80.0 % → 97.0 %`. Null if this would repeat the suite's pass rate. */
export function metricRates({ metrics, pass_rate }: SuiteResult): string | null {
  const gating = metrics.filter(
    ({ gates, judged_base, judged_head, base, head, values }) =>
      gates &&
      judged_base + judged_head > 0 &&
      (base !== null || head !== null || values?.share !== undefined),
  );
  const repeats = gating.every(
    ({ base, head, values }) =>
      values?.share === undefined && base === pass_rate.base && head === pass_rate.head,
  );
  if (gating.length < 2 && repeats) return null;
  return gating
    .map(({ name, base, head, values }) =>
      values?.share === undefined ? `${name} ${rates(base, head)}` : numberInWords(name, values),
    )
    .join(', ');
}

/** For example `−6.0 points, 90 % interval −10.4 to −1.6`. */
export function differenceWords(rate: Moved): string | null {
  const { difference: value, low, high } = rate;
  if (value === null) return null;
  return low === null || high === null
    ? change(rate)
    : `${change(rate)}, 90 % interval ${signed(low)} to ${signed(high)}`;
}

type Moved = Pick<PassRate, 'base' | 'head' | 'difference' | 'low' | 'high'>;

/** The difference of the rounded rates, for example `−6.0 points`. */
export function change({
  base,
  head,
  difference: value,
}: Pick<Moved, 'base' | 'head' | 'difference'>): string {
  return value === null || base === null || head === null
    ? points(value)
    : pointsBetween(base, head);
}

export function signedInterval(low: number | null, high: number | null): string {
  return low === null || high === null ? '–' : `${signed(low)} to ${signed(high)}`;
}

/**
 * For example `majority: 17 → 14 of 20 tests`. Null if a test passes only when every try passes.
 */
export function rolledWords({ rollups }: SuiteResult): string | null {
  if (rollups.policy === 'all' || rollups.head === null) return null;
  const { policy, base, head } = rollups;
  const after = `${count(head.passes)} of ${counted(head.references, 'test')}`;
  if (base === null) return `${policy}: ${after}`;
  return base.references === head.references
    ? `${policy}: ${count(base.passes)} → ${after}`
    : `${policy}: ${count(base.passes)} of ${count(base.references)} → ${after}`;
}

/** For example `, majority: pass → fail`. */
export function rolledUpWords({ base, head }: ReferenceResult, { rollups }: SuiteResult): string {
  if (rollups.policy === 'all' || rollups.head === null) return '';
  const word = (side: SideResult | null) => side?.rollup ?? 'no word';
  return `, ${rollups.policy}: ${base === null ? word(head) : `${word(base)} → ${word(head)}`}`;
}

/** Whether no answer can fail by its value, so that the side has values, but no passes. */
export function lacksPasses({ rollup, passes, tries_judged: judged }: SideResult): boolean {
  return rollup === null && passes === judged;
}

export function passWords(side: SideResult | null): string {
  if (side === null || side.tries.length === 0) return 'not run';
  const unjudged = side.tries.length - side.tries_judged;
  if (side.tries_judged === 0) return `none of ${count(unjudged)} judged`;
  const without = unjudged === 0 ? '' : `, ${count(unjudged)} not judged`;
  const counts = lacksPasses(side)
    ? counted(side.passes, 'answer')
    : `${count(side.passes)} of ${count(side.tries_judged)} passed`;
  return `${counts}${without}`;
}

/** For example `3 of 3 passed on base, 1 of 3 passed on head`. */
export function sidesPassWords({ base, head }: ReferenceResult): string {
  const after = passWords(head);
  return base === null ? after : `${passWords(base)} on base, ${after} on head`;
}

export function rateInterval({ low, high }: { low: number; high: number }): string {
  return `${(low * 100).toFixed(1)} to ${(high * 100).toFixed(1)} %`;
}

export function statusWords({ status, history, head }: ReferenceResult): string {
  const word = status === 'pass' && head?.rollup === null ? 'judged' : statusWord(status);
  return history === undefined
    ? word
    : `${word}; passed ${count(history.passes)} of ${countedTries(history.tries)} ` +
        `so far on base (${rateInterval(history)})`;
}

/** The price of calls to the project's own programs is unknown. */
export function runCost({
  cost_usd,
  unpriced,
}: Pick<UsageTotals, 'cost_usd' | 'unpriced'>): string {
  return unpriced === 'programs' ? 'no priced calls' : cost(cost_usd);
}

const PURPOSES: Readonly<Record<Purpose, string>> = {
  prompt: 'answers',
  grader: 'grades',
  embedding: 'embeddings',
  moderation: 'moderation',
  evaluator: 'evaluators',
  qualeval: 'attributes',
  fix: 'drafts of fixes',
};

/** What each kind of call used, with the purpose in words. */
export function usagesByPurpose({ by_purpose: by }: UsageTotals) {
  return (Object.keys(PURPOSES) as Purpose[]).flatMap((purpose) => {
    const usage = by[purpose];
    return usage === undefined ? [] : [{ ...usage, purpose: PURPOSES[purpose] }];
  });
}

export function shortSha(sha: string): string {
  return sha === 'worktree' ? 'working tree' : sha.slice(0, 7);
}

export function suiteName(suite: SuiteResult, suites: readonly SuiteResult[]): Line {
  return wordsLine(suiteWords(suite, suites));
}

/** A group with the blocks of each suite that has some, the worst suites first. */
export function suiteGroup(
  title: string,
  suites: readonly SuiteResult[],
  items: number,
  blocksOf: (suite: SuiteResult, name: Line) => Block[],
): Block[] {
  const found = suitesWorstFirst(suites)
    .map((suite) => blocksOf(suite, suiteName(suite, suites)))
    .filter(({ length }) => length > 0);
  const shown = found.slice(0, items);
  return group(title, [...shown.flat(), ...moreBlock(found.length, shown.length)]);
}

/** The worst first. */
export const STATUS_TONES: Readonly<Record<ReferenceStatus, Tone>> = {
  regressed: 'bad',
  fell: 'bad',
  fail: 'bad',
  error: 'bad',
  ungraded: 'open',
  inconclusive: 'open',
  flaky: 'open',
  removed: 'neutral',
  edited: 'neutral',
  added: 'neutral',
  fixed: 'good',
  improved: 'good',
  rose: 'good',
  unchanged: 'good',
  pass: 'good',
};
