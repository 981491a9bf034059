import { compareSuite } from '../../src/kernel/judge/compare.ts';
import { rollUpSuite } from '../../src/kernel/judge/roll-up.ts';
import type { SuiteVerdict } from '../../src/kernel/judge/suite-row.ts';
import { judgeMeasured, measureSuites } from '../../src/kernel/judge/verdict.ts';
import {
  suiteComparison,
  withMoreTries,
  type ReferenceRun,
  type SuiteComparison,
  type SuiteRun,
  type TryPolicy,
} from '../../src/kernel/plan/suite-run.ts';
import { nextTries } from '../../src/kernel/plan/tries.ts';
import type { SuiteResult } from '../../src/kernel/result/suite-result.ts';
import { nextFloat, type Random } from '../../src/kernel/statistics/random.ts';
import { DEFAULT_GATE, type GateSettings } from '../../src/kernel/suite/gate-settings.ts';
import { tryOutcomeOf } from '../../src/kernel/suite/gate.ts';
import { scoreOfObjects } from '../../src/metrics/objects.ts';
import type { Metric } from '../../src/types/metric.ts';
import type { Suite } from './scenarios.ts';

export type Colour = 'red' | 'green' | 'grey';

export interface Simulated {
  colour: Colour;
  /** Of both sides, per reference. */
  calls: number;
  /** Of these, calls beyond the tries that all references of a suite share. */
  single: number;
  /** Share of suites that claim to rule out a drop as large as the true one. */
  wrongBounds: number;
  /** Metrics that red suites name as fallen. */
  fell: string[];
  /** Ids of references reported as fixed. */
  healed: string[];
  /** Why suites are not green. */
  why: string[];
}

const PLACE = { file: 'suite.yaml', line: 1 };

const SCORE: Metric = {
  name: 'score',
  source: { kind: 'code', language: 'python', code: '' },
  better: 'higher',
  skip: false,
  level: 'Turn',
  depends_on: [],
  threshold: null,
  place: PLACE,
};

/**
 * Runs one pull request through evaldiff's own rounds of tries (`nextTries`) and verdicts
 * (`judgeMeasured`). Only the model and the metric are simulated.
 */
export function simulate(
  suites: readonly Suite[],
  tries: 'adaptive' | number,
  random: Random,
  gate: GateSettings = DEFAULT_GATE,
): Simulated {
  const { comparisons, calls } = tried(suites, tries, random, gate);
  const { suites: judged, pool } = judgeMeasured(measureSuites(comparisons, gate));
  const verdicts = comparisons.map((comparison) => judged.get(comparison));
  const words = verdicts.map((verdict) => verdict?.verdict);
  const fell = verdicts.some((own) => own?.moves.some(isGatingFall));
  const isRed = pool !== null || words.includes('regressed') || fell;
  const references = suites.reduce((sum, { base }) => sum + base.length, 0);
  return {
    colour: isRed ? 'red' : words.includes('inconclusive') ? 'grey' : 'green',
    calls: calls / references,
    single: comparisons.reduce((sum, { run }) => sum + beyondShared(run), 0) / references,
    wrongBounds: isRed && suites.length > 1 ? 0 : wrongBounds(suites, verdicts),
    fell: verdicts.flatMap((verdict) =>
      verdict?.verdict === 'regressed' ? verdict.reason.metrics : [],
    ),
    why: verdicts.flatMap((verdict) =>
      verdict?.verdict === 'regressed' || verdict?.verdict === 'inconclusive'
        ? verdict.reason.by
        : [],
    ),
    healed: verdicts.flatMap(
      (verdict) => verdict?.references.flatMap(({ id, isFixed }) => (isFixed ? id : [])) ?? [],
    ),
  };
}

const isGatingFall = ({ gate, moved }: SuiteVerdict['moves'][number]): boolean =>
  gate === 'fail' && moved === 'worse';

/** Makes all tries that the policy wants, and counts the calls. */
export function tried(
  suites: readonly Suite[],
  tries: 'adaptive' | number,
  random: Random,
  gate: GateSettings = DEFAULT_GATE,
): { comparisons: SuiteComparison[]; calls: number } {
  const policy =
    tries === 'adaptive' ? ({ kind: 'adaptive' } as const) : ({ kind: 'fixed', tries } as const);
  const started = suites.map((suite, index) => begun(suite, index, policy, gate));
  return makeTries(started, suites, random, gate);
}

/** Rate at which a try passes every metric. */
function passing({ base, head, metrics = {} }: Suite, side: 'base' | 'head', at: number): number {
  const own = side === 'base' ? base : head;
  return Object.values(metrics).reduce((rate, m) => rate * (m[side][at] ?? 1), own[at] ?? 0);
}

function wrongBounds(
  suites: readonly Suite[],
  verdicts: readonly (SuiteVerdict | undefined)[],
): number {
  const wrong = suites.filter((suite, s) => {
    if (suite.turns !== undefined) return false;
    const changes = suite.base.map(
      (_, at) => passing(suite, 'head', at) - passing(suite, 'base', at),
    );
    const truth = changes.reduce((sum, change) => sum + change, 0) / changes.length;
    const found = verdicts[s];
    const low = found?.verdict === 'regressed' ? -1 : (found?.look.interval?.low ?? -1);
    return truth < low - 1e-9;
  });
  return wrong.length / suites.length;
}

/** Calls for single references, beyond the tries that all references of the suite have. */
function beyondShared({ runs }: SuiteRun): number {
  const made = runs.flatMap(({ base, head }) => [base.length, head.length]);
  const shared = Math.min(...made);
  return made.reduce((sum, tries) => sum + tries - shared, 0);
}

/** A suite before its first try. */
export function begun(
  suite: Suite,
  index: number,
  policy: TryPolicy,
  gate: GateSettings = DEFAULT_GATE,
): SuiteComparison {
  const { tolerance } = suite;
  const gates = { run: gate, own: tolerance === undefined ? {} : { tolerance } };
  return suiteComparison(affectedSuite(suite, index), policy, gates, () => false);
}

/** Runs one suite through the same rounds and verdict, up to its result. */
export async function compareOne(
  suite: Suite,
  random: Random,
): Promise<{ result: SuiteResult; calls: number }> {
  const started = begun(suite, 0, { kind: 'adaptive' });
  const { comparisons, calls } = makeTries([started], [suite], random, DEFAULT_GATE);
  const [comparison = started] = comparisons;
  const verdict =
    judgeMeasured(measureSuites(comparisons, DEFAULT_GATE)).suites.get(comparison) ?? null;
  const words = await rollUpSuite(comparison.run, () => Promise.resolve([]));
  return { result: compareSuite(comparison, verdict, words), calls };
}

function makeTries(
  started: readonly SuiteComparison[],
  suites: readonly Suite[],
  random: Random,
  gate: GateSettings,
): { comparisons: SuiteComparison[]; calls: number } {
  let comparisons = [...started];
  const answers = new Map<string, ReferenceRun['base'][number]>();
  let calls = 0;
  for (;;) {
    const next = nextTries(comparisons, gate);
    const round = comparisons.map((comparison, s) =>
      wantedTries(comparison, next).map(({ index, side, at }) => {
        const suite = suites[s];
        if (suite === undefined) throw new TypeError('every suite is drawn');
        const question = suite.questions?.[index] ?? index;
        const key = `${String(s)} ${String(question)} ${side} ${String(at)}`;
        const known = answers.get(key) ?? answerOf(suite, { index, side, at }, random);
        if (!answers.has(key)) calls += 1;
        answers.set(key, known);
        return [{ run: index, side }, known] as const;
      }),
    );
    if (round.every(({ length }) => length === 0)) return { comparisons, calls };
    comparisons = comparisons.map((suite, s) => withMoreTries(suite, round[s] ?? []));
  }
}

interface WantedTry {
  index: number;
  side: 'base' | 'head';
  at: number;
}

function wantedTries({ run }: SuiteComparison, next: ReturnType<typeof nextTries>): WantedTry[] {
  return [...next(run)].flatMap(([index, count]) =>
    (['base', 'head'] as const).flatMap((side) => {
      const first = run.runs[index]?.[side].length ?? 0;
      return Array.from({ length: Math.max(0, count - first) }, (_, step) => ({
        index,
        side,
        at: first + step,
      }));
    }),
  );
}

function answerOf(
  suite: Suite,
  { index, side, at }: WantedTry,
  random: Random,
): ReferenceRun['base'][number] {
  const { errors = 0, silent = 0, metrics = {}, value, ownMetrics } = suite;
  const { stored, storedTries = Infinity } = suite;
  if (side === 'head' && index < silent) return made(at, 'error');
  if (errors > 0 && nextFloat(random) < errors) return made(at, 'error');
  if (value !== undefined) {
    const drawn = value(side, index, random);
    const isLow = typeof suite.passes === 'number' && drawn < suite.passes;
    return made(at, isLow ? 'fail' : 'pass', drawn);
  }
  if (suite.turns !== undefined) return dialogue(at, suite.turns, suite[side][index] ?? 0, random);
  if (stored !== undefined && side === 'base' && at < storedTries) {
    const { byHead, ...views } = made(
      at,
      nextFloat(random) < (stored[index] ?? 0) ? 'pass' : 'fail',
    );
    return { ...views, byHead: { ...byHead, stored: true } };
  }
  const scored = Object.entries({ [SCORE.name]: suite, ...metrics }).map(([name, rates]) => ({
    name,
    passes: nextFloat(random) < (rates[side][index] ?? 0),
  }));
  const outcome = scored.every(({ passes }) => passes) ? 'pass' : 'fail';
  const plain = made(at, outcome);
  if (scored.length === 1 && ownMetrics === undefined) return plain;
  const scores = scored.map(({ name, passes }) => ({
    ...{
      metric: ownMetrics === undefined ? name : `m${String(index)}`,
      reason: null,
      skip: false,
      value: passes,
    },
    status: passes ? ('pass' as const) : ('fail' as const),
  }));
  return { ...plain, byHead: { ...plain.byHead, scores } };
}

/** A metric of turns. A dialogue passes if half of its turns pass. */
const TURNS = { every: 0.5, level: 'Turn' as const };

function dialogue(
  at: number,
  turns: number,
  rate: number,
  random: Random,
): ReferenceRun['base'][number] {
  const objects = Array.from({ length: turns }, (_, turn) => {
    const value = nextFloat(random) < rate;
    return { at: turn, status: value ? ('pass' as const) : ('fail' as const), value, reason: null };
  });
  const score = scoreOfObjects({ ...SCORE, ...TURNS }, objects);
  const plain = made(at, tryOutcomeOf([score]) === 'pass' ? 'pass' : 'fail');
  return { ...plain, byHead: { ...plain.byHead, scores: [score] } };
}

/** One try, with its metric's value if that is more than pass and fail. */
export function made(
  at: number,
  outcome: 'pass' | 'fail' | 'error',
  value?: number,
): ReferenceRun['base'][number] {
  const status = outcome === 'fail' ? outcome : ('pass' as const);
  const score = { metric: SCORE.name, status, reason: null, skip: false };
  const byHead = {
    try: at,
    outcome,
    parts: outcome === 'error' ? null : [],
    error: outcome === 'error' ? 'no answer' : null,
    scores: value === undefined ? [] : [{ ...score, value }],
    usage: null,
    latency_ms: null,
    reused: false,
    ended: null,
  };
  return { byHead, byBase: null };
}

/** A suite with only the fields that the policy and the verdict read. */
function affectedSuite(
  { base, questions, critical = [], criticalTries, better, ownMetrics, turns, passes }: Suite,
  index: number,
): SuiteRun {
  const own = {
    ...(better === undefined ? {} : { better }),
    ...(passes === 'always' ? { source: { kind: 'code', code: 'result = True' } } : {}),
    ...(turns === undefined ? {} : TURNS),
  };
  const score = { ...SCORE, ...own };
  const runs = base.map((_, position) => {
    const reference = {
      id: `r${String(position)}`,
      place: PLACE,
      input: {},
      thread: null,
      expected: undefined,
      skip: false,
      tags: critical.includes(position) ? ['critical'] : [],
      n_tries: critical.includes(position) ? (criticalTries ?? null) : null,
      problem: null,
      ...(ownMetrics ? { metrics: [{ ...score, name: `m${String(position)}` }] } : {}),
    };
    const ask = (side: string): object => ({
      kind: 'request',
      target: { provider: 'openai' },
      messages: [{ role: 'user', content: `${side} ${String(position)}` }],
      fingerprint: `${side} ${String(index)} ${String(questions?.[position] ?? position)}`,
    });
    return {
      affected: {
        reference,
        baseReference: reference,
        change: 'both',
        base: ask('base'),
        head: ask('head'),
      },
      base: [],
      head: [],
    };
  });
  const tests = {
    metrics: ownMetrics ? [] : [score],
    own: null,
    references: ownMetrics ? runs.map(({ affected }) => affected.reference) : [],
    skip: false,
    rollup: { kind: 'named', policy: 'all' },
  };
  const none = { answerer: null, graders: [] };
  const scoring = { side: 'head', tests, rubrics: new Map(), ...none };
  const side = { suite: { tests }, scoring };
  const suite = { path: 'suite.yaml', name: `suite ${String(index)}`, base: side, head: side };
  return {
    suite: { ...suite, because: [], references: runs.map((run) => run.affected) },
    scoring,
    baseScoring: null,
    runs,
  } as unknown as SuiteRun;
}
