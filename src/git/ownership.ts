import { join, parse, relative, sep } from 'node:path';
import { git, type GitPlace } from './command.ts';
import type { Checkout } from './discover.ts';
import { splitNul } from './tree.ts';

/**
 * What a checkout's index holds at or below an absolute path (no links in it), as POSIX paths below
 * the root of its work tree; nothing where the path lies outside of it, or where there is none. The
 * index is read by our own store, which obeys no configuration of the checkout.
 */
export async function trackedAt(
  place: GitPlace,
  checkout: Checkout | null,
  path: string,
): Promise<string[]> {
  if (checkout === null) return [];
  if (!isWithin(path, checkout.root)) return [];
  const below = relative(checkout.root, path);
  const asked = below === '' ? [] : ['--', below.split(sep).join('/')];
  const environment = { ...place.environment, GIT_INDEX_FILE: join(checkout.gitDir, 'index') };
  const listed = await git({ ...place, environment }, ['ls-files', '-z', '--full-name', ...asked]);
  return splitNul(listed).map((entry) => entry.toString('utf8'));
}

/** Whether an absolute path lies in a folder, or is it; no link is followed. */
export function isWithin(path: string, folder: string): boolean {
  const below = relative(folder, path);
  // On another drive it has a root of its own.
  return below !== '..' && !below.startsWith(`..${sep}`) && parse(below).root === '';
}
