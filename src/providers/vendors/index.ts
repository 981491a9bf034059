import { anthropic } from './anthropic.ts';
import { openai } from './openai.ts';
import type { Vendor, VendorName } from './vendor.ts';

/**
 * One row per vendor; `__tests__/contract/providers.test.ts` runs the same behaviours over every
 * row.
 */
export const vendors: Readonly<Record<VendorName, Vendor>> = { openai, anthropic };
