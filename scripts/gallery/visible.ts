/** Counts what a reader sees of a comment before opening a fold. */
import { micromark } from 'micromark';
import { gfm, gfmHtml } from 'micromark-extension-gfm';
import { parseFragment, type DefaultTreeAdapterTypes } from 'parse5';

type Node = DefaultTreeAdapterTypes.Node;

const INLINE: ReadonlySet<string> = new Set([
  ...['#text', 'a', 'b', 'i', 'em', 'strong', 'sub', 'code', 'span', 'wbr'],
]);

/**
 * A comment's text as GitHub first shows it: without the hidden marker, and with only the summaries
 * of closed folds. `isOpen` decides by the summary whether a fold is open.
 */
export function visibleText(comment: string, isOpen: (summary: string) => boolean = () => false) {
  const html = micromark(comment, {
    extensions: [gfm()],
    htmlExtensions: [gfmHtml()],
    allowDangerousHtml: true,
  });
  return shownOf(parseFragment(html), isOpen).replace(/\s+/g, ' ').trim();
}

function shownOf(node: Node, isOpen: (summary: string) => boolean): string {
  if (node.nodeName === '#text') return (node as DefaultTreeAdapterTypes.TextNode).value;
  if (!('childNodes' in node)) return '';
  const textOf = (nodes: readonly Node[]): string =>
    nodes.map((each) => shownOf(each, isOpen)).join('');
  const edge = INLINE.has(node.nodeName) ? '' : ' ';
  const summary = node.childNodes.filter(({ nodeName }) => nodeName === 'summary');
  const isShut = node.nodeName === 'details' && !isOpen(textOf(summary).trim());
  return `${edge}${textOf(isShut ? summary : node.childNodes)}${edge}`;
}

/** A word has a letter or a digit. */
export const wordsIn = (text: string): number =>
  text.split(' ').filter((word) => /[\p{L}\d]/u.test(word)).length;

/** Finds `12` and `4.5`, but not the digits of `t05` or of a commit. */
export const numbersIn = (text: string): number =>
  text.match(/(?<![\p{L}\d_.-])\d+(?:[.,]\d+)*(?![\p{L}\d_])/gu)?.length ?? 0;

/** Words that need knowledge of statistics, and words that older versions used. */
const NOT_PLAIN =
  /\b(?:intervals?|power|tolerance|judged tries|told apart|fell with the suite|rules? out|ruled out|detects drops)\b/gi;

/** Statistics that only folds may name, in brackets, for experts. */
const FIGURES = /\b(?:mcnemar|macro-f1)\b|κ/gi;

export const notPlainIn = (text: string): string[] => text.match(NOT_PLAIN) ?? [];

export const figuresIn = (text: string): string[] => text.match(FIGURES) ?? [];

const SURE = 'How sure is this?';

/** A comment's text, except the fold that explains the statistics. */
export const unfolded = (comment: string): string =>
  visibleText(comment, (summary) => !summary.startsWith(SURE));
