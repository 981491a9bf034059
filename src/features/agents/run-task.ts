import { randomBytes } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import type { ProgramTools } from '../../app/session/session-row.ts';
import type { CallOptions } from '../../edges/providers/hosted-server.ts';
import { isOffline, type OwnProgram } from '../../edges/providers/index.ts';
import { createSlots } from '../../edges/providers/pace.ts';
import type { Completion, ProgramTarget, Request } from '../../types/model.ts';
import { openGateway } from './gateway/index.ts';
import { storedReplies } from './gateway/stored.ts';
import type { Gateway } from './gateway/terms.ts';
import { openUpstreams } from './gateway/upstreams.ts';
import { findCli } from './rows/find-cli.ts';
import { agentRow } from './rows/index.ts';
import { runErrorWords, runInWorkspace, type AgentPlace } from './run-in-workspace.ts';
import { placeFiles } from './suite/rules.ts';
import { specOf, taskOf, type AgentSpec, type Task, type WorkspaceRules } from './suite/spec.ts';
import { ownLines, watchReading } from './unread.ts';
import { readWorkspaceFiles, type WorkspaceFile, type WorkspaceFiles } from './workspace/files.ts';
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
  // Agents mostly wait for models, so more can run than there are processors.
  const slots = createSlots(Math.max(4, 2 * availableParallelism()));
  const canary = `sk-ant-api03-${randomBytes(32).toString('base64url')}`;
  return {
    async complete(request, target) {
      const opened = await (opening ??= open(tools, options));
      if ('refused' in opened) return unstarted(opened.refused);
      const place = { ...opened, canary, cover: [tools.folder] };
      return slots.run(() =>
        runOne(request, target, { place, sources, tools, options }).catch((error: unknown) =>
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
  tools: ProgramTools;
  options: CallOptions;
}

async function runOne(
  request: Request,
  target: ProgramTarget,
  { place, sources, tools, options }: RunContext,
): Promise<Completion> {
  const spec = specOf(target.command);
  if (spec === null || target.calls === undefined) return unstarted('the agent is unknown');
  const cli = await sources.cli(spec);
  if ('problem' in cli) return unstarted(cli.problem);
  const task = taskOf(request.variables ?? {});
  const rules = spec.workspace;
  const files = await sources.files(target, rules, task);
  const whole =
    spec.checks.length === 0 ? files : await sources.files(target, { ...rules, hide: [] }, task);
  if (options.signal.aborted)
    return { status: 'error', kind: 'aborted', message: 'stopped', unsent: true };
  const reading = watchReading(await ownLines(target.commit ?? '', tools.trees), rules);
  return runInWorkspace(
    { request, target: target.calls, spec, task, files, whole, reading },
    { ...place, cli },
    options,
  );
}

type TreeOf = Pick<ProgramTarget, 'commit' | 'overlay'>;

interface RunSources {
  files(of: TreeOf, rules: WorkspaceRules, task: Task): Promise<WorkspaceFiles>;
  cli(spec: AgentSpec): ReturnType<typeof findCli>;
}

function createSources(tools: ProgramTools, options: CallOptions): RunSources {
  const trees = new Map<string, Promise<WorkspaceFiles>>();
  const clis = new Map<string, ReturnType<typeof findCli>>();
  const files: RunSources['files'] = ({ commit, overlay }, rules, task) => {
    const { files: attached = {} } = task;
    const key = JSON.stringify([commit, overlay ?? null, rules, attached]);
    const known =
      trees.get(key) ??
      (overlay === undefined
        ? readWorkspaceFiles(tools.treeOf(commit), rules, attached)
        : readOverlaid({ commit, overlay }, rules, task, files));
    trees.set(key, known);
    return known;
  };
  return {
    files,
    cli: ({ agent, version }) => {
      const key = `${agent} ${version ?? ''}`;
      const place = { project: tools.folder, env: options.env };
      const known = clis.get(key) ?? findCli(agentRow(agent), version, place);
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
  const all = new Map(own);
  const attached = Object.entries(task.files ?? {}).filter(([, from]) =>
    Object.hasOwn(overlay.files, from),
  );
  const placed = [...placeFiles(Object.keys(overlay.files), rules), ...attached];
  for (const [at, from] of placed) {
    const given = overlay.files[from] ?? null;
    const body = given === null ? null : replacement(given, own.get(at), other.get(at));
    if (body === null) all.delete(at);
    else all.set(at, body);
  }
  return all;
}

function replacement(
  given: { text: string } | { id: string },
  own: WorkspaceFile | undefined,
  other: WorkspaceFile | undefined,
): WorkspaceFile | null {
  if (!('text' in given)) return other ?? null;
  const { mode } = own ?? other ?? { mode: '100644' as const };
  return { mode, body: new TextEncoder().encode(given.text) };
}

function unstarted(message: string): Completion {
  return { status: 'error', kind: 'program', message, unsent: true };
}
