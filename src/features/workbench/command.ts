import { setTimeout as sleep } from 'node:timers/promises';
import { writeProject } from '../../app/commands/init.ts';
import {
  projectFolder,
  evaluateOptions,
  wholeOption,
  type EvaluateOptions,
} from '../../app/commands/options.ts';
import { inRepository, ownPaths, withProject } from '../../app/commands/project.ts';
import type { AddCommand, Terminal } from '../../app/commands/terminal.ts';
import { ownSettings } from '../../app/run/feature.ts';
import { createAnswerMemory } from '../../app/session/answer-memory.ts';
import { formatsOf, suiteKeysOf } from '../../app/session/session-row.ts';
import { afterEachEdit, refsOf } from '../../app/session/watch.ts';
import { readCommandLine } from '../../config/inputs.ts';
import type { EditResult } from '../../documents/yaml-splices.ts';
import { formatProblem, UserError, problem } from '../../errors.ts';
import type { OwnSettings } from '../../project/settings.ts';
import { proposalsIn } from '../../report/sections/feature-report.ts';
import { promptKey } from '../../report/sections/order.ts';
import { withEdit } from '../../trials/fix-edit.ts';
import { newReference, NO_INPUT, wishOf, type Action, type TestAction } from './changes.ts';
import { findSuite, findTest, shownResult, shownSuites, shownTexts, viewOf } from './live-view.ts';
import { planSingle, type OpenProject } from './look.ts';
import type { SingleRun } from './narrow-session.ts';
import {
  createRefresher,
  initialState,
  leftToSpend,
  liveState,
  spendWords,
  type Refresher,
  type Spend,
  type WorkbenchState,
} from './refresh.ts';
import { done, refused, serveWorkbench, type ActionReply } from './server.ts';
import { rewrite, takeBack, writeBack } from './write-back.ts';

interface DevOptions extends EvaluateOptions {
  base?: string;
  port: string;
}

const DEFAULT_COST = 1;

const DEFAULT_CALLS = 500;

const MORE_TRIES = 3;

export const devCommand: AddCommand = (program, terminal, end) => {
  const takes = { answers: true, caps: true, asks: true, trust: true, prints: false } as const;
  evaluateOptions(program.command('dev'), takes)
    .description('open a live page with every answer and the verdict as you edit')
    .option(
      '-b, --base <commit>',
      'what to compare with (default: the base that CI sets, else main or the default branch)',
    )
    .option('-p, --port <number>', 'the port on 127.0.0.1; 0: any free port', '0')
    .argument('[overrides...]', 'names of prompts, and key=value; model=a,b adds columns')
    .addHelpText(
      'after',
      [
        '',
        'Stored answers are shown immediately. After an edit, evaldiff requests changed ' +
          'answers, up to --max-cost ' +
          `(default $${DEFAULT_COST}) and --max-calls (default ${DEFAULT_CALLS}).`,
        '',
        'Example: evaldiff dev --max-cost 0.20 tags=critical',
      ].join('\n'),
    )
    .action(async (overrides: string[], options: DevOptions) => {
      await openWorkbench(overrides, options, terminal);
      end(0);
    });
};

async function openWorkbench(
  overrides: readonly string[],
  options: DevOptions,
  terminal: Terminal,
): Promise<void> {
  const { read, ...given } = workbenchOptions(overrides, options, ownSettings(terminal.features));
  const root = projectFolder(options, terminal);
  const written = ownPaths(options, terminal);
  const refs = await refsOf(root, options.base);
  const state = initialState({ calls: 0, cost: 0, unpriced: false, ...given });
  const remember = createAnswerMemory();
  const quieter = { ...terminal, err: onceEach(terminal.err), isTerminal: false };
  const project: OpenProject = {
    root,
    base: options.base,
    assumesCost: options.maxCost === undefined,
    read: {
      ...read,
      formats: formatsOf(terminal.features),
      suiteKeys: suiteKeysOf(terminal.features),
    },
    documents: new Map(),
    examine: terminal.features.find(({ onRequest }) => onRequest !== undefined)?.onRequest,
    draft: null,
    inSession: (work) =>
      withProject({ ...options, directory: root }, quieter, { overrides, remember }, work),
    withFiles: (work) =>
      inRepository(root, quieter, async (repository) => work(await repository.worktree(''))),
    start: () => writeProject({ directory: root }, quieter),
  };
  const refresher = createRefresher(project, state);
  const server = await serveWorkbench(wholeOption('--port', options.port, 0, 65_535), {
    view: () =>
      JSON.stringify({ state: liveState(state, project.draft?.file), view: viewOf(state) }),
    sent: (test) => JSON.stringify(state.look?.sent.get(test) ?? null),
    // One at a time, because an action reads what the previous one wrote.
    act: oneAtATime((action) => perform(action, { state, refresher, project, given })),
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

function workbenchOptions(
  overrides: readonly string[],
  options: DevOptions,
  own: readonly OwnSettings[],
) {
  const { inputs, problems } = readCommandLine({ ...options, overrides, own });
  const { read, maxCalls, maxCost } = inputs;
  if (options.json === true)
    problems.unshift(
      problem(
        null,
        '--json: the workbench prints no result; omit --json, or run evaldiff diff --json',
      ),
    );
  if (problems.length > 0) throw new UserError(problems);
  return { read, maxCalls: maxCalls ?? DEFAULT_CALLS, maxCost: maxCost ?? DEFAULT_COST };
}

const LONGEST_WAIT_MS = 10_000;

const NOT_FOUND_REPLY = refused('This test no longer exists.');

interface ActionContext {
  state: WorkbenchState;
  refresher: Refresher;
  project: OpenProject;
  given: Pick<Spend, 'maxCalls' | 'maxCost'>;
}

async function perform(action: Action, context: ActionContext): Promise<ActionReply> {
  const { state, project, refresher } = context;
  if (action.kind === 'raise') return raise(context);
  if (action.kind !== 'undo')
    await Promise.race([refresher.caughtUp(), sleep(LONGEST_WAIT_MS, undefined, { ref: false })]);
  const before = state.written.length;
  const wrote = refresher.writing();
  const reply =
    action.kind === 'undo'
      ? await takeBack(project.root, state.written)
      : await performOn(action, context);
  if (!reply.bad && state.written.length !== before) wrote();
  return reply;
}

async function performOn(
  action: Exclude<Action, { kind: 'raise' | 'undo' }>,
  context: ActionContext,
): Promise<ActionReply> {
  switch (action.kind) {
    case 'run-suite': {
      const suite = findSuite(context.state, action.suite);
      return suite === null ? NOT_FOUND_REPLY : beginRun({ suite }, context);
    }
    case 'start':
      return start(context);
    case 'first':
      return addFirst(action, context);
    case 'draft':
    case 'save':
      return editPrompt(action, context);
    case 'cover':
      return cover(action, context);
    case 'write':
      return writeProposal(action, context);
    case 'discard':
      return showDraft(null, context);
    default:
      return performOnTest(action, context);
  }
}

async function start({ project }: ActionContext): Promise<ActionReply> {
  try {
    await project.start();
    return done('the example is written');
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    return refused(error.problems.map(formatProblem).join(' · '));
  }
}

function beginRun(asked: SingleRun, { refresher }: ActionContext): ActionReply {
  void refresher.run(asked);
  return done(`running ${asked.id ?? asked.suite.name}`);
}

async function cover(
  { prompt, line, isAgreed }: Extract<Action, { kind: 'cover' }>,
  context: ActionContext,
): Promise<ActionReply> {
  const { state, project } = context;
  const shown = shownResult(state);
  const suite = shownSuites(state).find((each) => promptKey(each) === prompt);
  const feature = shown === null ? undefined : project.examine?.(shown, line);
  if (suite === undefined || feature === undefined) return NOT_FOUND_REPLY;
  if (state.isRunning)
    return refused('answers are being asked for; press again when they are here');
  const asked = { suite, feature };
  const key = JSON.stringify([prompt, line, state.look && shownTexts(state.look)]);
  if (isAgreed && state.priced === key) {
    state.priced = null;
    return beginRun(asked, context);
  }
  const own = { ...project, draft: state.look?.draft ?? null };
  const planned = await planSingle(own, leftToSpend(state), asked);
  if (typeof planned !== 'string') return refused(planned.map(formatProblem).join(' · '));
  state.priced = key;
  return done(`This makes ${planned}. Press again to ask.`);
}

function writeProposal(
  { file, replacement }: Extract<Action, { kind: 'write' }>,
  { state, project }: ActionContext,
): Promise<ActionReply> {
  const shown = shownResult(state);
  const proposals = shown === null ? [] : proposalsIn(shown, state.look?.reports ?? []);
  const found = proposals.find(({ fix }) => fix.file === file && fix.replacement === replacement);
  const edit = (before: string): EditResult => {
    // A test is added after a line that stays, so it could be added again.
    if (found?.fix.kind === 'test' && before.includes(found.fix.replacement))
      return { refused: 'the test is there already' };
    const text = found === undefined ? null : withEdit(before, found.fix);
    return text === null ? { refused: 'these lines have changed since they were run' } : { text };
  };
  return rewrite({ file, what: 'what was run is written', edit }, project, state.written);
}

async function addFirst(
  action: Extract<Action, { kind: 'first' }>,
  { state, project }: ActionContext,
): Promise<ActionReply> {
  const prompt = state.look?.prompts.get(action.prompt);
  if (prompt === undefined) return NOT_FOUND_REPLY;
  const added = newReference(action);
  if (added === null) return refused(NO_INPUT);
  const wish = {
    file: prompt.tests,
    line: 0,
    id: '',
    columns: {},
    what: 'the first test is added',
    change: { kind: 'first' as const, ...added },
  };
  return writeBack(wish, { project, texts: state.look?.texts, prompt }, state.written);
}

async function editPrompt(
  action: Extract<Action, { kind: 'draft' | 'save' }>,
  context: ActionContext,
): Promise<ActionReply> {
  const { project, state } = context;
  const file = state.look?.prompts.get(action.prompt)?.path;
  if (file === undefined) return NOT_FOUND_REPLY;
  const { text } = action;
  if (action.kind === 'draft') return showDraft({ file, text }, context);
  const edit = (before: string) =>
    before === action.read
      ? { text }
      : { refused: 'another program changed it while you edited; the page shows both texts' };
  const reply = await rewrite({ file, what: 'the prompt is saved', edit }, project, state.written);
  if (!reply.bad) project.draft = null;
  return reply;
}

function showDraft(
  draft: OpenProject['draft'],
  { project, refresher }: ActionContext,
): ActionReply {
  project.draft = draft;
  void refresher.refresh();
  return done(draft === null ? 'the draft is discarded' : 'the draft is run');
}

async function performOnTest(action: TestAction, context: ActionContext): Promise<ActionReply> {
  const { state, project } = context;
  const found = findTest(state, action.test);
  if (found === null) return NOT_FOUND_REPLY;
  const { suite, reference, prompt } = found;
  if (action.kind === 'run') {
    const { id, base, head } = reference;
    const compared = action.side === 'base' && base !== null;
    const tries = ((compared ? base : head)?.tries.length ?? 0) + MORE_TRIES;
    return beginRun({ suite, id, tries, compared }, context);
  }
  const wish = wishOf(action, reference, prompt);
  if (typeof wish === 'string') return refused(wish);
  return writeBack(wish, { project, texts: state.look?.texts, prompt }, state.written);
}

function raise({ state: { spend }, refresher, given }: ActionContext): ActionReply {
  spend.maxCost += given.maxCost;
  spend.maxCalls += given.maxCalls;
  void refresher.refresh();
  return done(spendWords(spend));
}
