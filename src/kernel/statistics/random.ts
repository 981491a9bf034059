import { at } from './sums.ts';
export interface Random {
  words: Uint32Array;
}

/**
 * The same seed gives the same numbers on every machine. Sources: xoshiro128** 1.1 of Blackman and
 * Vigna 2018; FNV-1a for the seed.
 */
export function createRandom(seed: string | number): Random {
  const words = Uint32Array.from([0x9e3779b9, 0x243f6a88, 0xb7e15162, 0x6a09e667], (basis) =>
    hash(String(seed), basis),
  );
  // With four zeros, the generator would return only zeros.
  if (words.every((word) => word === 0)) words[0] = 1;
  return { words };
}

/** 0 to 2³² − 1. */
export function nextWord({ words }: Random): number {
  let [a = 0, b = 0, c = 0, d = 0] = [words[0], words[1], words[2], words[3]];
  const result = Math.imul(rotate(Math.imul(b, 5), 7), 9) >>> 0;
  const shifted = b << 9;
  c ^= a;
  d ^= b;
  b ^= c;
  a ^= d;
  c ^= shifted;
  d = rotate(d, 11);
  words[0] = a;
  words[1] = b;
  words[2] = c;
  words[3] = d;
  return result;
}

/** Above 0 and below 1. */
export function nextFloat(random: Random): number {
  return (nextWord(random) + 0.5) / 2 ** 32;
}

/** 0 to `count` − 1. The bias is at most count/2³². */
export function nextIndex(random: Random, count: number): number {
  return Math.floor(nextFloat(random) * count);
}

export function shuffleFront(items: Int32Array, count: number, random: Random): void {
  for (let i = 0; i < count; i++) {
    const from = i + nextIndex(random, items.length - i);
    const chosen = at(items, from);
    items[from] = at(items, i);
    items[i] = chosen;
  }
}

export function shuffle<Item>(items: readonly Item[], random: Random): Item[] {
  const left = [...items];
  const shuffled: Item[] = [];
  while (left.length > 0) {
    const at = nextIndex(random, left.length);
    const [item] = left.slice(at, at + 1);
    const last = left.pop();
    if (item !== undefined) shuffled.push(item);
    if (at < left.length && last !== undefined) left[at] = last;
  }
  return shuffled;
}

function rotate(word: number, by: number): number {
  return (word << by) | (word >>> (32 - by));
}

function hash(text: string, basis: number): number {
  let word = basis;
  for (let i = 0; i < text.length; i++) word = Math.imul(word ^ text.charCodeAt(i), 0x01000193);
  // Spreads similar seeds, for which FNV gives similar values.
  word = Math.imul(word ^ (word >>> 16), 0x21f0aaad);
  word = Math.imul(word ^ (word >>> 15), 0x735a2d97);
  return (word ^ (word >>> 15)) >>> 0;
}
