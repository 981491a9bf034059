import type { ReasonOf } from '../kernel/result/reason.ts';
import type { ScoringResult } from '../kernel/result/scoring-result.ts';
import {
  count,
  counted,
  percent,
  pointsApart,
  pointsBetween,
  signedBetween,
  wholeRates,
} from '../text/amounts.ts';

export function scoringSummary(scoring: ScoringResult): string {
  const { base_base: before, base_head: between, head_head: after } = scoring.rates;
  if (before === null || between === null || after === null)
    return 'The scoring changed; the four rates could not all be measured.';
  const total = pointsApart(before, after);
  const rate =
    scoring.same_answers.unit === 'tests' ? 'The share of passing tests' : 'The pass rate';
  const moved =
    total === 0
      ? `${rate} stayed at ${percent(after)}`
      : `${rate} ${total > 0 ? 'rose' : 'fell'} ${signedBetween(before, after).slice(1)} ` +
        `points (${percent(before)} → ${percent(after)})`;
  return (
    `${moved}: ${signedBetween(between, after)} from the prompt, ` +
    `${signedBetween(before, between)} because ${changedScoring(scoring, before, between)}`
  );
}

function changedScoring(scoring: ScoringResult, before: number, between: number): string {
  const { flipped } = scoring;
  const moved = pointsApart(before, between);
  const how = moved === 0 ? 'changed' : `got ${moved > 0 ? 'easier' : 'stricter'}`;
  const rolled =
    moved === 0 && flipped.length > 0
      ? ` Even so, base's answers to ${counted(flipped.length, 'test')} are judged differently.`
      : '';
  return `${changedParts(scoring)} ${how}.${rolled}`;
}

/** For example `the rubric is_polite`. */
export function changedParts({
  because,
  only_skips,
}: Pick<ScoringResult, 'because' | 'only_skips'>): string {
  const parts = because.map(({ key }) => partName(key, only_skips === true));
  const [only, ...others] = parts;
  if (only !== undefined && others.length === 0) return only;
  const names = parts.map((part) => part.replace(/^the /, ''));
  return names.length === 0 ? 'the scoring' : `the scoring (${names.join(', ')})`;
}

function partName(key: string, onlySkips: boolean): string {
  const [kind = '', ...rest] = key.split('.');
  const name = rest.join('.');
  if (key === 'references' && onlySkips) return 'the list of skipped tests';
  if (kind === 'rubrics') return `the rubric ${name}`;
  if (kind === 'metrics') return `the metric ${name}`;
  if (kind === 'metrics_rollup') return 'the roll-up';
  if (kind === 'references') return 'the expected value of tests';
  if (kind === 'embeddings') return 'the embedding model';
  return kind === 'grader' ? 'the grader' : 'the scoring';
}

/** For example `6 of 12 tests now fail under the new roll-up`. */
export function rolledDifferently({
  judged,
  pass_fail,
  fail_pass,
}: Pick<ScoringResult['same_answers'], 'judged' | 'pass_fail' | 'fail_pass'>): string {
  const flips = [
    { tests: pass_fail, now: 'fail' },
    { tests: fail_pass, now: 'pass' },
  ].filter(({ tests }) => tests > 0);
  const [first, second] = flips;
  if (first === undefined) return 'no test changes under the new roll-up';
  const more = second === undefined ? '' : ` and ${count(second.tests)} now ${second.now}`;
  const now = first.tests === 1 ? `${first.now}s` : first.now;
  return `${count(first.tests)} of ${counted(judged, 'test')} now ${now}${more} under the new roll-up`;
}

export function movedByScoring(moved: Omit<ReasonOf<'scoring-moved'>, 'code' | 'fails'>): string {
  const { suite, base, head, unit, pass_fail, fail_pass } = moved;
  if (unit === 'tests') return `${suite}: ${rolledDifferently(moved)}`;
  const way = (head ?? 0) < (base ?? 0) ? 'lowers' : 'raises';
  const size = pointsBetween(base, head).replace(/^[+−]/, '');
  return (
    `${suite}: the new scoring alone ${way} the pass rate by ${size} ` +
    `(of the same answers ${fail_pass} now pass and ${pass_fail} now fail)`
  );
}

export function fallInWords(before: number | null, after: number | null, excused: boolean): string {
  const why = excused ? "head's own scoring passes them" : 'the scoring changed too';
  return `under base's scoring ${wholeRates(before, after)}; ${why}`;
}
