import type { Command } from 'commander';
import { UserError, problem } from '../errors.ts';
import {
  boardHtml,
  detailHtml,
  matricesOf,
  spendWords,
  statusesOf,
  type MatrixRow,
  type Spend,
} from '../report/page/workbench.ts';
import type { Result } from '../result/result.ts';
import { sentKey } from '../session/sent-prompts.ts';
import { afterEachEdit } from '../session/watch.ts';
import { logLine } from '../text/log.ts';
import { projectFolder } from './find-project.ts';
import { evaluateOptions, type EvaluateOptions } from './options.ts';
import { ownPaths } from './project.ts';
import type { Terminal } from './terminal.ts';
import { actsHtml, type RubricChoice } from './workbench-acts.ts';
import { createLooking, type Looking, type State } from './workbench-looking.ts';
import { serveWorkbench, type Action, type ActionReply } from './workbench-server.ts';
import { takeBack, writeBack } from './workbench-write-back.ts';

interface DevOptions extends EvaluateOptions {
  base?: string;
  port: string;
}

/** What one may spend without having said how much. */
const DEFAULT_COST = 1;

const DEFAULT_CALLS = 500;

/** Further tries of one reference at a time. */
const MORE_TRIES = 3;

export function devCommand(
  program: Command,
  terminal: Terminal,
  done: (code: number) => void,
): void {
  evaluateOptions(program.command('dev'), { answers: true, caps: true, asks: true, trust: true })
    .description(
      'the workbench: a page on this machine that shows every answer and the verdict, live while you edit',
    )
    .option('-b, --base <commit>', 'what to compare with (default: main, else the default branch)')
    .option('-p, --port <number>', 'the port on 127.0.0.1; 0: any that is free', '0')
    .argument('[overrides...]', 'key=value, such as prompts=capitals; model=a,b adds columns')
    .addHelpText(
      'after',
      `\nAnswers that are stored are shown at once; an edit asks for what it changed, up to --max-cost (default $${String(DEFAULT_COST)}) and --max-calls (default ${String(DEFAULT_CALLS)}).\n\nExamples:\n  evaldiff dev\n  evaldiff dev --max-cost 0.20 tags=critical\n  evaldiff dev model=small,large`,
    )
    .action(async (overrides: string[], options: DevOptions) => {
      await openWorkbench(overrides, options, terminal);
      done(0);
    });
}

async function openWorkbench(
  overrides: readonly string[],
  options: DevOptions,
  terminal: Terminal,
): Promise<void> {
  const root = projectFolder(options, terminal);
  const written = ownPaths(options, terminal);
  const state: State = {
    look: null,
    more: new Map(),
    written: [],
    spend: { calls: 0, cost: 0, ...limitsOf(options) },
    note: 'looking at the files',
    bad: false,
  };
  const looking = createLooking(
    {
      options: { ...options, directory: root },
      overrides,
      // What a look says goes to the page.
      terminal: { ...terminal, err: () => undefined, isTerminal: false },
    },
    state,
  );
  const acts = (action: Action): Promise<ActionReply> => perform(action, state, looking, root);
  const server = await serveWorkbench(portOf(options.port), {
    board: () => boardOf(state),
    detail: (key) => detailOf(state, key),
    act: acts,
  });
  looking.serve(server);
  terminal.out(`workbench: ${server.url}\n`);
  terminal.err('it is open to this machine alone, by this address; Ctrl-C ends\n');
  try {
    await afterEachEdit({ root, written, until: terminal.until }, async () => {
      await looking.refresh();
      return { files: state.look?.files ?? [], over: state.look?.interrupted === true };
    });
  } finally {
    await looking.idle();
    await server.close();
  }
}

function limitsOf({ maxCalls, maxCost }: EvaluateOptions): Pick<Spend, 'maxCalls' | 'maxCost'> {
  return {
    maxCalls: maxCalls === undefined ? DEFAULT_CALLS : Number(maxCalls),
    maxCost: maxCost === undefined ? DEFAULT_COST : Number(maxCost),
  };
}

function portOf(text: string): number {
  if (/^\d{1,5}$/.test(text) && Number(text) < 65_536) return Number(text);
  throw new UserError([
    problem(null, `--port: must be a whole number from 0 to 65535, not "${logLine(text)}"`),
  ]);
}

/** The results with the further tries of single references in their places. */
function withMore({ look: found, more }: State): { result: Result; all: Result | null } | null {
  if (found === null) return null;
  const further = new Map(
    [...more.values()].flatMap(({ suites }) =>
      suites.flatMap((suite) =>
        suite.references.map((one) => [sentKey(suite, one.id), one] as const),
      ),
    ),
  );
  const merged = (result: Result): Result =>
    further.size === 0
      ? result
      : {
          ...result,
          suites: result.suites.map((suite) => ({
            ...suite,
            references: suite.references.map((one) => further.get(sentKey(suite, one.id)) ?? one),
          })),
        };
  return { result: merged(found.result), all: found.all === null ? null : merged(found.all) };
}

function boardOf(state: State): object {
  const { note, bad, spend, look: found } = state;
  const shown = withMore(state);
  const common = { note, bad, spend: spendWords(spend), undo: state.written.length > 0 };
  if (shown === null || found === null) return { ...common, html: '', list: [] };
  const notes = [
    ...(found.alone === null
      ? []
      : [`Only the files as they are, with nothing to compare them with: ${found.alone}`]),
    ...(found.missing
      ? ['Some answers are not there yet; the headline is of those that are.']
      : []),
  ];
  return {
    ...common,
    html: boardHtml({ ...shown, notes }),
    list: statusesOf(matricesOf(shown.result, shown.all)),
  };
}

function rowOf(state: State, key: string): MatrixRow | null {
  const shown = withMore(state);
  if (shown === null) return null;
  const rows = matricesOf(shown.result, shown.all).flatMap((matrix) => matrix.rows);
  return rows.find((row) => row.key === key) ?? null;
}

function detailOf(state: State, key: string): string | null {
  const row = rowOf(state, key);
  if (row === null) return null;
  return `${actsHtml(row, rubricsOf(state, row))}${detailHtml(row, ({ suite, reference }) => state.look?.sent.get(sentKey(suite, reference.id)) ?? null)}`;
}

function rubricsOf({ look: found }: State, { cells: [cell] }: MatrixRow): RubricChoice[] {
  return found?.rubrics.get(cell?.suite.name ?? '') ?? [];
}

/** What a button or a key of the page does. */
async function perform(
  action: Action,
  state: State,
  looking: Looking,
  root: string,
): Promise<ActionReply> {
  if (action.kind === 'raise') return raise(state, looking);
  if (action.kind === 'undo') return takeBack(root, state.written);
  const key = typeof action['key'] === 'string' ? action['key'] : '';
  const row = rowOf(state, key);
  if (row === null) return { said: 'This reference is not there any more.', bad: true };
  return action.kind === 'more'
    ? moreTries(key, row, state, looking)
    : writeBack(action, row, root, state.written);
}

function raise({ spend }: State, looking: Looking): ActionReply {
  spend.maxCost += DEFAULT_COST;
  spend.maxCalls += DEFAULT_CALLS;
  void looking.refresh();
  return { said: spendWords(spend), bad: false };
}

function moreTries(
  key: string,
  { cells: [cell] }: MatrixRow,
  state: State,
  looking: Looking,
): ActionReply {
  if (cell === undefined) return { said: 'This reference is not there any more.', bad: true };
  const { name } = cell.suite;
  const { id, base, head } = cell.reference;
  const compared = state.look?.result.suites.some(
    (suite) => suite.name === name && suite.references.some((one) => one.id === id),
  );
  void looking.more(key, {
    suite: name,
    id,
    tries: Math.max(base?.tries.length ?? 0, head?.tries.length ?? 0) + MORE_TRIES,
    compared: compared === true,
  });
  return { said: `asking for more tries of ${id}`, bad: false };
}
