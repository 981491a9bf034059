import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { userError } from '../../../errors.ts';
import { visible, visibleLine } from '../../../text/visible.ts';
import { MAX_WORKSPACE_BYTES, digestFiles, tooLarge, type WorkspaceFiles } from './files.ts';
import {
  diskUsage,
  giveToAgent,
  isBelowFolders,
  placeFile,
  removeFolder,
  runTool,
} from './folders.ts';
import { listEntries, type DiskEntry } from './list-entries.ts';
import { runInside, type RunPlace } from './run.ts';

export interface WorkspaceOptions extends Omit<RunPlace, 'folder' | 'own'> {
  templates: Templates;
  setup: readonly string[];
  home: Readonly<Record<string, string>>;
  /** Aborts with the evaldiff run, not with a try, because tries share `setup`. */
  signal?: AbortSignal | undefined;
}

/** A workspace after `setup`. Each run gets a copy. */
interface WorkspaceTemplate {
  folder: string;
  commit: string;
  bytes: number;
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
  close(): Promise<void>;
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
  const close = (): Promise<void> => removeFolder(folder);
  return { folder, made: new Map(), mostIdleBytes, digests: new WeakMap(), close };
}

/** @throws UserError if `setup` fails or the workspace is too large. */
export async function openWorkspace(
  files: WorkspaceFiles,
  options: WorkspaceOptions,
): Promise<Workspace> {
  const used = templateOf(files, options);
  used.users += 1;
  const release = async (): Promise<void> => {
    used.users -= 1;
    await removeIdle(options.templates);
  };
  try {
    const template = await used.making;
    const folder = await mkdtemp(join(options.templates.folder, 'run-'));
    const own = ownFolders(folder);
    const { work, home } = ownFolders(template.folder);
    await runTool('cp', ['-a', '--reflink=auto', work, home, folder]);
    await writeHome(own.home, options);
    const { kind, network, readable, cover, canary } = options;
    return {
      ...{ kind, network, readable, cover, canary, folder, own, files },
      commit: template.commit,
      before: { folder: work, entries: await listEntries(own.work) },
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

const ownFolders = (folder: string): RunPlace['own'] => ({
  work: join(folder, 'work'),
  home: join(folder, 'home'),
});

function templateOf(files: WorkspaceFiles, options: WorkspaceOptions): UsedTemplate {
  const { templates, setup, network, kind } = options;
  const digest = templates.digests.get(files) ?? digestFiles(files);
  templates.digests.set(files, digest);
  const key = JSON.stringify([digest, setup, setup.length > 0 ? network : null, kind]);
  const found = templates.made.get(key) ?? { making: makeTemplate(files, options), users: 0 };
  templates.made.delete(key);
  templates.made.set(key, found);
  return found;
}

async function makeTemplate(
  files: WorkspaceFiles,
  options: WorkspaceOptions,
): Promise<WorkspaceTemplate> {
  const folder = await mkdtemp(join(options.templates.folder, 'template-'));
  const own = ownFolders(folder);
  for (const path of Object.values(own)) await mkdir(path);
  for (const [path, file] of files) await placeFile(join(own.work, path), file);
  const commit = await commitAll(own.work);
  await giveToAgent(folder, options.kind);
  const { kind, network, readable, cover, signal } = options;
  const place = { kind, network, readable, cover, folder, own, canary: null };
  const job = { env: {}, gateway: null, seconds: SETUP_SECONDS, signal };
  for (const command of options.setup) {
    const run = await runInside(place, { ...job, command: ['/bin/sh', '-c', command] });
    if (run.ended === 'size') throw tooLarge();
    if (run.ended !== 'exit' || run.code !== 0) throw setupFailed(command, run);
  }
  const bytes = await diskUsage(folder);
  if (bytes > MAX_WORKSPACE_BYTES) throw tooLarge();
  return { folder, commit, bytes };
}

const SETUP_SECONDS = 1800;

const SHOWN_LINES = 20;

function setupFailed(
  command: string,
  run: { ended: string; code: number | null; stdout: string; stderr: string },
): Error {
  const how =
    run.ended === 'time'
      ? `did not end within ${String(SETUP_SECONDS / 60)} minutes`
      : `failed (${run.code === null ? run.ended : `exit code ${String(run.code)}`})`;
  const output = `${run.stdout}\n${run.stderr}`.trim().split('\n').slice(-SHOWN_LINES);
  return userError(
    null,
    `The agent was not started: its setup command "${visibleLine(command)}" ${how}. Setup has ` +
      'no network except the hosts of `network`, and an empty HOME. Its output ends with:\n' +
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
 * Call this before any program runs in the workspace, because programs could add git hooks or
 * filters.
 */
async function commitAll(work: string): Promise<string> {
  const env = { PATH: process.env['PATH'] ?? '', ...GIT_ENVIRONMENT };
  const git = async (...args: string[]): Promise<string> =>
    (await runTool('git', ['-c', 'core.hooksPath=/dev/null', ...args], { cwd: work, env })).stdout;
  await git('init', '-q', '-b', 'main', '--template=', '--object-format=sha1');
  // Otherwise a `.gitattributes` file in the tree could make git convert files.
  await mkdir(join(work, '.git', 'info'), { recursive: true });
  const attributes = '* -text -filter -ident -working-tree-encoding\n';
  await writeFile(join(work, '.git', 'info', 'attributes'), attributes);
  await git('add', '-A', '-f');
  await git('commit', '-q', '--allow-empty', '--no-verify', '-m', 'base');
  return (await git('rev-parse', 'HEAD')).trim();
}

/** `setup` may have left links in `home` that lead out of it. */
async function writeHome(home: string, { kind, home: files }: WorkspaceOptions): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    const [top = path] = path.split('/');
    const blocked = (await isBelowFolders(home, path)) ? path : top;
    await rm(join(home, blocked), { recursive: true, force: true });
    await placeFile(join(home, path), { mode: '100644', body: Buffer.from(text) });
  }
  if (Object.keys(files).length > 0) await giveToAgent(home, kind);
}
