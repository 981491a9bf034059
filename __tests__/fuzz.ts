import process from 'node:process';
import fc from 'fast-check';

/**
 * Property tests draw a tenth of their inputs at a desk, and all of them in CI: `EVALDIFF_FUZZ` is
 * the factor, 1 by default there.
 */
const factor = Number(process.env['EVALDIFF_FUZZ'] ?? 0.1);

/** How many inputs a property draws that needs `full` of them. */
export const draws = (full: number): number => Math.max(1, Math.ceil(full * factor));

fc.configureGlobal({ numRuns: draws(100) });

export default fc;
