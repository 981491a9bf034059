import { resolve } from 'node:path';
import { Option } from 'commander';
import { createSandbox } from '../../edges/sandbox/index.ts';
import { historyPaths, renderHistory } from '../../features/history/command.ts';
import type { NoiseResult } from '../../features/noise/result.ts';
import { exitCode } from '../../kernel/judge/outcome.ts';
import type { Result } from '../../kernel/result/result.ts';
import { renderComment } from '../../report/comment.ts';
import { comparisonBlocks } from '../../report/comparison.ts';
import { renderJunit } from '../../report/junit.ts';
import { markdownOf } from '../../report/markdown.ts';
import { tablesOfReports, tablesOfResult } from '../../report/run-rows.ts';
import { passes, runBlocks, type RunTable } from '../../report/run-tables.ts';
import { NO_LINKS, type Block } from '../../report/sections/document.ts';
import { logJson } from '../../text/log.ts';
import { loadReports } from '../run/feature.ts';
import { reasonOf, writeTo } from '../session/safe-writing.ts';
import { commentMarker } from '../session/write-reports.ts';
import { newestRun, readSavedFiles, savedFilesIn, type SavedFile } from './files.ts';
import { REPORT_FOLDERS } from './options.ts';
import type { AddCommand, Terminal } from './terminal.ts';
import { userError } from './user-error.ts';

const FORMATS = ['terminal', 'markdown', 'html', 'junit', 'json'] as const;

type Format = (typeof FORMATS)[number];

interface ReportOptions {
  format?: Format;
  json?: boolean;
  tables?: boolean;
  history?: string | true;
  directory: string;
  out?: string;
}

/** Time limit for roll-up code over all references. */
const ROLLUP_SECONDS = 5;

const EXAMPLES = `
Examples:
  evaldiff report evaldiff-report/result.json --format html --out report.html
  evaldiff report multirun
  evaldiff report before/result.json after/result.json --format markdown
  evaldiff report noise.json
  evaldiff report --history main sweeps/ --format html --out trend.html`;

export const reportCommand: AddCommand = (program, terminal, done) => {
  program
    .command('report')
    .description(
      'renders saved results again: one in full, two compared by the same references, several as tables, or as a trend; never asks a model',
    )
    .argument(
      '[paths...]',
      'result.json, noise.json and report-<try>.yaml files of runs, or folders that hold some (default: the newest run in evaldiff-report or multirun)',
    )
    .addOption(
      new Option(
        '-f, --format <format>',
        'what to render; junit takes one result.json, html one or a --history (default: terminal)',
      ).choices(FORMATS),
    )
    .addOption(new Option('--json', 'the same as --format json').conflicts('format'))
    .option('--tables', 'a table of every answer, for one result.json too')
    .option(
      '--history [branch]',
      "the trend of a branch's full sweeps, in the order of its commits (default: the default branch)",
    )
    .option('-C, --directory <folder>', 'the repository of that branch', '.')
    .option('-o, --out <file>', 'write there instead of printing')
    .addHelpText('after', EXAMPLES)
    .action(async (paths: string[], options: ReportOptions) => {
      const isTerminal = terminal.isTerminal && options.out === undefined;
      const { text, code } = await renderFiles(paths, options, { ...terminal, isTerminal });
      if (options.out === undefined) terminal.out(text);
      else await write(options.out, text, terminal);
      done(code);
    });
};

interface Rendered {
  text: string;
  code: number;
}

async function renderFiles(
  paths: readonly string[],
  options: ReportOptions,
  terminal: Terminal,
): Promise<Rendered> {
  const format = formatOf(options);
  if (options.history !== undefined)
    return {
      text: await trend(options.history, paths, format, options.directory, terminal),
      code: 0,
    };
  const files =
    paths.length === 0
      ? await newestRun(terminal)
      : await readSavedFiles(await savedFilesIn(paths, terminal.cwd), terminal);
  if (files.length === 0)
    throw userError(
      null,
      `name what to render: a result.json, a noise.json, or a folder that holds some (npx evaldiff report out); here is none of ${REPORT_FOLDERS.join(', ')}`,
    );
  const [only, ...more] = files;
  const alone = more.length === 0 && options.tables !== true ? only : undefined;
  if (alone?.kind === 'result')
    return {
      text: await renderResult(alone.result, format, terminal),
      code: exitCode(alone.result.conclusion),
    };
  if (format !== 'html' && format !== 'junit') return renderAll(files, format, terminal);
  throw userError(
    null,
    `--format ${format} renders one result.json; ${alone?.kind === 'noise' ? 'a measurement has' : 'for several runs take'} terminal, markdown or json`,
  );
}

function formatOf({ json, format }: ReportOptions): Format {
  return json === true ? 'json' : (format ?? 'terminal');
}

async function trend(
  given: string | true,
  paths: readonly string[],
  format: Format,
  directory: string,
  terminal: Terminal,
): Promise<string> {
  if (format === 'junit')
    throw userError(
      null,
      '--format junit renders one result.json; a trend has terminal, markdown, html and json',
    );
  return renderHistory(
    { ...(await historyPaths(given, paths, terminal.cwd)), directory, format },
    terminal,
  );
}

async function renderResult(
  result: Result,
  format: Format,
  { width, isTerminal, features }: Terminal,
): Promise<string> {
  const reports = await loadReports(features);
  switch (format) {
    case 'markdown':
      return renderComment(result, { marker: commentMarker('evaldiff'), reports });
    case 'html':
      return (await import('../../report/page/page.ts')).renderHtml(result, reports);
    case 'junit':
      return renderJunit(result, reports);
    case 'json':
      return `${logJson(result)}\n`;
    case 'terminal':
      return (await import('../../report/terminal.ts')).renderTerminal(result, reports, {
        width,
        colour: isTerminal,
        folded: isTerminal,
      });
  }
}

async function renderAll(
  files: readonly SavedFile[],
  format: 'terminal' | 'markdown' | 'json',
  { width, isTerminal }: Terminal,
): Promise<Rendered> {
  const { tables, conclusions } = await tablesOf(files);
  const noise = files.flatMap((file) => (file.kind === 'noise' ? [file.noise] : []));
  const code = Math.max(
    0,
    ...conclusions,
    ...tables.map((table) => (passes(table) ? 0 : 1)),
    ...noise.map(codeOfNoise),
  );
  if (format === 'json')
    return {
      text: `${logJson(tables.length === 0 && noise.length === 1 ? noise[0] : { runs: tables, noise })}\n`,
      code,
    };
  const blocks = [...comparisonOf(files), ...runBlocks(tables)];
  const { renderNoise, renderNoiseSummary } = await import('../../features/noise/report.ts');
  const { renderBlocks } = await import('../../report/terminal.ts');
  const shown =
    format === 'markdown'
      ? [
          ...(blocks.length === 0 ? [] : [`${markdownOf(blocks, NO_LINKS)}\n`]),
          ...noise.map((report) => renderNoiseSummary(report)),
        ]
      : [
          ...(blocks.length === 0
            ? []
            : [`${renderBlocks(blocks, { width, colour: isTerminal })}\n`]),
          ...noise.map((report) => renderNoise(report, { width, colour: isTerminal })),
        ];
  return { text: shown.join('\n'), code };
}

function comparisonOf(files: readonly SavedFile[]): Block[] {
  const [first, second, ...more] = files.flatMap((file) => (file.kind === 'result' ? [file] : []));
  return first === undefined || second === undefined || more.length > 0
    ? []
    : comparisonBlocks(first, second);
}

function codeOfNoise({ problems, runs }: NoiseResult): number {
  return problems.length > 0 || runs === 0 ? 2 : 0;
}

async function tablesOf(
  files: readonly SavedFile[],
): Promise<{ tables: RunTable[]; conclusions: number[] }> {
  const results = files.flatMap((file) => (file.kind === 'result' ? [file] : []));
  const reports = files.flatMap((file) => (file.kind === 'run' ? [file.report] : []));
  // Only user roll-ups are code, and they get no environment.
  const sandbox = createSandbox({
    mode: 'sandbox',
    env: {},
    timeoutSeconds: ROLLUP_SECONDS,
    time: 0,
    log: () => undefined,
  });
  try {
    return {
      tables: [
        ...results.flatMap(({ file, result }) => tablesOfResult(file, result)),
        ...(await tablesOfReports(reports, sandbox.evaluate)),
      ],
      conclusions: results.map(({ result }) => exitCode(result.conclusion)),
    };
  } finally {
    await sandbox.close();
  }
}

async function write(file: string, text: string, { cwd, err }: Terminal): Promise<void> {
  await writeTo(resolve(cwd, file), text, { root: cwd }).catch((error: unknown) => {
    throw userError(file, `cannot be written: ${reasonOf(error)}`);
  });
  err(`wrote ${file}\n`);
}
