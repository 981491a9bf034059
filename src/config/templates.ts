type PathStep = string | number;

type TemplatePart = { text: string } | { path: PathStep[] };

export type Template =
  { ok: true; parts: TemplatePart[]; text: string } | { ok: false; construct: string };

const VARIABLE_PATH = /^[A-Za-z_][A-Za-z0-9_]*(?:\.[A-Za-z0-9_]+|\[\d+\])*$/;

const STATEMENT = /\{[%#]/;

/**
 * Returns the first unsupported construct, such as a filter, call, loop or environment variable.
 */
export function readTemplate(text: string): Template {
  const statement = STATEMENT.exec(text);
  if (statement !== null)
    return { ok: false, construct: firstLineExcerpt(text.slice(statement.index)) };
  const parts: TemplatePart[] = [];
  let from = 0;
  for (;;) {
    const open = text.indexOf('{{', from);
    const close = open === -1 ? -1 : text.indexOf('}}', open);
    if (close === -1) break;
    const inside = text.slice(open + 2, close).trim();
    if (!VARIABLE_PATH.test(inside) || inside.startsWith('env.'))
      return { ok: false, construct: firstLineExcerpt(text.slice(open, close + 2)) };
    parts.push({ text: text.slice(from, open) }, { path: pathSteps(inside) });
    from = close + 2;
  }
  parts.push({ text: text.slice(from) });
  return { ok: true, text, parts: parts.filter((part) => !('text' in part) || part.text !== '') };
}

function pathSteps(inside: string): PathStep[] {
  return inside
    .split(/[.[]/)
    .map((step) => (/^\d+\]?$/.test(step) ? Number.parseInt(step, 10) : step.replace(']', '')));
}

function firstLineExcerpt(text: string): string {
  return text.split('\n', 1)[0]?.slice(0, 60) ?? '';
}

export function variableOf(path: readonly PathStep[]): string {
  return path.map(String).join('_');
}

export function toOurs(template: Extract<Template, { ok: true }>): string {
  return template.parts
    .map((part) => ('text' in part ? escapeNames(part.text) : `{${variableOf(part.path)}}`))
    .join('');
}

export function oursOf(text: string): string {
  const template = readTemplate(text);
  return template.ok ? toOurs(template) : escapeNames(text);
}

/**
 * Names in single braces get double ones, so that they are sent as text. Longer runs of braces
 * become one pair.
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

export function pathsOf(template: Extract<Template, { ok: true }>): PathStep[][] {
  return template.parts.flatMap((part) => ('path' in part ? [part.path] : []));
}
