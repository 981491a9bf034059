import { countsForVerdict, isNewFailing } from '../../kernel/result/counts.ts';
import type { Result } from '../../kernel/result/result.ts';
import { referenceEntries, type ReferenceEntry } from '../../report/sections/order.ts';
import { suitesWorstFirst } from '../../wording/figures.ts';

export function brokenTests({ suites }: Result): ReferenceEntry[] {
  return referenceEntries(suitesWorstFirst(suites)).filter(({ suite, reference }) => {
    const isBroken = reference.status === 'regressed' || reference.status === 'fell';
    return (isBroken || isNewFailing(reference, suite)) && countsForVerdict(reference);
  });
}

/** Whether a name is a safe shell word, and too short to contain an instruction. */
export function isPlain(name: string): boolean {
  return /^[\w.][\w.+@/-]{0,79}$/.test(name);
}

export function showBroken(broken: readonly ReferenceEntry[]): string[] {
  const found = broken.find(({ reference: { id } }) => isPlain(id));
  if (found === undefined) return [];
  const { suite, reference } = found;
  return [`npx evaldiff show ${isPlain(suite.name) ? `${suite.name}/` : ''}${reference.id}`];
}
