import type { ReasonOf } from '../kernel/result/reason.ts';
import type { ScoringResult } from '../kernel/result/scoring-result.ts';
import {
  count,
  counted,
  firstWords,
  percent,
  pointsApart,
  signedBetween,
  wholeRates,
} from '../text/amounts.ts';
import { plainWords, type Words } from './words.ts';

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

function changedScoring(
  { because, only_skips }: ScoringResult,
  before: number,
  between: number,
): string {
  const moved = pointsApart(before, between);
  const how = moved === 0 ? 'changed' : `got ${moved > 0 ? 'easier' : 'stricter'}`;
  const parts = because.map(({ key }) => partName(key, only_skips === true));
  return `${whatChanged(parts)} ${how}.`;
}

function whatChanged(parts: readonly string[]): string {
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

type Flips = Pick<ScoringResult['same_answers'], 'unit' | 'judged' | 'pass_fail' | 'fail_pass'>;

/** For example `6 of 12 tests of p now fail and 1 now passes`. */
function flipWords({ unit, judged, pass_fail, fail_pass }: Flips, suite: Words = []): Words {
  const flips = [
    { flipped: pass_fail, now: pass_fail === 1 ? 'fails' : 'fail' },
    { flipped: fail_pass, now: fail_pass === 1 ? 'passes' : 'pass' },
  ].filter(({ flipped }) => flipped > 0);
  const of = counted(judged, unit === 'tests' ? 'test' : 'answer');
  const [first, second] = flips;
  if (first === undefined) return [`none of ${of}`, ...suite, ' is judged differently'];
  const more = second === undefined ? '' : ` and ${count(second.flipped)} now ${second.now}`;
  return [`${count(first.flipped)} of ${of}`, ...suite, ` now ${first.now}${more}`];
}

/** For example `6 of 12 tests now fail (roll-up majority → all)`. */
export function scoringEffect(scoring: ScoringResult, suite: Words = []): Words {
  const { because, rollup, rates, same_answers: same, only_skips, may_be_chance } = scoring;
  const parts = because.map(({ key }) =>
    key === 'metrics_rollup' && rollup !== undefined
      ? rollupChange(rollup)
      : partName(key, only_skips === true).replace(/^the /, ''),
  );
  const chance = may_be_chance === true ? ', perhaps by chance' : '';
  const flips =
    same.pass_fail + same.fail_pass === 0
      ? [`${wholeRates(rates.base_base, rates.base_head)} of the answers`, ...suite, ' pass']
      : flipWords(same, suite);
  return [...flips, parts.length === 0 ? '' : ` (${firstWords(parts, 2)})`, chance];
}

function rollupChange({ base, head, never_fails }: NonNullable<ScoringResult['rollup']>): string {
  const names = base === head ? head : `${base} → ${head}`;
  return `roll-up ${names}${never_fails === true ? ', which can never fail' : ''}`;
}

export function movedByScoring(moved: ReasonOf<'scoring-moved'>): string {
  const what = moved.unit === 'tests' ? 'roll-up' : 'scoring';
  return `${moved.suite}: ${plainWords(flipWords(moved))} under the new ${what}`;
}

export function fallInWords(before: number | null, after: number | null, excused: boolean): string {
  const why = excused ? "head's own scoring passes them" : 'the scoring changed too';
  return `under base's scoring ${wholeRates(before, after)}; ${why}`;
}
