import { countsForVerdict, isNewFailing } from '../../kernel/result/counts.ts';
import type { Result } from '../../kernel/result/result.ts';
import { fallOf, referenceEntries, type ReferenceEntry } from '../../report/sections/order.ts';
import { suitesWorstFirst } from '../../wording/figures.ts';

export function brokenTests({ suites }: Result): ReferenceEntry[] {
  return referenceEntries(suitesWorstFirst(suites)).filter(({ suite, reference }) => {
    const isBroken = reference.status === 'regressed' || reference.status === 'fell';
    return (isBroken || isNewFailing(reference, suite)) && countsForVerdict(reference);
  });
}

/** Whether a name is a safe shell word without separators, so it cannot read as a sentence. */
export function isPlain(name: string): boolean {
  return /^[A-Za-z0-9]{1,30}$/.test(name);
}

/** The test's id, or its number in the result, such as `@3`, which `evaldiff show` accepts. */
export function testName({ suites }: Result, { reference }: ReferenceEntry): string {
  if (isPlain(reference.id)) return reference.id;
  const all = referenceEntries(suites).map((entry) => entry.reference);
  return `@${all.indexOf(reference) + 1}`;
}

const MOST_RETESTED = 5;

/** Overrides that run the tests again that make the run inconclusive. */
export function retestUnsure({ suites }: Result): string {
  const all = referenceEntries(suites.filter(({ verdict }) => verdict === 'inconclusive'))
    .filter(({ reference }) => countsForVerdict(reference) && fallOf(reference) > 0)
    .map(({ reference }) => reference.id);
  const ids = [...new Set(all)];
  const isNamed = ids.length > 0 && ids.every((id) => /^[\w.-]{1,40}$/.test(id));
  return `${isNamed ? `references=${ids.slice(0, MOST_RETESTED).join(',')} ` : ''}n_tries=9`;
}

export function showBroken(
  result: Result,
  [first]: readonly ReferenceEntry[] = brokenTests(result),
): string[] {
  if (first === undefined) return [];
  const { suite, reference } = first;
  const isNamed = isPlain(suite.name) && isPlain(reference.id);
  return [`show ${isNamed ? `${suite.name}/` : ''}${testName(result, first)}`];
}
