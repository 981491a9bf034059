import { nextIndex, type Random } from '../../kernel/statistics/random.ts';
import { at, sum } from '../../kernel/statistics/sums.ts';
import { wordSimilarity } from '../../trials/text-units.ts';

/** The answers to one reference, with all lines and without some. */
export interface Answers {
  reference: number;
  intact: readonly string[];
  without: readonly string[];
}

const ROUNDS = 999;

/**
 * The p-value of "the answers differ no more without the lines than among themselves": a
 * permutation test of their mean distance. 1 if there is nothing to compare.
 */
export function changeP(answers: readonly Answers[], random: Random): number {
  const rows = answers
    .filter(({ intact, without }) => intact.length > 0 && without.length > 0)
    .map(({ intact, without }) => {
      const all = [...intact, ...without];
      const far = all.map((left) => all.map((right) => distance(left, right)));
      return { far, order: all.map((_, i) => i), out: without.length };
    });
  if (rows.length === 0) return 1;
  const total = () => sum(rows.map(meanApart));
  const seen = total();
  let atLeast = 1;
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const { order, out } of rows) shuffleEnd(order, out, random);
    if (total() >= seen - 1e-9) atLeast += 1;
  }
  return atLeast / (ROUNDS + 1);
}

interface Row {
  /** Distances by position of the answers. */
  far: readonly (readonly number[])[];
  /** The last `out` are taken as the answers without the lines. */
  order: number[];
  out: number;
}

function meanApart({ far, order, out }: Row): number {
  const intact = order.length - out;
  let apart = 0;
  for (let i = intact; i < order.length; i += 1)
    for (let j = 0; j < intact; j += 1) apart += at(far[at(order, i)] ?? [], at(order, j));
  return apart / (out * intact);
}

function shuffleEnd(order: number[], count: number, random: Random): void {
  for (let i = order.length - 1; i >= order.length - count; i -= 1) {
    const from = nextIndex(random, i + 1);
    const moved = at(order, i);
    order[i] = at(order, from);
    order[from] = moved;
  }
}

/** References whose answers moved farthest come first. */
export function farthestFirst(answers: readonly Answers[]): number[] {
  return answers
    .filter(({ without }) => without.length > 0)
    .map(({ reference, intact, without }) => {
      const apart = without.flatMap((left) => intact.map((right) => distance(left, right)));
      return { reference, far: sum(apart) / apart.length };
    })
    .sort((a, b) => b.far - a.far)
    .map(({ reference }) => reference);
}

/** 0 (the same words) to 1 (no common word). */
function distance(left: string, right: string): number {
  return left === right ? 0 : 1 - wordSimilarity(left, right);
}
