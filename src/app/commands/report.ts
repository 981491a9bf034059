import { resolve } from 'node:path';
import { Option } from 'commander';
import { createSandbox } from '../../edges/sandbox/index.ts';
import { userError } from '../../errors.ts';
import { exitCode } from '../../kernel/result/outcome.ts';
import type { Result } from '../../kernel/result/result.ts';
import { renderComment } from '../../report/comment.ts';
import { comparisonBlocks } from '../../report/comparison.ts';
import { renderJunit } from '../../report/junit.ts';
import { markdownOf } from '../../report/markdown.ts';
import { tablesOfReports, tablesOfResult } from '../../report/run-rows.ts';
import { passes, runBlocks } from '../../report/run-tables.ts';
import { NO_LINKS, type Block } from '../../report/sections/document.ts';
import { loadReports } from '../../report/sections/feature-report.ts';
import { logJson } from '../../text/log.ts';
import { visibleErrorMessage, writeTo } from '../session/safe-writing.ts';
import { commentMarker } from '../session/write-reports.ts';
import { savedResult, savedRuns, type SavedFile } from './files.ts';
import { addVariants, REPORT_FOLDERS, RESULTS_OPTION } from './options.ts';
import { resultsFile } from './results.ts';
import { renderResult, type AddCommand, type Rendered, type Terminal } from './terminal.ts';

const FORMATS = ['terminal', 'markdown', 'html', 'junit', 'json'] as const;

type Format = (typeof FORMATS)[number];

interface ReportOptions {
  format?: Format;
  json?: boolean;
  tables?: boolean;
  out?: string;
  results?: string;
}

const ROLLUP_SECONDS = 5;

export const reportCommand: AddCommand = (program, terminal, done) => {
  const format = new Option(
    '-f, --format <format>',
    'output format; junit takes one result.json, html takes one or --history (default: terminal)',
  ).choices(FORMATS);
  const command = program
    .command('report')
    .description('render saved results: one, two compared, several as tables')
    .argument(
      '[paths...]',
      'result.json and report-<try>.yaml files of runs, or folders that contain them ' +
        '(default: the newest run in evaldiff-report or multirun)',
    )
    .addOption(format)
    .addOption(new Option('--json', 'the same as --format json').conflicts('format'))
    .option('--tables', 'a table of every answer, also for a single result.json');
  const variants = addVariants(command, terminal);
  command
    .option('-o, --out <file>', 'write to this file instead of printing')
    .option(...RESULTS_OPTION)
    .addHelpText('after', '\nExample: evaldiff report before/result.json after/result.json')
    .action(async (paths: string[], options: ReportOptions) => {
      const isTerminal = terminal.isTerminal && options.out === undefined;
      const format = options.json === true ? ('json' as const) : (options.format ?? 'terminal');
      if (options.results !== undefined) {
        const file = resultsFile(options.results, terminal);
        await file.write(await savedResult(paths, terminal), { root: terminal.cwd });
      }
      const given = { ...options, format };
      const to = { ...terminal, isTerminal };
      const rendered =
        variants.find(options)?.run(paths, given, to) ?? renderFiles(paths, given, to);
      const { text, code } = await rendered;
      if (options.out === undefined) terminal.out(text);
      else await writeReportFile(options.out, text, terminal);
      done(code);
    });
};

async function renderFiles(
  paths: readonly string[],
  { format, tables = false }: { format: Format; tables?: boolean },
  terminal: Terminal,
): Promise<Rendered> {
  const files = await savedRuns(paths, terminal);
  if (files.length === 0)
    throw userError(
      null,
      'name what to render: a result.json, or a folder that contains one ' +
        `(npx evaldiff report out); this folder has none of ${REPORT_FOLDERS.join(', ')}`,
    );
  const [only, ...more] = files;
  const alone = more.length === 0 && !tables ? only : undefined;
  if (alone?.kind === 'result')
    return {
      text: await renderAs(alone.result, format, terminal),
      code: exitCode(alone.result.conclusion),
    };
  if (format !== 'html' && format !== 'junit') return renderAll(files, format, terminal);
  throw userError(
    null,
    `--format ${format} renders one result.json; for several runs use terminal, markdown or json`,
  );
}

async function renderAs(result: Result, format: Format, terminal: Terminal): Promise<string> {
  const reports = await loadReports(terminal.features);
  switch (format) {
    case 'markdown':
      return renderComment(result, { marker: commentMarker('evaldiff'), reports });
    case 'html':
      return (await import('../../report/html.ts')).renderHtml(result, reports);
    case 'junit':
      return renderJunit(result, reports);
    case 'json':
      return `${logJson(result)}\n`;
    case 'terminal':
      return renderResult(result, terminal);
  }
}

async function renderAll(
  files: readonly SavedFile[],
  format: 'terminal' | 'markdown' | 'json',
  { width, isTerminal }: Terminal,
): Promise<Rendered> {
  const { tables, conclusions } = await tablesOf(files);
  const code = Math.max(0, ...conclusions, ...tables.map((table) => (passes(table) ? 0 : 1)));
  if (format === 'json') return { text: `${logJson({ runs: tables })}\n`, code };
  const blocks = [...compareFiles(files), ...runBlocks(tables)];
  if (format === 'markdown') return { text: `${markdownOf(blocks, NO_LINKS)}\n`, code };
  const { renderBlocks } = await import('../../report/terminal.ts');
  return { text: `${renderBlocks(blocks, { width, colour: isTerminal })}\n`, code };
}

function compareFiles(files: readonly SavedFile[]): Block[] {
  const [first, second, ...more] = files.flatMap((file) => (file.kind === 'result' ? [file] : []));
  return first === undefined || second === undefined || more.length > 0
    ? []
    : comparisonBlocks(first, second);
}

async function tablesOf(files: readonly SavedFile[]) {
  const results = files.flatMap((file) => (file.kind === 'result' ? [file] : []));
  const reports = files.flatMap((file) => (file.kind === 'run' ? [file.report] : []));
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

async function writeReportFile(file: string, text: string, { cwd, err }: Terminal): Promise<void> {
  await writeTo(resolve(cwd, file), text, { root: cwd }).catch((error: unknown) => {
    throw userError(file, `cannot be written: ${visibleErrorMessage(error)}`);
  });
  err(`wrote ${file}\n`);
}
