import type { RunReport } from '../config/llmeval-report.ts';
import { folderOf } from '../documents/paths.ts';
import { rollUp } from '../kernel/judge/roll-up.ts';
import type { SideResult } from '../kernel/result/reference-result.ts';
import type { Result } from '../kernel/result/result.ts';
import { countsIn } from '../kernel/suite/gate.ts';
import type { Rollup } from '../kernel/suite/suite.ts';
import type { Tally } from '../types/metric.ts';
import type { Evaluate } from '../types/model.ts';
import { answerText } from './answers/text.ts';
import type { RunRow, RunTable } from './run-tables.ts';

export function tablesOfResult(file: string, { suites }: Result): RunTable[] {
  const tables = new Map<string, RunTable>();
  for (const { path, name, variant, references } of suites) {
    const key = `${path}\n${name}`;
    const table = tables.get(key) ?? { run: file, name, messages: null, rollup: null, rows: [] };
    tables.set(key, table);
    table.rows.push(
      ...references.flatMap(({ input, expected, skip, head, base }): RunRow[] => {
        const side = head ?? base;
        if (side === null) return [];
        const parameters =
          variant.model === null
            ? variant.parameters
            : { model: variant.model, ...variant.parameters };
        return [
          {
            parameters,
            input,
            expected: expected ?? undefined,
            tries: rowTries(side),
            outcome: side.rollup,
            skipped: skip,
          },
        ];
      }),
    );
  }
  return [...tables.values()];
}

function rowTries({ tries }: SideResult): RunRow['tries'] {
  return tries.map(({ parts, error, scores, latency_ms: duration }) => ({
    actual: answerText({ parts }) ?? undefined,
    error,
    duration,
    scores: scores.map(({ metric, value, status, skip }) => ({
      name: metric,
      value,
      result: status,
      skipped: skip,
    })),
  }));
}

/**
 * Makes one table per prompt and start time. In llmeval, each file of a job contains one try of
 * every reference.
 */
export async function tablesOfReports(
  reports: readonly RunReport[],
  evaluate: Evaluate,
): Promise<RunTable[]> {
  const jobs = Map.groupBy(reports, ({ file, name }) => `${folderOf(file)}\n${name}`);
  const tables = new Map<string, RunTable>();
  for (const [job, unordered] of jobs) {
    const files = [...unordered].sort((a, b) => tryOf(a.file) - tryOf(b.file));
    const [first] = files;
    if (first === undefined) continue;
    const run = folderOf(job.split('\n')[0] ?? '');
    const key = `${run}\n${first.name}`;
    const table = tables.get(key) ?? {
      run,
      name: first.name,
      messages: first.messages,
      rollup: first.rollup.kind === 'code' ? first.rollup.name : null,
      rows: [],
    };
    tables.set(key, table);
    table.rows.push(...(await buildRunRows(files, first.rollup, evaluate)));
  }
  return [...tables.values()];
}

function tryOf(file: string): number {
  return Number(/report-(\d+)\.ya?ml$/.exec(file)?.[1] ?? 0);
}

/** As in llmeval, `skip` has no effect if a custom roll-up (code that combines tries) is used. */
async function buildRunRows(
  files: readonly RunReport[],
  rollup: Rollup,
  evaluate: Evaluate,
): Promise<RunRow[]> {
  const [first] = files;
  const rows = (first?.references ?? []).map((reference, index) => {
    const tries = files
      .map((file) => file.references[index]?.made)
      .filter((made) => made !== undefined);
    const skipped = first?.skip === true || reference.skip;
    return {
      parameters: first?.parameters ?? {},
      input: reference.input,
      expected: reference.expected,
      tries: tries,
      skipped: !countsIn({ skip: skipped, rollup }, { skip: skipped }),
    };
  });
  const counts = rows.map((row) => ({
    row,
    tally: rowTally(row.tries, row.skipped),
    ...judgedTries(row.tries, row.skipped),
  }));
  const rolledUp = await rollUp(
    rollup,
    counts,
    { suite: first?.file ?? '', side: 'head' },
    evaluate,
  );
  return rolledUp.map(({ row, rolled }) => ({ ...row, outcome: rolled.outcome }));
}

type RowTries = RunRow['tries'];

function judgedTries(tries: RowTries, skipped: boolean) {
  const outcomes = tries.map(({ scores }) => {
    const deciding = scores.filter((score) => skipped || !score.skipped);
    if (deciding.some(({ result }) => result === 'fail')) return 'fail';
    return deciding.length > 0 &&
      deciding.every(({ result }) => result === 'pass' || result === 'skipped')
      ? 'pass'
      : 'open';
  });
  const passed = outcomes.filter((outcome) => outcome === 'pass').length;
  return {
    passes: passed,
    judged: passed + outcomes.filter((outcome) => outcome === 'fail').length,
  };
}

function rowTally(tries: RowTries, skipped: boolean): Tally {
  const scores = tries.flatMap((each) => each.scores);
  const count = (result: string, only: boolean) =>
    scores.filter((score) => score.result === result && (!only || skipped || score.skipped)).length;
  return {
    num_passes: count('pass', false),
    num_fails: count('fail', false),
    num_skip_passes: count('pass', true),
    num_skip_fails: count('fail', true),
    num_tries: tries.length,
    num_metrics: tries[0]?.scores.length ?? 0,
    num_ungraded: count('ungraded', false),
    num_errors: count('error', false) + tries.filter(({ error }) => error !== null).length,
  };
}
