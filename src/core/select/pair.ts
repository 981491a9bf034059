import type { Project, Suite } from '../../types.ts';

/** One prompt on both sides; a side is null where the prompt does not exist there. */
export interface SuitePair {
  base: Suite | null;
  head: Suite | null;
}

/**
 * Pairs the suites of two commits by path (several of one file by name, then in their order), then
 * by name alone, so that a renamed file stays the same suite. Head's order, then what only base
 * has.
 */
export function pairSuites(base: Project | null, head: Project): SuitePair[] {
  const unpaired = new Set(base?.suites ?? []);
  const take = (matches: (suite: Suite) => boolean): Suite | null => {
    const found = [...unpaired].find(matches) ?? null;
    if (found !== null) unpaired.delete(found);
    return found;
  };
  const exactly = head.suites.map((suite) =>
    take(
      (other) => other.prompt.file === suite.prompt.file && other.prompt.name === suite.prompt.name,
    ),
  );
  const byPath = head.suites.map(
    (suite, index) => exactly[index] ?? take((other) => other.prompt.file === suite.prompt.file),
  );
  const pairs = head.suites.map((suite, index) => ({
    base: byPath[index] ?? take((other) => other.prompt.name === suite.prompt.name),
    head: suite,
  }));
  return [...pairs, ...[...unpaired].map((suite) => ({ base: suite, head: null }))];
}
