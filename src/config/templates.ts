import { emptyMap, valueAt } from '../documents/document.ts';
import { isScalar } from '../features/imports/draft.ts';
import { renderTemplate } from '../features/imports/promptfoo/nunjucks.ts';
import { isMap, type Json, type JsonMap, type Scalar } from '../types/plain.ts';

/** A variable between `{{` and `}}`, or a member of it (`user.name`, `rows[0]`). */
type Step = string | number;

type Part = { text: string } | { path: Step[] };

/** `text`: as written. */
export type Template = { ok: true; parts: Part[]; text: string } | { ok: false; construct: string };

const PATH = /^[A-Za-z_][A-Za-z0-9_]*(?:\.[A-Za-z0-9_]+|\[\d+\])*$/;

const STATEMENT = /\{[%#]/;

/** Filters, calls, conditions, loops and the environment are unsupported: names the first. */
export function readTemplate(text: string): Template {
  const statement = STATEMENT.exec(text);
  if (statement !== null) return { ok: false, construct: firstLine(text.slice(statement.index)) };
  const parts: Part[] = [];
  let from = 0;
  for (;;) {
    const open = text.indexOf('{{', from);
    const close = open === -1 ? -1 : text.indexOf('}}', open);
    if (close === -1) break;
    const inside = text.slice(open + 2, close).trim();
    if (!PATH.test(inside) || inside.startsWith('env.'))
      return { ok: false, construct: firstLine(text.slice(open, close + 2)) };
    parts.push({ text: text.slice(from, open) }, { path: stepsOf(inside) });
    from = close + 2;
  }
  parts.push({ text: text.slice(from) });
  return { ok: true, text, parts: parts.filter((part) => !('text' in part) || part.text !== '') };
}

/** Whether braces or a tag open without closing. promptfoo sends such text unchanged. */
export function isCutOff(text: string): boolean {
  if (/\{%\s*raw\s*%\}/.test(text) && /\{%\s*endraw\s*%\}/.test(text)) return false;
  return MARKS.some(([open, close]) => {
    for (let at = text.indexOf(open); at !== -1;) {
      const end = text.indexOf(close, at + 2);
      if (end === -1 || /[\n\r]/.test(text.slice(at + 2, end))) return true;
      at = text.indexOf(open, end);
    }
    return false;
  });
}

/** Opening marks, and the first character of their ends. */
const MARKS = [
  ['{{', '}'],
  ['{%', '%'],
  ['{#', '#'],
] as const;

function stepsOf(inside: string): Step[] {
  return inside
    .split(/[.[]/)
    .map((step) => (/^\d+\]?$/.test(step) ? Number.parseInt(step, 10) : step.replace(']', '')));
}

function firstLine(text: string): string {
  return text.split('\n', 1)[0]?.slice(0, 60) ?? '';
}

/** Our variable for a path: `user.name` becomes `user_name`. */
export function variableOf(path: readonly Step[]): string {
  return path.map(String).join('_');
}

/** A template in our form, `{name}`; doubles braces that would be variables. */
export function toOurs(template: Extract<Template, { ok: true }>): string {
  return template.parts
    .map((part) => ('text' in part ? escapeNames(part.text) : `{${variableOf(part.path)}}`))
    .join('');
}

/** Other tools' text in our form; text that is not a supported template is literal. */
export function oursOf(text: string): string {
  const template = readTemplate(text);
  return template.ok ? toOurs(template) : escapeNames(text);
}

/** Escapes literal text: doubles braces around names, and reduces several braces to one pair. */
export function escapeNames(text: string): string {
  return text.replace(
    /(\{+)([A-Za-z_][A-Za-z0-9_]*)(\}+)/g,
    (_, open: string, name: string, close: string) => {
      const pairs = Math.min(open.length, close.length);
      return `${open.slice(pairs)}{{${name}}}${close.slice(pairs)}`;
    },
  );
}

/** Every path in a template, with repeats. */
export function pathsOf(template: Extract<Template, { ok: true }>): Step[][] {
  return template.parts.flatMap((part) => ('path' in part ? [part.path] : []));
}

/** Formats a value in a template: maps and lists as JSON. */
export function templateText(value: Json): string {
  return isScalar(value) ? String(value) : value === null ? '' : JSON.stringify(value);
}

/** Formats a value in promptfoo's assertions: lists with commas, maps by their kind. */
export function assertionText(value: Json): string {
  if (value === null) return '';
  if (Array.isArray(value)) return value.map(assertionText).join(',');
  return isMap(value) ? '[object Object]' : String(value);
}

type Filled = { ok: true; text: string } | { ok: false; why: string };

type Missing = 'told' | 'empty';

/** Fills in a template; `show` formats maps and lists. */
export function fillIn(
  text: string,
  vars: JsonMap,
  missing: Missing = 'told',
  show: (value: Json) => string = templateText,
): Filled {
  const template = readTemplate(text);
  if (!template.ok) return renderTemplate(text, vars, show);
  let out = '';
  for (const part of template.parts) {
    if ('text' in part) {
      out += part.text;
      continue;
    }
    const value = valueAt(vars, part.path);
    if (value === undefined && missing === 'told')
      return { ok: false, why: `{{${part.path.join('.')}}} has no value` };
    out += show(value ?? null);
  }
  return { ok: true, text: out };
}

/** Fills in all texts in a value, or returns the first error. */
export function fillInAll(
  value: Json,
  vars: JsonMap,
): { ok: true; value: Json } | { ok: false; why: string } {
  if (typeof value === 'string') {
    const filled = fillIn(value, vars);
    return filled.ok ? { ok: true, value: filled.text } : filled;
  }
  if (Array.isArray(value)) {
    const items: Json[] = [];
    for (const item of value) {
      const filled = fillInAll(item, vars);
      if (!filled.ok) return filled;
      items.push(filled.value);
    }
    return { ok: true, value: items };
  }
  if (!isMap(value)) return { ok: true, value };
  const map = emptyMap();
  for (const [key, member] of Object.entries(value)) {
    const filled = fillInAll(member, vars);
    if (!filled.ok) return filled;
    map[key] = filled.value;
  }
  return { ok: true, value: map };
}

/** A reference's scalars: top-level names and the paths in use, '' if without a value. */
export function inputOf(
  vars: JsonMap,
  paths: readonly (readonly Step[])[],
): Record<string, Scalar> {
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
