import { vendorContract } from './vendor-contract.ts';

/** A vendor of each API, and one that speaks another's. `vendor-rows.test.ts` checks every row. */
describe.each(['openai', 'anthropic', 'openrouter'] as const)('%s', vendorContract);
