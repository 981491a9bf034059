import type { z } from 'zod';

/**
 * Features add their keys: `declare module '…/kernel/result/feature-parts.ts' { interface
 * FeatureParts { … } }`.
 */

/** A feature's `emptyParts` has these keys, so that every result has them. */
// eslint-disable-next-line @typescript-eslint/no-empty-object-type
export interface FeatureParts {}

// eslint-disable-next-line @typescript-eslint/no-empty-object-type
export interface SuiteParts {}

// eslint-disable-next-line @typescript-eslint/no-empty-object-type
export interface TryParts {}

export type KeySchemas = Readonly<Record<string, z.ZodType>>;

export interface OwnKeys {
  run?: KeySchemas;
  suite?: KeySchemas;
  tries?: KeySchemas;
}

export function withKeys<Shape extends z.ZodRawShape>(
  schema: z.ZodObject<Shape, z.core.$strict>,
  own: KeySchemas = {},
): z.ZodObject<Shape, z.core.$strict> {
  return schema.extend(own) as unknown as z.ZodObject<Shape, z.core.$strict>;
}
