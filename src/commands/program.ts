import { Command, CommanderError } from 'commander';
import { NOT_JUDGED, UserError, formatProblem, errorTrace } from '../errors.ts';
import { VERSION } from '../session/runtime.ts';
import { logLine, logText } from '../text/log.ts';
import { cacheCommand } from './cache.ts';
import { demoCommand } from './demo.ts';
import { devCommand } from './dev.ts';
import { discoverCommand } from './discover.ts';
import { fixCommand } from './fix.ts';
import { gradeCommand } from './grade.ts';
import { importCommand } from './import.ts';
import { initCommand } from './init.ts';
import { noiseCommand } from './noise.ts';
import { diffCommand, planCommand, validateCommand } from './plain.ts';
import { reportCommand } from './report.ts';
import { runCommand } from './run.ts';
import { mergeCommand } from './shards.ts';
import { showCommand } from './show.ts';
import type { Terminal } from './terminal.ts';

/**
 * Runs one command line and gives its exit code: 0 pass or neutral, 1 the gate failed, 2 nothing
 * was judged.
 */
export async function main(argv: readonly string[], terminal: Terminal): Promise<number> {
  let code = 0;
  const hint = OTHER_VERBS.get(argv[0] ?? '');
  if (hint !== undefined) {
    terminal.err(
      `error: unknown command '${argv[0] ?? ''}'\n(${hint})\nRun evaldiff --help for the commands.\n`,
    );
    return NOT_JUDGED;
  }
  const program = createProgram(terminal, (result) => {
    code = result;
  });
  try {
    await program.parseAsync([...argv], { from: 'user' });
    return code;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : NOT_JUDGED;
    if (error instanceof UserError)
      terminal.err(
        `${error.problems.map((problem) => logLine(formatProblem(problem))).join('\n')}\n`,
      );
    else if (isOfTheMachine(error))
      terminal.err(
        `${logLine(`This machine refused: ${error.message}. Make room, or let this path be read and written (TMPDIR names the folder for temporary files).`)}\n`,
      );
    else terminal.err(`evaldiff failed, and the fault is its own: ${logText(errorTrace(error))}\n`);
    return NOT_JUDGED;
  }
}

/** What people type who come from another tool. */
const OTHER_VERBS: ReadonlyMap<string, string> = new Map([
  [
    'eval',
    'npx evaldiff run evaluates the files as they are; npx evaldiff diff compares them with main.',
  ],
  [
    'test',
    'npx evaldiff run evaluates the files as they are; npx evaldiff diff compares them with main.',
  ],
  [
    'view',
    'npx evaldiff dev opens the workbench; npx evaldiff diff --report FOLDER writes report.html.',
  ],
  [
    'watch',
    'npx evaldiff run --watch runs again after each edit; npx evaldiff dev shows it in a page.',
  ],
]);

/**
 * What a full disk, a missing right or a damaged drive answers, whoever asked: nobody's mistake in
 * the files, nor ours.
 */
const REFUSALS = [
  'EACCES',
  'EPERM',
  'EROFS',
  'ENOSPC',
  'EDQUOT',
  'EFBIG',
  'EIO',
  'EMFILE',
  'ENFILE',
  'ENOTDIR',
  'EISDIR',
  'ELOOP',
  'ENAMETOOLONG',
];

function isOfTheMachine(error: unknown): error is NodeJS.ErrnoException {
  return (
    typeof error === 'object' &&
    error !== null &&
    'syscall' in error &&
    'code' in error &&
    (REFUSALS.includes(String(error.code)) || error.syscall === 'mkdtemp')
  );
}

/** Every command with its options; the exit code goes to `done`. */
export function createProgram(terminal: Terminal, done: (code: number) => void): Command {
  const program = new Command('evaldiff')
    .description(
      'Regression testing for LLM prompts: base against head, several tries each, regressions told from noise.',
    )
    .version(VERSION)
    .showHelpAfterError('Run evaldiff --help for the commands.')
    .exitOverride()
    .configureOutput({ writeOut: terminal.out, writeErr: terminal.err });
  for (const command of [
    diffCommand,
    devCommand,
    runCommand,
    planCommand,
    validateCommand,
    gradeCommand,
    fixCommand,
    noiseCommand,
    discoverCommand,
    reportCommand,
    showCommand,
    cacheCommand,
    mergeCommand,
    importCommand,
    initCommand,
    demoCommand,
  ])
    command(program, terminal, done);
  for (const command of program.commands)
    command.showHelpAfterError(`Run evaldiff ${command.name()} --help for its options.`);
  return program;
}
