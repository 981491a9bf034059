import { join, resolve } from 'node:path';
import { exitCode } from '../../kernel/result/outcome.ts';
import type { Result } from '../../kernel/result/result.ts';
import { endLine, logJson, logLine } from '../../text/log.ts';
import { evaluate, type Evaluated } from '../session/evaluate.ts';
import type { OwnFolder } from '../session/safe-writing.ts';
import type { Session } from '../session/session.ts';
import { commentMarker, fillFolder, writeRun } from '../session/write-reports.ts';
import type { EvaluateOptions } from './options.ts';
import type { FindSides } from './project.ts';
import { resultsFile } from './results.ts';
import { renderResult, type Terminal } from './terminal.ts';

export async function evaluateSides(
  mode: 'diff' | 'sweep',
  find: FindSides,
  session: Session,
  options: EvaluateOptions,
  terminal: Terminal,
): Promise<Result> {
  return showResult(await evaluate(session, mode, await find(session)), session, options, terminal);
}

export async function showResult(
  { result: evaluated, suites }: Evaluated,
  session: Session,
  options: EvaluateOptions,
  terminal: Terminal,
): Promise<Result> {
  const result = session.redact(evaluated);
  await print(result, options, terminal);
  await writeOwnReports(session, options, terminal, 'report.html', (folder) =>
    writeRun(session, { result, suites }, { folder, marker: commentMarker('evaldiff') }),
  );
  if (options.results !== undefined)
    await resultsFile(options.results, terminal).write(result, session.workTree);
  return result;
}

export async function print(
  result: Result,
  { json }: EvaluateOptions,
  terminal: Terminal,
): Promise<void> {
  terminal.out(json === true ? `${logJson(result)}\n` : await renderResult(result, terminal));
}

export async function writeOwnReports(
  session: Session,
  { report }: EvaluateOptions,
  { cwd, err }: Terminal,
  first: string,
  write: (folder: OwnFolder) => Promise<void>,
): Promise<void> {
  if (report === undefined) return;
  const path = resolve(cwd, report);
  const written = await fillFolder(path, session, write, (reason) => {
    err(`${logLine(`--report: ${path} could not be written: ${reason}`)}\n`);
  });
  if (written !== null) err(`${logLine(`report: ${join(path, first)}`)}\n`);
}

export function printEnd({ conclusion, title }: Result, { err }: Terminal): number {
  err(`${logLine(endLine(conclusion, title))}\n`);
  return exitCode(conclusion);
}
