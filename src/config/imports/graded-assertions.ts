import { uses, why, type Convert } from './assertion-parts.ts';
import { isScalar } from './draft.ts';
import { EMBEDDINGS, embeddingModel, isConfigured } from './models.ts';

/** Assertions that a model judges, or that compare vectors. */
export const GRADED_ASSERTIONS: Readonly<Record<string, Convert>> = {
  similar: ({ value, threshold, provider }) => {
    const texts = Array.isArray(value) ? value.filter(isScalar).map(String) : value;
    if (!isScalar(texts) && !(Array.isArray(texts) && texts.length > 0))
      return why('its value is not text');
    // The vendor itself must not be asked what was meant for another server.
    if (isConfigured(provider))
      return why(
        "its embeddings are asked of a server of its own; name that server's model in the settings (models, embeddings) and use embedding_similarity",
      );
    return uses('embedding_similarity', {
      value: isScalar(texts) ? String(texts) : texts,
      model: embeddingModel(provider) ?? EMBEDDINGS,
      threshold: threshold ?? 0.75,
    });
  },
  'llm-rubric': graded('llm_rubric', 'criteria'),
  'model-graded-closedqa': graded('closed_qa', 'criteria'),
  'g-eval': ({ value, threshold }) => {
    const criteria = Array.isArray(value) ? value.map(String).join('\n') : value;
    return typeof criteria === 'string' && criteria !== ''
      ? uses('g_eval', { criteria }, threshold ?? 0.7)
      : why('its value is not text');
  },
  factuality: graded('factuality', 'value'),
  'model-graded-factuality': graded('factuality', 'value'),
  'answer-relevance': ({ threshold }) => uses('answer_relevance', {}, threshold),
};

function graded(name: string, key: string): Convert {
  return ({ value, threshold }) =>
    typeof value === 'string' && value !== ''
      ? uses(name, { [key]: value }, threshold)
      : why('its value is not text');
}
