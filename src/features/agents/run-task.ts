import { randomBytes } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import type { ProgramTools } from '../../app/session/edges.ts';
import type { CallOptions } from '../../edges/providers/hosted-server.ts';
import { isOffline, type OwnProgram } from '../../edges/providers/index.ts';
import { UserError } from '../../errors.ts';
import type { Completion, ProgramTarget, Request } from '../../types/model.ts';
import type { SourceTree } from '../../types/repository.ts';
import { openGateway } from './gateway/index.ts';
import { storedReplies } from './gateway/stored.ts';
import type { Gateway } from './gateway/terms.ts';
import { openUpstreams } from './gateway/upstreams.ts';
import { overlaidFiles, placedOverlay } from './overlay.ts';
import { findCli } from './rows/find-cli.ts';
import { agentRow } from './rows/index.ts';
import { runErrorWords, runInWorkspace, type Cli, type AgentPlace } from './run-in-workspace.ts';
import { specOf, taskOf, type AgentSpec, type Task, type WorkspaceRules } from './suite/spec.ts';
import { ownLines, watchReading, type OwnLines } from './unread.ts';
import { readWorkspaceFiles, type WorkspaceFiles } from './workspace/files.ts';
import { createTemplates, type Templates } from './workspace/open.ts';
import { findWalls, type WallKind } from './workspace/walls.ts';

interface OpenAgents {
  kind: WallKind;
  gateway: Gateway;
  templates: Templates;
}

export function createAgents(tools: ProgramTools, options: CallOptions): OwnProgram {
  let opening: Promise<OpenAgents | { refused: string }> | null = null;
  const sources = createSources(tools, options);
  const turn = createRunTurns(runsAtOnce());
  const canary = `sk-ant-api03-${randomBytes(32).toString('base64url')}`;
  return {
    async complete(request, target) {
      const opened = await (opening ??= open(tools, options));
      if ('refused' in opened) return unstarted(opened.refused);
      const place = { ...opened, canary, cover: [tools.folder] };
      return turn(() =>
        runOne(request, target, { place, sources, options }).catch((error: unknown) =>
          unstarted(runErrorWords(error)),
        ),
      );
    },
    async close() {
      const opened = await opening?.catch(() => null);
      if (opened === null || opened === undefined || 'refused' in opened) return;
      await opened.gateway.close();
      await opened.templates.close(options.signal.aborted);
    },
  };
}

async function open(
  tools: ProgramTools,
  options: CallOptions,
): Promise<OpenAgents | { refused: string }> {
  const walls = await findWalls();
  if ('refused' in walls) return walls;
  const templates = await createTemplates();
  const gateway = await openGateway({
    upstreams: openUpstreams(options),
    ledger: tools.ledger,
    offline: isOffline(options.env),
    hash: tools.hash,
    redact: options.redact,
    token: () => randomBytes(24).toString('hex'),
    now: () => options.clock.now(),
    stored: storedReplies(tools.openStores),
    listen: { socket: join(templates.folder, 'gateway') },
  });
  return { kind: walls.kind, gateway, templates };
}

interface RunContext {
  place: Omit<AgentPlace, 'cli'>;
  sources: RunSources;
  options: CallOptions;
}

async function runOne(
  request: Request,
  target: ProgramTarget,
  { place, sources, options }: RunContext,
): Promise<Completion> {
  const spec = specOf(target.command);
  if (spec === null || target.calls === undefined) return unstarted('the agent is unknown');
  const cli = await sources.cli(spec, place.kind);
  if ('problem' in cli) return unstarted(cli.problem);
  const task = taskOf(request.variables ?? {});
  const files = await sources.files(target, spec.workspace, task);
  const whole = spec.checks.length === 0 ? files : await sources.whole(target, spec, task);
  if (options.signal.aborted)
    return { status: 'error', kind: 'aborted', message: 'stopped', unsent: true };
  const reading = watchReading(await sources.lines(target), spec.workspace);
  return runInWorkspace(
    { request, target: target.calls, spec, task, files, whole, reading },
    { ...place, cli },
    options,
  );
}

type TreeOf = Pick<ProgramTarget, 'commit' | 'overlay'>;

interface RunSources {
  files(of: TreeOf, rules: WorkspaceRules, task: Task): Promise<WorkspaceFiles>;
  whole(of: TreeOf, spec: AgentSpec, task: Task): Promise<WorkspaceFiles>;
  lines(of: TreeOf): Promise<OwnLines>;
  cli(spec: AgentSpec, kind: WallKind): Promise<Cli | { problem: string }>;
}

function createSources(tools: ProgramTools, options: CallOptions): RunSources {
  const trees = new Map<string, Promise<WorkspaceFiles>>();
  const clis = new Map<string, Promise<Cli | { problem: string }>>();
  const files: RunSources['files'] = ({ commit, overlay }, rules, task) => {
    const { files: attached = {} } = task;
    const key = JSON.stringify([commit, overlay ?? null, rules, attached]);
    const known =
      trees.get(key) ??
      (overlay === undefined
        ? readAll(tools.treeOf(commit), rules, attached)
        : readOverlaid({ commit, overlay }, rules, task, files));
    trees.set(key, known);
    return known;
  };
  return {
    files,
    lines: ({ commit = '' }) => ownLines(commit, tools.trees),
    whole: (of, { workspace }, task) => files(of, { ...workspace, hide: [] }, task),
    cli: ({ agent, version }, kind) => {
      const key = `${agent} ${version ?? ''}`;
      const known = clis.get(key) ?? findAgent({ agent, version }, kind, tools, options);
      clis.set(key, known);
      return known;
    },
  };
}

async function readOverlaid(
  { commit, overlay }: Required<TreeOf>,
  rules: WorkspaceRules,
  task: Task,
  read: RunSources['files'],
): Promise<WorkspaceFiles> {
  const own = await read({ commit }, rules, task);
  const isFromOther = Object.values(overlay.files).some((file) => file !== null && 'id' in file);
  const other = isFromOther ? await read({ commit: overlay.commit }, rules, task) : own;
  return overlaidFiles(own, other, overlay, placedOverlay(overlay, rules, task.files ?? {}));
}

async function readAll(
  tree: SourceTree | null,
  { hide, own, ...rules }: WorkspaceRules,
  attached: NonNullable<Task['files']>,
): Promise<WorkspaceFiles> {
  if (tree === null) throw new UserError([{ place: null, message: 'the commit is missing' }]);
  return readWorkspaceFiles(tree, { ...rules, hide: [...hide, ...own] }, attached);
}

async function findAgent(
  { agent, version }: Pick<AgentSpec, 'agent' | 'version'>,
  kind: WallKind,
  { folder }: ProgramTools,
  { env }: CallOptions,
): Promise<Cli | { problem: string }> {
  const row = agentRow(agent);
  if (row.npm === null) return { bin: [], version: null, folders: [] };
  return findCli(row, version ?? row.version ?? '', { project: folder, env, kind });
}

/** Agents mostly wait for models, so more can run than there are processors. */
function runsAtOnce(): number {
  return Math.max(4, 2 * availableParallelism());
}

function createRunTurns(most: number): <T>(work: () => Promise<T>) => Promise<T> {
  let running = 0;
  const waiting: (() => void)[] = [];
  return async (work) => {
    if (running >= most) await new Promise<void>((resolve) => waiting.push(resolve));
    else running += 1;
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next === undefined) running -= 1;
      else next();
    }
  };
}

function unstarted(message: string): Completion {
  return { status: 'error', kind: 'program', message, unsent: true };
}
