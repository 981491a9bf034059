import type { Complete, Evaluate, Purpose, Result, Target, Usage } from '../types.ts';
import { compareLane } from './compare/compare.ts';
import { runEvaluatorTests } from './conversation/evaluator-tests.ts';
import type { Sample } from './trial/execute.ts';
import { decide, type GateInput } from './gate/gate.ts';
import { decideHalted, incomplete, wasNotMade, type Halt } from './gate/halt.ts';
import { withHistory, type History } from './gate/history.ts';
import { createMeter } from './spend/meter.ts';
import { newlySkippedIds, suiteNotices } from './gate/notices.ts';
import { gatesByPreference } from './trial/pairwise.ts';
import { removedIds, type Prepared } from './plan/prepare.ts';
import { runRounds, type NextTries } from './trial/rounds.ts';
import { runRubricTests } from './rubrics/rubric-tests.ts';
import type { ScoringTools } from './trial/score.ts';
import { gates } from './select/select.ts';
import { yardstickSplit } from './compare/split.ts';
import { costPer1000Calls } from './spend/sweep-cost.ts';
import { adaptiveTries } from './trial/tries.ts';
import { judgeLanes } from './compare/verdict.ts';
import { rollUpLane } from './compare/words.ts';

export interface JudgeEdges {
  complete: Complete;
  evaluate: Evaluate;
  random: ScoringTools['random'];
  /** Told after each answer, grade and evaluation that was asked for; for progress only. */
  answered(purpose: Purpose): void;
  /** How tries came out in earlier runs; absent: nobody keeps it. */
  history?(): Promise<History>;
  /** Why no further call is made; null while calls are. Absent: nothing ends a run early. */
  halted?(): Halt | null;
}

/** The calls that a sample took at least, by purpose: what is saved where it is shared. */
function callsOf({ dialogue, trial }: Sample): Purpose[] {
  if (dialogue === null) return trial.generation.kind === 'recorded' ? [] : ['prompt'];
  const answers = trial.generation.kind === 'recorded' ? [] : dialogue.answers;
  return [...answers.map((): Purpose => 'prompt'), ...dialogue.turns.flatMap(({ verdicts }) => verdicts.map((): Purpose => 'evaluator'))];
}

/** What a shared answer would have cost; for a dialogue, whose usage is one sum over several models, nobody can say. */
function savedBy({ dialogue, completion, trial: { generation } }: Sample): { target: Target; usage: Usage } | null {
  if (dialogue !== null || generation.kind !== 'request' || completion.status === 'error' || completion.usage === null) return null;
  return { target: generation.target, usage: completion.usage };
}

/** Executes a prepared run and puts what came of it over `blank`. */
export async function judge(prepared: Prepared, edges: JudgeEdges, blank: Result): Promise<Result> {
  const { lanes, gate, price } = prepared;
  const meter = createMeter(edges.complete, price);
  const halted = (): Halt | null => edges.halted?.() ?? null;
  const unmade = { tries: 0, grades: 0, rounds: 0 };
  const next: NextTries = (run) => {
    const wanted = prepared.next(run);
    if (halted() === null || wanted.size === 0) return wanted;
    unmade.rounds += 1;
    return new Map();
  };
  const complete: Complete = async (request) => {
    const completion = await meter.complete(request);
    if (request.purpose !== 'prompt' && wasNotMade(completion)) unmade.grades += 1;
    edges.answered(request.purpose);
    return completion;
  };
  await runRounds(lanes.map(({ run }) => run), next, {
    complete, evaluate: edges.evaluate, random: edges.random, price,
    answered: (sample, shared) => {
      if (shared) for (const purpose of callsOf(sample)) meter.shared(purpose, savedBy(sample));
      if (wasNotMade(sample.completion)) unmade.tries += 1;
    },
  });
  const tested = await runRubricTests(prepared.rubricTests, { complete, random: edges.random });
  const graded = await runEvaluatorTests(prepared.evaluatorTests, { complete: meter.complete, random: edges.random });
  const words = await Promise.all(lanes.map(({ run }) => rollUpLane(run, edges.evaluate)));
  const verdicts = prepared.mode === 'diff' ? judgeLanes(lanes, gate) : lanes.map(() => null);
  const all = lanes.map((lane, index) => ({
    lane, suite: { ...compareLane(lane, verdicts[index] ?? null, words[index] ?? new Map()), ...(prepared.mode === 'sweep' ? { cost_per_1000_calls: costPer1000Calls(lane.run, price) } : {}) }, split: yardstickSplit(lane.run, words[index] ?? new Map()),
  }));
  const shown = all.filter(({ lane }) => lane.run.lane.cases.length > 0);
  const compared = shown.map(({ suite }) => suite);
  const asked = edges.history !== undefined && meter.totals().calls + meter.totals().reused > 0 ? await edges.history() : null;
  const suites = asked === null ? compared : withHistory(shown.map(({ lane }) => lane.run), compared, asked);
  const yardstick = shown.flatMap(({ split }) => split ?? []);
  const affected = lanes.reduce((sum, { run }) => sum + run.runs.length, 0);
  const removed = lanes.flatMap(({ run }) => [...removedIds(run.lane), ...newlySkippedIds(run).map((id) => `${run.lane.path}: ${id}`)]);
  const input: GateInput = { suites, yardstick, settings: gate, affected, removed, testedRubrics: prepared.rubricTests.length + prepared.evaluatorTests.length, counted: countedRuns(lanes), uncomparable: uncomparable(lanes), unused: blank.notices.some(({ kind }) => kind === 'trust') };
  const halt = halted();
  const decision = halt === null || !incomplete(unmade) ? decide(input) : decideHalted(input, halt, unmade);
  const notices = [...blank.notices, ...shown.flatMap(({ lane, suite }) => suiteNotices(lane.run, suite)), ...tested.notices, ...graded.notices];
  return { ...blank, ...decision, suites, yardstick, graders: tested.graders, ...(graded.evaluators.length === 0 ? {} : { evaluators: graded.evaluators }), notices, usage: meter.totals(), adaptive_tries: adaptiveTries(lanes) };
}

function uncomparable(lanes: Prepared['lanes']): string[] {
  const alone = lanes.filter(({ run: { deciding, runs } }) => runs.length > 0 && gatesByPreference(deciding.tests) && runs.every(({ case: { base } }) => base === null));
  return alone.map(({ run: { lane } }) => lane.name);
}

/** Runs of references that count: not skipped, unless a custom roll-up switches that off. */
function countedRuns(lanes: Prepared['lanes']): number {
  return lanes.reduce((sum, { run: { lane, runs } }) => sum + runs.filter((one) => gates(lane, one.case)).length, 0);
}
