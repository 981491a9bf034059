import type { Template } from '../../../config/templates.ts';
import { emptyMap, valueAt } from '../../../documents/document.ts';
import { isMap, type Json, type JsonMap } from '../../../types/plain.ts';
import { isScalar } from './draft.ts';
import { refuse } from './node.ts';

export function templateText(value: Json): string {
  return isScalar(value) ? String(value) : value === null ? '' : JSON.stringify(value);
}

/** Joins lists with commas, as promptfoo's assertions do. */
export function assertionText(value: Json): string {
  if (value === null) return '';
  if (Array.isArray(value)) return value.map(assertionText).join(',');
  return isMap(value) ? '[object Object]' : String(value);
}

/** Refuses variables without a value if `missing` is `refused`. */
export function fillVariables(
  template: Extract<Template, { ok: true }>,
  vars: JsonMap,
  missing: 'refused' | 'empty' = 'refused',
  show: (value: Json) => string = templateText,
): string {
  const texts = template.parts.map((part) => {
    if ('text' in part) return part.text;
    const value = valueAt(vars, part.path);
    return value === undefined && missing === 'refused'
      ? refuse(`{{${part.path.join('.')}}} has no value`)
      : show(value ?? null);
  });
  return texts.join('');
}

export function mapTexts(value: Json, change: (text: string) => string): Json {
  if (typeof value === 'string') return change(value);
  if (Array.isArray(value)) return value.map((item) => mapTexts(item, change));
  if (!isMap(value)) return value;
  const map = emptyMap();
  for (const [key, member] of Object.entries(value)) map[key] = mapTexts(member, change);
  return map;
}
