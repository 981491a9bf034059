import { escapeMarkup } from './visible.ts';

const HTML = Symbol('HTML');

/** HTML in which every text is escaped. The symbol keeps parsed JSON from passing for it. */
export interface Markup {
  readonly [HTML]: string;
}

export type MarkupPart = string | number | Markup | null | readonly MarkupPart[];

const literals = new WeakMap<TemplateStringsArray, readonly string[]>();

/** Line breaks before indentation are layout and left out. */
export function markup(template: TemplateStringsArray, ...parts: readonly MarkupPart[]): Markup {
  const known = literals.get(template) ?? template.map((text) => text.replace(/\n +/g, ''));
  literals.set(template, known);
  // Concatenation does not copy what a page is made of.
  return trustedHtml(
    known.reduce((html, text, at) => html + partHtml(parts[at - 1] ?? null) + text),
  );
}

/** Only for a library's output or a file of our own. */
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
