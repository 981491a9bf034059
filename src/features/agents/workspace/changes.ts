import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { open, readlink, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { FILE_HEADERS_ONLY, formatPatch, structuredPatch } from 'diff';
import { trailOf } from '../../../documents/paths.ts';
import { userError } from '../../../errors.ts';
import { count } from '../../../text/amounts.ts';
import { MAX_DIFF_EDITS } from '../../../text/cut-out.ts';
import { canarySpotter } from './canary.ts';
import { MAX_WORKSPACE_BYTES, staysInside, tooLarge, type Mode } from './files.ts';
import { diskUsage, runTool } from './folders.ts';
import { linkTarget, listFiles, type DiskEntry } from './layers.ts';
import { foldersAbove, type Workspace } from './open.ts';

export interface Change {
  path: string;
  kind: 'added' | 'changed' | 'deleted';
  mode: Mode | null;
  body: Uint8Array | null;
  /** A unified diff. For binary files, the size and digest. */
  diff: string;
  /** Why checks do not see this change. `setup`: the suite's `setup` commands created the path. */
  left: 'setup' | 'leaves the workspace' | 'not a file' | 'too large' | null;
  isCanarySeen: boolean;
}

/** For one file and for all files. Larger files are listed but not read. */
const MAX_CHANGE_BYTES = 16_000_000;
const MAX_CHANGED_BYTES = 256_000_000;

const MAX_DIFFED_BYTES = 1_000_000;

/** For `setup` and for the agent. */
const MAX_CHANGES = 10_000;

/**
 * Does not use git, because the agent may have changed git's configuration and hooks.
 * @throws UserError if the agent wrote too much, or the disk is full.
 */
export async function workspaceChanges(workspace: Workspace): Promise<Change[]> {
  const { kind, own, before, folder } = workspace;
  await checkSpace(folder);
  const after = await listFiles(kind, own);
  // Agents can make folders and files that even their owner cannot open.
  if (kind !== 'root') await runTool('chmod', ['-R', 'u+rwX', own.work]).catch(() => undefined);
  const isOfSetup = setupPaths(workspace);
  const rooms = { agent: { bytes: MAX_CHANGED_BYTES }, setup: { bytes: MAX_CHANGED_BYTES } };
  const changes: Change[] = [];
  for (const path of new Set([...before.entries.keys(), ...after.keys()])) {
    const old = before.entries.get(path) ?? null;
    const entry = after.get(path) ?? null;
    if (old?.stamp === entry?.stamp) continue;
    const left = isOfSetup(path) ? 'setup' : null;
    const changed = { path, old, entry, left } as const;
    const found = await changeAt(workspace, changed, after, rooms[left ?? 'agent']);
    if (found !== null) changes.push(found);
    if (changes.length > MAX_CHANGES) throw userError(null, TOO_MANY_CHANGES);
  }
  return changes.sort((a, b) => (a.path < b.path ? -1 : 1));
}

async function checkSpace(folder: string): Promise<void> {
  const { bavail, bsize } = await statfs(folder);
  if (bavail * bsize < MIN_FREE_BYTES) throw userError(null, DISK_FULL);
  if ((await diskUsage(folder)) > MAX_WORKSPACE_BYTES) throw tooLarge();
}

const MIN_FREE_BYTES = 1_000_000;

const DISK_FULL =
  'The disk with the temporary folder is full, so what the agent wrote is incomplete. Free some ' +
  'space, or set TMPDIR to a folder on another disk.';

const TOO_MANY_CHANGES =
  `The agent changed more than ${count(MAX_CHANGES)} files. If it installs packages, install ` +
  'them in `setup`.';

function setupPaths({ files, before }: Workspace): (path: string) => boolean {
  const ofSetup = [...before.entries.keys()].filter((path) => !files.has(path));
  if (ofSetup.length === 0) return () => false;
  const own = foldersAbove(files.keys());
  const made = new Set([...foldersAbove(ofSetup)].filter((path) => !own.has(path)));
  return (path) =>
    (before.entries.has(path) && !files.has(path)) ||
    (!files.has(path) && trailOf(path).some((step) => made.has(step)));
}

interface ChangedPath {
  path: string;
  old: DiskEntry | null;
  entry: DiskEntry | null;
  left: 'setup' | null;
}

async function readChange(
  { own, canary }: Workspace,
  { path, old, entry, left }: ChangedPath,
  room: { bytes: number },
): Promise<Change> {
  const spots = canarySpotter(canary);
  const kind = old === null ? 'added' : entry === null ? 'deleted' : 'changed';
  const { mode, size } = entry ?? { mode: null, size: 0 };
  const bare = { path, kind, mode, body: null, diff: '', isCanarySeen: spots(path) } as const;
  if (entry?.mode === null) return { ...bare, left: left ?? 'not a file' };
  if (size > Math.min(MAX_CHANGE_BYTES, room.bytes))
    return {
      ...bare,
      diff: `${path}: ${count(size)} bytes, not read\n`,
      left: left ?? 'too large',
    };
  room.bytes -= size;
  const body = await bodyOf(own.work, path, entry);
  return { ...bare, body, left, isCanarySeen: bare.isCanarySeen || (body !== null && spots(body)) };
}

async function changeAt(
  workspace: Workspace,
  changed: ChangedPath,
  after: ReadonlyMap<string, DiskEntry>,
  room: { bytes: number },
): Promise<Change | null> {
  const { path, old, entry } = changed;
  const read = await readChange(workspace, changed, room);
  if (read.left !== null) return read;
  const was = await bodyOf(workspace.before.folder, path, old);
  const { body } = read;
  const isSame = was !== null && body !== null && was.equals(body);
  if (isSame && old?.mode === read.mode) return null;
  const leaves = read.mode === '120000' && !staysInside(path, (at) => linkTarget(after.get(at)));
  return {
    ...read,
    diff: modeLines(path, old, entry, isSame) + (isSame ? '' : diffText(path, was, body)),
    left: leaves ? 'leaves the workspace' : null,
  };
}

export async function bodyOf(
  folder: string,
  path: string,
  entry: DiskEntry | null,
): Promise<Buffer | null> {
  if (entry === null || entry.mode === null) return null;
  const at = join(folder, path);
  if (entry.mode === '120000') return readlink(at, { encoding: 'buffer' });
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  const file = await open(at, flags);
  try {
    return await file.readFile();
  } finally {
    await file.close();
  }
}

function modeLines(
  path: string,
  old: DiskEntry | null,
  entry: DiskEntry | null,
  isSame: boolean,
): string {
  if (old === null || entry === null || old.mode === entry.mode) return '';
  const name = isSame ? `${path}\n` : '';
  return `${name}old mode ${old.mode}\nnew mode ${entry.mode}\n`;
}

function diffText(path: string, was: Uint8Array | null, body: Uint8Array | null): string {
  const before = decodedText(was);
  const after = decodedText(body);
  const from = was === null ? null : `a/${path}`;
  const to = body === null ? null : `b/${path}`;
  const options = { context: 3, maxEditLength: MAX_DIFF_EDITS };
  const patch =
    before === null || after === null
      ? undefined
      : structuredPatch(from ?? NO_BYTES, to ?? NO_BYTES, before, after, '', '', options);
  return patch === undefined
    ? `${path}\n${digestLine('-', was)}${digestLine('+', body)}`
    : formatPatch(patch, FILE_HEADERS_ONLY);
}

const NO_BYTES = '/dev/null';

const strictDecoder = new TextDecoder('utf-8', { fatal: true });

function decodedText(body: Uint8Array | null): string | null {
  if (body === null) return '';
  if (body.length > MAX_DIFFED_BYTES || body.includes(0)) return null;
  try {
    return strictDecoder.decode(body);
  } catch {
    return null;
  }
}

function digestLine(sign: string, body: Uint8Array | null): string {
  if (body === null) return '';
  const digest = createHash('sha256').update(body).digest('hex').slice(0, 12);
  return `${sign}${count(body.length)} bytes, sha256 ${digest}\n`;
}
