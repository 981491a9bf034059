import type { VendorFacts } from './facts.ts';

export const openaiFacts = {
  label: 'OpenAI',
  speaks: 'openai',
  host: 'https://api.openai.com/v1',
  keyInput: 'openai-api-key',
  keyVariable: 'OPENAI_API_KEY',
  keyHeader: 'authorization',
  baseUrlVariable: 'OPENAI_BASE_URL',
  models: /^(gpt-|chatgpt-|o\d|text-embedding-)/,
  starterModel: 'gpt-5-mini',
  priceId: 'openai',
  embeddings: 'text-embedding-3-small',
  batchShare: 0.5,
} as const satisfies VendorFacts;
