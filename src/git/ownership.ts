import { readFile } from 'node:fs/promises';
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
  const below = relative(checkout.root, path).split(sep).join('/');
  const index = join(checkout.gitDir, 'index');
  if (await isUnnamedIn(index, below)) return [];
  const asked = below === '' ? [] : ['--', below];
  const environment = { ...place.environment, GIT_INDEX_FILE: index };
  const listed = await git({ ...place, environment }, ['ls-files', '-z', '--full-name', ...asked]);
  return splitNul(listed).map((entry) => entry.toString('utf8'));
}

/**
 * Whether an index spells out the path of every file, and nowhere this one, which is mostly so and
 * takes no git to see. Newer forms shorten paths, and parts of an index stand in another file.
 */
async function isUnnamedIn(index: string, path: string): Promise<boolean> {
  const content = await readFile(index).catch(() => null);
  if (content === null || path === '') return false;
  const spelledOut = content.toString('latin1', 0, 4) === 'DIRC' && content.readUInt32BE(4) <= 3;
  return spelledOut && ![path, 'link', 'sdir'].some((text) => content.includes(text));
}

/** Whether an absolute path lies in a folder, or is it; no link is followed. */
export function isWithin(path: string, folder: string): boolean {
  const below = relative(folder, path);
  // On another drive it has a root of its own.
  return below !== '..' && !below.startsWith(`..${sep}`) && parse(below).root === '';
}
