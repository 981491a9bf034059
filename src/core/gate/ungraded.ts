import type { SuiteResult } from '../../types.ts';

/** Above this share of a suite's tries without a readable grade the verdict line says so. */
const MAX_UNGRADED_SHARE = 0.1;

/** Suites of which so many tries got no readable grade that a reader must know it. */
export function ungradedSuites(
  suites: readonly SuiteResult[],
): { name: string; ungraded: number; tries: number }[] {
  return suites.flatMap(({ name, references }) => {
    const tries = references.flatMap(({ base, head }) => [
      ...(base?.tries ?? []),
      ...(head?.tries ?? []),
    ]);
    const ungraded = tries.filter(({ outcome }) => outcome === 'ungraded').length;
    return ungraded > MAX_UNGRADED_SHARE * tries.length
      ? [{ name, ungraded, tries: tries.length }]
      : [];
  });
}

/** `3 of 20 tries have no readable grade`, over those suites; null where there are none. */
export function ungradedInAll(suites: readonly SuiteResult[]): string | null {
  const found = ungradedSuites(suites);
  const sum = (pick: (one: (typeof found)[number]) => number): number =>
    found.reduce((total, one) => total + pick(one), 0);
  return found.length === 0
    ? null
    : `${String(sum(({ ungraded }) => ungraded))} of ${String(sum(({ tries }) => tries))} tries have no readable grade`;
}
