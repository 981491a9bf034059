import { valueAt } from '../../documents/document.ts';
import { isMap, type Json } from '../../types/plain.ts';

export const IMPORT_FORMATS = ['promptfoo', 'prompt-yml', 'agent-skills', 'flexeval'] as const;

export type ImportFormat = (typeof IMPORT_FORMATS)[number];

/** promptfoo's keys. A configuration has two of them, a file of ours at most one. */
const PROMPTFOO = ['prompts', 'providers', 'targets', 'tests', 'defaultTest', 'scenarios'];

/** Keys that are only in a `.prompt.yml`. */
const PROMPT_YML = ['testData', 'evaluators', 'modelParameters', 'responseFormat', 'jsonSchema'];

/** Keys that are only in a prompt of ours. */
const OURS = ['variables', 'defaults', 'tests'];

/** Detects a file's format by content; null for ours and unknown ones. */
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

/** Detects FlexEval: one run (`eval` on `data_sources`), or a map of evals with `metrics`. */
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
