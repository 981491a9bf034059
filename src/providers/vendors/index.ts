import type { VendorName } from '../../types/vendors.ts';
import { anthropic } from './anthropic.ts';
import { openai } from './openai.ts';
import type { Vendor } from './vendor.ts';

type VendorTable = Readonly<Record<VendorName, Vendor>>;

/**
 * One row per vendor; `__tests__/contract/providers.test.ts` runs the same behaviours over every
 * row.
 */
export const vendors: VendorTable = { openai, anthropic };
