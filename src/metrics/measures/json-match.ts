import type { Json } from '../../types.ts';
import { canonical } from './json-text.ts';

export interface JsonMatchOptions {
  ignore_keys: string[];
  abs_tol: number;
  ignore_order: boolean;
  ignore_extra: boolean;
  ignore_case: boolean;
}

/**
 * How much of two JSON values agrees, 0–1. Scalars: 1 or 0. Maps: mean over the keys of either side
 * (of `expected` only with `ignore_extra`). Lists: mean over the positions of the longer one; with
 * `ignore_order` the share of equal entries, each used once. Two empty maps or lists agree fully.
 */
export function jsonAgreement(actual: Json, expected: Json, options: JsonMatchOptions): number {
  if (Array.isArray(actual) && Array.isArray(expected))
    return listAgreement(actual, expected, options);
  if (isMap(actual) && isMap(expected)) return mapAgreement(actual, expected, options);
  return scalarsAgree(actual, expected, options) ? 1 : 0;
}

function isMap(value: Json): value is { [key: string]: Json } {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}

function mapAgreement(
  actual: { [key: string]: Json },
  expected: { [key: string]: Json },
  options: JsonMatchOptions,
): number {
  const all = new Set([
    ...Object.keys(expected),
    ...(options.ignore_extra ? [] : Object.keys(actual)),
  ]);
  const keys = [...all].filter((key) => !options.ignore_keys.includes(key));
  if (keys.length === 0) return 1;
  const sum = keys.reduce((total, key) => {
    const one = Object.hasOwn(actual, key) ? actual[key] : undefined;
    const other = Object.hasOwn(expected, key) ? expected[key] : undefined;
    return one === undefined || other === undefined
      ? total
      : total + jsonAgreement(one, other, options);
  }, 0);
  return sum / keys.length;
}

function listAgreement(actual: Json[], expected: Json[], options: JsonMatchOptions): number {
  const size = options.ignore_extra ? expected.length : Math.max(actual.length, expected.length);
  if (size === 0) return 1;
  if (options.ignore_order) return sharedEntries(actual, expected, options) / size;
  const sum = expected.reduce<number>((total, entry, index) => {
    const other = actual[index];
    return other === undefined ? total : total + jsonAgreement(other, entry, options);
  }, 0);
  return sum / size;
}

/**
 * Entries that agree fully, each used once. Tolerances need pairs, so they are tried on what plain
 * equality leaves.
 */
function sharedEntries(actual: Json[], expected: Json[], options: JsonMatchOptions): number {
  const open = new Map<string, Json[]>();
  for (const entry of actual) {
    const key = canonical(entry);
    const bag = open.get(key);
    if (bag === undefined) open.set(key, [entry]);
    else bag.push(entry);
  }
  const unmatched = expected.filter((entry) => open.get(canonical(entry))?.pop() === undefined);
  const left = [...open.values()].flat();
  if (unmatched.length * left.length > PAIR_LIMIT) return expected.length - unmatched.length;
  const paired = unmatched.filter((entry) => {
    const index = left.findIndex((other) => jsonAgreement(other, entry, options) === 1);
    if (index !== -1) left.splice(index, 1);
    return index !== -1;
  });
  return expected.length - unmatched.length + paired.length;
}

/**
 * Beyond this many pairs only plain equality counts: an answer of 50,000 entries must not cost a
 * billion comparisons.
 */
const PAIR_LIMIT = 250_000;

function scalarsAgree(
  actual: Json,
  expected: Json,
  { abs_tol, ignore_case }: JsonMatchOptions,
): boolean {
  if (typeof actual === 'number' && typeof expected === 'number')
    return Math.abs(actual - expected) <= abs_tol;
  if (ignore_case && typeof actual === 'string' && typeof expected === 'string')
    return actual.toLowerCase() === expected.toLowerCase();
  return actual === expected;
}
