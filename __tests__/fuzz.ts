import process from 'node:process';
import fc from 'fast-check';

/** `EVALDIFF_FUZZ` scales the number of inputs of property tests: 1 in CI, 0.1 elsewhere. */
const factor = Number(process.env['EVALDIFF_FUZZ'] ?? 0.1);

/** The number of inputs for a property that needs `full` of them in CI. */
export const draws = (full: number): number => Math.max(1, Math.ceil(full * factor));

/** The length of a text that has `full` letters in CI; a quarter elsewhere. */
export const letters = (full: number): number =>
  Math.ceil(full * Math.min(1, Math.max(0.25, factor)));

const SURROGATES = 0xdfff - 0xd800 + 1;

/**
 * Any character except lone surrogates, for `fc.string({ unit })`. Gives the same texts as
 * fast-check's `binary`, without its table of all characters, which takes 130 MB and half a second.
 */
export const anyCharacter = fc.nat(0x10ffff - SURROGATES).map(
  (at) => String.fromCodePoint(at < 0xd800 ? at : at + SURROGATES),
  (text) => {
    if (typeof text !== 'string' || [...text].length !== 1 || !text.isWellFormed())
      throw new Error('not a character');
    const code = text.codePointAt(0) ?? 0;
    return code < 0xd800 ? code : code - SURROGATES;
  },
);

fc.configureGlobal({ numRuns: draws(100) });

type Arbitraries<T extends [unknown, ...unknown[]]> = { [K in keyof T]: fc.Arbitrary<T[K]> };

/** Checks that a property holds for all values of the arbitraries. */
export function forAll<T extends [unknown, ...unknown[]]>(
  arbitraries: Arbitraries<T>,
  check: (...values: T) => boolean | void,
  options: fc.Parameters<T> = {},
): void {
  fc.assert(fc.property(...arbitraries, check), options);
}

/** The asynchronous `forAll`. */
export async function forAllAsync<T extends [unknown, ...unknown[]]>(
  arbitraries: Arbitraries<T>,
  check: (...values: T) => Promise<boolean | void>,
  options: fc.Parameters<T> = {},
): Promise<void> {
  await fc.assert(fc.asyncProperty(...arbitraries, check), options);
}

export default fc;
