import { readTemplate, variableOf } from '../../../config/templates.ts';
import { valueAt, type Path } from '../../../documents/document.ts';
import type { Json, JsonMap, Scalar } from '../../../types/plain.ts';
import { isScalar } from '../shared/draft.ts';
import { fillVariables, templateText } from '../shared/templates.ts';
import { renderTemplate } from './nunjucks.ts';

/** promptfoo sends text unchanged if a brace is not closed on its line. */
export function isCutOff(text: string): boolean {
  if (/\{%\s*raw\s*%\}/.test(text) && /\{%\s*endraw\s*%\}/.test(text)) return false;
  return TEMPLATE_MARKS.some(([open, close]) => {
    for (let at = text.indexOf(open); at !== -1;) {
      const end = text.indexOf(close, at + 2);
      if (end === -1 || /[\n\r]/.test(text.slice(at + 2, end))) return true;
      at = text.indexOf(open, end);
    }
    return false;
  });
}

const TEMPLATE_MARKS = [
  ['{{', '}'],
  ['{%', '%'],
  ['{#', '#'],
] as const;

export function fillIn(
  text: string,
  vars: JsonMap,
  missing: 'refused' | 'empty',
  show: (value: Json) => string = templateText,
): string {
  const template = readTemplate(text);
  return template.ok
    ? fillVariables(template, vars, missing, show)
    : renderTemplate(text, vars, show);
}

export function inputOf(vars: JsonMap, paths: readonly Path[]): Record<string, Scalar> {
  const input: Record<string, Scalar> = {};
  for (const [name, value] of Object.entries(vars))
    input[name] = isScalar(value) ? value : templateText(value);
  for (const path of paths.filter(({ length }) => length > 1)) {
    const value = valueAt(vars, path);
    if (value !== undefined)
      input[variableOf(path)] = isScalar(value) ? value : templateText(value);
  }
  for (const path of paths) input[variableOf(path)] ??= '';
  return input;
}
