import { SIDES, type Side } from '../../types/plain.ts';
import { clusteredRuns } from '../plan/ledger.ts';
import type { ReferenceRun, SuiteComparison } from '../plan/suite-run.ts';
import { ENDING_KINDS, ENDS_AS, type EndingKind } from '../result/endings.ts';
import type { TryResult } from '../result/reference-result.ts';
import type { Verdict } from '../result/suite-result.ts';
import { contrast } from '../statistics/look.ts';
import { reachesLevel, type Tries } from '../statistics/table.ts';

/**
 * Good verdicts that are ruled out, because more answers of one side end abnormally. If head only
 * refuses more often, `improved` remains possible.
 */
export function ruledOutByEndings(
  { compared }: SuiteComparison,
  level: number,
): ReadonlySet<Verdict> {
  const mirrored = compared.map((run) => ({ ...run, base: run.head, head: run.base }));
  const isApart = (runs: readonly ReferenceRun[], kind: EndingKind) =>
    reachesLevel(moreOftenOnHead(runs, ENDS_AS[kind]), level) ||
    (isWholly(runs, 'head', kind) && !madeBy(runs, 'base').some(ENDS_AS[kind]));
  const apart = ENDING_KINDS.filter((kind) => isApart(compared, kind));
  const isSilent = SIDES.some((side) => isWholly(compared, side, 'withheld'));
  if (isSilent || isApart(mirrored, 'withheld') || apart.some((kind) => kind !== 'refused'))
    return new Set(['unchanged', 'improved']);
  return new Set(apart.length > 0 ? ['unchanged'] : []);
}

function madeBy(runs: readonly ReferenceRun[], side: Side): TryResult[] {
  return runs.flatMap((run) => run[side].map(({ byHead }) => byHead));
}

function isWholly(runs: readonly ReferenceRun[], side: Side, kind: EndingKind): boolean {
  const made = madeBy(runs, side);
  return made.length > 0 && made.every(ENDS_AS[kind]);
}

/** One-sided mid-p (0–1) of "`is` is true more often on head". */
export function moreOftenOnHead(
  compared: readonly ReferenceRun[],
  is: (made: TryResult) => boolean,
): number {
  if (!SIDES.some((side) => madeBy(compared, side).some(is))) return 1;
  const words = (run: ReferenceRun, side: Side): Tries['base'] =>
    run[side].map(({ byHead }) => (is(byHead) ? 'fail' : 'pass'));
  const tries = (run: ReferenceRun): Tries => ({
    base: words(run, 'base'),
    head: words(run, 'head'),
  });
  return contrast(clusteredRuns(compared, tries)).test.midDown;
}
