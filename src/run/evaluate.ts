import { runEvaluatorTests } from '../ask/evaluator-tests.ts';
import type { Sample } from '../ask/execute.ts';
import { runRounds } from '../ask/rounds.ts';
import { runRubricTests } from '../ask/rubric-tests.ts';
import type { ScoringTools } from '../ask/score.ts';
import { explainRun, type RunExplanation } from '../explain/explain-run.ts';
import { compareLane } from '../judge/compare.ts';
import { decide } from '../judge/gate.ts';
import { decideHalted } from '../judge/halted.ts';
import { type TryHistory, withHistory, withSteady } from '../judge/history.ts';
import { newlySkippedIds, suiteNotices } from '../judge/notices.ts';
import type { Decision, GateInput } from '../judge/outcome.ts';
import { rollUpLane, type RunWords } from '../judge/roll-up.ts';
import { yardstickSplit } from '../judge/scoring-split.ts';
import { judgeLanes } from '../judge/verdict.ts';
import { incomplete, type Halt, type Unmade, wasNotMade } from '../plan/halt.ts';
import { removedIds, type Prepared } from '../plan/prepared.ts';
import { costPer1000Calls, createMeter, type Meter } from '../plan/price.ts';
import type { CaseRun, ComparedLane, NextTries } from '../plan/suite-run.ts';
import { adaptiveTries, comparing } from '../plan/tries.ts';
import { outcomeFields } from '../report/sections/outcomes.ts';
import type { Result, YardstickResult } from '../result/result.ts';
import type { SuiteResult } from '../result/suite-result.ts';
import { replacedAnswerers, type ReplacedModel } from '../select/answerers.ts';
import { gates } from '../select/select.ts';
import { gatesByPreference } from '../suite/metrics.ts';
import type { CheckSchema } from '../types/metric.ts';
import type { Complete, Evaluate, Purpose, Target, Usage } from '../types/model.ts';
import type { Notice } from '../types/plain.ts';
import type { Solve } from '../types/solver.ts';
import { repeatedEvaluate } from './repeats.ts';

export interface JudgeEdges {
  complete: Complete;
  evaluate: Evaluate;
  /** Holds answers against schemas where that can be stopped; absent: on the spot. */
  checkSchema?: CheckSchema;
  random: ScoringTools['random'];
  /** Any collision-resistant hash of text. */
  hash(text: string): string;
  /** Solves the program by which references get their attributes. */
  solve: Solve;
  /** Told after each answer, grade and evaluation that was asked for; for progress only. */
  answered(purpose: Purpose): void;
  /** How tries came out in earlier runs; absent: nobody keeps it. */
  history?(): Promise<TryHistory>;
  /** Why no further call is made; null while calls are. Absent: nothing ends a run early. */
  halted?(): Halt | null;
}

/** The calls that a sample took at least, by purpose: what is saved where it is shared. */
function callsOf({ dialogue, trial }: Sample): Purpose[] {
  if (dialogue === null) return trial.generation.kind === 'recorded' ? [] : ['prompt'];
  const answers = trial.generation.kind === 'recorded' ? [] : dialogue.answers;
  return [
    ...answers.map((): Purpose => 'prompt'),
    ...dialogue.turns.flatMap(({ verdicts }) => verdicts.map((): Purpose => 'evaluator')),
  ];
}

/**
 * What a shared answer would have cost; for a dialogue, whose usage is one sum over several models,
 * nobody can say.
 */
function savedBy({
  dialogue,
  completion,
  trial: { generation },
}: Sample): { target: Target; usage: Usage | null } | null {
  if (dialogue !== null || generation.kind !== 'request' || completion.status === 'error')
    return null;
  return { target: generation.target, usage: completion.usage };
}

/** Executes a prepared run and puts what came of it over `blank`. */
export async function judge(plain: Prepared, world: JudgeEdges, blank: Result): Promise<Result> {
  const repeats = repeatedEvaluate(world.evaluate, `${blank.base?.sha ?? ''} ${blank.head.sha}`);
  const edges = { ...world, evaluate: repeats.evaluate };
  const prepared = await knowing(plain, edges);
  const spent = startSpending(prepared, edges);
  await executeRounds(prepared, edges, spent);
  const tested = await testJudges(prepared, edges, spent);
  const compared = await compareLanes(prepared, edges, spent);
  const explained = await explainRun(
    { ...prepared, ...compared, halt: spent.halted() },
    { ...edges, complete: spent.complete },
  );
  const replaced = replacedAnswerers(prepared.lanes.map(({ run }) => run.lane));
  const decision = decideRun({ ...prepared, replaced }, compared, explained, spent, blank);
  const { made, notices: unequal } = repeats.found();
  const notices = [
    ...blank.notices,
    ...unequal,
    ...compared.notices,
    ...tested.notices,
    ...explained.notices,
  ];
  return {
    ...blank,
    ...outcomeFields(decision.outcome),
    reasons: decision.reasons,
    ...(replaced.length === 0
      ? {}
      : { replaced: replaced.map(({ suite, by }) => ({ suite, by })) }),
    suites: compared.suites,
    yardstick: compared.yardstick,
    graders: tested.graders,
    ...(tested.evaluators.length === 0 ? {} : { evaluators: tested.evaluators }),
    attributes: explained.attributes,
    insights: explained.insights,
    notices,
    usage: spent.meter.totals(),
    adaptive_tries: adaptiveTries(prepared.lanes),
    ...(made.made === 0 ? {} : { evaluations: made }),
  };
}

/** The same run with what earlier ones say about its references. */
async function knowing(prepared: Prepared, { history }: JudgeEdges): Promise<Prepared> {
  if (prepared.mode !== 'diff' || history === undefined) return prepared;
  if (comparing(prepared.lanes).sequential.length === 0) return prepared;
  const lanes = withSteady(prepared.lanes, await history());
  return { ...prepared, lanes, next: prepared.nextFor(lanes) };
}

/** What a run asks through, and what it could not ask any more because it was ended. */
interface Spending {
  meter: Meter;
  /** Asks, counts, and tells whoever watches. */
  complete: Complete;
  halted(): Halt | null;
  unmade: Unmade;
}

/**
 * Answers are counted as tries; and what is asked about attributes comes after the verdict, which
 * lacks nothing without it.
 */
const NO_GRADE: ReadonlySet<Purpose> = new Set(['prompt', 'qualeval', 'insight']);

function startSpending({ price }: Prepared, edges: JudgeEdges): Spending {
  const meter = createMeter(edges.complete, price);
  const unmade = { tries: 0, grades: 0, rounds: 0 };
  const complete: Complete = async (request) => {
    const completion = await meter.complete(request);
    if (!NO_GRADE.has(request.purpose) && wasNotMade(completion)) unmade.grades += 1;
    edges.answered(request.purpose);
    return completion;
  };
  return { meter, complete, halted: () => edges.halted?.() ?? null, unmade };
}

/** Makes and scores every round of tries that a lane wants, while calls are made. */
async function executeRounds(
  { lanes, price, next }: Prepared,
  { evaluate, checkSchema, random }: JudgeEdges,
  { meter, complete, halted, unmade }: Spending,
): Promise<void> {
  const wanted: NextTries = (run) => {
    const tries = next(run);
    if (halted() === null || tries.size === 0) return tries;
    unmade.rounds += 1;
    return new Map();
  };
  await runRounds(
    lanes.map(({ run }) => run),
    wanted,
    {
      complete,
      evaluate,
      checkSchema,
      random,
      price,
      answered: (sample, shared) => {
        if (shared) for (const purpose of callsOf(sample)) meter.shared(purpose, savedBy(sample));
        if (wasNotMade(sample.completion)) unmade.tries += 1;
      },
    },
  );
}

type Tested = Pick<Result, 'graders' | 'notices'> & {
  evaluators: NonNullable<Result['evaluators']>;
};

/** Holds those who judge against labelled examples. */
async function testJudges(
  { rubricTests, evaluatorTests }: Prepared,
  { random }: JudgeEdges,
  { complete }: Spending,
): Promise<Tested> {
  const { graders, notices } = await runRubricTests(rubricTests, { complete, random });
  const tested = await runEvaluatorTests(evaluatorTests, { complete, random });
  return { graders, evaluators: tested.evaluators, notices: [...notices, ...tested.notices] };
}

/** Lanes with cases as the result shows them, each beside its suite. */
interface Compared {
  lanes: ComparedLane[];
  suites: SuiteResult[];
  yardstick: YardstickResult[];
  notices: Notice[];
}

/** Rolls up, compares under one alpha, and says what a moved yardstick did. */
async function compareLanes(
  { lanes, gate, mode, price }: Prepared,
  { evaluate, history }: JudgeEdges,
  { meter }: Spending,
): Promise<Compared> {
  const words = await Promise.all(lanes.map(({ run }) => rollUpLane(run, evaluate)));
  const verdicts = mode === 'diff' ? judgeLanes(lanes, gate) : lanes.map(() => null);
  const all = lanes.map((lane, index) => ({
    lane,
    verdict: verdicts[index] ?? null,
    words: words[index] ?? new Map<CaseRun, RunWords>(),
  }));
  const shown = all.filter(({ lane }) => lane.run.lane.cases.length > 0);
  const compared = shown.map(({ lane, verdict, words: own }): SuiteResult => ({
    ...compareLane(lane, verdict, own),
    ...(mode === 'sweep' ? { cost_per_1000_calls: costPer1000Calls(lane.run, price) } : {}),
  }));
  const { calls, reused, replayed = 0 } = meter.totals();
  const suites =
    history === undefined || calls + reused + replayed === 0
      ? compared
      : withHistory(
          shown.map(({ lane }) => lane.run),
          compared,
          await history(),
        );
  return {
    lanes: shown.map(({ lane }) => lane),
    suites,
    yardstick: shown.flatMap(({ lane, words: own }) => yardstickSplit(lane, own) ?? []),
    notices: shown.flatMap(({ lane }, index) => {
      const suite = compared[index];
      return suite === undefined ? [] : suiteNotices(lane.run, suite);
    }),
  };
}

/** The conclusion, from the tries that were made. */
function decideRun(
  {
    lanes,
    gate,
    mode,
    rubricTests,
    evaluatorTests,
    replaced,
  }: Prepared & { replaced: ReplacedModel[] },
  { suites, yardstick }: Compared,
  { attributes, unexplained }: RunExplanation,
  { halted, unmade }: Spending,
  blank: Result,
): Decision {
  const input: GateInput = {
    mode,
    suites,
    yardstick,
    attributes,
    unexplained,
    settings: gate,
    affected: lanes.reduce((sum, { run }) => sum + run.runs.length, 0),
    removed: lanes.flatMap(({ run }) => [
      ...removedIds(run.lane),
      ...newlySkippedIds(run).map((id) => `${run.lane.path}: ${id}`),
    ]),
    testedRubrics: rubricTests.length + evaluatorTests.length,
    counted: countedRuns(lanes),
    uncomparable: uncomparable(lanes),
    replaced,
    unused: blank.notices.some(({ kind }) => kind === 'trust'),
  };
  const halt = halted();
  return halt === null || !incomplete(unmade) ? decide(input) : decideHalted(input, halt, unmade);
}

function uncomparable(lanes: Prepared['lanes']): string[] {
  const alone = lanes.filter(
    ({ run: { deciding, runs } }) =>
      runs.length > 0 &&
      gatesByPreference(deciding.tests) &&
      runs.every(({ case: { base } }) => base === null),
  );
  return alone.map(({ run: { lane } }) => lane.name);
}

/** Runs of references that count: not skipped, unless a custom roll-up switches that off. */
function countedRuns(lanes: Prepared['lanes']): number {
  return lanes.reduce(
    (sum, { run: { lane, runs } }) => sum + runs.filter((one) => gates(lane, one.case)).length,
    0,
  );
}
