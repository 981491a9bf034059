import process from 'node:process';
import fc from 'fast-check';

/**
 * Property tests draw a tenth of their inputs at a desk, and all of them in CI: `EVALDIFF_FUZZ` is
 * the factor, 1 by default there.
 */
const factor = Number(process.env['EVALDIFF_FUZZ'] ?? 0.1);

/** How many inputs a property draws that needs `full` of them. */
export const draws = (full: number): number => Math.max(1, Math.ceil(full * factor));

/** How long a text is that should be `full` letters, and at a desk a quarter of them. */
export const letters = (full: number): number =>
  Math.ceil(full * Math.min(1, Math.max(0.25, factor)));

const SURROGATES = 0xdfff - 0xd800 + 1;

/**
 * Every character but halves of pairs, for `fc.string({ unit })`: what fast-check calls `binary`, and
 * the same texts, without its table of all of them, which takes 130 MB of a worker and half a second.
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

/** Checks that something holds for any values of the arbitraries. */
export function forAll<T extends [unknown, ...unknown[]]>(
  arbitraries: Arbitraries<T>,
  check: (...values: T) => boolean | void,
  options: fc.Parameters<T> = {},
): void {
  fc.assert(fc.property(...arbitraries, check), options);
}

/** As `forAll`, for checks that take time. */
export async function forAllAsync<T extends [unknown, ...unknown[]]>(
  arbitraries: Arbitraries<T>,
  check: (...values: T) => Promise<boolean | void>,
  options: fc.Parameters<T> = {},
): Promise<void> {
  await fc.assert(fc.asyncProperty(...arbitraries, check), options);
}

export default fc;
