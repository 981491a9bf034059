import { execFile } from 'node:child_process';
import { chmod, lstat, mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { trailOf } from '../../../documents/paths.ts';
import type { WorkspaceFile } from './files.ts';
import { agentUser, type WallKind } from './walls.ts';

export const runTool = promisify(execFile);

/** If evaldiff runs as root, the agent runs as another user, who must own its files. */
export async function giveToAgent(folder: string, kind: WallKind): Promise<void> {
  const { uid, gid } = agentUser(kind);
  if (kind === 'root')
    await runTool('chown', ['-R', '-h', `${String(uid)}:${String(gid)}`, folder]);
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

/** Replaces whatever is in the way, such as a link that would lead out of the folder. */
export async function writeFiles(
  folder: string,
  files: Iterable<readonly [path: string, WorkspaceFile]>,
  signal?: AbortSignal,
): Promise<void> {
  const folders = new Set<string>();
  for (const [path, file] of files) {
    signal?.throwIfAborted();
    for (const step of trailOf(path)) {
      if (folders.has(step)) continue;
      const at = join(folder, step);
      const stat = await lstat(at).catch(() => null);
      const isKept = step !== path && stat?.isDirectory() === true;
      if (stat !== null && !isKept) await rm(at, { recursive: true });
      if (step === path) await writeEntry(at, file);
      else if (!isKept) await mkdir(at);
      if (step !== path) folders.add(step);
    }
  }
}

async function writeEntry(at: string, { mode, body }: WorkspaceFile): Promise<void> {
  if (mode === '120000') return symlink(Buffer.from(body), at);
  await writeFile(at, body, { flag: 'wx' });
  await chmod(at, mode === '100755' ? 0o755 : 0o644);
}
