import { micromark } from 'micromark';
import { gfm, gfmHtml } from 'micromark-extension-gfm';
import { parseFragment, type DefaultTreeAdapterTypes } from 'parse5';

type Node = DefaultTreeAdapterTypes.Node;

/** A comment as a browser shows it, and the parts that GitHub would act on. */
export interface Rendered {
  html: string;
  elements: string[];
  links: string[];
  images: string[];
  comments: string[];
  /** All text, and the text outside `code` and `pre`. */
  text: string;
  outside: string;
  code: string[];
  /** Mentions, issues and commits that GitHub would link: those outside `code`, `pre` and `a`. */
  references: string[];
}

/** The elements that any comment may have; the lines of a diff are also in a `pre`. */
export const COMMENT_ELEMENTS: ReadonlySet<string> = new Set([
  'h3',
  'p',
  'ul',
  'li',
  'br',
  'wbr',
  'a',
  'strong',
  'b',
  'i',
  'em',
  'sub',
  'code',
  'table',
  'tbody',
  'tr',
  'th',
  'td',
  'details',
  'summary',
]);

/** Renders GitHub-flavoured Markdown as in a comment, with raw HTML and without a sanitizer. */
export function renderGithub(markdown: string): Rendered {
  const html = micromark(markdown, {
    extensions: [gfm()],
    htmlExtensions: [gfmHtml()],
    allowDangerousHtml: true,
    allowDangerousProtocol: true,
  });
  return inspect(html);
}

function inspect(html: string): Rendered {
  const rendered: Rendered = {
    html,
    elements: [],
    links: [],
    images: [],
    comments: [],
    text: '',
    outside: '',
    code: [],
    references: [],
  };
  walk(parseFragment(html), rendered, { code: false, link: false });
  return rendered;
}

/** As GitHub's filters find them: in a text node, after decoding entities. */
const REFERENCES =
  /(?<![\w`])@[a-z\d][\w-]*(?:\/[\w-]+)?|(?:[\w.-]+\/[\w.-]+)?(?<!&)#\d+|\bGH-\d+|\b[0-9a-f]{7,40}\b(?<=\d.*)/gi;

function walk(node: Node, found: Rendered, inside: { code: boolean; link: boolean }) {
  if (node.nodeName === '#comment') {
    found.comments.push((node as DefaultTreeAdapterTypes.CommentNode).data);
    return;
  }
  if (node.nodeName === '#text') {
    const { value } = node as DefaultTreeAdapterTypes.TextNode;
    found.text += value;
    if (!inside.code) found.outside += value;
    if (!inside.code && !inside.link) found.references.push(...(value.match(REFERENCES) ?? []));
    return;
  }
  const here = { ...inside };
  if ('tagName' in node) {
    found.elements.push(node.tagName);
    const attributes = new Map(node.attrs.map(({ name, value }) => [name, value]));
    if (node.tagName === 'a') {
      found.links.push(attributes.get('href') ?? '');
      here.link = true;
    }
    if (['img', 'picture', 'source', 'video', 'iframe', 'object'].includes(node.tagName))
      found.images.push(attributes.get('src') ?? '');
    if (node.tagName === 'code' || node.tagName === 'pre') {
      if (!inside.code) found.code.push(textOf(node));
      here.code = true;
    }
  }
  if ('childNodes' in node) for (const child of node.childNodes) walk(child, found, here);
}

function textOf(node: Node): string {
  if (node.nodeName === '#text') return (node as DefaultTreeAdapterTypes.TextNode).value;
  if (node.nodeName === 'br') return '\n';
  return 'childNodes' in node ? node.childNodes.map(textOf).join('') : '';
}

/** HTML in which `instead` replaces everything inside folds. */
export function withoutFolds(html: string, instead = ''): string {
  const open = html.replace(/<details>(?:(?!<details>)[^])*?<\/details>/g, instead);
  return open === html ? html : withoutFolds(open, instead);
}
