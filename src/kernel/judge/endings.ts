import { isWithheld } from '../../types/answer.ts';
import { isHosted } from '../../types/model.ts';
import type { Side } from '../../types/plain.ts';
import { suiteBlocks } from '../plan/ledger.ts';
import type { ReferenceRun, SuiteComparison, SuiteRun } from '../plan/suite-run.ts';
import type { ReferenceResult, TryResult } from '../result/reference-result.ts';
import type { Verdict } from '../result/suite-result.ts';
import { fallP } from '../statistics/suite-test.ts';
import { reachesLevel, type Tries } from '../statistics/table.ts';

const ENDING_KINDS = {
  empty: ['empty', (made) => made.parts === null && made.ended !== null && !isWithheldTry(made)],
  cut: ['cut at a limit of tokens', ({ parts, ended }) => parts !== null && ended === 'length'],
  withheld: [
    'filtered or refused without a word',
    (made) => made.parts === null && isWithheldTry(made),
  ],
  refused: ['filtered or refused', (made) => made.parts !== null && isWithheldTry(made)],
  unknown: [
    'ended for a reason that evaldiff does not know',
    ({ ended_as }) => ended_as !== undefined,
  ],
} satisfies Record<string, readonly [words: string, is: (made: TryResult) => boolean]>;

function isWithheldTry({ ended }: TryResult): boolean {
  return ended !== null && isWithheld({ ended });
}

type EndingKind = keyof typeof ENDING_KINDS;

const SIDES = ['base', 'head'] as const;

/** `cut at a limit of tokens: base 0 of 24, head 24 of 24`, for each kind that occurs. */
export function endingShares(references: readonly ReferenceResult[]): string[] {
  const sides = SIDES.map((side) => {
    const tries = references.flatMap((reference) => reference[side]?.tries ?? []);
    return { side, tries };
  }).filter(({ tries }) => tries.length > 0);
  return Object.values(ENDING_KINDS).flatMap(([words, is]) => {
    const such = sides.flatMap(({ tries }) => tries.filter(is));
    if (such.length === 0) return [];
    const reasons = [...new Set(such.flatMap(({ ended_as }) => ended_as ?? []))];
    const counts = sides.map(
      ({ side, tries }) => `${side} ${String(tries.filter(is).length)} of ${String(tries.length)}`,
    );
    const named = is === ENDING_KINDS.unknown[1] ? ` (${reasons.join(', ')})` : '';
    return [`${words}${named}: ${counts.join(', ')}`];
  });
}

/**
 * Good verdicts that would rest on answers that ended otherwise on one side, beyond chance: head's
 * are cut, withheld or refused more often, or base's were withheld, so that nothing could get worse.
 * That head refuses may be its improvement.
 */
export function ruledOutByEndings(
  { compared }: SuiteComparison,
  level: number,
): ReadonlySet<Verdict> {
  const mirrored = compared.map((run) => ({ ...run, base: run.head, head: run.base }));
  const isApart = (runs: readonly ReferenceRun[], kind: EndingKind): boolean =>
    reachesLevel(moreOftenOnHead(runs, ENDING_KINDS[kind][1]), level) ||
    (isWholly(runs, 'head', kind) && !madeBy(runs, 'base').some(ENDING_KINDS[kind][1]));
  const apart = (Object.keys(ENDING_KINDS) as EndingKind[]).filter((kind) =>
    isApart(compared, kind),
  );
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
  return made.length > 0 && made.every(ENDING_KINDS[kind][1]);
}

/** One-sided mid-p of "more tries are so on head"; 1 where none is. */
export function moreOftenOnHead(
  compared: readonly ReferenceRun[],
  is: (made: TryResult) => boolean,
): number {
  if (!SIDES.some((side) => madeBy(compared, side).some(is))) return 1;
  const words = (run: ReferenceRun, side: Side): Tries['base'] =>
    run[side].map(({ byHead }) => (is(byHead) ? 'fail' : 'pass'));
  const tries = compared.map((run) => ({ base: words(run, 'base'), head: words(run, 'head') }));
  return fallP(tries, suiteBlocks(compared));
}

/** Models that answered where both sides asked one model: `base a, head b`; null: no difference. */
export function servedApart({ suite: { base, head }, runs }: SuiteRun): string | null {
  const [before, after] = [base, head].map((side) => {
    const target = side?.variant.target ?? null;
    if (target === null || !isHosted(target)) return null;
    return `${target.provider} ${target.endpoint ?? ''} ${target.model}`;
  });
  if (before === null || before !== after) return null;
  const served = (side: Side): string =>
    [
      ...new Set(
        runs.flatMap((run) => run[side].flatMap(({ byHead }) => byHead.served?.model ?? [])),
      ),
    ]
      .sort()
      .join(', ');
  const [by, other] = [served('base'), served('head')];
  return by === '' || other === '' || by === other ? null : `base by ${by}, head by ${other}`;
}
