import { execFile } from 'node:child_process';
import { lchown, lstat } from 'node:fs/promises';
import { promisify } from 'node:util';
import { agentUser, type WallKind } from './walls.ts';

export const runTool = promisify(execFile);

/** Root's agents are another user. */
export async function giveToAgent(path: string, kind: WallKind): Promise<void> {
  if (kind !== 'root') return;
  const { uid, gid } = agentUser(kind);
  if ((await lstat(path)).isDirectory())
    await runTool('chown', ['-R', '-h', `${String(uid)}:${String(gid)}`, path]);
  else await lchown(path, uid, gid);
}

/** In bytes. `du` does not follow links, even if they appear while it works. */
export async function diskUsage(folder: string): Promise<number> {
  // It fails for files that vanish, but still prints the sum.
  const printed = await runTool('du', ['-sxB1', folder]).catch((error: unknown) => error);
  return Number.parseInt(String((printed as { stdout?: string }).stdout ?? '0'), 10) || 0;
}

/** The agent may have made folders that their owner cannot enter. */
export async function removeFolder(folder: string): Promise<void> {
  await runTool('rm', ['-rf', folder]).catch(async () => {
    await runTool('chmod', ['-R', 'u+rwX', folder]).catch(() => undefined);
    await runTool('rm', ['-rf', folder]).catch(() => undefined);
  });
}
