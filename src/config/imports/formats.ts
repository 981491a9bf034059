import { valueAt } from '../../documents/document.ts';
import { isMap, type Json } from '../../types/plain.ts';

export const IMPORT_FORMATS = ['promptfoo', 'prompt-yml', 'agent-skills', 'flexeval'] as const;

export type ImportFormat = (typeof IMPORT_FORMATS)[number];

/** Keys of promptfoo, two of which stand in a configuration; ours has at most one in a file. */
const PROMPTFOO = ['prompts', 'providers', 'targets', 'tests', 'defaultTest', 'scenarios'];

/** Keys of a `.prompt.yml` that no prompt of ours has. */
const PROMPT_YML = ['testData', 'evaluators', 'modelParameters', 'responseFormat', 'jsonSchema'];

/** Keys by which a prompt is ours. */
const OURS = ['variables', 'defaults', 'tests'];

/** Whose file this is, by its shape; null for a file of ours, or of nobody known. */
export function formatOfContent(file: string, value: Json): ImportFormat | null {
  if (!isMap(value)) return null;
  const has = (key: string): boolean => Object.hasOwn(value, key);
  if (isFlexEval(value)) return 'flexeval';
  if (PROMPTFOO.filter(has).length > 1) return 'promptfoo';
  if (Array.isArray(value['messages']) && !OURS.some(has))
    return PROMPT_YML.some(has) || /_prompt\.ya?ml$/.test(file) ? 'prompt-yml' : null;
  return has('skill_name') && ['evals', 'cases'].some((key) => Array.isArray(value[key]))
    ? 'agent-skills'
    : null;
}

/**
 * Whether a file is FlexEval's, by its shape: one run (`eval` on `data_sources`), or a map of evals
 * that each have their `metrics`.
 */
export function isFlexEval(value: Json): boolean {
  if (!isMap(value)) return false;
  if (isMap(value['eval']) && Array.isArray(value['data_sources'])) return true;
  const evals = Object.values(value);
  return (
    evals.length > 0 &&
    evals.every(
      (foreign) =>
        isMap(foreign) &&
        isMap(foreign['metrics']) &&
        ['function', 'rubric'].some((kind) => valueAt(foreign, ['metrics', kind]) !== undefined),
    )
  );
}
