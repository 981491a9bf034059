/** Words, numbers, and every sign that is neither, in lower case. */
const WORDS = /[\p{L}\p{M}\p{N}_]+|[^\s\p{L}\p{M}\p{N}_]/gu;

/** Only beginnings are compared, in characters: likeness chooses pairs, it proves nothing. */
const COMPARED = 2_000;

/** The share of words that two texts have in common, 0–1 (Dice), however often each stands. */
export function likeness(one: string, other: string): number {
  if (one.trim() === other.trim()) return 1;
  const [left, right] = [wordsOf(one), wordsOf(other)];
  let common = 0;
  for (const word of left) if (right.has(word)) common += 1;
  return left.size + right.size === 0 ? 0 : (2 * common) / (left.size + right.size);
}

function wordsOf(text: string): Set<string> {
  return new Set(text.slice(0, COMPARED).toLowerCase().match(WORDS) ?? []);
}

/** Longer lists are paired from the front only, for the table grows with both. */
const MOST_ALIGNED = 300;

/**
 * Pairs of positions in both lists, in both lists' order, whose scores add up to the most. A score
 * of 0 is not a pair.
 */
export function align<Item>(
  before: readonly Item[],
  after: readonly Item[],
  score: (one: Item, other: Item) => number,
): [number, number][] {
  const [left, right] = [before.slice(0, MOST_ALIGNED), after.slice(0, MOST_ALIGNED)];
  const scores = left.map((one) => right.map((other) => score(one, other)));
  const best = bestSums(scores, left.length, right.length);
  const pairs: [number, number][] = [];
  let [i, j] = [0, 0];
  while (i < left.length && j < right.length) {
    const pair = scores[i]?.[j] ?? 0;
    if (pair > 0 && best(i, j) === pair + best(i + 1, j + 1)) pairs.push([i++, j++]);
    else if (best(i + 1, j) >= best(i, j + 1)) i += 1;
    else j += 1;
  }
  return pairs;
}

/** By positions from which on is paired: the largest sum of scores. */
function bestSums(
  scores: readonly (readonly number[])[],
  before: number,
  after: number,
): (i: number, j: number) => number {
  const best = Array.from({ length: before + 1 }, () => new Float64Array(after + 1));
  const at = (i: number, j: number): number => best[i]?.[j] ?? 0;
  for (let i = before - 1; i >= 0; i -= 1) {
    for (let j = after - 1; j >= 0; j -= 1) {
      const pair = scores[i]?.[j] ?? 0;
      const row = best[i];
      if (row === undefined) continue;
      row[j] = Math.max(at(i + 1, j), at(i, j + 1), pair > 0 ? pair + at(i + 1, j + 1) : 0);
    }
  }
  return at;
}
