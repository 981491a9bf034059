import { MINUS } from './normalise.ts';
import { JOINS } from './numbers.ts';

const CONTINUED = new RegExp(
  `(?:\\p{N}[.,:/'’_^*+${JOINS}\\u00a0\\u2009\\u202f-]?|\\p{N}[eE][-+]?|` +
    `(?:^|[^\\p{L}\\p{N}])[${MINUS}+]+(?:(?:\\p{L}{0,3}\\p{Sc}|\\p{L}{2,3})\\s?)?\\.?|` +
    '(?:^|[^\\p{L}\\p{N}.])\\.)$',
  'u',
);

const SIGNED = new RegExp(`^[${MINUS}+]`);

const NUMERIC = new RegExp(`^[${MINUS}+]?\\p{Sc}?\\.?\\p{N}`, 'u');

const CONTINUES = new RegExp(
  `^(?:[.,:/'’_^*+${JOINS}\\u00a0\\u2009\\u202f-]?\\p{N}|[eE][-+]?\\p{N})`,
  'u',
);

const NUMBER_CONTEXT = 8;

/** A number at an edge of `wanted` must be whole, so `5` does not occur in `25`, `1.5` or `-5`. */
export function occursAt(
  text: string,
  wanted: string,
  location: 'begin' | 'end' | 'any' | 'exact',
): boolean {
  if (location === 'exact') return text === wanted;
  const last = text.length - wanted.length;
  const isWhole = (start: number) => {
    const before = text.slice(Math.max(0, start - NUMBER_CONTEXT), start);
    const end = start + wanted.length;
    const joined = SIGNED.test(wanted) ? /[\p{L}\p{N}]$/u : CONTINUED;
    return (
      !(NUMERIC.test(wanted) && joined.test(before)) &&
      !(/\p{N}$/u.test(wanted) && CONTINUES.test(text.slice(end, end + NUMBER_CONTEXT)))
    );
  };
  if (location === 'begin') return text.startsWith(wanted) && isWhole(0);
  if (location === 'end') return text.endsWith(wanted) && isWhole(last);
  let start = text.indexOf(wanted);
  while (start !== -1 && !isWhole(start)) start = text.indexOf(wanted, start + 1);
  return start !== -1;
}
