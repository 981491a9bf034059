#!/usr/bin/env node
import { realpathSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Command, CommanderError } from 'commander';
import { formatProblem, UserError } from './errors.ts';
import { cacheCommand } from './commands/cache.ts';
import { demoCommand } from './commands/demo.ts';
import { diffCommand } from './commands/diff.ts';
import { discoverCommand } from './commands/discover.ts';
import { gradeCommand } from './commands/grade.ts';
import { importCommand } from './commands/import.ts';
import { initCommand } from './commands/init.ts';
import { mergeCommand } from './commands/merge.ts';
import { noiseCommand } from './commands/noise.ts';
import type { Terminal } from './commands/options.ts';
import { planCommand } from './commands/plan.ts';
import { reportCommand } from './commands/report.ts';
import { runCommand } from './commands/run.ts';
import { terminalOf } from './commands/terminal.ts';
import { validateCommand } from './commands/validate.ts';
import { keepHeapSmall } from './world/heap.ts';
import { tooOld } from './world/runtime.ts';
import { guardProcess } from './sandbox/index.ts';
import { logLine, logText } from './text/log.ts';
import { VERSION } from './version.ts';

/** Exit code for what the user has to mend, and for what is broken. */
const NOT_JUDGED = 2;

/** Runs one command line and gives its exit code: 0 pass or neutral, 1 the gate failed, 2 nothing was judged. */
export async function main(argv: readonly string[], terminal: Terminal): Promise<number> {
  let code = 0;
  const program = createProgram(terminal, (result) => { code = result; });
  try {
    await program.parseAsync([...argv], { from: 'user' });
    return code;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : NOT_JUDGED;
    if (error instanceof UserError) terminal.err(`${error.problems.map((problem) => logLine(formatProblem(problem))).join('\n')}\n`);
    else terminal.err(`evaldiff failed, and the fault is its own: ${logText(error instanceof Error ? error.stack ?? error.message : String(error))}\n`);
    return NOT_JUDGED;
  }
}

/** Every command with its options; the exit code goes to `done`. */
export function createProgram(terminal: Terminal, done: (code: number) => void): Command {
  const program = new Command('evaldiff')
    .description('Regression testing for LLM prompts: base against head, several tries each, regressions told from noise.')
    .version(VERSION)
    .showHelpAfterError('Run evaldiff --help for the commands.')
    .exitOverride()
    .configureOutput({ writeOut: terminal.out, writeErr: terminal.err });
  for (const command of [diffCommand, runCommand, planCommand, validateCommand, gradeCommand, noiseCommand, discoverCommand, reportCommand, cacheCommand, mergeCommand, importCommand, initCommand, demoCommand]) command(program, terminal, done);
  for (const command of program.commands) command.showHelpAfterError(`Run evaldiff ${command.name()} --help for its options.`);
  return program;
}

/** Whether this file was started rather than imported. Only newer Nodes say so themselves. */
function isStarted(file: string | undefined): boolean {
  return file !== undefined && ((import.meta.main as boolean | undefined) ?? realpathSync(file) === fileURLToPath(import.meta.url));
}

async function start(): Promise<number> {
  const old = tooOld(process.versions.node);
  if (old !== null) {
    process.stderr.write(`${old}\n`);
    return NOT_JUDGED;
  }
  keepHeapSmall();
  guardProcess();
  return main(process.argv.slice(2), terminalOf(process));
}

if (isStarted(process.argv[1])) process.exitCode = await start();
