import { MOST_TRIES } from '../../kernel/plan/looks.ts';
import type { SuiteComparison, Try } from '../../kernel/plan/suite-run.ts';

/** `fixed`: how many tries would have been made without early stops. */
export function countAdaptiveTries(
  suites: readonly SuiteComparison[],
): { made: number; fixed: number } | null {
  const made = new Map<string, number>();
  for (const { run, policy } of suites) {
    if (policy.kind !== 'adaptive') continue;
    for (const { affected: reference, base, head } of run.runs) {
      if (reference.reference.n_tries !== null) continue;
      for (const [generation, tries] of [
        [reference.base, answersIn(base)],
        [reference.head, answersIn(head)],
      ] as const) {
        if (generation === null || generation.kind === 'impossible' || tries === 0) continue;
        made.set(generation.fingerprint, Math.max(tries, made.get(generation.fingerprint) ?? 0));
      }
    }
  }
  const sum = [...made.values()].reduce((total, tries) => total + tries, 0);
  return made.size === 0 ? null : { made: sum, fixed: MOST_TRIES * made.size };
}

function answersIn(tries: readonly Try[]): number {
  return tries.filter(({ byHead: { error } }) => error === null).length;
}
