import { UserError } from '../errors.ts';
import { tooManyBytes } from '../text/amounts.ts';
import type { SourceTree } from '../types/repository.ts';

export async function readUpTo(
  tree: SourceTree,
  path: string,
  limit: number,
): Promise<Uint8Array | string> {
  try {
    const content = await tree.read(path, limit);
    return content.length > limit ? tooManyBytes(content.length, limit) : content;
  } catch (error) {
    const [only] = error instanceof UserError ? error.problems : [];
    if (only === undefined || only.place?.file !== path) throw error;
    return only.message;
  }
}
