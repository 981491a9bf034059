import type { Outcome, Tally } from '../../types/metric.ts';
import type { Evaluate } from '../../types/model.ts';
import type { Side } from '../../types/plain.ts';
import { identityOf, type ReferenceRun, type SuiteRun } from '../plan/suite-run.ts';
import type { TryResult } from '../result/reference-result.ts';
import { scoreCount, type Scoring } from '../select/scoring.ts';
import { countOutcomes } from '../statistics/table.ts';
import type { Rollup, Tests } from '../suite/suite.ts';

interface TalliedTry {
  /** Absent in the reports of llmeval. */
  outcome?: Outcome;
  error: string | null;
  scores: { status: string; skip: boolean }[];
}

/**
 * The first four counts have llmeval's meaning: num_passes and num_fails include skipped scores.
 */
export function tallyTries(tries: readonly TalliedTry[], metrics: number, skipped: boolean): Tally {
  const scores = tries.flatMap((tryResult) => tryResult.scores);
  const count = (status: string, onlySkipped = false) =>
    scores.filter((score) => score.status === status && (!onlySkipped || skipped || score.skip))
      .length;
  return {
    num_passes: count('pass'),
    num_fails: count('fail'),
    num_skip_passes: count('pass', true),
    num_skip_fails: count('fail', true),
    num_tries: tries.length,
    num_metrics: metrics,
    num_ungraded: count('ungraded'),
    num_errors:
      count('error') +
      tries.filter(({ outcome = 'error', error }) => outcome === 'error' && error !== null).length,
  };
}

export type RollUpOutcome = { outcome: 'pass' | 'fail' | null; error: string | null };

/** Null if no try was judged, or if unjudged tries could change the outcome. */
export function namedRollup(
  rollup: Exclude<Rollup, { kind: 'code' }>,
  passes: number,
  judged: number,
  unjudged = 0,
): 'pass' | 'fail' | null {
  if (judged === 0) return null;
  if (rollup.kind === 'at_least' && passes < rollup.k && passes + unjudged >= rollup.k) return null;
  return holds(rollup, passes, judged) ? 'pass' : 'fail';
}

function holds(rollup: Exclude<Rollup, { kind: 'code' }>, passes: number, judged: number): boolean {
  if (rollup.kind === 'at_least') return passes >= rollup.k;
  if (rollup.kind === 'pass_rate') return passes / judged >= rollup.min;
  if (rollup.policy === 'all') return passes === judged;
  if (rollup.policy === 'any') return passes > 0;
  return passes > judged - passes;
}

interface Tallied {
  tally: Tally;
  passes: number;
  judged: number;
}

export async function rollUp<Row extends Tallied>(
  rollup: Rollup,
  rows: readonly Row[],
  of: { suite: string; side: Side },
  evaluate: Evaluate,
): Promise<(Row & { rolled: RollUpOutcome })[]> {
  if (rollup.kind !== 'code') {
    return rows.map((row) => {
      const unjudged = row.tally.num_tries - row.judged;
      const outcome = namedRollup(rollup, row.passes, row.judged, unjudged);
      return { ...row, rolled: { outcome, error: null } };
    });
  }
  const { language, code, name, at } = rollup;
  const results = await evaluate({
    ...of,
    ...(at !== undefined && { at }),
    language,
    code,
    outputs: ['result'],
    inputs: rows.map(({ tally }) => ({ ...tally })),
  });
  return rows.map((row, index) => {
    const result = results[index];
    // Without judged scores, the code still runs, because it also gets skipped scores. Its result is
    // then ignored.
    if (result === undefined || row.tally.num_passes + row.tally.num_fails === 0)
      return { ...row, rolled: NOT_ROLLED_UP };
    if (result.status === 'error') {
      const error = `metrics_rollup "${name}": ${result.message}`;
      return { ...row, rolled: { outcome: null, error } };
    }
    const outcome = result.values['result'] === true ? 'pass' : 'fail';
    return { ...row, rolled: { outcome, error: null } };
  });
}

export interface RunRollUps {
  base: RollUpOutcome;
  head: RollUpOutcome;
  other: RollUpOutcome | null;
}

export async function rollUpSuite(
  suite: SuiteRun,
  evaluate: Evaluate,
): Promise<Map<ReferenceRun, RunRollUps>> {
  const { runs, scoring, baseScoring } = suite;
  const identity = identityOf(suite);
  const ask = async (
    { tests }: Scoring,
    side: Side,
    triesOf: (run: ReferenceRun) => readonly TryResult[],
  ): Promise<ReadonlyMap<ReferenceRun, RollUpOutcome>> => {
    const rows = runs.map((run) => ({ run, ...talliedOf(run, tests, triesOf(run)) }));
    const rolled = await rollUp(tests.rollup, rows, { suite: identity, side }, evaluate);
    return new Map(rolled.map((row) => [row.run, row.rolled]));
  };
  // Rolls up base first, because nothing from head may influence base's outcomes.
  const base = await ask(scoring, 'base', (run) => run.base.map(({ byHead }) => byHead));
  const others =
    baseScoring === null
      ? null
      : await ask(baseScoring, 'base', (run) => run.base.flatMap(({ byBase }) => byBase ?? []));
  const head = await ask(scoring, 'head', (run) => run.head.map(({ byHead }) => byHead));
  const outcomes = (run: ReferenceRun): RunRollUps => ({
    base: base.get(run) ?? NOT_ROLLED_UP,
    head: head.get(run) ?? NOT_ROLLED_UP,
    other: others?.get(run) ?? null,
  });
  return new Map(runs.map((run) => [run, outcomes(run)]));
}

const NOT_ROLLED_UP: RollUpOutcome = { outcome: null, error: null };

export function talliedOf(
  { affected: { reference } }: ReferenceRun,
  tests: Tests,
  tries: readonly TryResult[],
): Tallied {
  const { passes, tries: judged } = countOutcomes(tries.map(({ outcome }) => outcome));
  const tally = tallyTries(tries, scoreCount(tests, reference), tests.skip || reference.skip);
  return { tally, passes, judged };
}
