import { TREE, emptyTree, treeEntries, treePathText, type TreeReader } from './listing.ts';

/**
 * Whether the second tree has the same files, and no new ones except at paths `apart`. Skips equal
 * subtrees.
 */
export async function sameTrees(
  trees: TreeReader,
  first: string,
  second: string,
  apart: (path: string) => boolean,
  below = '',
): Promise<boolean> {
  if (first === second) return true;
  const left = await treeEntries(trees, first);
  const old = new Map(left.map((entry) => [entry.bytes.toString('latin1'), entry]));
  const right = await treeEntries(trees, second);
  for (const { mode, id, bytes } of right) {
    const before = old.get(bytes.toString('latin1'));
    const path = `${below}${treePathText(bytes)}`;
    if (before !== undefined && before.mode !== mode) return false;
    const same =
      mode === TREE
        ? await sameTrees(trees, before?.id ?? emptyTree(id), id, apart, `${path}/`)
        : before === undefined
          ? apart(path)
          : before.id === id;
    if (!same) return false;
  }
  const now = new Set(right.map(({ bytes }) => bytes.toString('latin1')));
  return left.every(({ bytes }) => now.has(bytes.toString('latin1')));
}
