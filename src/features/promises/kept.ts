import type { DecidedRun } from '../../app/run/feature.ts';
import type { SuiteComparison } from '../../kernel/plan/suite-run.ts';
import { sideCounts } from '../../kernel/result/counts.ts';
import type { ReferenceResult, SideResult } from '../../kernel/result/reference-result.ts';
import { eValueOfRise, tryPairs } from '../../kernel/statistics/e-values.ts';
import type { KnownReference, Promises } from './promised.ts';
import type { PromisedReference, PromisesResult } from './result.ts';

/** Evidence (an e-value) from which chance is ruled out for one reference. */
const CERTAIN = 20;

/** Promised references get tries until they are known to be fixed or not. */
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

export function checkPromises({ references, unknown }: Promises, run: DecidedRun): PromisesResult {
  return { references: references.flatMap((of) => promisedResults(of, run)), unknown };
}

/** One for each variant of its suite. */
function promisedResults(
  promised: KnownReference,
  { suites, planned }: DecidedRun,
): PromisedReference[] {
  const { path, suite, id } = promised;
  const found = suites.flatMap(({ result: { path: file, name, variant, references } }) =>
    references
      .filter((reference) => file === path && name === suite && reference.id === id)
      .map((reference): PromisedReference => ({ path, suite, variant, ...resultOf(reference) })),
  );
  if (found.length > 0) return found;
  const wasPlanned = planned.some(
    ({ run: { suite: of, runs } }) =>
      of.path === path &&
      of.name === suite &&
      runs.some(({ affected }) => affected.reference.id === id),
  );
  const status = wasPlanned ? 'unclear' : 'unaffected';
  return [{ path, suite, variant: null, id, status, base: null, head: null }];
}

function resultOf({
  id,
  status,
  base,
  head,
}: ReferenceResult): Pick<PromisedReference, 'id' | 'status' | 'base' | 'head'> {
  const counts = (side: SideResult | null): PromisedReference['base'] =>
    side === null ? null : sideCounts(side);
  const shown = { id, base: counts(base), head: counts(head) };
  if (status === 'removed') return { ...shown, status: 'deleted' };
  return { ...shown, status: statusOf(base, head) };
}

function statusOf(base: SideResult | null, head: SideResult | null): PromisedReference['status'] {
  if (head === null || head.rollup === null) return 'unclear';
  if (head.rollup === 'fail') return 'not-kept';
  if (base === null) return 'kept';
  if (base.rollup === 'pass') return 'passed-before';
  const outcomes = ({ tries }: SideResult) => tries.map(({ outcome }) => outcome);
  const pairs = tryPairs({ base: outcomes(base), head: outcomes(head) });
  return eValueOfRise(pairs) >= CERTAIN ? 'kept' : 'unclear';
}
