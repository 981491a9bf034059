import { Command, CommanderError, Help, type Option } from 'commander';
import { NOT_JUDGED, UserError, formatProblem, errorTrace } from '../../errors.ts';
import { logLine, logText } from '../../text/log.ts';
import { packageRoot, versionLine } from '../session/installation.ts';
import type { CommandGroup, LazyCommand, Terminal } from './terminal.ts';

/** Exit codes: 0 for a passing or neutral verdict, 1 for a failing one, 2 for none. */
export async function main(argv: readonly string[], terminal: Terminal): Promise<number> {
  let code = 0;
  const hint = OTHER_VERBS.get(argv[0] ?? '');
  if (hint !== undefined) {
    terminal.err(
      `error: unknown command '${argv[0] ?? ''}'\n(${hint})\nRun evaldiff --help for the commands.\n`,
    );
    return NOT_JUDGED;
  }
  const program = await createProgram(
    terminal,
    (result) => {
      code = result;
    },
    argv[0],
    /(?:^| )(?:-h|--help) all(?: |$)/.test(argv.join(' ')),
  );
  try {
    await program.parseAsync([...argv], { from: 'user' });
    return code;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : NOT_JUDGED;
    if (error instanceof UserError)
      terminal.err(
        `${error.problems.map((problem) => logLine(formatProblem(problem))).join('\n')}\n`,
      );
    else if (isSystemError(error))
      terminal.err(
        `${logLine(`System error: ${error.message}`)}. Free some space, or make the path readable and ` +
          'writable (TMPDIR sets the folder for temporary files).\n',
      );
    else terminal.err(`Internal error: ${logText(errorTrace(error))}\n`);
    return NOT_JUDGED;
  }
}

/** Names that other tools give to options and overrides of evaldiff. */
const OTHER_OPTIONS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    '--directory FOLDER names the folder of the project.': 'path dir folder cwd root project',
    '--base REF names the commit to compare with.': 'base-ref compare against branch',
    '--max-cost USD caps the cost, --max-calls the calls.': 'budget cap limit max-usd',
    'n_tries=9, without dashes, sets the number of tries.': 'tries repeat n-tries runs',
    'references=ID, without dashes, runs only these tests.': 'filter only id ids test grep',
    'model=NAME, without dashes, sets the model.': 'model provider',
    'npx evaldiff plan shows what would run.': 'dry-run',
  }).flatMap(([hint, names]) => names.split(' ').map((name): [string, string] => [name, hint])),
);

const RUN_OR_DIFF =
  'npx evaldiff run evaluates the files as they are; npx evaldiff diff compares them with main.';

const OTHER_VERBS: ReadonlyMap<string, string> = new Map([
  ['eval', RUN_OR_DIFF],
  ['test', RUN_OR_DIFF],
  [
    'watch',
    'npx evaldiff run --watch runs again after each edit; npx evaldiff dev shows it in a page.',
  ],
]);

const SYSTEM_ERRORS =
  'EACCES EPERM EROFS ENOSPC EDQUOT EFBIG EIO EMFILE ENFILE ENOTDIR EISDIR ELOOP ENAMETOOLONG'.split(
    ' ',
  );

function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return (
    typeof error === 'object' &&
    error !== null &&
    'syscall' in error &&
    'code' in error &&
    (SYSTEM_ERRORS.includes(String(error.code)) || error.syscall === 'mkdtemp')
  );
}

const GROUPS: Readonly<Record<CommandGroup, string>> = {
  start: 'Start:',
  test: 'Test:',
  look: 'Look at results:',
  manage: 'Manage:',
};

const COMMANDS: readonly LazyCommand[] = [
  { name: 'diff', group: 'test', load: async () => (await import('./plain.ts')).diffCommand },
  { name: 'run', group: 'test', load: async () => (await import('./run.ts')).runCommand },
  { name: 'plan', group: 'test', load: async () => (await import('./plain.ts')).planCommand },
  {
    name: 'validate',
    group: 'test',
    load: async () => (await import('./plain.ts')).validateCommand,
  },
  { name: 'report', group: 'look', load: async () => (await import('./report.ts')).reportCommand },
  { name: 'view', group: 'look', load: async () => (await import('./view.ts')).viewCommand },
  { name: 'show', group: 'look', load: async () => (await import('./show.ts')).showCommand },
  {
    name: 'explain',
    group: 'look',
    load: async () => (await import('./explain.ts')).explainCommand,
  },
  { name: 'cache', group: 'manage', load: async () => (await import('./cache.ts')).cacheCommand },
  { name: 'init', group: 'start', load: async () => (await import('./init.ts')).initCommand },
  { name: 'demo', group: 'start', load: async () => (await import('./demo.ts')).demoCommand },
];

/**
 * Creates only the command that `asked` names, or all commands if it names none. `showsAll`: the
 * help includes rarely used options.
 */
export async function createProgram(
  terminal: Terminal,
  done: (code: number) => void,
  asked = '',
  showsAll = false,
): Promise<Command> {
  const program = new Command('evaldiff')
    .description(
      'Compare LLM prompts on base and head, with enough tries to separate regressions from noise.',
    )
    .option('-V, --version', 'print the version and the commit it was built from')
    .on('option:version', () => {
      terminal.out(`${versionLine(packageRoot())}\n`);
      throw new CommanderError(0, 'commander.version', '');
    })
    .showHelpAfterError('Run evaldiff --help for the commands.')
    .exitOverride()
    .configureOutput({
      writeOut: terminal.out,
      writeErr: terminal.err,
      outputError: (text, write) => {
        const hint = OTHER_OPTIONS.get(/unknown option '--([\w-]+)/.exec(text)?.[1] ?? '');
        write(hint === undefined ? text : `${text.split('\n')[0] ?? ''}\n(${hint})\n`);
      },
    })
    .configureHelp({
      subcommandTerm: (command) => command.name(),
      visibleOptions: (command) =>
        new Help().visibleOptions(command).filter((option) => showsAll || !isFurther(option)),
    })
    .addHelpText('after', '\nStart with evaldiff init, or run evaldiff demo to see an example.');
  const loaded = await Promise.all(
    commandsFor(asked, terminal).map(async ({ group, load }) => ({ group, add: await load() })),
  );
  for (const { group, add } of loaded) {
    program.commandsGroup(GROUPS[group]);
    add(program, terminal, done);
  }
  program.addHelpCommand(
    new Command('help')
      .argument('[command]')
      .description('show the help of a command')
      .helpGroup(GROUPS.manage),
  );
  for (const command of program.commands) {
    command.showHelpAfterError(`Run evaldiff ${command.name()} --help for its options.`);
    const further = command.options.filter(isFurther).map(({ long }) => long);
    if (further.length > 0)
      command.helpOption('-h, --help [all]', `show help; all: also for ${further.join(', ')}`);
  }
  return program;
}

/** Only rarely used options have a heading of their own (`evaluateOptions`). */
function isFurther({ helpGroupHeading }: Option): boolean {
  return helpGroupHeading !== undefined;
}

function commandsFor(asked: string, { features }: Terminal): LazyCommand[] {
  const all = [...COMMANDS, ...features.flatMap(({ commands = [] }) => commands)];
  const found = all.filter(({ name }) => name === asked);
  return found.length > 0 || asked === '--version' || asked === '-V'
    ? found
    : Object.keys(GROUPS).flatMap((group) => all.filter((command) => command.group === group));
}
