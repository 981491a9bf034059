import { z } from 'zod';
import { measured, type Measured } from './definition.ts';

/** The parameters of every metric that counts something. */
export const bounds = {
  min: z.number().optional().describe('Smallest count that passes.'),
  max: z.number().optional().describe('Largest count that passes.'),
};

/** A count, which passes inside the bounds that are set. */
export function within(
  count: number,
  { min, max }: { min?: number | undefined; max?: number | undefined },
  unit: string,
): Measured {
  if (min !== undefined && count < min)
    return measured(count, false, `${String(count)} ${unit}, at least ${String(min)} wanted`);
  if (max !== undefined && count > max)
    return measured(count, false, `${String(count)} ${unit}, at most ${String(max)} wanted`);
  return measured(count, true);
}
