import { judgeSuites } from '../../src/judge/verdict.ts';
import {
  suiteComparison,
  withMoreTries,
  type ReferenceRun,
  type SuiteComparison,
  type SuiteRun,
} from '../../src/plan/suite-run.ts';
import { nextTries } from '../../src/plan/tries.ts';
import { nextFloat, type Random } from '../../src/statistics/random.ts';
import { DEFAULT_GATE } from '../../src/suite/gate.ts';
import type { Suite } from './scenarios.ts';

export type Colour = 'red' | 'green' | 'grey';

export interface Simulated {
  colour: Colour;
  /** Of both sides, for each reference. */
  calls: number;
  /** Share of the suites of which a drop as large as the true one was said to be ruled out. */
  wrongBounds: number;
}

const PLACE = { file: 'suite.yaml', line: 1 };

/**
 * One pull request through evaldiff's own code: the same rounds of tries (`nextTries`) and the same
 * verdicts (`judgeSuites`) as in a run. Only the model and the metric are replaced, by coins.
 */
export function simulate(
  suites: readonly Suite[],
  tries: 'adaptive' | number,
  random: Random,
): Simulated {
  const policy =
    tries === 'adaptive' ? ({ kind: 'adaptive' } as const) : ({ kind: 'fixed', tries } as const);
  const started = suites.map((suite, index) =>
    suiteComparison(
      affectedSuite(suite, index),
      policy,
      { run: DEFAULT_GATE, own: {} },
      () => false,
    ),
  );
  const { comparisons, calls } = makeTries(started, suites, random);
  const verdicts = judgeSuites(comparisons, DEFAULT_GATE);
  const words = verdicts.map((one) => one?.verdict);
  const colour = words.includes('regressed')
    ? 'red'
    : words.includes('inconclusive')
      ? 'grey'
      : 'green';
  const wrong = suites.filter(({ base, head }, s) => {
    const truth = base.reduce((sum, rate, i) => sum + (head[i] ?? 0) - rate, 0) / base.length;
    const found = verdicts[s];
    const low = found?.verdict === 'regressed' ? -1 : (found?.interval?.low ?? -1);
    return truth < low - 1e-9;
  });
  const references = suites.reduce((sum, { base }) => sum + base.length, 0);
  return { colour, calls: calls / references, wrongBounds: wrong.length / suites.length };
}

function makeTries(
  started: readonly SuiteComparison[],
  suites: readonly Suite[],
  random: Random,
): { comparisons: SuiteComparison[]; calls: number } {
  let comparisons = [...started];
  let calls = 0;
  for (;;) {
    const next = nextTries(comparisons, DEFAULT_GATE);
    const made = comparisons.map(({ run }, s) =>
      [...next(run)].flatMap(([index, count]) =>
        (['base', 'head'] as const).flatMap((side) => {
          const rate = suites[s]?.[side][index] ?? 0;
          const first = run.runs[index]?.[side].length ?? 0;
          return Array.from({ length: Math.max(0, count - first) }, (_, step) => ({
            index,
            side,
            made: attempt(first + step, nextFloat(random) < rate),
          }));
        }),
      ),
    );
    const round = made.reduce((sum, { length }) => sum + length, 0);
    if (round === 0) return { comparisons, calls };
    calls += round;
    comparisons = comparisons.map((suite, s) => withMoreTries(suite, made[s] ?? []));
  }
}

function attempt(at: number, passed: boolean): ReferenceRun['base'][number] {
  const result = {
    try: at,
    outcome: passed ? ('pass' as const) : ('fail' as const),
    actual: '',
    error: null,
    scores: [],
    usage: null,
    latency_ms: null,
    reused: false,
    finish_reason: null,
  };
  return { result, other: null };
}

/** A suite that holds what the policy and the verdict read of one, and nothing else. */
function affectedSuite({ base, critical = [] }: Suite, index: number): SuiteRun {
  const runs = base.map((_, position) => {
    const reference = {
      id: `r${String(position)}`,
      place: PLACE,
      input: {},
      thread: null,
      expected: undefined,
      skip: false,
      tags: critical.includes(position) ? ['critical'] : [],
      n_tries: null,
      problem: null,
    };
    const ask = (side: string): object => ({
      kind: 'request',
      fingerprint: `${side} ${String(index)} ${String(position)}`,
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
    metrics: [],
    references: [],
    skip: false,
    rollup: { kind: 'named', policy: 'all' },
  };
  const scoring = { side: 'head', tests };
  const side = { suite: { tests }, scoring };
  const suite = { path: 'suite.yaml', name: `suite ${String(index)}`, base: side, head: side };
  return {
    suite: { ...suite, because: [], references: runs.map((run) => run.affected) },
    deciding: scoring,
    other: null,
    runs,
  } as unknown as SuiteRun;
}
