import type { Outcome, YardstickResult } from '../types.ts';
import type { CaseRun, LaneRun } from './rounds.ts';
import { countOutcomes, sharedTries } from './tables.ts';
import type { RunWords } from './words.ts';
import { isYardstickKey } from './yardstick.ts';
import { percent, points } from './wording.ts';

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
  const prompt = difference(rates.head_head, rates.base_head);
  const yardstick = difference(rates.base_head, rates.base_base);
  const total = difference(rates.head_head, rates.base_base);
  return {
    path: lane.lane.path, name: lane.lane.name, rates,
    prompt_effect: prompt, yardstick_effect: yardstick, total,
    because: lane.lane.because.filter(({ key }) => isYardstickKey(key) || key === 'references'),
    flipped: flips(runs, words, headDecides),
    summary: inWords(rates.base_base, rates.head_head, prompt, yardstick, total),
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

function inWords(before: number | null, after: number | null, prompt: number | null, yardstick: number | null, total: number | null): string {
  if (total === null) return 'The yardstick changed; the four rates could not all be measured.';
  const moved = Math.abs(total) < 0.0005 ? `The pass rate stayed at ${percent(after)}` : `The pass rate went ${percent(before)} → ${percent(after)} (${points(total)})`;
  return `${moved}: ${points(prompt)} from the prompt, ${points(yardstick)} because the yardstick changed.`;
}
