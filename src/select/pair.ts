import { canonicalJson } from '../suite/canonical-json.ts';
import type { Project, Suite } from '../suite/suite.ts';
import type { Notice } from '../types/plain.ts';

/** One prompt on both sides; a side is null where the prompt does not exist there. */
interface SuitePair {
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

/**
 * Head with base's gate in each suite that base has: a pull request does not choose the gate it has
 * to pass.
 */
export function withGatesOfBase(
  base: Project | null,
  head: Project,
): { head: Project; notices: Notice[] } {
  const bases = new Map(
    pairSuites(base, head).flatMap(({ base: before, head: after }) =>
      before === null || after === null ? [] : [[after, before] as const],
    ),
  );
  const notices: Notice[] = [];
  const suites = head.suites.map((suite) => {
    const before = bases.get(suite);
    if (
      before === undefined ||
      canonicalJson({ ...before.tests.gate }) === canonicalJson({ ...suite.tests.gate })
    )
      return suite;
    notices.push({
      kind: 'settings',
      place: { file: suite.tests.file, line: 0 },
      message: `${suite.prompt.name}: this pull request changes the suite's gate; base's is in force until it is merged`,
    });
    const { gate: _, ...tests } = suite.tests;
    return {
      ...suite,
      tests: before.tests.gate === undefined ? tests : { ...tests, gate: before.tests.gate },
    };
  });
  return { head: notices.length === 0 ? head : { ...head, suites }, notices };
}
