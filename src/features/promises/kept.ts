import type { DecidedRun } from '../../app/run/feature.ts';
import type { SuiteComparison } from '../../kernel/plan/suite-run.ts';
import { sideCounts } from '../../kernel/result/counts.ts';
import type { SideResult } from '../../kernel/result/reference-result.ts';
import { eValueOfRise, tryPairs } from '../../kernel/statistics/e-values.ts';
import { FIXED_FDR } from '../../kernel/statistics/levels.ts';
import type { Promises } from './promised.ts';
import type { PromisedReference, PromisesResult } from './result.ts';

/** A fix with this e-value (strength of evidence) is certain. */
const CERTAIN = 1 / FIXED_FDR;

/**
 * References that the pull request promises to fix (`Fixes: t05`) get more tries until the result
 * is clear.
 */
export function awaitPromised(
  suites: readonly SuiteComparison[],
  { references }: Promises,
): SuiteComparison[] {
  return suites.map((suite) => {
    const { path, name } = suite.run.suite;
    const own = references.filter((of) => of.path === path && of.suite === name);
    return { ...suite, awaited: new Set(own.map(({ id }) => id)) };
  });
}

export function checkPromises(
  { references, unknown }: Promises,
  { rows: suitesRun }: Pick<DecidedRun, 'rows'>,
): PromisesResult {
  const rows = references.flatMap(({ path, suite, id }): PromisedReference[] => {
    const ran = suitesRun.flatMap(({ result }) =>
      result.path === path && result.name === suite
        ? result.references
            .filter((reference) => reference.id === id)
            .map(({ status, base, head }): PromisedReference => ({
              path,
              suite,
              variant: result.variant,
              id,
              status: status === 'removed' ? 'deleted' : statusOf(base, head),
              base: base === null ? null : sideCounts(base),
              head: head === null ? null : sideCounts(head),
            }))
        : [],
    );
    const idle = { path, suite, variant: null, id, base: null, head: null };
    return ran.length > 0 ? ran : [{ ...idle, status: 'unaffected' }];
  });
  return { references: rows, unknown };
}

function statusOf(base: SideResult | null, head: SideResult | null): PromisedReference['status'] {
  if (head === null || head.rollup === null) return 'unclear';
  if (head.rollup === 'fail') return base?.rollup === 'pass' ? 'broke' : 'not-kept';
  if (base === null) return 'kept';
  if (base.rollup === 'pass') return 'passed-before';
  const outcomes = ({ tries }: SideResult) => tries.map(({ outcome }) => outcome);
  const pairs = tryPairs({ base: outcomes(base), head: outcomes(head) });
  return eValueOfRise(pairs) >= CERTAIN ? 'kept' : 'unclear';
}
