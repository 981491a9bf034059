import { createHash } from 'node:crypto';
import { lstat, readFile } from 'node:fs/promises';
import { join } from 'node:path';

export interface LfsPointer {
  sha256: string;
  size: number;
}

const MAX_POINTER_BYTES = 1024;

export const MOST_LFS_BYTES = 64 * 1024 * 1024;

export function lfsPointer(content: Uint8Array): LfsPointer | null {
  if (content.length > MAX_POINTER_BYTES) return null;
  const text = Buffer.from(content).toString('latin1');
  if (!/^version https:\/\/(git-lfs\.github\.com|hawser\.github\.com)\/spec\/v1\n/.test(text))
    return null;
  const [, sha256] = /^oid sha256:([0-9a-f]{64})$/m.exec(text) ?? [];
  const [, size] = /^size (\d{1,15})$/m.exec(text) ?? [];
  return sha256 === undefined || size === undefined ? null : { sha256, size: Number(size) };
}

/** Other users may write to these folders, so a file must match the hash in its LFS pointer. */
export async function lfsContent(
  { sha256, size }: LfsPointer,
  path: string,
  { root, commonDir }: { root: string; commonDir: string | null },
): Promise<Uint8Array | null> {
  if (size > MOST_LFS_BYTES) return null;
  const kept = ['lfs', 'objects', sha256.slice(0, 2), sha256.slice(2, 4), sha256];
  const places = [join(root, path), ...(commonDir === null ? [] : [join(commonDir, ...kept)])];
  for (const place of places) {
    const found = await lstat(place).catch(() => null);
    if (found === null || !found.isFile() || found.size !== size) continue;
    const content = await readFile(place).catch(() => null);
    if (content !== null && createHash('sha256').update(content).digest('hex') === sha256)
      return content;
  }
  return null;
}
