import { definitionOf } from '../../../../src/config/metric.ts';
import type { GateInput } from '../../../../src/kernel/judge/gate-input.ts';
import {
  startSuite,
  suiteComparison,
  type SuiteComparison,
  type SuiteRun,
  type Try,
  type TryPolicy,
} from '../../../../src/kernel/plan/suite-run.ts';
import type {
  ReferenceResult,
  SideResult,
  TryResult,
} from '../../../../src/kernel/result/reference-result.ts';
import type { PassRate, SuiteResult } from '../../../../src/kernel/result/suite-result.ts';
import type { SuiteSide } from '../../../../src/kernel/select/affected-suite.ts';
import { createGeneration } from '../../../../src/kernel/select/generation.ts';
import type { Scoring } from '../../../../src/kernel/select/scoring.ts';
import {
  DEFAULT_GATE,
  type GateSettings,
  type SuiteGate,
} from '../../../../src/kernel/suite/gate-settings.ts';
import type { Prompt, Reference, Suite, Tests } from '../../../../src/kernel/suite/suite.ts';
import { metrics } from '../../../../src/metrics/index.ts';
import type { ModelSettings, Project, Settings } from '../../../../src/project/settings.ts';
import type { ChangeUnit } from '../../../../src/trials/change-unit.ts';
import { ownAnswer, partsOf } from '../../../../src/types/answer.ts';
import type { DependsOn, Metric, Outcome } from '../../../../src/types/metric.ts';
import type { Completion, Target } from '../../../../src/types/model.ts';
import type { Side } from '../../../../src/types/plain.ts';

const place = (file: string, line = 1) => ({ file, line });

export function reference(id: string, changes: Partial<Reference> = {}): Reference {
  return {
    id,
    place: place('prompts/tests/p.yaml', 5),
    input: { q: id },
    thread: null,
    expected: 'yes',
    skip: false,
    tags: [],
    n_tries: null,
    problem: null,
    ...changes,
  };
}

export function metric(name: string, changes: Partial<Metric> = {}): Metric {
  const { source = { kind: 'built-in', uses: 'contains', with: {} } } = changes;
  return {
    name,
    source,
    ...definitionOf(source, metrics),
    threshold: null,
    level: 'Turn',
    depends_on: [],
    skip: false,
    place: place('prompts/tests/p.yaml', 2),
    ...changes,
  };
}

export function dependsOn(name: string, changes: Partial<DependsOn> = {}): DependsOn {
  return {
    name,
    type: null,
    kwargs: null,
    metric_name: null,
    metric_level: null,
    relative_object_position: 0,
    metric_min_value: -Number.MAX_VALUE,
    metric_max_value: Number.MAX_VALUE,
    place: place('prompts/tests/p.yaml', 3),
    ...changes,
  };
}

export function prompt(changes: Partial<Prompt> = {}): Prompt {
  return {
    file: 'prompts/p.yaml',
    name: 'p',
    model: 'gpt-4o',
    parameters: {},
    variables: [{ name: 'q', place: place('prompts/p.yaml', 4) }],
    messages: [{ role: 'user', content: 'Say {q}', place: place('prompts/p.yaml', 6) }],
    code: null,
    places: { model: place('prompts/p.yaml', 3) },
    ...changes,
  };
}

export function tests(changes: Partial<Tests> = {}): Tests {
  return {
    file: 'prompts/tests/p.yaml',
    n_tries: null,
    skip: false,
    metrics: [metric('has')],
    rollup: { kind: 'named', policy: 'all' },
    references: [reference('a'), reference('b')],
    own: null,
    quarantine: [],
    ...changes,
  };
}

export function suite(changes: { prompt?: Partial<Prompt>; tests?: Partial<Tests> } = {}): Suite {
  return { prompt: prompt(changes.prompt), tests: tests(changes.tests) };
}

export function settings(changes: Partial<Settings> = {}): Settings {
  return {
    file: 'evaldiff.yaml',
    prompts: ['prompts/*.yaml'],
    rubrics: [],
    n_tries: 3,
    seed: 1,
    models: new Map(),
    grader: null,
    voters: [],
    embeddings: null,
    sweep: {},
    gate: DEFAULT_GATE,
    budget: { max_calls: null, max_cost_usd: null },
    explain: { max_calls: null, fix: false },
    coverage: { lines: 'off', untested: 'advise', draft: false, max_calls: 400 },
    qualeval: {
      enabled: 'auto',
      attributes: 'evaldiff.attributes.yaml',
      max_attributes: 15,
      sample: 500,
      slack: 0.1,
      insight_calls: null,
      alignment: false,
      metric: null,
    },
    ...changes,
  };
}

export function project(suites: Suite[], changes: Partial<Project> = {}): Project {
  return { settings: settings(), suites, rubrics: new Map(), notices: [], ...changes };
}

export function scoring(of: Tests, changes: Partial<Scoring> = {}): Scoring {
  return {
    side: 'head',
    tests: of,
    rubrics: new Map(),
    graders: [],
    answerer: null,
    settingsFile: 'evaldiff.yaml',
    ...changes,
  };
}

export function suiteSide(
  side: 'base' | 'head',
  of: Suite = suite(),
  changes: Partial<Scoring> = {},
): SuiteSide {
  const { model, parameters } = of.prompt;
  const target = model === null ? null : { provider: 'openai' as const, endpoint: null, model };
  return {
    suite: of,
    variant: { model, parameters, target },
    scoring: scoring(of.tests, { side, ...changes }),
  };
}

/** A suite in which every reference runs on both sides. */
export function startedSuite(base: SuiteSide, head: SuiteSide): SuiteRun {
  const { references } = head.suite.tests;
  return startSuite({
    path: 'prompts/p.yaml',
    name: 'p',
    variant: base.variant,
    baseVariant: null,
    base,
    head,
    because: [],
    references: references.map((each) => ({
      reference: each,
      change: 'both',
      baseReference: each,
      base: createGeneration(base.suite.prompt, base.variant, each),
      head: createGeneration(head.suite.prompt, head.variant, each),
    })),
    unaffected: 0,
  });
}

/**
 * A finished suite with a different prompt on each side. `tries` returns the tries of a reference
 * and side.
 */
export function comparedSuite(
  of: Partial<Tests>,
  tries: (index: number, side: Side) => Try[],
  changes: {
    name?: string;
    model?: string;
    policy?: TryPolicy;
    gate?: GateSettings;
    ownGate?: SuiteGate;
    scoring?: Partial<Scoring>;
    /** Treats base's and head's scoring as different. */
    isRescored?: boolean;
  } = {},
): SuiteComparison {
  const { name = 'p', model = 'gpt-4o', policy = { kind: 'fixed', tries: 2 } } = changes;
  const [base, head] = (['base', 'head'] as const).map((side) => {
    const messages = [{ ...prompt().messages[0]!, content: `${side} {q}` }];
    return suiteSide(side, suite({ prompt: { model, messages }, tests: of }), changes.scoring);
  });
  const started = startedSuite(base!, head!);
  return suiteComparison(
    {
      ...started,
      suite: { ...started.suite, path: `prompts/${name}.yaml`, name },
      baseScoring: changes.isRescored === true ? base!.scoring : started.baseScoring,
      runs: started.runs.map((run, index) => ({
        ...run,
        base: tries(index, 'base'),
        head: tries(index, 'head'),
      })),
    },
    policy,
    { run: changes.gate ?? gate(), own: changes.ownGate ?? {} },
    () => false,
  );
}

export function answer(output: string): Completion {
  return {
    status: 'ok',
    ...ownAnswer(partsOf(output)),
    usage: { input_tokens: 3, output_tokens: 1 },
    latency_ms: 10,
    reused: false,
  };
}

export function tryResult(outcome: Outcome, index = 0): TryResult {
  const graded = outcome === 'pass' || outcome === 'fail';
  return {
    try: index,
    outcome,
    parts: outcome === 'error' ? null : partsOf('text'),
    error: outcome === 'error' ? 'timeout' : null,
    scores: graded
      ? [{ metric: 'has', status: outcome, value: outcome === 'pass', reason: null, skip: false }]
      : [],
    usage: null,
    latency_ms: 1,
    reused: false,
    ended: 'stop',
  };
}

/** A side whose counts agree with its tries. */
export function sideOfTries(tries: TryResult[], skip = false): SideResult {
  const of = (outcome: Outcome) => tries.filter((made) => made.outcome === outcome).length;
  const passes = of('pass');
  const fails = of('fail');
  return {
    tally: {
      num_passes: passes,
      num_fails: fails,
      num_skip_passes: skip ? passes : 0,
      num_skip_fails: skip ? fails : 0,
      num_tries: tries.length,
      num_metrics: 1,
      num_ungraded: of('ungraded'),
      num_errors: of('error'),
    },
    rollup: passes + fails === 0 ? null : fails === 0 ? 'pass' : 'fail',
    passes,
    tries_judged: passes + fails,
    tries,
  };
}

export function sideResult(outcomes: Outcome[], rollup: 'pass' | 'fail' | null = null): SideResult {
  return { ...sideOfTries(outcomes.map((outcome, index) => tryResult(outcome, index))), rollup };
}

export function referenceResult(
  id: string,
  changes: Partial<ReferenceResult> = {},
): ReferenceResult {
  return {
    id,
    file: 'prompts/tests/p.yaml',
    line: 5,
    tags: [],
    skip: false,
    input: { q: id },
    expected: 'yes',
    status: 'unchanged',
    p: null,
    q: null,
    base: sideResult(['pass']),
    head: sideResult(['pass']),
    ...changes,
  };
}

const RATE: PassRate = { base: 1, head: 1, difference: 0, low: -0.01, high: 0.01, p: 0.5 };

/** A cause: line 4 of head's prompt. */
export function causeUnit(changes: Partial<ChangeUnit> = {}): ChangeUnit {
  return {
    kind: 'line',
    name: null,
    file: 'p.yaml',
    side: 'head',
    lines: { from: 4, to: 4 },
    head: { file: 'p.yaml', line: 4 },
    base_text: 'Be polite.',
    head_text: 'Be curt.',
    ...changes,
  };
}

export function suiteResult(changes: Partial<SuiteResult> = {}): SuiteResult {
  return {
    path: 'prompts/p.yaml',
    name: 'p',
    variant: { model: 'gpt-4o', parameters: {} },
    base_variant: null,
    because: [{ key: 'messages', file: 'prompts/p.yaml' }],
    pass_rate: RATE,
    verdict: 'unchanged',
    unit: 'tries',
    visible_drop: 0.1,
    compared: { references: 1, tries: 1 },
    references: [referenceResult('a')],
    metrics: [],
    reason: null,
    evidence: { references: 1, of: 1, missing: [], critical: [] },
    rollups: { policy: 'all', base: null, head: null },
    ...changes,
  };
}

export function gate(changes: Partial<GateSettings> = {}): GateSettings {
  return { ...DEFAULT_GATE, ...changes };
}

/** Input of the gate: one suite without changes, plus `changes`. */
export function gateInput(changes: Partial<GateInput> = {}): GateInput {
  return {
    mode: 'diff',
    suites: [suiteResult()],
    scoring: [],
    settings: gate(),
    affected: 1,
    removed: [],
    askedAnew: [],
    underBase: [],
    unseen: { blocking: [], warnings: [] },
    weakened: [],
    notRun: [],
    unread: [],
    pool: null,
    tested: 0,
    replaced: [],
    preferenceAlone: [],
    counted: 1,
    featureFindings: [],
    unjudged: [],
    hasUnusedChanges: false,
    ...changes,
  };
}

/** An entry of `models` with a price: $2 and $10 per million tokens. */
export function modelSettings(changes: Partial<ModelSettings> = {}): ModelSettings {
  return {
    provider: 'openai',
    endpoint: null,
    model: 'gpt-4o',
    price: { input: 2, output: 10 },
    command: [],
    files: [],
    setup: [],
    file: null,
    replaces: [],
    place: { file: 'evaldiff.yaml', line: 1 },
    ...changes,
  };
}

export function settingsWithModels(...entries: ModelSettings[]): Settings {
  return settings({ models: new Map(entries.map((entry, index) => [`m${index}`, entry])) });
}

export function hostedTarget(model: string, endpoint: string | null = null): Target {
  return { provider: 'openai', endpoint, model };
}
