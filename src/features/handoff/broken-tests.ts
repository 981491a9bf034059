import { countsForVerdict } from '../../kernel/result/counts.ts';
import type { Result } from '../../kernel/result/result.ts';
import { referenceEntries, type ReferenceEntry } from '../../report/sections/order.ts';
import { suitesWorstFirst } from '../../wording/figures.ts';

/** Tests that broke, and new ones that fail; the worst suite first. */
export function brokenTests({ suites }: Result): ReferenceEntry[] {
  return referenceEntries(suitesWorstFirst(suites)).filter(({ suite, reference }) => {
    const { status, head } = reference;
    const isNew = status === 'added' || suite.verdict === 'new';
    const isBroken = status === 'regressed' || status === 'fell';
    return (isBroken || (isNew && head?.rollup === 'fail')) && countsForVerdict(reference);
  });
}

/** One word of a shell, without room for an instruction to whoever reads it. */
export function isPlain(name: string): boolean {
  return /^[\w.][\w.+@/-]{0,79}$/.test(name);
}

/** `npx evaldiff show support/t05`; empty if no id is plain. */
export function showBroken(broken: readonly ReferenceEntry[]): string[] {
  const found = broken.find(({ reference: { id } }) => isPlain(id));
  if (found === undefined) return [];
  const { suite, reference } = found;
  return [`npx evaldiff show ${isPlain(suite.name) ? `${suite.name}/` : ''}${reference.id}`];
}
