import type {
  GateSettings,
  Notice,
  Problem,
  Project,
  Settings,
  SourceTree,
  Suite,
  Target,
} from '../../types.ts';
import type { PinnedAttributes } from '../../config/attributes-file.ts';
import type { Arranged } from '../select/arrange.ts';
import { judgingTargets } from '../fingerprint/metric-models.ts';
import type { Price } from '../spend/meter.ts';
import { conversationProblems } from '../conversation/conversation-problems.ts';
import {
  evaluatorTargetsOf,
  selectEvaluatorTests,
  type EvaluatorTest,
} from '../conversation/evaluator-tests.ts';
import {
  certainCalls,
  planExplain,
  withExplainCalls,
  type ExplainPlan,
} from '../explain/explain-plan.ts';
import { relativeGate, relativeOwnGate, selectTwice } from '../gate/noise.ts';
import { planOf, repeated, type Plan } from './plan.ts';
import { priceFrom } from '../spend/price.ts';
import { quarantineNotices, quarantineOf } from './quarantine.ts';
import { triesNeeded } from '../compare/rollup.ts';
import { selectRubricTests, type RubricTest } from '../rubrics/rubric-tests.ts';
import { startLane, type LaneRun, type NextTries } from '../trial/rounds.ts';
import type { ProjectSide } from '../select/metric-targets.ts';
import { selectAffected, selectAll, type Lane } from '../select/select.ts';
import { batchedNames } from '../select/target.ts';
import { SETTINGS_FILE } from '../../config/settings.ts';
import { ownGate } from '../gate/suite-gate.ts';
import { nextTries, tryPolicy } from '../trial/tries.ts';
import { comparedLane, type ComparedLane, type TryPolicy } from '../compare/verdict.ts';

export interface PrepareInput {
  mode: 'diff' | 'sweep';
  base: SourceTree | null;
  head: SourceTree;
  maxCalls: number | null;
  failOn: GateSettings['fail_on'] | null;
  /** Where the project's own code may run. */
  code: 'sandbox' | 'host' | 'off';
  /** `YYYY-MM-DD`. */
  today: string;
  /**
   * Head is compared with itself, so many times, by new tries; absent: it is compared with base.
   */
  again?: { runs: number };
}

/**
 * A run that is ready to ask: what runs, by which policy, under which gate. Nothing has been called
 * yet.
 */
export interface Prepared {
  mode: 'diff' | 'sweep';
  /** Every selected lane, those in which nothing runs included. */
  lanes: ComparedLane[];
  gate: GateSettings;
  next: NextTries;
  /** The same policy for the same lanes begun anew. */
  nextFor(lanes: readonly ComparedLane[]): NextTries;
  plan: Plan;
  /** Rubrics to be tested on their labelled examples. */
  rubricTests: RubricTest[];
  /** Evaluators to be tested on their labelled answers. */
  evaluatorTests: EvaluatorTest[];
  /** What is asked about the kinds of inputs that got worse; null: nothing. */
  explaining: ExplainPlan | null;
  price: Price;
  problems: Problem[];
  notices: Notice[];
}

/**
 * Selects what runs and plans its first tries; finds what only shows once both sides are known.
 * `pinned`: attributes that people chose.
 */
export function prepare(
  input: PrepareInput,
  arranged: Arranged,
  hash: (text: string) => string,
  pinned: PinnedAttributes | null = null,
): Prepared {
  const { mode, today } = input;
  const { base, head } = sidesOf(input, arranged, hash);
  const {
    lanes: selected,
    problems,
    notices = [],
  } = input.again !== undefined
    ? selectTwice(head, today)
    : mode === 'sweep'
      ? selectAll(head)
      : selectAffected(base, head);
  const gate =
    input.again === undefined
      ? { ...arranged.gate, fail_on: input.failOn ?? arranged.gate.fail_on }
      : relativeGate(arranged.gate);
  const lanes = selected.map((lane) =>
    compared(startLane(lane, 'head'), arranged, { ...input, gate }),
  );
  const next = nextTries(lanes, gate);
  const judges = testsOfJudges(input, base, head, selected);
  const { rubricTests, evaluatorTests } = judges;
  const { explaining, ...attributes } = planExplain({
    mode,
    gate,
    head,
    lanes,
    pinned,
    code: input.code,
    again: input.again !== undefined,
  });
  const plan = withExplainCalls(
    repeated(
      planOf(
        lanes.map(({ run }) => run),
        next,
        rubricTests,
        evaluatorTests,
      ),
      input.again?.runs ?? 1,
    ),
    explaining,
  );
  return {
    mode,
    lanes,
    gate,
    next,
    nextFor: (begun) => nextTries(begun, gate),
    plan,
    rubricTests,
    evaluatorTests,
    explaining,
    price: priceFrom(priceSettings(arranged)),
    problems: [
      ...problems,
      ...unreachableRollups(lanes),
      ...conversationProblems(lanes, input.code),
      ...hostOnly(lanes, rubricTests, input.code),
      ...attributes.problems,
    ],
    notices: [
      ...notices,
      ...lanes.flatMap(
        ({
          run: {
            deciding: { tests },
          },
        }) => quarantineNotices(tests, today),
      ),
      ...judges.notices,
      ...attributes.notices,
      ...directNotice(input, targetsOf({ lanes, rubricTests, evaluatorTests }), arranged),
    ],
  };
}

/** Head's suites as they were read, once for each variant that runs. */
export function suitesOf({ lanes }: Prepared): Suite[] {
  return lanes.flatMap(
    ({
      run: {
        lane: { head },
      },
    }) => head?.suite ?? [],
  );
}

function sidesOf(
  input: PrepareInput,
  arranged: Arranged,
  hash: (text: string) => string,
): { base: ProjectSide | null; head: ProjectSide } {
  const side = (project: Project, tree: SourceTree): ProjectSide => ({
    project,
    context: { settings: project.settings, tree, hash, batches: isFullSweep(input) },
  });
  return {
    base: arranged.base === null || input.base === null ? null : side(arranged.base, input.base),
    head: side(
      arranged.head,
      arranged.models === 'base' && input.base !== null ? input.base : input.head,
    ),
  };
}

/**
 * Models are asked in batches there only: nobody waits a day for a check, or for a measurement of
 * noise.
 */
function isFullSweep({ mode, again }: Pick<PrepareInput, 'mode' | 'again'>): boolean {
  return mode === 'sweep' && again === undefined;
}

function directNotice(
  input: PrepareInput,
  targets: readonly Target[],
  { head }: Arranged,
): Notice[] {
  const names = isFullSweep(input) ? [] : batchedNames(targets, head.settings);
  if (names.length === 0) return [];
  const place = {
    file: head.settings.file ?? SETTINGS_FILE,
    line: head.settings.models.get(names[0] ?? '')?.place.line ?? 0,
  };
  return [
    {
      kind: 'settings',
      place,
      message: `transport: batch is for full sweeps: here ${names.join(', ')} ${names.length === 1 ? 'is' : 'are'} called directly, because nobody waits a day for a check`,
    },
  ];
}

/**
 * Those who judge are tested where a change may have touched them: not in a sweep, nor where base
 * is compared with itself.
 */
function testsOfJudges(
  { mode, again }: PrepareInput,
  base: ProjectSide | null,
  head: ProjectSide,
  lanes: readonly Lane[],
): Pick<Prepared, 'rubricTests' | 'evaluatorTests' | 'notices'> {
  if (mode === 'sweep' || again !== undefined)
    return { rubricTests: [], evaluatorTests: [], notices: [] };
  const { tests, notices } = selectRubricTests(base, head);
  const evaluators = selectEvaluatorTests(lanes);
  return {
    rubricTests: tests,
    evaluatorTests: evaluators.tests,
    notices: [...notices, ...evaluators.notices],
  };
}

/**
 * Where base's budget is in force its prices are too: a pull request must not make itself cheap.
 */
export function priceSettings({ base, head, budget }: Arranged): Settings[] {
  if (base === null) return [head.settings];
  return budget === base.settings.budget
    ? [base.settings, head.settings]
    : [head.settings, base.settings];
}

function compared(
  run: LaneRun,
  arranged: Arranged,
  {
    mode,
    gate,
    failOn,
    today,
    again,
  }: Pick<PrepareInput, 'mode' | 'failOn' | 'today' | 'again'> & { gate: GateSettings },
): ComparedLane {
  const tests = (run.lane.head ?? run.lane.base)?.suite.tests ?? run.deciding.tests;
  return comparedLane(
    run,
    tryPolicy(run, arranged.head.settings, mode === 'diff'),
    { run: gate, own: again === undefined ? ownGate(tests, failOn) : relativeOwnGate(tests) },
    quarantineOf(run.deciding.tests, today),
  );
}

/** A roll-up that asks for more passes than there are tries could never pass. */
function unreachableRollups(lanes: readonly ComparedLane[]): Problem[] {
  return lanes.flatMap(({ run, policy }) => {
    const { tests } = run.deciding;
    const needed = triesNeeded(tests.rollup);
    const tries = triesOf(policy);
    if (run.runs.length === 0 || needed <= tries) return [];
    const message = `metrics_rollup at_least ${String(needed)} can never pass with ${String(tries)} tries; raise n_tries or lower k`;
    return [{ place: { file: tests.file, line: 0 }, message }];
  });
}

/**
 * Prompt code and programs need network, packages or a checkout; only the workflow can allow that.
 */
function hostOnly(
  lanes: readonly ComparedLane[],
  tests: readonly RubricTest[],
  code: PrepareInput['code'],
): Problem[] {
  if (code === 'host') return [];
  const needing = lanes
    .filter(({ run }) => run.runs.length > 0)
    .flatMap(({ run: { lane } }) => [lane.base, lane.head])
    .filter((side) => side !== null);
  const asked = needing.flatMap(({ suite: { prompt }, variant }): Problem[] => {
    if (prompt.code !== null)
      return [
        {
          place: prompt.code.place,
          message:
            'prompt code needs network and packages. It runs only with code: host, on branches of this repository.',
        },
      ];
    if (variant.target?.provider !== 'program') return [];
    const place = { file: prompt.file, line: prompt.lines['model'] ?? 0 };
    return [
      {
        place,
        message: `the model "${variant.model ?? ''}" is a program of this repository. It runs only with code: host (input code, or --code host).`,
      },
    ];
  });
  const graded = [
    ...needing.map(({ yardstick }) => yardstick),
    ...tests.flatMap(({ base, head, place: { file } }) =>
      [base, head].flatMap((judge) =>
        judge === null ? [] : [{ graders: judge.graders, settingsFile: file }],
      ),
    ),
  ];
  const grading = graded.flatMap(({ settingsFile, ...models }) =>
    judgingTargets(models).flatMap((target): Problem[] =>
      target.provider !== 'program'
        ? []
        : [
            {
              place: { file: settingsFile, line: 0 },
              message: `the grader "${target.model}" is a program of this repository. It runs only with code: host (input code, or --code host).`,
            },
          ],
    ),
  );
  const problems = [...asked, ...grading];
  return [
    ...new Map(
      problems.map((problem) => [
        `${problem.place?.file ?? ''}:${String(problem.place?.line)}`,
        problem,
      ]),
    ).values(),
  ];
}

function triesOf(policy: TryPolicy): number {
  return policy.kind === 'adaptive' ? 2 : policy.tries;
}

/** Every place that requests of this run go to. */
export function targetsOf({
  lanes,
  rubricTests,
  evaluatorTests,
  explaining = null,
}: Pick<Prepared, 'lanes' | 'rubricTests' | 'evaluatorTests'> &
  Partial<Pick<Prepared, 'explaining'>>): Target[] {
  const tested = rubricTests
    .flatMap(({ base, head }) => [...(base?.graders ?? []), ...head.graders])
    .map(({ target }) => target);
  const asked = lanes
    .filter(({ run }) => run.runs.length > 0)
    .flatMap(({ run }) => {
      const answers = run.runs
        .flatMap(({ case: { base, head } }) => [base, head])
        .flatMap((generation) => (generation?.kind === 'request' ? [generation.target] : []));
      const graders = [
        ...judgingTargets(run.deciding),
        ...(run.other === null ? [] : judgingTargets(run.other)),
      ];
      const evaluators = [...run.deciding.evaluators, ...(run.other?.evaluators ?? [])].map(
        ({ target }) => target,
      );
      return [...answers, ...graders, ...evaluators];
    });
  return [
    ...asked,
    ...tested,
    ...evaluatorTargetsOf(evaluatorTests),
    ...certainCalls(explaining).map(({ target }) => target),
  ];
}

/** References that base gates on and this change removes. */
export function removedIds({ path, cases }: Lane): string[] {
  return cases
    .filter(({ change }) => change === 'removed')
    .map(({ reference }) => `${path}: ${reference.id}`);
}
