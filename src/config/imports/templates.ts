import { emptyMap, valueAt } from '../../documents/document.ts';
import { isMap, type Json, type JsonMap, type Scalar } from '../../types/plain.ts';
import { isScalar } from './draft.ts';
import { renderTemplate } from './nunjucks.ts';

/**
 * What stands between `{{` and `}}` in other tools' templates: a variable, or a member of it
 * (`user.name`, `rows[0]`).
 */
type Step = string | number;

type Part = { text: string } | { path: Step[] };

/** `text`: as it is written. */
export type Template = { ok: true; parts: Part[]; text: string } | { ok: false; construct: string };

const PATH = /^[A-Za-z_][A-Za-z0-9_]*(?:\.[A-Za-z0-9_]+|\[\d+\])*$/;

const STATEMENT = /\{[%#]/;

/**
 * Reads a template. Filters, calls, conditions, loops and the environment are not ours: the first
 * of them is named.
 */
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

/**
 * Whether braces or a tag open and neither close nor hold on to the end of their line: the other
 * tool takes such a text as it stands, unless it says itself what is raw.
 */
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

/** What opens a part of a template, and the sign that its end begins with. */
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

/** The variable of ours that stands for a path: `user.name` is `user_name`. */
export function variableOf(path: readonly Step[]): string {
  return path.map(String).join('_');
}

/** A template in our form, `{name}`; braces that would mean something here are doubled. */
export function toOurs(template: Extract<Template, { ok: true }>): string {
  return template.parts
    .map((part) => ('text' in part ? escapeNames(part.text) : `{${variableOf(part.path)}}`))
    .join('');
}

/** A text of another tool in our form; what is no template that is read here means itself. */
export function oursOf(text: string): string {
  const template = readTemplate(text);
  return template.ok ? toOurs(template) : escapeNames(text);
}

/**
 * Text in our form that means itself: a name in braces is doubled. Of several braces around a name
 * one pair is kept.
 */
export function escapeNames(text: string): string {
  return text.replace(
    /(\{+)([A-Za-z_][A-Za-z0-9_]*)(\}+)/g,
    (_, open: string, name: string, close: string) => {
      const pairs = Math.min(open.length, close.length);
      return `${open.slice(pairs)}{{${name}}}${close.slice(pairs)}`;
    },
  );
}

/** Every path that a template uses, repeats included. */
export function pathsOf(template: Extract<Template, { ok: true }>): Step[][] {
  return template.parts.flatMap((part) => ('path' in part ? [part.path] : []));
}

/** A value as a template shows it: maps and lists as JSON. */
export function templateText(value: Json): string {
  return isScalar(value) ? String(value) : value === null ? '' : JSON.stringify(value);
}

/** A value as promptfoo's assertions show it: a list between commas, a map by its kind. */
export function assertionText(value: Json): string {
  if (value === null) return '';
  if (Array.isArray(value)) return value.map(assertionText).join(',');
  return isMap(value) ? '[object Object]' : String(value);
}

type Filled = { ok: true; text: string } | { ok: false; why: string };

/** What a variable without a value is: a mistake, or nothing. */
type Missing = 'told' | 'empty';

/** The template filled in with another tool's variables; `show`: a map or list as text. */
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

/** All texts inside a value filled in; the first that cannot be is told. */
export function fillInAll(
  value: Json,
  vars: JsonMap,
  missing: Missing = 'told',
): { ok: true; value: Json } | { ok: false; why: string } {
  if (typeof value === 'string') {
    const filled = fillIn(value, vars, missing);
    return filled.ok ? { ok: true, value: filled.text } : filled;
  }
  if (Array.isArray(value)) {
    const items: Json[] = [];
    for (const item of value) {
      const filled = fillInAll(item, vars, missing);
      if (!filled.ok) return filled;
      items.push(filled.value);
    }
    return { ok: true, value: items };
  }
  if (!isMap(value)) return { ok: true, value };
  const map = emptyMap();
  for (const [key, member] of Object.entries(value)) {
    const filled = fillInAll(member, vars, missing);
    if (!filled.ok) return filled;
    map[key] = filled.value;
  }
  return { ok: true, value: map };
}

/**
 * Another tool's variables as the scalars that a reference has: its own names, and those of the
 * paths that are used, of which those without a value are empty.
 */
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
