import { Option, type Command } from 'commander';
import type { WorldOptions } from '../world/world.ts';

/** The terminal a command runs in; the tests give one of their own. */
export interface Terminal {
  env: NodeJS.ProcessEnv;
  cwd: string;
  out(text: string): void;
  err(text: string): void;
  /** Colours and one updated progress line, on a terminal only. */
  isTerminal: boolean;
  /** Columns. */
  width: number;
  /** Other addresses of the vendors and another clock, set in process by tests and measurements; nothing else can. */
  reach?: Pick<WorldOptions, 'vendorUrls' | 'clock'>;
}

/** What every command that evaluates takes. */
export interface EvaluateOptions {
  config: string;
  directory: string;
  code: 'sandbox' | 'host' | 'off';
  codeEnv: string[];
  endpoint: string[];
  maxCalls?: string;
  maxCost?: string;
  timeout?: string;
  /** False: none. */
  store?: string | false;
  failOn?: 'regression' | 'failure' | 'never';
  trust?: boolean;
  untrusted?: boolean;
  record?: string;
  report?: string;
  json?: boolean;
}

const collect = (value: string, earlier: string[]): string[] => [...earlier, value];

/** Adds the options shared by `diff`, `run` and `plan`. */
export function evaluateOptions(command: Command): Command {
  return command
    .option('-C, --directory <folder>', 'root of the evaluated project', '.')
    .option('-c, --config <file>', 'settings file, relative to the project', 'evaldiff.yaml')
    .addOption(new Option('--code <where>', "where the project's own code may run").choices(['sandbox', 'host', 'off']).default('sandbox'))
    .option('--code-env <name>', 'an environment variable that host code may see; repeatable', collect, [])
    .option('--endpoint <line>', '"name=url key=ENV_NAME": a further compatible server; repeatable', collect, [])
    .option('--max-calls <number>', 'hard cap on model calls')
    .option('--max-cost <dollars>', 'hard cap on cost in US dollars')
    .option('--timeout <minutes>', 'end the run after so long, with what it has')
    .option('--store <file>', 'where answers are kept (default: .evaldiff/answers.sqlite in the project, or EVALDIFF_STORE)')
    .option('--no-store', 'keep no answers, and use none of earlier runs')
    .addOption(new Option('--fail-on <what>', 'what makes the exit code 1').choices(['regression', 'failure', 'never']))
    .option('--trust', 'treat head as reviewed content')
    .option('--untrusted', 'treat head as a pull request from outside')
    .option('--record <file>', 'write every answer to a recordings file')
    .option('--report <folder>', 'also write result.json, report.html, junit.xml and comment.md there, and (run) multirun/ in llmeval\'s layout')
    .option('--json', 'print the result as JSON');
}
