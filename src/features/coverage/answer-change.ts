import { shuffleFront, type Random } from '../../kernel/statistics/random.ts';
import { at, sum } from '../../kernel/statistics/sums.ts';
import { wordSimilarity } from '../../trials/text-units.ts';

/** The answers to one reference, with all lines and without some. */
export interface ComparedAnswers {
  reference: number;
  intact: readonly string[];
  without: readonly string[];
}

const SHUFFLES = 999;

/**
 * The p-value of "the answers differ no more without the lines than among themselves": a
 * permutation test of their mean distance. 1 if there is nothing to compare.
 */
export function changeP(answers: readonly ComparedAnswers[], random: Random): number {
  const rows = answers
    .filter(({ intact, without }) => intact.length * without.length > 0)
    .map(({ intact, without }): Row => {
      const all = [...without, ...intact];
      const far = all.map((left) => all.map((right) => distance(left, right)));
      return { far, order: Int32Array.from(all.keys()), out: without.length };
    });
  if (rows.length === 0) return 1;
  const seen = sum(rows.map(meanApart));
  let atLeast = 1;
  for (let round = 0; round < SHUFFLES; round += 1) {
    for (const { order, out } of rows) shuffleFront(order, out, random);
    if (sum(rows.map(meanApart)) >= seen - 1e-9) atLeast += 1;
  }
  return atLeast / (SHUFFLES + 1);
}

interface Row {
  /** Distances between answers. */
  far: readonly (readonly number[])[];
  /** The first `out` answers are taken as those without the lines. */
  order: Int32Array;
  out: number;
}

function meanApart({ far, order, out }: Row): number {
  let apart = 0;
  for (const left of order.subarray(0, out))
    for (const right of order.subarray(out)) apart += at(far[left] ?? [], right);
  return apart / (out * (order.length - out));
}

/** References whose answers moved farthest come first. */
export function farthestFirst(answers: readonly ComparedAnswers[]): number[] {
  return answers
    .filter(({ without }) => without.length > 0)
    .map(({ reference, intact, without }) => {
      const apart = without.flatMap((left) => intact.map((right) => distance(left, right)));
      return { reference, far: sum(apart) / apart.length };
    })
    .sort((a, b) => b.far - a.far)
    .map(({ reference }) => reference);
}

/** Whether every answer without the lines is farther from those with them than equals are apart. */
export function isSeparate({ intact, without }: ComparedAnswers): boolean {
  const between = without.flatMap((left) => intact.map((right) => distance(left, right)));
  const within = [intact, without].flatMap((own) =>
    own.flatMap((left, i) => own.slice(i + 1).map((right) => distance(left, right))),
  );
  return between.length > 0 && Math.min(...between) > Math.max(0, ...within);
}

/** 0 (the same words) to 1 (no common word). */
function distance(left: string, right: string): number {
  return left === right ? 0 : 1 - wordSimilarity(left, right);
}
