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

fc.configureGlobal({ numRuns: draws(100) });

export default fc;
