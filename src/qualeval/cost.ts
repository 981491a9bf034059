import { PER_QUESTION } from './affinity.ts';
import { CHUNK, GROUP, PER_GROUP, SHRINK } from './discover.ts';
import { attributeLimit } from './limit.ts';

export interface CostOptions {
  /** Attributes of both kinds that are pinned; null: they are discovered. */
  pinned: number | null;
  most: number;
  alignment: boolean;
}

/**
 * Calls that explaining a suite of so many references takes at most, when every reply can be read;
 * those that are cached cost nothing.
 */
export function explainCalls(references: number, { pinned, most, alignment }: CostOptions): number {
  const limit = attributeLimit(references, most);
  const discovery = pinned === null ? discoveryCalls(references, limit) : 0;
  const ratings = references * Math.ceil((pinned ?? 2 * limit) / PER_QUESTION);
  const answers = alignment ? 2 * references * Math.ceil((pinned ?? limit) / PER_QUESTION) : 0;
  return discovery + ratings + answers + 1;
}

/** One question per group of references, then per kind the rounds of merging. */
export function discoveryCalls(references: number, limit: number): number {
  const groups = Math.ceil(references / GROUP);
  let rounds = 0;
  let left = groups * PER_GROUP;
  if (groups > 1 || left > limit) {
    do {
      rounds += Math.ceil(left / CHUNK);
      left = Math.max(limit, Math.ceil(left / SHRINK));
    } while (left > limit);
  }
  return groups + 2 * rounds;
}
