import { execFile, spawn, type ExecFileOptions } from 'node:child_process';
import { chmodSync, lstatSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { promisify } from 'node:util';
import { trailOf } from '../../../documents/paths.ts';
import type { WorkspaceFile } from './files.ts';
import { agentUser, type WallKind } from './walls.ts';

const runFile = promisify(execFile);

/** Tools see no keys, because they work in folders that agents wrote. */
const TOOL_ENV = { PATH: process.env['PATH'], LC_ALL: 'C' };

export function runTool(
  file: string,
  args: string[],
  options: Pick<ExecFileOptions, 'cwd' | 'maxBuffer' | 'signal'> = {},
) {
  return runFile(file, args, { env: TOOL_ENV, ...options });
}

/** If evaldiff runs as root, the agent runs as another user, who must own its files. */
export async function giveToAgent(folder: string, kind: WallKind): Promise<void> {
  const { uid, gid } = agentUser(kind);
  if (kind === 'root') await runTool('chown', ['-R', '-h', `${uid}:${gid}`, folder]);
}

/** In bytes. `du` does not follow links, even if they appear while it runs. */
export async function diskUsage(folder: string): Promise<number> {
  const printed = await runTool('du', ['-sxB1', folder]).catch((error: unknown) => error);
  return Number.parseInt(String((printed as { stdout?: string }).stdout ?? '0'), 10) || 0;
}

/** Agents can make folders that even their owner cannot enter, hence `chmod`. */
export async function removeFolder(folder: string): Promise<void> {
  await runTool('rm', ['-rf', folder]).catch(async () => {
    await runTool('chmod', ['-R', 'u+rwX', folder]).catch(() => undefined);
    await runTool('rm', ['-rf', folder]).catch(() => undefined);
  });
}

/** Continues after evaldiff has ended, because CI kills a job ten seconds after SIGTERM. */
export function removeLater(folder: string): void {
  spawn('rm', ['-rf', folder], { detached: true, stdio: 'ignore', env: TOOL_ENV }).unref();
}

const FILES_AT_ONCE = 500;

/**
 * Replaces whatever is in the way, such as a link that would lead out of the folder. Synchronous
 * calls take a fifth of the processor time.
 */
export async function writeWorkspace(
  folder: string,
  files: Iterable<readonly [path: string, WorkspaceFile]>,
  signal?: AbortSignal,
): Promise<void> {
  const folders = new Set<string>();
  let written = 0;
  for (const [path, file] of files) {
    for (const step of trailOf(path).slice(0, -1)) {
      if (!folders.has(step)) clearFolder(join(folder, step));
      folders.add(step);
    }
    rmSync(join(folder, path), { recursive: true, force: true });
    writeOne(join(folder, path), file);
    written += 1;
    if (written % FILES_AT_ONCE === 0) await setImmediate();
    signal?.throwIfAborted();
  }
}

function clearFolder(at: string): void {
  const stat = lstatSync(at, { throwIfNoEntry: false });
  if (stat?.isDirectory() === true) return;
  if (stat !== undefined) rmSync(at);
  mkdirSync(at);
}

function writeOne(at: string, { mode, body }: WorkspaceFile): void {
  if (mode === '120000') {
    symlinkSync(Buffer.from(body), at);
    return;
  }
  writeFileSync(at, body, { flag: 'wx' });
  chmodSync(at, mode === '100755' ? 0o755 : 0o644);
}
