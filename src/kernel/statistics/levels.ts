/**
 * Every level at which a verdict is decided. Shares are parts of `gate.alpha`; other numbers are
 * levels or false-discovery rates (0–1).
 *
 * | decision about                                      | share or level                         |
 * | --------------------------------------------------- | -------------------------------------- |
 * | individual references of the run, by e-values       | 0.2 of alpha                           |
 * | all suites of the run together (the pool)           | 0.4 of alpha, if there are several     |
 * | suites and metrics that can fail them, by Holm      | 0.4 of alpha; without a pool 0.8       |
 * | with fixed tries: the suite, individual references  | 0.6 and 0.4 of the suite's two shares  |
 * | head answers less often than base                   | 0.2 of alpha, on top                   |
 * | a reference or metric is named as worse             | 0.05: neutral, not red                 |
 * | a reference is named as fixed                       | 0.05: does not affect the gate         |
 *
 * The levels of interim tests (looks) are in `plan/looks.ts`.
 */
export const ALPHA_SHARES = { references: 0.2, pool: 0.4, suites: 0.4, answered: 0.2 };

/** With fixed tries: the part for individual references. The rest is for the suite. */
export const FIXED_REFERENCE_SHARE = 0.4;

export const REFERENCE_FDR = 0.05;

export const NAMED_P = 0.05;

export const FIXED_FDR = 0.05;
