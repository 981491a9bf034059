import { setTimeout as sleep } from 'node:timers/promises';
import {
  projectFolder,
  evaluateOptions,
  type EvaluateOptions,
} from '../../app/commands/options.ts';
import { inRepository, ownPaths, withProject } from '../../app/commands/project.ts';
import type { AddCommand, Terminal } from '../../app/commands/terminal.ts';
import { ownSettings } from '../../app/run/feature.ts';
import { createKeptStores } from '../../app/session/kept-stores.ts';
import { formatsOf, suiteKeysOf } from '../../app/session/session-row.ts';
import { afterEachEdit, refsOf } from '../../app/session/watch.ts';
import { readCommandLine } from '../../config/inputs.ts';
import { userError, UserError, problem } from '../../errors.ts';
import type { OwnSettings } from '../../project/settings.ts';
import { logLine } from '../../text/log.ts';
import type { OpenProject } from './look.ts';
import { createRefresher, type Refresher, type WorkbenchState } from './refresh.ts';
import { serveWorkbench, type Action, type ActionReply } from './server.ts';
import { findChosen, detailOf, boardData, type ChosenCell } from './view.ts';
import { spendWords, type Spend } from './workbench.ts';
import { takeBack, writeBack } from './write-back.ts';

interface DevOptions extends EvaluateOptions {
  base?: string;
  port: string;
}

const DEFAULT_COST = 1;

const DEFAULT_CALLS = 500;

const MORE_TRIES = 3;

export const devCommand: AddCommand = (program, terminal, done) => {
  const takes = { answers: true, caps: true, asks: true, trust: true, prints: false } as const;
  evaluateOptions(program.command('dev'), takes)
    .description('open the workbench: a live page with every answer and the verdict while you edit')
    .option(
      '-b, --base <commit>',
      'what to compare with (default: the base that CI sets, else main or the default branch)',
    )
    .option('-p, --port <number>', 'the port on 127.0.0.1; 0: any free port', '0')
    .argument('[overrides...]', 'key=value, such as prompts=capitals; model=a,b adds columns')
    .addHelpText(
      'after',
      [
        '',
        'Stored answers are shown immediately. After an edit, evaldiff requests changed ' +
          'answers, up to --max-cost ' +
          `(default $${DEFAULT_COST}) and --max-calls (default ${DEFAULT_CALLS}).`,
        '',
        'Examples:',
        '  evaldiff dev',
        '  evaldiff dev --max-cost 0.20 tags=critical',
        '  evaldiff dev model=small,large',
      ].join('\n'),
    )
    .action(async (overrides: string[], options: DevOptions) => {
      await openWorkbench(overrides, options, terminal);
      done(0);
    });
};

async function openWorkbench(
  overrides: readonly string[],
  options: DevOptions,
  terminal: Terminal,
): Promise<void> {
  const given = limitsOf(overrides, options, ownSettings(terminal.features));
  const root = projectFolder(options, terminal);
  const written = ownPaths(options, terminal);
  const refs = await refsOf(root, options.base);
  const state: WorkbenchState = {
    look: null,
    old: false,
    more: new Map(),
    written: [],
    named: [],
    spend: { calls: 0, cost: 0, unpriced: false, ...given },
    note: 'reading the files',
    bad: false,
  };
  const kept = createKeptStores();
  const quieter = { ...terminal, err: onceEach(terminal.err), isTerminal: false };
  const project: OpenProject = {
    root,
    base: options.base,
    assumesCost: options.maxCost === undefined,
    read: {
      ...readCommandLine({ ...options, overrides, own: ownSettings(terminal.features) }).inputs
        .read,
      formats: formatsOf(terminal.features),
      suiteKeys: suiteKeysOf(terminal.features),
    },
    documents: new Map(),
    inSession: (work) =>
      withProject({ ...options, directory: root }, quieter, { overrides, kept }, work),
    withFiles: (work) =>
      inRepository(root, quieter, async (repository) => work(await repository.worktree(''))),
  };
  const refresher = createRefresher(project, state);
  const server = await serveWorkbench(parsePort(options.port), {
    board: () => boardData(state),
    detail: (key) => detailOf(state, key),
    // One at a time, because an action reads what the previous one wrote.
    act: oneAtATime((action) => perform(action, { state, refresher: refresher, project, given })),
  });
  refresher.serve(server);
  terminal.out(`workbench: ${server.url}\n`);
  terminal.err('only this machine can open this address; press Ctrl-C to stop\n');
  try {
    const { until } = terminal;
    await afterEachEdit({ root, written, refs, until, failed: refresher.failed }, async (news) => {
      await refresher.refresh(news);
      const files = [...(state.look?.files ?? []), ...state.named];
      return { files, over: state.look?.interrupted === true };
    });
    refresher.failed.throwIfAborted();
  } finally {
    await refresher.idle();
    await kept.close();
    await server.close();
  }
}

function onceEach(err: (text: string) => void): (text: string) => void {
  const printed = new Set<string>();
  return (text) => {
    if (printed.has(text)) return;
    printed.add(text);
    err(text);
  };
}

function oneAtATime<T, R>(work: (of: T) => Promise<R>): (of: T) => Promise<R> {
  let last: Promise<unknown> = Promise.resolve();
  return (of) => {
    const next = last.then(() => work(of));
    last = next.catch(() => undefined);
    return next;
  };
}

function limitsOf(
  overrides: readonly string[],
  options: DevOptions,
  own: readonly OwnSettings[],
): Pick<Spend, 'maxCalls' | 'maxCost'> {
  const { inputs, problems } = readCommandLine({ ...options, overrides, own });
  const { maxCalls, maxCost } = inputs;
  const json =
    options.json === true
      ? [
          problem(
            null,
            '--json: the workbench prints no result; omit --json, or run evaldiff diff --json',
          ),
        ]
      : [];
  if (problems.length + json.length > 0) throw new UserError([...json, ...problems]);
  return { maxCalls: maxCalls ?? DEFAULT_CALLS, maxCost: maxCost ?? DEFAULT_COST };
}

function parsePort(text: string): number {
  if (/^\d{1,5}$/.test(text) && Number(text) < 65_536) return Number(text);
  throw userError(null, `--port: must be a whole number from 0 to 65535, not "${logLine(text)}"`);
}

const LONGEST_WAIT_MS = 10_000;

const NOT_FOUND_REPLY: ActionReply = {
  said: 'This reference or answer no longer exists.',
  bad: true,
};

interface ActionContext {
  state: WorkbenchState;
  refresher: Refresher;
  project: OpenProject;
  given: Pick<Spend, 'maxCalls' | 'maxCost'>;
}

async function perform(action: Action, performing: ActionContext): Promise<ActionReply> {
  const { state, project, refresher: looking } = performing;
  if (action.kind === 'raise') return raise(performing);
  if (action.kind !== 'undo')
    await Promise.race([looking.caughtUp(), sleep(LONGEST_WAIT_MS, undefined, { ref: false })]);
  const before = state.written.length;
  const wrote = looking.writing();
  const reply =
    action.kind === 'undo'
      ? await takeBack(project.root, state.written)
      : await performOn(action, performing);
  if (!reply.bad && state.written.length !== before) wrote();
  return reply;
}

async function performOn(action: Action, performing: ActionContext): Promise<ActionReply> {
  const { state, project } = performing;
  const texts = state.look?.texts ?? new Map<string, string>();
  if (action.kind === 'first') {
    const prompt = state.look?.prompts.get(String(action['prompt']));
    return prompt === undefined
      ? NOT_FOUND_REPLY
      : writeBack(action, null, { project, texts, prompt }, state.written);
  }
  const chosen = findChosen(action, state);
  if (chosen === null) return NOT_FOUND_REPLY;
  const { cell, side, prompt } = chosen;
  return action.kind === 'more'
    ? moreTries(chosen, performing)
    : writeBack(
        action,
        { reference: cell.reference, side },
        { project, texts, prompt },
        state.written,
      );
}

function raise({ state: { spend }, refresher: looking, given }: ActionContext): ActionReply {
  spend.maxCost += given.maxCost;
  spend.maxCalls += given.maxCalls;
  void looking.refresh();
  return { said: spendWords(spend), bad: false };
}

function moreTries(
  { row: { key }, cell: { variant, suite, reference }, side }: ChosenCell,
  { refresher: looking }: ActionContext,
): ActionReply {
  const { id, base, head } = reference;
  const compared = side === 'base' && base !== null;
  void looking.more(`${key} ${side} ${variant}`, {
    suite: suite.name,
    id,
    variant: suite.variant,
    tries: ((compared ? base : head)?.tries.length ?? 0) + MORE_TRIES,
    compared,
  });
  return { said: `requesting more tries of ${id}`, bad: false };
}
