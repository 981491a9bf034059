import type { Complete, Evaluate, Purpose, Result } from '../types.ts';
import { compareLane } from './compare.ts';
import { decide } from './gate.ts';
import { createMeter } from './meter.ts';
import { newlySkippedIds, suiteNotices } from './notices.ts';
import { removedIds, type Prepared } from './prepare.ts';
import { runRounds } from './rounds.ts';
import type { ScoringTools } from './score.ts';
import { yardstickSplit } from './split.ts';
import { judgeLanes } from './verdict.ts';
import { rollUpLane } from './words.ts';

export interface JudgeEdges {
  complete: Complete;
  evaluate: Evaluate;
  random: ScoringTools['random'];
  /** Told after each answer; for progress only. */
  answered(): void;
}

/** Executes a prepared run and puts what came of it over `blank`. */
export async function judge(prepared: Prepared, edges: JudgeEdges, blank: Result): Promise<Result> {
  const { lanes, gate, next, price } = prepared;
  const meter = createMeter(edges.complete, price);
  const prompt: Purpose = 'prompt';
  await runRounds(lanes.map(({ run }) => run), next, {
    complete: meter.complete, evaluate: edges.evaluate, random: edges.random,
    answered: (sample, shared) => {
      if (shared) meter.shared(prompt);
      edges.answered();
    },
  });
  const words = await Promise.all(lanes.map(({ run }) => rollUpLane(run, edges.evaluate)));
  const verdicts = prepared.mode === 'diff' ? judgeLanes(lanes, gate) : lanes.map(() => null);
  const all = lanes.map((lane, index) => ({
    lane, suite: compareLane(lane, verdicts[index] ?? null, words[index] ?? new Map(), gate.tolerance), split: yardstickSplit(lane.run, words[index] ?? new Map()),
  }));
  const shown = all.filter(({ lane }) => lane.run.lane.cases.length > 0);
  const suites = shown.map(({ suite }) => suite);
  const yardstick = shown.flatMap(({ split }) => split ?? []);
  const affected = lanes.reduce((sum, { run }) => sum + run.runs.length, 0);
  const removed = lanes.flatMap(({ run }) => [...removedIds(run.lane), ...newlySkippedIds(run).map((id) => `${run.lane.path}: ${id}`)]);
  const decision = decide({ suites, yardstick, settings: gate, affected, removed });
  const notices = [...blank.notices, ...shown.flatMap(({ lane, suite }) => suiteNotices(lane.run, suite))];
  return { ...blank, ...decision, suites, yardstick, notices, usage: meter.totals() };
}
