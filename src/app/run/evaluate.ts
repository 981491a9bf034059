import { formatProblem } from '../../errors.ts';
import { explainRun, type RunExplanation } from '../../features/attributes/explain-run.ts';
import { causesOf } from '../../features/causes/causes.ts';
import { runEvaluatorTests } from '../../features/conversations/evaluator-tests.ts';
import type { TestedJudge } from '../../features/graders/plan.ts';
import { runRubricTests } from '../../features/graders/rubric-tests.ts';
import { withHistory, withSteady } from '../../features/history/tries.ts';
import { brokenCode } from '../../kernel/judge/broken-code.ts';
import { compareSuite } from '../../kernel/judge/compare.ts';
import { decide, decideHalted } from '../../kernel/judge/gate.ts';
import { newlySkippedIds, suiteNotices } from '../../kernel/judge/notices.ts';
import { outcomeFields } from '../../kernel/judge/outcome-fields.ts';
import type {
  Decision,
  GateFinding,
  GateInput,
  ReplacedModel,
} from '../../kernel/judge/outcome.ts';
import { rollUpSuite, type RunRollUps } from '../../kernel/judge/roll-up.ts';
import { scoringSplit } from '../../kernel/judge/scoring-split.ts';
import { underBaseFindings, unreadByBase } from '../../kernel/judge/under-base.ts';
import { judgeSuites } from '../../kernel/judge/verdict.ts';
import { incomplete } from '../../kernel/plan/halt.ts';
import { removedIds, type Prepared } from '../../kernel/plan/prepared.ts';
import type { ReferenceRun, SuiteComparison } from '../../kernel/plan/suite-run.ts';
import { adaptiveTries, comparing } from '../../kernel/plan/tries.ts';
import type { Result } from '../../kernel/result/result.ts';
import type { ScoringResult } from '../../kernel/result/scoring-result.ts';
import type { SuiteResult } from '../../kernel/result/suite-result.ts';
import { gates } from '../../kernel/select/select.ts';
import { gatesByPreference } from '../../kernel/suite/metrics.ts';
import { costPer1000Calls } from '../../money/price.ts';
import { replacedAnswerers } from '../../trust/answerers.ts';
import { askedAnewIds, lostCheckWords } from '../../trust/weakened.ts';
import type { Notice, Problem } from '../../types/plain.ts';
import { repeatedEvaluate } from './repeats.ts';
import { executeRounds, startSpending, type JudgeEdges, type Spending } from './spending.ts';

/** Executes a prepared run and puts what came of it over `blank`. */
export async function judge(plain: Prepared, world: JudgeEdges, blank: Result): Promise<Result> {
  const repeats = repeatedEvaluate(world.evaluate, `${blank.base?.sha ?? ''} ${blank.head.sha}`);
  const edges = { ...world, evaluate: repeats.evaluate };
  const started = await knowing(plain, edges);
  const spent = startSpending(started, edges);
  const prepared = { ...started, suites: await executeRounds(started, edges, spent) };
  const tested = await testJudges(prepared, edges, spent);
  const compared = await compareSuites(prepared, edges, spent, tested.judges);
  if (compared.problems.length > 0) return withBrokenCode(blank, compared, spent);
  const explained = await explainRun(
    { ...prepared, ...compared, halt: spent.halted() },
    { ...edges, complete: spent.complete },
  );
  const replaced = replacedAnswerers(prepared.suites.map(({ run }) => run.suite));
  const decision = decideRun({ ...prepared, replaced }, compared, explained, spent, blank);
  // The verdict stands: what is tried from here on changes nothing of it.
  const { attributes } = explained;
  const causes = await causesOf(
    prepared,
    { ...compared, attributes, trust: blank.trust },
    edges,
    spent,
  );
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
    suites: compared.results,
    ...(causes.length === 0 ? {} : { causes }),
    scoring: compared.scoring,
    graders: tested.graders,
    ...(tested.evaluators.length === 0 ? {} : { evaluators: tested.evaluators }),
    attributes,
    insights: explained.insights,
    ...(explained.droppedInsights.length === 0
      ? {}
      : { dropped_insights: explained.droppedInsights }),
    notices,
    usage: spent.meter.totals(),
    adaptive_tries: adaptiveTries(prepared.suites),
    ...(made.made === 0 ? {} : { evaluations: made }),
  };
}

/**
 * Code that scores and is broken has to be fixed first: there is no rate from it, and no verdict.
 */
function withBrokenCode(
  blank: Result,
  { problems, results, notices }: Compared,
  { meter }: Spending,
): Result {
  return {
    ...blank,
    ...outcomeFields({ kind: 'not-evaluated', problems: problems.length }),
    problems,
    suites: results,
    notices: [...blank.notices, ...notices],
    usage: meter.totals(),
  };
}

/** Adds to a prepared run what earlier runs say about its references. */
async function knowing(prepared: Prepared, { history }: JudgeEdges): Promise<Prepared> {
  if (prepared.mode !== 'diff' || history === undefined) return prepared;
  if (comparing(prepared.suites).sequential.length === 0) return prepared;
  return { ...prepared, suites: withSteady(prepared.suites, await history()) };
}

type Tested = Pick<Result, 'graders' | 'notices'> & {
  judges: TestedJudge[];
  evaluators: NonNullable<Result['evaluators']>;
};

/** Holds those who judge against labelled examples. */
async function testJudges(
  { rubricTests, evaluatorTests }: Prepared,
  { random }: JudgeEdges,
  { complete }: Spending,
): Promise<Tested> {
  const { graders, judges, notices } = await runRubricTests(rubricTests, { complete, random });
  const tested = await runEvaluatorTests(evaluatorTests, { complete, random });
  const { evaluators } = tested;
  return {
    graders,
    judges: [...judges, ...tested.judges],
    evaluators,
    notices: [...notices, ...tested.notices],
  };
}

/** Suites that ran, and what the result says of each, in the same order. */
interface Compared {
  comparisons: SuiteComparison[];
  results: SuiteResult[];
  scoring: ScoringResult[];
  /** What falls under base's scoring alone. */
  underBase: GateFinding[];
  notices: Notice[];
  /** Code that scores and is broken; suites that it judges are not among the others. */
  problems: Problem[];
}

/** Rolls up, compares under one alpha, and says what a scoring change did. */
async function compareSuites(
  { suites: comparisons, gate, mode, price }: Prepared,
  { evaluate, history }: JudgeEdges,
  { meter, halted, unmade }: Spending,
  judges: readonly TestedJudge[],
): Promise<Compared> {
  const rollUps = await Promise.all(comparisons.map(({ run }) => rollUpSuite(run, evaluate)));
  const complete = halted() === null || !incomplete(unmade);
  const verdicts =
    mode === 'diff'
      ? judgeSuites(comparisons, gate, {
          complete,
          rollUps: new Map(rollUps.flatMap((own) => [...own])),
        })
      : comparisons.map(() => null);
  const all = comparisons.map((comparison, index) => ({
    comparison,
    verdict: verdicts[index] ?? null,
    rollUps: rollUps[index] ?? new Map<ReferenceRun, RunRollUps>(),
  }));
  const broken = brokenCode(
    all.map(({ comparison: { run }, rollUps: own }) => ({ run, rollUps: own })),
  );
  const shown = all.filter(
    ({ comparison: { run } }) => run.suite.references.length > 0 && !broken.suites.has(run),
  );
  const compared = shown.map(({ comparison, verdict, rollUps: own }): SuiteResult => ({
    ...compareSuite(comparison, verdict, own, judges),
    ...(mode === 'sweep' ? { cost_per_1000_calls: costPer1000Calls(comparison.run, price) } : {}),
  }));
  const { calls, reused, replayed = 0 } = meter.totals();
  const results =
    history === undefined || calls + reused + replayed === 0
      ? compared
      : withHistory(
          shown.map(({ comparison }) => comparison.run),
          compared,
          await history(),
        );
  return {
    problems: broken.problems,
    comparisons: shown.map(({ comparison }) => comparison),
    results,
    scoring: shown.flatMap(
      ({ comparison, verdict, rollUps: own }) =>
        scoringSplit(comparison, own, verdict?.hidden ?? null) ?? [],
    ),
    underBase: underBaseFindings(shown, gate.alpha),
    notices: [
      ...broken.notices,
      ...shown.flatMap(({ comparison }, index) => {
        const suite = compared[index];
        return suite === undefined ? [] : suiteNotices(comparison.run, suite);
      }),
    ],
  };
}

/** The conclusion, from the tries that were made. */
function decideRun(
  {
    suites: comparisons,
    gate,
    mode,
    rubricTests,
    evaluatorTests,
    replaced,
    ownRules,
  }: Prepared & { replaced: ReplacedModel[] },
  { results, scoring, underBase }: Compared,
  { attributes, unexplained }: RunExplanation,
  { halted, unmade }: Spending,
  blank: Result,
): Decision {
  const runs = comparisons.map(({ run }) => run);
  const input: GateInput = {
    mode,
    suites: results,
    scoring,
    attributes,
    unexplained,
    settings: gate,
    affected: comparisons.reduce((sum, { run }) => sum + run.runs.length, 0),
    removed: comparisons.flatMap((comparison) => {
      const { run } = comparison;
      const skipped = [...newlySkippedIds(run), ...comparison.newlyQuarantined];
      return [...removedIds(run.suite), ...skipped.map((id) => `${run.suite.path}: ${id}`)];
    }),
    underBase,
    askedAnew: askedAnewIds(runs),
    weakened: [...ownRules, ...unreadByBase(comparisons), ...lostCheckWords(runs)],
    testedRubrics: rubricTests.length + evaluatorTests.length,
    counted: countedRuns(comparisons),
    uncomparable: uncomparable(comparisons),
    replaced,
    unused: blank.notices.some(({ kind }) => kind === 'trust'),
    blind:
      blank.notices.filter(({ kind }) => kind === 'not-comparable').map(formatProblem)[0] ?? null,
  };
  const halt = halted();
  return halt === null || !incomplete(unmade) ? decide(input) : decideHalted(input, halt, unmade);
}

function uncomparable(suites: Prepared['suites']): string[] {
  const alone = suites.filter(
    ({ run: { deciding, runs } }) =>
      runs.length > 0 &&
      gatesByPreference(deciding.tests) &&
      runs.every(({ affected: { base } }) => base === null),
  );
  return alone.map(({ run: { suite } }) => suite.name);
}

/** Runs of references that count: not skipped, unless a custom roll-up switches that off. */
function countedRuns(suites: Prepared['suites']): number {
  return suites.reduce(
    (sum, { run: { suite, runs } }) =>
      sum + runs.filter((run) => gates(suite, run.affected)).length,
    0,
  );
}
