import type { Edges } from '../../app/run/record.ts';
import { runInput, withEdges } from '../../app/session/evaluate.ts';
import type { OwnFolder } from '../../app/session/safe-writing.ts';
import type { Session } from '../../app/session/session.ts';
import type { SourceTree } from '../../types/repository.ts';
import { driftForm } from './drift-report.ts';
import { measureDrift, type Drift } from './drift.ts';
import { measureNoise, type NoiseInput } from './measure.ts';
import { noiseForm, type MeasurementForm } from './report.ts';
import { noiseCode, type NoiseResult } from './result.ts';

export type MeasuredCommit = Pick<NoiseResult, 'measured_at' | 'notices' | 'problems' | 'usage'>;

/** A command and a mode of the action that ask one commit's questions again. */
export interface CommitMeasurement<T> extends MeasurementForm<T> {
  name: 'noise' | 'drift';
  description: string;
  base: string;
  help: string;
  measure(input: NoiseInput, edges: Edges): Promise<T>;
  code(measured: T): number;
  /** Whether the action opens an issue. */
  isAlarm(measured: T): boolean;
}

export const NOISE: CommitMeasurement<NoiseResult> = {
  name: 'noise',
  description: 'compare a commit with itself to measure the false-alarm rate',
  base: 'the commit to compare with itself (default: the working tree)',
  help:
    'Prints the number of calls and their price before the first call. Later ' +
    'reports show the result under "How sure is this?".\n' +
    '\nExample: evaldiff noise --runs 100 prompts=capitals',
  measure: measureNoise,
  ...noiseForm,
  code: noiseCode,
  isAlarm: () => false,
};

export const DRIFT: CommitMeasurement<Drift> = {
  name: 'drift',
  description: 'ask a commit again on a schedule, and report a model that changed',
  base: 'the commit to ask; keep it to compare further while prompts change (default: the working tree)',
  help:
    'Each run makes new tries and compares the pass rates with those of all earlier days in\n' +
    'the store. An unchanged suite is ever reported with a chance of at most 1 %, however often\n' +
    'you run it. A change does not affect the exit code. --json prints the pass rates.\n' +
    '\nExample: evaldiff drift n_tries=3',
  measure: measureDrift,
  ...driftForm,
  code: ({ problems, suites }) =>
    problems.length > 0 || suites.every(({ status }) => status === 'skipped') ? 2 : 0,
  isAlarm: ({ suites }) => suites.some(({ status }) => status === 'changed'),
};

export async function measureIn<T>(
  { measure }: CommitMeasurement<T>,
  session: Session,
  tree: SourceTree,
  runs: number,
): Promise<T> {
  const sides = { base: null, head: tree };
  const measured = await withEdges(session, sides, (edges) =>
    measure({ ...runInput(session, 'diff', sides), tree, runs }, edges),
  );
  return session.redact(measured);
}

export async function writeMeasured(
  { name }: CommitMeasurement<unknown>,
  measured: object,
  folder: OwnFolder,
): Promise<void> {
  await folder.write(`${name}.json`, `${JSON.stringify(measured, null, 1)}\n`);
}
