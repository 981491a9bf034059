import parser, { type SyntaxNode } from 'nunjucks/src/parser.js';
import { shorten } from '../../../text/visible.ts';
import { refuse, isAmong } from '../shared/node.ts';

/** Refuses templates with unsupported parts. */
export function parseTemplate(text: string): SyntaxNode {
  const refuseAt = (index: number): never =>
    refuse(`${tagAt(text, index)} is not a supported variable, filter or tag`);
  const raw = unclosedAt(text, RAW);
  if (raw !== undefined) refuseAt(raw);
  try {
    const root = parser.parse(text);
    checkNode(root);
    return root;
  } catch (error) {
    // nunjucks gives no position for an error at the end of the text.
    const { lineno, colno = 1 } = error as { lineno?: number; colno?: number };
    const before = lineno === undefined ? [] : text.split('\n', lineno - 1);
    const at = before.reduce((sum, { length }) => sum + length + 1, colno - 1);
    return refuseAt(lineno === undefined ? (unclosedAt(text, BLOCK) ?? text.length) : at);
  }
}

const SUPPORTED =
  'Root NodeList Output TemplateData If For Set Literal Symbol Array Group LookupVal InlineIf ' +
  'Filter Compare CompareOperand In Or And Not Add';

function checkNode(node: SyntaxNode): void {
  if (!isAmong(SUPPORTED, node.typename) || isUnread(node)) {
    const { lineno, colno } = node;
    throw Object.assign(new Error('unsupported'), { lineno: lineno + 1, colno: colno + 1 });
  }
  for (const part of Object.values({ ...node }).flat())
    if (typeof part === 'object' && part !== null && 'typename' in part)
      checkNode(part as SyntaxNode);
}

function isUnread(node: SyntaxNode): boolean {
  switch (node.typename) {
    case 'Symbol':
      // Rejects `env`, because its value depends on the environment.
      return node.value === 'env';
    case 'Literal':
      return typeof node.value === 'object' && node.value !== null;
    case 'Group':
      return node.children.length !== 1;
    case 'Set':
      return node.targets.length !== 1 || node.targets[0].typename !== 'Symbol';
    case 'For':
      return loopVariables(node).some(({ typename }) => typename !== 'Symbol');
    case 'Compare':
      return node.ops.length !== 1;
    case 'Not':
      return node.target.typename === 'Add';
    default:
      return false;
  }
}

export function loopVariables({ name }: Extract<SyntaxNode, { typename: 'For' }>) {
  return name.typename === 'Array' ? name.children : [name];
}

const TAG = /\{\{[^]*?\}\}|\{%[^]*?%\}|\{#[^]*?#\}|\{[{%#][^]*$/g;

/** The tag at this index, or the last one before it. */
function tagAt(text: string, index: number): string {
  const [tag = ''] = [...text.matchAll(TAG)].findLast((found) => found.index <= index) ?? [];
  return shorten(tag.replace(/\s+/g, ' '), 70);
}

const BLOCK = /\{%-?\s*(end)?(?:if|for)\b/g;

/** nunjucks takes quadratic time if an end tag is missing, and ignores end tags with a dash. */
const RAW = /\{%(?:-?\s*(?:raw|verbatim)\b|\s*(end)raw\s*%\})/g;

function unclosedAt(text: string, tags: RegExp): number | undefined {
  const open: number[] = [];
  for (const { index, 1: end } of text.matchAll(tags))
    if (end === undefined) open.push(index);
    else open.pop();
  return open[0];
}
