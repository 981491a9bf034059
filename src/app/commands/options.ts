import { existsSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { Option, type Command } from 'commander';
import { LLMEVAL_FILE } from '../../config/file-names.ts';
import type { CommandOptions } from '../../config/inputs.ts';
import { DEFAULT_CAPS } from '../../config/settings-schema.ts';
import { userError } from '../../errors.ts';
import { count } from '../../text/amounts.ts';
import { logLine } from '../../text/log.ts';
import { shellWord } from '../../text/visible.ts';
import type { Terminal } from './terminal.ts';

export const REPORT_FOLDERS = ['evaldiff-report', 'multirun'] as const;

export interface EvaluateOptions extends CommandOptions {
  directory: string;
  code: 'sandbox' | 'host' | 'off';
  store?: string | false;
  trust?: boolean;
  untrusted?: boolean;
  record?: string;
  report?: string;
  results?: string;
  json?: boolean;
}

interface Takes {
  /** True if the command has options for stored answers and endpoints. */
  answers?: boolean;
  caps?: boolean;
  asks?: boolean;
  trust?: boolean;
  verdict?: boolean;
  report?: string;
  /** If false, the command prints no result and handles `--json` itself. */
  prints?: false;
}

export const SWEEPS: Takes = {
  answers: true,
  caps: true,
  asks: true,
  trust: true,
  verdict: true,
  report: "result.json and all reports, also in llmeval's layout,",
};

export const collectValues = (value: string, earlier: string[] | undefined): string[] => [
  ...(earlier ?? []),
  value,
];

/** Options that only `--help all` explains. */
const FURTHER =
  '--config --code --code-env --endpoint --proxy --store --no-store --timeout --trust --untrusted --record --results'.split(
    ' ',
  );

export const RESULTS_OPTION = [
  '--results <file>',
  'write the result for another tool, as the name says: .csv, .jsonl, .ctrf.json, .sarif, …',
] as const;

export function evaluateOptions(command: Command, takes: Takes): Command {
  command
    .option('-C, --directory <folder>', 'root of the evaluated project', '.')
    .option('-c, --config <file>', 'settings file, relative to the project', 'evaldiff.yaml')
    .addOption(
      new Option('--code <where>', "where the project's own code may run")
        .choices(['sandbox', 'host', 'off'])
        .default('sandbox'),
    );
  if (takes.asks === true)
    command.option(
      '--code-env <name>',
      'an environment variable that host code may read; repeatable',
      collectValues,
    );
  if (takes.answers === true) answerOptions(command);
  if (takes.caps === true)
    command
      .option(
        '--max-calls <number>',
        `hard cap on model calls (default: budget.max_calls, or ${count(DEFAULT_CAPS.max_calls)})`,
      )
      .option(
        '--max-cost <dollars>',
        `hard cap on cost (default: budget.max_cost_usd, or ${DEFAULT_CAPS.max_cost_usd})`,
      );
  if (takes.asks === true)
    command.option(
      '--timeout <minutes>',
      'time limit of the run, which then reports its results so far',
    );
  if (takes.verdict === true)
    command.addOption(
      new Option('--fail-on <what>', 'which result makes the exit code 1').choices([
        'regression',
        'failure',
        'never',
      ]),
    );
  if (takes.trust === true)
    command
      .option('--trust', 'trust head: its content was reviewed')
      .option('--untrusted', "treat head as an outside contributor's pull request");
  if (takes.asks === true)
    command.option('--record <file>', 'write every answer to a recordings file');
  if (takes.report !== undefined)
    command
      .option('--report <folder>', `also write ${takes.report} there`)
      .option(...RESULTS_OPTION);
  const json = new Option('--json', 'print the result as JSON');
  for (const option of command.options.filter(({ long }) => FURTHER.includes(long ?? '')))
    option.helpGroup('Further options:');
  return command.addOption(takes.prints === false ? json.hideHelp() : json);
}

function answerOptions(command: Command): void {
  command
    .option(
      '--endpoint <line>',
      '"name=url key=ENV_NAME": a further compatible server; repeatable, and ' +
        'EVALDIFF_ENDPOINTS may contain such lines',
      collectValues,
    )
    .option(
      '--proxy <address>',
      'http(s)://host:port of the proxy for model calls (default: EVALDIFF_PROXY; other proxy ' +
        'variables are ignored)',
    )
    .option(
      '--store <file>',
      'where to store answers (default: EVALDIFF_STORE, or else a file for the project in your cache folder)',
    )
    .option('--no-store', 'do not store answers or reuse stored ones');
}

export function addVariants(command: Command, { features }: Terminal) {
  const variants = features
    .flatMap((row) => row.variants ?? [])
    .filter(({ command: name }) => name === command.name());
  for (const option of variants.flatMap(({ options }) => options)) command.option(...option);
  return { find: (options: object) => variants.find((variant) => variant.takes(options)) };
}

/** @throws UserError if `read` refuses the option. */
export function readOption<T>(read: (refuse: (name: string, message: string) => void) => T): T {
  return read((name, message) => {
    throw userError(null, `${name}: ${message}`);
  });
}

/** @throws UserError if the text is not a whole number in this range. */
export function wholeOption(name: string, text: string, least: number, most: number): number {
  const value = /^\d+$/.test(text) ? Number(text) : -1;
  if (value >= least && value <= most) return value;
  throw userError(
    null,
    `${name}: must be a whole number from ${least} to ${most}, not "${logLine(text)}"`,
  );
}

export function directoryOption(folder: string): string {
  return folder === '' ? '' : ` --directory ${shellWord(folder)}`;
}

/**
 * Searches parent folders only inside the checkout. Folders above it may belong to someone else.
 */
export function projectFolder(
  { directory, config }: EvaluateOptions,
  { cwd, err }: Terminal,
): string {
  const here = resolve(cwd, directory);
  if (directory !== '.') return here;
  const inCheckout = upwards(here);
  const names = [config, LLMEVAL_FILE];
  const found = inCheckout.find((folder) => names.some((name) => existsSync(join(folder, name))));
  if (found === undefined || found === here) return here;
  const folder = relative(here, found).split(sep).join('/');
  err(`${logLine(`project: ${folder} (its settings file was found there)`)}\n`);
  return found;
}

function upwards(from: string): string[] {
  const passed: string[] = [];
  for (let folder = from; ; folder = dirname(folder)) {
    passed.push(folder);
    if (existsSync(join(folder, '.git'))) return passed;
    if (dirname(folder) === folder) return [];
  }
}
