/**
 * What features add to results. A feature declares its keys in its own folder:
 * `declare module '…/kernel/result/feature-parts.ts' { interface FeatureParts { … } }`.
 */

/** Keys of a result. The entry's table gives those that are always there (`blank`). */
// eslint-disable-next-line @typescript-eslint/no-empty-object-type
export interface FeatureParts {}

/** Keys of a suite's result. */
// eslint-disable-next-line @typescript-eslint/no-empty-object-type
export interface SuiteParts {}
