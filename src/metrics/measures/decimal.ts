import { exactNumber, significant, type LongNumber } from '../../types/exact-json.ts';

export type ExactNumber = number | LongNumber;

export function decimalOf(text: string): ExactNumber | null {
  const isDecimal = /^[-+]?(?:\d+(?:\.\d+)?|\.\d+)(?:[eE][-+]?\d{1,9})?$/.test(text);
  return isDecimal ? exactNumber(text) : null;
}

export function sameNumber(left: ExactNumber, right: ExactNumber): boolean {
  const number = Number(left);
  if (number !== Number(right)) return false;
  // Beyond the range of doubles, their exponents are lost.
  return number === 0 || !Number.isFinite(number)
    ? String(left) === String(right)
    : significant(String(left)) === significant(String(right));
}

/** Share of a number by which doubles may err, so that 1.1 and 1 differ by 0.1. */
const ROUNDING = 4 * Number.EPSILON;

export function isNear(left: ExactNumber, right: ExactNumber, tolerance: number): boolean {
  if (tolerance === 0 || sameNumber(left, right)) return sameNumber(left, right);
  const sizes = [left, right].map((number) => Math.abs(Number(number)));
  return Math.abs(Number(left) - Number(right)) <= tolerance + ROUNDING * Math.max(...sizes);
}
