import { isBelow } from '../../documents/paths.ts';
import type { CallOptions } from '../../edges/providers/hosted-server.ts';
import { UserError, errorMessage, formatProblem } from '../../errors.ts';
import {
  NOT_MADE_MESSAGES,
  type AskedModel,
  type Completion,
  type Request,
} from '../../types/model.ts';
import type { CheckResult } from '../../wording/agent-runs.ts';
import { failedRun, runCompletion } from './completion.ts';
import { loadedContext } from './context.ts';
import { knownValues } from './gateway/normalise.ts';
import type { Gateway, RunTicket } from './gateway/terms.ts';
import type { AgentRow } from './rows/agent-row.ts';
import type { Cli } from './rows/find-cli.ts';
import { agentRow } from './rows/index.ts';
import { readTranscript } from './rows/transcript.ts';
import { suiteFileMatcher } from './suite/rules.ts';
import type { AgentSpec, Task } from './suite/spec.ts';
import type { watchReading } from './unread.ts';
import { bodyOf, workspaceChanges, type Change } from './workspace/changes.ts';
import type { WorkspaceFiles, WorkspaceFile } from './workspace/files.ts';
import { linkTarget, type DiskEntry } from './workspace/layers.ts';
import { followLinks } from './workspace/links.ts';
import { GATEWAY_URL, INSIDE } from './workspace/mounts.ts';
import {
  openWorkspace,
  foldersAbove,
  type Templates,
  type Workspace,
  type Edits,
  type WorkspaceOptions,
} from './workspace/open.ts';
import { runInside } from './workspace/run.ts';
import type { WallKind } from './workspace/walls.ts';

export interface AgentPlace {
  kind: WallKind;
  gateway: Gateway;
  templates: Templates;
  canary: string;
  /** Folders that the agent must not read, such as the checkout. */
  cover: readonly string[];
  cli: Cli;
}

interface TaskRun {
  request: Request;
  target: AskedModel;
  spec: AgentSpec;
  task: Task;
  files: WorkspaceFiles;
  whole: WorkspaceFiles;
  reading: ReturnType<typeof watchReading>;
}

const CHECK_SECONDS = 600;

export async function runInWorkspace(
  run: TaskRun,
  place: AgentPlace,
  options: CallOptions,
): Promise<Completion> {
  const { spec, task, files } = run;
  const own = agentRow(spec.agent);
  const row = { ...own, skillTool: spec.skillTool ?? own.skillTool };
  const isTrigger = task.trigger !== undefined;
  const ticket = openTicket(run, row, place);
  let workspace: Workspace | null = null;
  try {
    const { home, ...start } = row.start({
      ...{ spec, bin: place.cli.bin, task: task.task, token: ticket.token },
      ...{ url: GATEWAY_URL, home: INSIDE.home },
    });
    workspace = await openWorkspace(files, { ...optionsOf(spec, place, options), home });
    const startedAt = options.clock.now();
    ticket.known(knownValues(startedAt, workspace.commit, (text) => isContent(text, run)));
    const ended = await runInside(workspace, {
      ...start,
      gateway: place.gateway.address,
      seconds: spec.limits.minutes * 60,
      signal: AbortSignal.any([options.signal, ticket.cut]),
      ...(row.protocol === 'acp'
        ? (await import('./rows/acp-driver.ts')).talkAcp(INSIDE.work, task.task)
        : {}),
    });
    const seconds = (options.clock.now() - startedAt) / 1000;
    const record = ticket.end();
    options.signal.throwIfAborted();
    const changed = isTrigger ? [] : await workspaceChanges(workspace);
    const changes = changed.filter(
      ({ path, isCanarySeen }) => isCanarySeen || row.ownFiles?.includes(path) !== true,
    );
    const checks = isTrigger
      ? []
      : await runSuiteChecks(run, workspace, changes, optionsOf(spec, place, options));
    options.signal.throwIfAborted();
    return runCompletion({
      ...{ row, spec, version: place.cli.version, isTrigger },
      ...{ ended, seconds, record, changes, checks },
      transcript: readTranscript(row, ended.stdout),
      watched: await watchedTexts(spec, workspace, changes),
      context: (await loadedContext(row, contextSource(files))).tokens,
      read: run.reading.read,
    });
  } catch (error) {
    const why = options.signal.aborted
      ? ({ kind: 'aborted', message: NOT_MADE_MESSAGES.aborted } as const)
      : ({ kind: 'program', message: runErrorWords(error) } as const);
    return failedRun(why, ticket.end());
  } finally {
    await workspace?.close();
  }
}

function openTicket(
  { request, spec, task, target, reading }: TaskRun,
  { wires, refusal }: AgentRow,
  { gateway, canary }: AgentPlace,
): RunTicket {
  return gateway.open({
    ...spec,
    target,
    network: spec.workspace.network,
    wires,
    try: request.try,
    refusal,
    firstDecisionOnly: task.trigger !== undefined,
    anew: request.anew === true,
    canary,
    sees: reading.sees,
  });
}

const searched = new WeakMap<WorkspaceFiles, Map<string, boolean>>();

function isContent(text: string, { files, task }: TaskRun): boolean {
  const known = searched.get(files) ?? new Map<string, boolean>();
  searched.set(files, known);
  const isFound =
    known.get(text) ??
    [...files.values()].some(({ body }) =>
      Buffer.from(body.buffer, body.byteOffset, body.byteLength).includes(text),
    );
  known.set(text, isFound);
  return isFound || task.task.includes(text);
}

export function runErrorWords(error: unknown): string {
  return error instanceof UserError
    ? error.problems.map(formatProblem).join('\n')
    : errorMessage(error);
}

function optionsOf(
  { workspace: { setup, network } }: AgentSpec,
  { kind, templates, canary, cover, cli }: AgentPlace,
  { signal }: CallOptions,
) {
  return { kind, templates, canary, cover, readable: cli.folders, setup, network, signal };
}

async function runSuiteChecks(
  { spec, files, whole }: TaskRun,
  { before }: Workspace,
  changes: readonly Change[],
  options: ReturnType<typeof optionsOf>,
): Promise<CheckResult[]> {
  if (spec.checks.length === 0) return [];
  const changed = new Map(changes.map(({ path, kind }) => [path, kind]));
  return runChecks(whole, spec.checks, {
    ...options,
    agents: {
      changes,
      isShown: (path) =>
        changed.has(path) ? changed.get(path) !== 'deleted' : before.entries.has(path),
      isSuiteFile: suiteFileMatcher(spec.workspace, { seen: files, whole }),
    },
    seconds: CHECK_SECONDS,
  });
}

/** In characters (UTF-16), for each file. */
const MAX_WATCHED = 100_000;

async function watchedTexts(
  { watch }: AgentSpec,
  { before }: Workspace,
  changes: readonly Change[],
): Promise<Record<string, string | null>> {
  const texts = watch.map(async (path) => {
    const change = changes.find((each) => each.path === path);
    if (change?.kind === 'deleted') return [path, null] as const;
    const entry = before.entries.get(path) ?? null;
    const body =
      change === undefined
        ? await bodyOf(before.folder, path, entry)
        : (change.body ?? new Uint8Array());
    return [path, body === null ? null : fileText(body).slice(0, MAX_WATCHED)] as const;
  });
  return Object.fromEntries(await Promise.all(texts));
}

function fileText(body: Uint8Array): string {
  return new TextDecoder().decode(body);
}

function contextSource(files: WorkspaceFiles): Parameters<typeof loadedContext>[1] {
  return {
    paths: files.keys(),
    isLink: (path) => files.get(path)?.mode === '120000',
    read: (path) => Promise.resolve(fileText(files.get(path)?.body ?? new Uint8Array())),
  };
}

interface CheckOptions extends Omit<WorkspaceOptions, 'home' | 'canary' | 'edits'> {
  agents: AgentTree;
  seconds: number;
}

interface AgentTree {
  changes: readonly Change[];
  /** Whether the agent's workspace had the path at the end. */
  isShown(path: string): boolean;
  /** Whether to ignore the agent's change to a path. */
  isSuiteFile(path: string): boolean;
}

const MAX_CHECK_CHARS = 20_000;

export async function runChecks(
  files: WorkspaceFiles,
  checks: readonly string[],
  { agents, seconds, ...options }: CheckOptions,
): Promise<CheckResult[]> {
  const { signal } = options;
  const edits: WorkspaceOptions['edits'] = (entries) => cleanEdits(agents, entries);
  const done: CheckResult[] = [];
  for (const name of checks) {
    const workspace = await openWorkspace(files, { ...options, home: {}, canary: null, edits });
    try {
      const job = { command: ['/bin/sh', '-c', name], env: {}, gateway: null, seconds, signal };
      const { code, ended, stdout, stderr } = await runInside(
        { ...workspace, network: 'off' },
        job,
      );
      const output = `${stdout}${stderr}`.slice(-MAX_CHECK_CHARS);
      done.push({ name, code, output, ...(ended === 'time' && { timedOut: true }) });
    } finally {
      await workspace.close();
    }
  }
  return done;
}

/**
 * The agent's changes to the clean tree of checks, which has the entries. Omits changes to the
 * suite's files, and links that reach anything that the agent was not shown.
 */
export function cleanEdits(
  { changes, isShown, isSuiteFile }: AgentTree,
  entries: ReadonlyMap<string, DiskEntry>,
): Edits {
  const allowed = changes.filter(({ left, path }) => left === null && !isSuiteFile(path));
  const deleted = new Set(
    allowed.flatMap(({ kind, path }) => (kind === 'deleted' && entries.has(path) ? path : [])),
  );
  const kept = [...entries.keys()].filter((path) => !deleted.has(path));
  const files = new Set(kept);
  const folders = foldersAbove(kept);
  const isBlocked = (path: string) =>
    folders.has(path) || [...foldersAbove([path])].some((step) => files.has(step));
  const written = new Map<string, WorkspaceFile>();
  for (const { path, mode, body } of allowed)
    if (mode !== null && body !== null && !isBlocked(path)) written.set(path, { mode, body });
  const linkAt = (path: string) => {
    const { mode, body = '' } = written.get(path) ?? {};
    if (mode === undefined) return files.has(path) ? linkTarget(entries.get(path)) : null;
    return mode === '120000' ? Buffer.from(body).toString() : null;
  };
  const all = [...new Set([...kept, ...written.keys()])];
  const isAllShown = (reached: string) => {
    const found = all.filter((path) => path === reached || isBelow(path, reached));
    return found.length > 0 && found.every((path) => isShown(path) && !isSuiteFile(path));
  };
  for (const [path, { mode }] of written) {
    const reached = mode === '120000' ? followLinks(path, linkAt) : path;
    if (reached === null || (mode === '120000' && !isAllShown(reached))) written.delete(path);
  }
  return { deleted, written };
}
