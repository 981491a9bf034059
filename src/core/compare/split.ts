import type { Because, Outcome, YardstickResult } from '../../types.ts';
import { cohenKappa } from '../../statistics/kappa.ts';
import { mcnemar } from '../../statistics/mcnemar.ts';
import type { CaseRun, LaneRun } from '../trial/rounds.ts';
import { countOutcomes, sharedTries } from './tables.ts';
import type { RunWords } from './rollup-words.ts';
import { isYardstickKey } from '../fingerprint/yardstick.ts';
import { percent, plural, signed } from '../../text/amounts.ts';

type Corner = 'deciding' | 'other';

/**
 * Both sides' outputs under both yardsticks, and how the change of the pass rate splits: what the prompt did under
 * head's yardstick, plus what the yardstick did on base's outputs. Null when the yardsticks do not differ.
 */
export function yardstickSplit(lane: LaneRun, words: ReadonlyMap<CaseRun, RunWords>): YardstickResult | null {
  if (lane.other === null) return null;
  const runs = lane.runs.filter(({ base, head }) => base.length > 0 && head.length > 0);
  const tries = sharedTries(runs);
  const headDecides = lane.deciding.side === 'head';
  const rate = (outputs: 'base' | 'head', yardstick: 'base' | 'head'): number | null =>
    meanUnder(runs, outputs, (yardstick === 'head') === headDecides ? 'deciding' : 'other', tries);
  const rates = {
    base_base: rate('base', 'base'), base_head: rate('base', 'head'), head_base: rate('head', 'base'), head_head: rate('head', 'head'),
  };
  const effects = {
    prompt_effect: difference(rates.head_head, rates.base_head),
    yardstick_effect: difference(rates.base_head, rates.base_base),
    total: difference(rates.head_head, rates.base_base),
  };
  const because = lane.lane.because.filter(({ key }) => isYardstickKey(key) || key === 'references');
  const flipped = flips(runs, words, headDecides);
  return {
    path: lane.lane.path, name: lane.lane.name, rates, ...effects, because, flipped, same_answers: sameAnswers(runs, headDecides),
    summary: inWords({ rates, ...effects, because, flipped }),
  };
}

function meanUnder(runs: readonly CaseRun[], side: 'base' | 'head', corner: Corner, tries: number): number | null {
  const rates = runs
    .map((run) => countOutcomes(run[side].slice(0, tries).flatMap(({ result, other }) => (corner === 'deciding' ? result : other)?.outcome ?? [])))
    .filter((counts) => counts.tries > 0)
    .map((counts) => counts.passes / counts.tries);
  return rates.length === 0 ? null : rates.reduce((sum, one) => sum + one, 0) / rates.length;
}

function difference(after: number | null, before: number | null): number | null {
  return after === null || before === null ? null : after - before;
}

/** Base's tries by their word under base's and under head's yardstick: the same answers, so only the yardstick can differ. */
function sameAnswers(runs: readonly CaseRun[], headDecides: boolean): YardstickResult['same_answers'] {
  const pairs = runs.flatMap(({ base }) => base.map(({ result, other }) => (headDecides ? [other?.outcome, result.outcome] : [result.outcome, other?.outcome])));
  const count = (before: Outcome, after: Outcome): number => pairs.filter(([was, is]) => was === before && is === after).length;
  const [passFail, failPass] = [count('pass', 'fail'), count('fail', 'pass')];
  const table = [[count('pass', 'pass'), passFail], [failPass, count('fail', 'fail')]];
  return {
    judged: table.flat().reduce((sum, one) => sum + one, 0), pass_fail: passFail, fail_pass: failPass,
    p: Math.min(1, mcnemar({ passFail, failPass }).midTwo), kappa: cohenKappa(table),
  };
}

/** References whose roll-up on base's own outputs reads differently under head's yardstick than under base's. */
function flips(runs: readonly CaseRun[], words: ReadonlyMap<CaseRun, RunWords>, headDecides: boolean): YardstickResult['flipped'] {
  return runs.flatMap((run) => {
    const found = words.get(run);
    if (found === undefined || found.other === null) return [];
    const [before, after] = headDecides ? [found.other.word, found.base.word] : [found.base.word, found.other.word];
    if (before === after) return [];
    const tag = (word: 'pass' | 'fail' | null): Outcome => word ?? 'ungraded';
    return [{ id: run.case.reference.id, from: tag(before), to: tag(after) }];
  });
}

type Split = Pick<YardstickResult, 'rates' | 'prompt_effect' | 'yardstick_effect' | 'total' | 'because' | 'flipped'>;

function inWords({ rates, prompt_effect: prompt, yardstick_effect: yardstick, total, because, flipped }: Split): string {
  if (total === null || prompt === null || yardstick === null) return 'The yardstick changed; the four rates could not all be measured.';
  const size = (Math.abs(total) * 100).toFixed(1);
  const moved = Number(size) === 0
    ? `The pass rate stayed at ${percent(rates.head_head)}`
    : `The pass rate ${total > 0 ? 'rose' : 'fell'} ${size} points (${percent(rates.base_base)} → ${percent(rates.head_head)})`;
  const flat = Number((yardstick * 100).toFixed(1)) === 0;
  const how = flat ? 'changed' : `got ${yardstick > 0 ? 'easier' : 'stricter'}`;
  const rolled = flat && flipped.length > 0 ? ` ${plural(flipped.length, 'reference')} of base read otherwise all the same.` : '';
  return `${moved}: ${signed(prompt)} from the prompt, ${signed(yardstick)} because ${whatChanged(because)} ${how}.${rolled}`;
}

/** The changed part of the yardstick, as a subject in the singular. */
function whatChanged(because: readonly Because[]): string {
  const [only, ...others] = because.map(({ key }) => key);
  if (only === undefined || others.length > 0) {
    const names = because.map(({ key }) => partName(key).replace(/^the /, ''));
    return names.length === 0 ? 'the yardstick' : `the yardstick (${names.join(', ')})`;
  }
  return partName(only);
}

function partName(key: string): string {
  const [kind = '', ...rest] = key.split('.');
  const name = rest.join('.');
  if (kind === 'rubrics') return `the rubric ${name}`;
  if (kind === 'metrics') return `the metric ${name}`;
  if (kind === 'metrics_rollup') return 'the roll-up';
  if (kind === 'references') return 'the expected value of references';
  if (kind === 'embeddings') return 'the model of embeddings';
  return kind === 'grader' ? 'the grader' : 'the yardstick';
}
