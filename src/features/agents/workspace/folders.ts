import { execFile } from 'node:child_process';
import { chmod, lstat, mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { trailOf } from '../../../documents/paths.ts';
import type { WorkspaceFile } from './files.ts';
import { listEntries } from './list-entries.ts';
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

/**
 * Returns false if the path exists. Check `isBelowFolders` first, because a parent may be a link.
 */
export async function placeFile(at: string, { mode, body }: WorkspaceFile): Promise<boolean> {
  if ((await lstat(at).catch(() => null)) !== null) return false;
  await mkdir(dirname(at), { recursive: true });
  if (mode === '120000') await symlink(Buffer.from(body), at);
  else {
    await writeFile(at, body, { flag: 'wx' });
    await chmod(at, mode === '100755' ? 0o755 : 0o644);
  }
  return true;
}

export async function removeEntry(at: string): Promise<void> {
  const stat = await lstat(at).catch(() => null);
  if (stat === null || (stat.isDirectory() && (await listEntries(at)).size > 0)) return;
  await rm(at, { recursive: true });
}

/** Returns false if a parent is a link, which could lead out of the folder. */
export async function isBelowFolders(folder: string, path: string): Promise<boolean> {
  for (const step of trailOf(path).slice(0, -1)) {
    const stat = await lstat(join(folder, step)).catch(() => null);
    if (stat === null) return true;
    if (!stat.isDirectory()) return false;
  }
  return true;
}
