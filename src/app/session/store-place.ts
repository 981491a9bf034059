import { createHash } from 'node:crypto';
import { homedir } from 'node:os';
import { basename, isAbsolute, join, resolve } from 'node:path';
import type { Repository } from '../../edges/git/repository.ts';

export interface StorePlace {
  file: string;
  /** The secret that signs answers. Null if only this user can access the store. */
  keyFile: string | null;
}

export interface Machine {
  platform: NodeJS.Platform;
  env: NodeJS.ProcessEnv;
  home: string;
}

export function userFolder({ platform, env, home }: Machine): string {
  if (platform === 'win32')
    return join(env['LOCALAPPDATA'] || join(home, 'AppData', 'Local'), 'evaldiff');
  if (platform === 'darwin') return join(home, 'Library', 'Caches', 'evaldiff');
  const given = env['XDG_CACHE_HOME'] ?? '';
  // The XDG specification says to ignore relative paths.
  return join(isAbsolute(given) ? given : join(home, '.cache'), 'evaldiff');
}

export function machineOf(env: NodeJS.ProcessEnv): Machine {
  return { platform: process.platform, env, home: env['HOME'] ?? homedir() };
}

interface ProjectPlace {
  /** Git's common folder, so that all work trees of a clone share answers. */
  commonFolder: string;
  workTree: { root: string; below: string };
}

export const STORE_FILE = 'answers.sqlite';

export function storePlace(
  { commonFolder, workTree: { below } }: ProjectPlace,
  option: string | false | undefined,
  cwd: string,
  machine: Machine,
): StorePlace | null {
  if (option === false) return null;
  const own = userFolder(machine);
  const keyFile = join(own, 'key');
  const given = option ?? machine.env['EVALDIFF_STORE']?.trim();
  if (given) return { file: resolve(cwd, given), keyFile };
  const hash = createHash('sha256').update(`${commonFolder}\n${below}`).digest('hex').slice(0, 16);
  const clone = join(commonFolder.replace(/[\\/]\.git$/, ''), below);
  const name = basename(clone).replace(/[^A-Za-z0-9_-]+/g, '-');
  return { file: join(own, `${name}-${hash}`, STORE_FILE), keyFile };
}

export async function storePlaceOf(
  { workTree, commonFolder }: Repository,
  option: string | false | undefined,
  cwd: string,
  env: NodeJS.ProcessEnv,
): Promise<StorePlace | null> {
  return storePlace({ commonFolder: await commonFolder(), workTree }, option, cwd, machineOf(env));
}
