import type { Template } from '../../../config/templates.ts';
import { emptyMap, valueAt } from '../../../documents/document.ts';
import { isMap, type Json, type JsonMap } from '../../../types/plain.ts';
import { isScalar } from './draft.ts';

export function templateText(value: Json): string {
  return isScalar(value) ? String(value) : value === null ? '' : JSON.stringify(value);
}

/** Joins lists with commas, as promptfoo's assertions do. */
export function assertionText(value: Json): string {
  if (value === null) return '';
  if (Array.isArray(value)) return value.map(assertionText).join(',');
  return isMap(value) ? '[object Object]' : String(value);
}

export type FillResult = { ok: true; text: string } | { ok: false; why: string };

export function fillVariables(
  template: Extract<Template, { ok: true }>,
  vars: JsonMap,
  missing: 'told' | 'empty' = 'told',
  show: (value: Json) => string = templateText,
): FillResult {
  let text = '';
  for (const part of template.parts) {
    const value = 'text' in part ? part.text : valueAt(vars, part.path);
    if ('path' in part && value === undefined && missing === 'told')
      return { ok: false, why: `{{${part.path.join('.')}}} has no value` };
    text += 'text' in part ? part.text : show(value ?? null);
  }
  return { ok: true, text };
}

export function mapTexts(value: Json, change: (text: string) => string): Json {
  if (typeof value === 'string') return change(value);
  if (Array.isArray(value)) return value.map((item) => mapTexts(item, change));
  if (!isMap(value)) return value;
  const map = emptyMap();
  for (const [key, member] of Object.entries(value)) map[key] = mapTexts(member, change);
  return map;
}
