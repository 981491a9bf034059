import { isMap, type Json } from '../../types/plain.ts';
import { isFlexEval } from './flexeval.ts';

export const IMPORT_FORMATS = ['promptfoo', 'prompt-yml', 'agent-skills', 'flexeval'] as const;

export type ImportFormat = (typeof IMPORT_FORMATS)[number];

/** Keys of promptfoo that stand beside `prompts`; our settings and prompts have none of them. */
const PROMPTFOO = ['providers', 'targets', 'tests', 'defaultTest', 'scenarios'];

/** Keys of a `.prompt.yml` that no prompt of ours has. */
const PROMPT_YML = ['testData', 'evaluators', 'modelParameters', 'responseFormat', 'jsonSchema'];

/** Keys by which a prompt is ours. */
const OURS = ['variables', 'defaults', 'tests'];

/** Whose file this is, by its shape; null for a file of ours, or of nobody known. */
export function formatOfContent(file: string, value: Json): ImportFormat | null {
  if (!isMap(value)) return null;
  const has = (key: string): boolean => Object.hasOwn(value, key);
  if (isFlexEval(value)) return 'flexeval';
  if (has('prompts') && PROMPTFOO.some(has)) return 'promptfoo';
  if (Array.isArray(value['messages']) && !OURS.some(has))
    return PROMPT_YML.some(has) || /_prompt\.ya?ml$/.test(file) ? 'prompt-yml' : null;
  return has('skill_name') && ['evals', 'cases'].some((key) => Array.isArray(value[key]))
    ? 'agent-skills'
    : null;
}
