import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { trailOf } from '../../../documents/paths.ts';
import { userError } from '../../../errors.ts';
import { visible, visibleLine } from '../../../text/visible.ts';
import type { WorkspaceRules } from '../suite/spec.ts';
import {
  MAX_WORKSPACE_BYTES,
  digestFiles,
  tooLarge,
  type WorkspaceFile,
  type WorkspaceFiles,
} from './files.ts';
import {
  diskUsage,
  giveToAgent,
  removeFolder,
  removeLater,
  runTool,
  writeWorkspace,
} from './folders.ts';
import { canLayer, deleteBelow, listFiles, ownFolders, type DiskEntry } from './layers.ts';
import type { OwnFolders } from './mounts.ts';
import { runInside, type InsideRun, type RunPlace } from './run.ts';

export interface WorkspaceOptions extends Omit<RunPlace, 'folder' | 'own'> {
  templates: Templates;
  setup: WorkspaceRules['setup'];
  home: Readonly<Record<string, string>>;
  /** What the agent changed, if this is the clean tree of a check. */
  edits?: (entries: ReadonlyMap<string, DiskEntry>) => Edits;
  /** Aborts with the evaldiff run, not with a try, because tries share `setup`. */
  signal?: AbortSignal | undefined;
}

/** Paths in the workspace. A deleted path is a file or a link. */
export interface Edits {
  deleted: ReadonlySet<string>;
  written: ReadonlyMap<string, WorkspaceFile>;
}

/** A workspace after `setup`. Each run works on a layer over it, or on a copy. */
interface WorkspaceTemplate {
  own: OwnFolders;
  folder: string;
  commit: string;
  bytes: number;
  entries: ReadonlyMap<string, DiskEntry>;
}

interface UsedTemplate {
  making: Promise<WorkspaceTemplate>;
  users: number;
}

export interface Templates {
  folder: string;
  made: Map<string, UsedTemplate>;
  /** Limit for all unused templates, in bytes. A search for causes makes many templates. */
  mostIdleBytes: number;
  digests: WeakMap<WorkspaceFiles, string>;
  /** Null: not known yet. */
  hasLayers: Promise<boolean> | null;
  /** `hurried`: does not wait until all files are deleted. */
  close(hurried?: boolean): Promise<void>;
}

export interface Workspace extends RunPlace {
  /** An id that depends only on the content, because the agent's requests may contain it. */
  commit: string;
  /** Files from the repository. `setup` made all other files in `before`. */
  files: WorkspaceFiles;
  before: { folder: string; entries: ReadonlyMap<string, DiskEntry> };
  close(): Promise<void>;
}

export async function createTemplates(mostIdleBytes = 2_000_000_000): Promise<Templates> {
  const folder = await mkdtemp(join(tmpdir(), 'evaldiff-agents-'));
  const close = async (hurried = false) => {
    if (hurried) removeLater(folder);
    else await removeFolder(folder);
  };
  const digests = new WeakMap<WorkspaceFiles, string>();
  return { folder, made: new Map(), mostIdleBytes, digests, hasLayers: null, close };
}

/** @throws UserError if `setup` fails or the workspace is too large. */
export async function openWorkspace(
  files: WorkspaceFiles,
  options: WorkspaceOptions,
): Promise<Workspace> {
  const used = templateOf(files, options);
  used.users += 1;
  const release = async () => {
    used.users -= 1;
    await removeIdle(options.templates);
  };
  try {
    const template = await used.making;
    options.signal?.throwIfAborted();
    const folder = await mkdtemp(join(options.templates.folder, 'run-'));
    const own = await startOwnFolders(folder, template, options);
    return {
      ...options,
      folder,
      own,
      files,
      commit: template.commit,
      before: {
        folder: template.own.work,
        entries: own.layers === undefined ? await listFiles(options.kind, own) : template.entries,
      },
      close: async () => {
        await removeFolder(folder);
        await release();
      },
    };
  } catch (error) {
    await release();
    throw error;
  }
}

async function removeIdle({ made, mostIdleBytes }: Templates): Promise<void> {
  let room = mostIdleBytes;
  for (const [key, { users, making }] of [...made].reverse()) {
    if (users > 0) continue;
    const template = await making.catch(() => null);
    room -= template?.bytes ?? 0;
    if (template === null || room >= 0 || made.get(key)?.users !== 0) continue;
    made.delete(key);
    await removeFolder(template.folder);
  }
}

async function startOwnFolders(
  run: string,
  template: WorkspaceTemplate,
  { templates, kind, home, edits, signal }: WorkspaceOptions,
): Promise<OwnFolders> {
  const hasLayers = await (templates.hasLayers ??= canLayer(kind, templates.folder));
  const own = await ownFolders(run, hasLayers ? join(template.folder, 'upper') : null);
  const copied = [template.own.work, template.own.home, join(run, 'upper')];
  if (!hasLayers) await runTool('cp', ['-a', '--reflink=auto', ...copied], { signal });
  const { deleted, written } = edits?.(template.entries) ?? NO_EDITS;
  const folders = foldersAbove(written.keys());
  const gone = [...deleted]
    .filter((path) => !folders.has(path))
    .map((path) => join(own.work, path));
  if (hasLayers) await deleteBelow(run, gone);
  else for (const path of gone) await rm(path);
  await writeWorkspace(own.work, written);
  const files = Object.entries(home).map(
    ([path, text]) => [path, { mode: '100644', body: Buffer.from(text) }] as const,
  );
  await writeWorkspace(own.home, files);
  await giveToAgent(join(run, 'upper'), kind);
  return own;
}

const NO_EDITS: Edits = { deleted: new Set(), written: new Map() };

export function foldersAbove(paths: Iterable<string>): Set<string> {
  return new Set([...paths].flatMap((path) => trailOf(path).slice(0, -1)));
}

function templateOf(files: WorkspaceFiles, options: WorkspaceOptions): UsedTemplate {
  const { templates, setup } = options;
  const digest = templates.digests.get(files) ?? digestFiles(files);
  templates.digests.set(files, digest);
  const key = JSON.stringify([digest, setup.run.length > 0 ? setup : null]);
  const found = templates.made.get(key) ?? { making: makeTemplate(files, options), users: 0 };
  templates.made.delete(key);
  templates.made.set(key, found);
  return found;
}

async function makeTemplate(
  files: WorkspaceFiles,
  options: WorkspaceOptions,
): Promise<WorkspaceTemplate> {
  const { kind, signal, setup } = options;
  const folder = await mkdtemp(join(options.templates.folder, 'template-'));
  const own = await ownFolders(folder, null);
  await writeWorkspace(own.work, files, signal);
  await giveToAgent(folder, kind);
  const place = { ...options, network: setup.network, folder, own, canary: null };
  const run = async (command: string, env: Record<string, string>) => {
    const job = { env, gateway: null, seconds: SETUP_SECONDS, signal };
    const ended = await runInside(place, { ...job, command: ['/bin/sh', '-c', command] });
    if (ended.ended === 'size') throw tooLarge();
    if (ended.ended !== 'exit' || ended.code !== 0) throw setupFailed(command, ended);
    return ended.stdout;
  };
  const commit = (await run(COMMIT, GIT_ENVIRONMENT)).trim();
  for (const command of setup.run) await run(command, {});
  const bytes = await diskUsage(folder);
  if (bytes > MAX_WORKSPACE_BYTES) throw tooLarge();
  return { folder, own, commit, bytes, entries: await listFiles(kind, own) };
}

const SETUP_SECONDS = 1800;

const SHOWN_LINES = 20;

function setupFailed(command: string, run: InsideRun): Error {
  const how =
    run.ended === 'time'
      ? `did not end within ${SETUP_SECONDS / 60} minutes`
      : `failed (${run.code === null ? run.ended : `exit code ${run.code}`})`;
  const output = `${run.stdout}\n${run.stderr}`.trim().split('\n').slice(-SHOWN_LINES);
  return userError(
    null,
    `The agent was not started: its setup command "${visibleLine(command)}" ${how}. Setup has ` +
      'no network except the hosts of `setup.network`, and an empty HOME. Its output ends with:\n' +
      visible(output.join('\n')),
  );
}

/** Fixed values make the commit id depend only on the content. */
const GIT_ENVIRONMENT = {
  HOME: '/nonexistent',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_AUTHOR_NAME: 'base',
  GIT_AUTHOR_EMAIL: 'base@example.com',
  GIT_AUTHOR_DATE: '2026-01-01T00:00:00Z',
  GIT_COMMITTER_NAME: 'base',
  GIT_COMMITTER_EMAIL: 'base@example.com',
  GIT_COMMITTER_DATE: '2026-01-01T00:00:00Z',
};

/**
 * Runs in the sandbox, like all programs that read the agent's files. The attributes keep a
 * `.gitattributes` file in the tree from converting files. The threshold stores all files in one
 * pack, which is faster to write and to delete.
 */
const COMMIT = `set -e
git init -q -b main --template= --object-format=sha1
mkdir -p .git/info
echo '* -text -filter -ident -working-tree-encoding' > .git/info/attributes
git -c core.fsync=none -c core.bigFileThreshold=1 add -A -f
git commit -q --allow-empty -m base
git rev-parse HEAD`;
