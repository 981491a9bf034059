import type { RunReport } from '../config/llmeval-report.ts';
import { folderOf } from '../documents/paths.ts';
import { rollUp, tallyTries } from '../kernel/judge/roll-up.ts';
import type { SideResult } from '../kernel/result/reference-result.ts';
import type { Result } from '../kernel/result/result.ts';
import { countOutcomes } from '../kernel/statistics/table.ts';
import { countsIn } from '../kernel/suite/gate.ts';
import type { Rollup } from '../kernel/suite/suite.ts';
import type { Outcome } from '../types/metric.ts';
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
    scores,
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
    tally: tallyTries(row.tries, row.tries[0]?.scores.length ?? 0, row.skipped),
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

function judgedTries(tries: RunRow['tries'], skipped: boolean) {
  const outcomes = tries.map(({ scores }): Outcome => {
    const deciding = scores.filter((score) => skipped || !score.skip);
    if (deciding.some(({ status }) => status === 'fail')) return 'fail';
    return deciding.length > 0 &&
      deciding.every(({ status }) => status === 'pass' || status === 'skipped')
      ? 'pass'
      : 'error';
  });
  const { passes, tries: judged } = countOutcomes(outcomes);
  return { passes, judged };
}
