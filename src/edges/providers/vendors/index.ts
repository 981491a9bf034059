import type { Api } from '../../../types/vendors/facts.ts';
import type { VendorName } from '../../../types/vendors/names.ts';
import { factsOf, perVendor } from '../../../types/vendors.ts';
import { anthropic } from './anthropic.ts';
import { bedrock } from './bedrock.ts';
import { openai } from './openai.ts';
import type { Language, Vendor } from './vendor.ts';

const API_LANGUAGES: Readonly<Record<Api, Language>> = { openai, anthropic, bedrock };

export const vendors: Readonly<Record<VendorName, Vendor>> = perVendor((name) => {
  const facts = factsOf(name);
  const language = API_LANGUAGES[facts.speaks];
  return {
    ...language,
    name,
    facts,
    ...(name === 'vertex' && {
      body: (ask) => language.body({ ...ask, model: vertexModel(ask.model) }),
    }),
    texts: facts.embeddings === null ? null : language.texts,
    batches: facts.batchShare === null ? null : language.batches,
  };
});

/** The OpenAI-compatible API has its own form of `publishers/google/models/NAME`. */
function vertexModel(model: string): string {
  if (!model.includes('/')) return `google/${model}`;
  return model.replace(/^publishers\/([\w-]+)\/models\//, '$1/');
}
