import type { Notice, Scalar } from '../types.ts';
import { emptyMap, isMap, valueAt } from './document.ts';
import type { Document } from './document.ts';
import { readOverrides } from './overrides.ts';

/** Keys of an `llmeval.yaml` that belong to Hydra or to Log10. */
const FOREIGN = ['defaults', 'hydra', 'log10'] as const;
const SWEEPER = ['hydra', 'sweeper', 'params'];

/**
 * An `llmeval.yaml` without the keys that only llmeval reads. Its sweep section
 * (`hydra.sweeper.params`, entries like `prompts.model: gpt-4,claude-2`) comes back as a sweep;
 * whatever is left out is a notice with its line.
 */
export function withoutForeignKeys(document: Document): {
  document: Document;
  sweep: Record<string, Scalar[]>;
  notices: Notice[];
} {
  const value = emptyMap();
  const notices: Notice[] = [];
  const say = (path: readonly string[], message: string) =>
    notices.push({ kind: 'settings', message, place: document.placeOf(path) });
  const sweep = readSweep(document, say);
  for (const [key, member] of Object.entries(isMap(document.value) ? document.value : {})) {
    if (!(FOREIGN as readonly string[]).includes(key)) value[key] = member;
    else if (key === 'log10')
      say([key], 'log10 is not used; remove it, and withdraw the token if one stands in it');
    else if (key === 'defaults')
      say([key], 'defaults of the settings file are not used: every prompt is read');
    else if (Object.keys(sweep).length === 0)
      say([key], 'hydra is not used; a sweep is written as sweep: { model: [a, b] }');
  }
  return {
    document: { ...document, value: isMap(document.value) ? value : document.value },
    sweep,
    notices,
  };
}

function readSweep(
  document: Document,
  say: (path: readonly string[], message: string) => void,
): Record<string, Scalar[]> {
  const sweep: Record<string, Scalar[]> = {};
  const params = valueAt(document.value, SWEEPER);
  for (const [key, written] of Object.entries(isMap(params) ? params : {})) {
    const list = Array.isArray(written) ? written.join(',') : String(written);
    // Hydra's functions (choice, range, glob) are not read; all prompts are run anyway.
    const { overrides, problems } = readOverrides(
      key.startsWith('prompts.') && !list.includes('(') ? [`${key}=${list}`] : [],
    );
    if (problems.length > 0 || overrides.parameters.size === 0)
      say([...SWEEPER, key], `${key} of hydra's sweeper is not used`);
    for (const [name, values] of overrides.parameters) sweep[name] = values;
  }
  return sweep;
}
