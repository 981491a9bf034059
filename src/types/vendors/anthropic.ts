import type { VendorFacts } from './facts.ts';

export const anthropicFacts = {
  label: 'Anthropic',
  speaks: 'anthropic',
  host: 'https://api.anthropic.com',
  keyInput: 'anthropic-api-key',
  keyVariable: 'ANTHROPIC_API_KEY',
  keyHeader: 'x-api-key',
  baseUrlVariable: 'ANTHROPIC_BASE_URL',
  models: /^claude-/,
  starterModel: 'claude-sonnet-4-5',
  priceId: 'anthropic',
  embeddings: null,
  batchShare: 0.5,
} as const satisfies VendorFacts;
