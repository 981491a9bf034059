import { FIRST_TRIES, MOST_TRIES } from './looks.ts';
import {
  MOST_PAIRS,
  type SequentialSuite,
  looksOf,
  judgeReferences,
  isCalmTogether,
  decidingLook,
  calledReferences,
  openSuspicions,
  type Look,
  toleranceOf,
  visibleAt,
  ruledOutBy,
  FUTILE,
} from './sequential.ts';
import { triesMade, reachesLevel } from './table.ts';

/** Pairs of tries added at once to a suspicious reference. */
const EXTRA_TRIES = 2;

export const MOST_SAMPLED_TRIES = MOST_PAIRS + EXTRA_TRIES - 1;

export interface SequentialLevels {
  /** For each look at a suite. */
  looks: readonly number[];
  /** For all single references together; 0: not tested. */
  references: number;
}

/**
 * The next number of tries per side for each reference, by suite and position; an empty map: the
 * suite is done. Two tries everywhere; then suspicious references in pairs until they are called or
 * cleared; then one more everywhere, up to five, while a suite looks worse or is not calm.
 * `isWhole`: the run compares no other suites.
 */
export function wantedTries(
  suites: readonly SequentialSuite[],
  levels: SequentialLevels,
  isWhole: boolean,
): Map<number, number>[] {
  const looks = suites.map(looksOf);
  const single = judgeReferences(suites, levels.references);
  const last = looks.flatMap((own) => own.at(-1) ?? []);
  const together = isWhole && last.length === suites.length && isCalmTogether(last);
  return suites.map((suite, s) => {
    const own = looks[s] ?? [];
    const look = own.at(-1);
    if (look === undefined) return triesUpTo(suite, FIRST_TRIES);
    const worse = decidingLook(own, levels.looks, suite.minDrop, 'down') !== null;
    if (worse || calledReferences(single, s).length > 0) return new Map();
    const open = levels.references > 0 ? openSuspicions(single, s) : [];
    const sampled = sampledOn(suite, look, open);
    if (sampled.size > 0) return sampled;
    if (look.tries === MOST_TRIES || isSettled(suite, own, levels.looks, together))
      return new Map();
    return triesUpTo(suite, look.tries + 1);
  });
}

function isSettled(
  suite: SequentialSuite,
  looks: readonly Look[],
  levels: readonly number[],
  together: boolean,
): boolean {
  const look = looks.at(-1);
  if (look === undefined) return false;
  if (decidingLook(looks, levels, suite.minDrop, 'up') !== null) return true;
  const tolerance = toleranceOf(suite.tolerance, visibleAt(look.tables, levels));
  const calm = together || ruledOutBy(look, tolerance) !== null;
  return calm && !reachesLevel(look.test.midDown, FUTILE);
}

/** With more suspicious references than this, the looks will detect the drop. */
export function mostSampled(references: number): number {
  return Math.max(10, Math.ceil(references / 10));
}

function sampledOn(
  { tries }: SequentialSuite,
  { tries: shared }: Look,
  open: readonly number[],
): Map<number, number> {
  const counts = tries.map(triesMade);
  const begun = new Set([...counts.keys()].filter((i) => (counts[i] ?? 0) > shared));
  const room = Math.max(0, mostSampled(tries.length) - begun.size);
  const fresh = open.filter((i) => !begun.has(i)).slice(0, room);
  const chosen = [...open.filter((i) => begun.has(i)), ...fresh];
  return new Map(chosen.map((i) => [i, (counts[i] ?? 0) + EXTRA_TRIES]));
}

function triesUpTo({ tries }: SequentialSuite, wanted: number): Map<number, number> {
  return new Map(
    tries.flatMap((own, i) => (triesMade(own) < wanted ? [[i, wanted] as const] : [])),
  );
}
