import { escapeMarkup } from './visible.ts';

const HTML = Symbol('HTML');

/**
 * HTML in which all text is escaped. Parsed JSON cannot imitate it, because the key is a symbol.
 */
export interface Markup {
  readonly [HTML]: string;
}

export type MarkupPart = string | number | Markup | null | readonly MarkupPart[];

const literals = new WeakMap<TemplateStringsArray, readonly string[]>();

export function markup(template: TemplateStringsArray, ...parts: readonly MarkupPart[]): Markup {
  const known = literals.get(template) ?? template.map((text) => text.replace(/\n +/g, ''));
  literals.set(template, known);
  return trustedHtml(
    known.reduce((html, text, at) => html + partHtml(parts[at - 1] ?? null) + text),
  );
}

/** Only for a library's output and our own files. */
export function trustedHtml(html: string): Markup {
  return { [HTML]: html };
}

export function markupText(html: Markup): string {
  return html[HTML];
}

export function joinMarkup(parts: readonly MarkupPart[], separator: string): Markup {
  return trustedHtml(parts.map(partHtml).join(separator));
}

function partHtml(part: MarkupPart): string {
  if (part === null) return '';
  if (typeof part === 'string') return escapeMarkup(part);
  if (typeof part === 'number') return String(part);
  return HTML in part ? part[HTML] : part.reduce<string>((html, each) => html + partHtml(each), '');
}
