import filters from 'nunjucks/src/filters.js';
import parser, { type Operator, type SyntaxNode } from 'nunjucks/src/parser.js';
import { shorten } from '../../../text/visible.ts';
import { isMap, ownEntry, type Json } from '../../../types/plain.ts';
import { refuse, isAmong } from '../shared/node.ts';
import { assertionText } from '../shared/templates.ts';

/** Limits, because nested loops can run very long. */
const MOST_CHARACTERS = 1_000_000;
const MOST_STEPS = 1_000_000;

type Value = Json | undefined;

interface RenderState {
  /** The innermost scope is last. Variables of a scope shadow those of the test. */
  scopes: Map<string, Value>[];
  vars: Readonly<Record<string, Json>>;
  text: string;
  steps: number;
  show(value: Json): string;
}

/** Does not escape HTML. Refuses unsupported parts. */
export function renderTemplate(
  text: string,
  vars: Readonly<Record<string, Json>>,
  show: (value: Json) => string,
): string {
  const root = parseTemplate(text);
  const state: RenderState = { scopes: [new Map()], vars, text: '', steps: 0, show };
  try {
    renderNode(root, state);
  } catch (error) {
    if (error instanceof RangeError) return refuse('its template is nested too deeply');
    throw error;
  }
  return state.text;
}

function renderNode(node: SyntaxNode, state: RenderState): void {
  state.steps += 1;
  if (state.steps > MOST_STEPS || state.text.length > MOST_CHARACTERS)
    refuse('its template output is too long');
  switch (node.typename) {
    case 'Root':
    case 'NodeList':
    case 'Output':
      for (const child of node.children) renderNode(child, state);
      return;
    case 'TemplateData':
      state.text += node.value;
      return;
    case 'If':
      renderBranch(Boolean(evaluateNode(node.cond, state)) ? node.body : node.else_, state);
      return;
    case 'For':
      renderLoop(node, state);
      return;
    case 'Set':
      setVariable(node.targets[0].value, evaluateNode(node.value, state), state);
      return;
    default:
      state.text += shownValue(evaluateNode(node, state), state);
  }
}

function shownValue(value: Value, { show }: RenderState): string {
  return value === undefined || value === null ? '' : show(value);
}

function renderBranch(node: SyntaxNode | null, state: RenderState): void {
  if (node !== null) renderNode(node, state);
}

function setVariable(name: string, value: Value, { scopes }: RenderState): void {
  const own = scopes.findLast((scope) => scope.has(name)) ?? scopes.at(-1);
  own?.set(name, value);
}

function renderLoop(node: Extract<SyntaxNode, { typename: 'For' }>, state: RenderState): void {
  const list = evaluateNode(node.arr, state) ?? null;
  const names = loopVariables(node).map(({ value }) => value);
  const entries =
    Array.isArray(list) || typeof list === 'string'
      ? [...list].map((item) => (names.length === 1 ? [item] : Array.isArray(item) ? item : []))
      : isMap(list) && names.length > 1
        ? Object.entries(list)
        : [];
  const { length } = entries;
  if (length === 0) renderBranch(node.else_, state);
  entries.forEach((values, index) => {
    const scope = new Map<string, Value>(names.map((name, at) => [name, values[at]]));
    scope.set('loop', {
      index: index + 1,
      index0: index,
      revindex: length - index,
      revindex0: length - index - 1,
      first: index === 0,
      last: index === length - 1,
      length,
    });
    state.scopes.push(scope);
    renderNode(node.body, state);
    state.scopes.pop();
  });
}

function evaluateNode(node: SyntaxNode, state: RenderState): Value {
  state.steps += 1;
  const inside = (of: SyntaxNode): Value => evaluateNode(of, state);
  switch (node.typename) {
    case 'Literal':
      return node.value;
    case 'Symbol': {
      const scope = state.scopes.findLast((each) => each.has(node.value));
      return scope === undefined ? ownEntry(state.vars, node.value) : scope.get(node.value);
    }
    case 'Array':
      return node.children.map((item) => inside(item) ?? null);
    case 'Group':
      return node.children.map(inside)[0];
    case 'LookupVal':
      return memberOf(inside(node.target), inside(node.val));
    case 'InlineIf':
      if (Boolean(inside(node.cond))) return inside(node.body);
      return node.else_ === null ? '' : inside(node.else_);
    case 'Filter':
      return applyFilter(node.name.value, node.args.children.map(inside));
    default:
      return operation(node, inside);
  }
}

function operation(node: SyntaxNode, inside: (of: SyntaxNode) => Value): Value {
  if (node.typename === 'Compare' || node.typename === 'Not') {
    // As in nunjucks, `not a == b` is `(not a) == b`.
    const compared = node.typename === 'Not' ? node.target : node;
    if (compared.typename !== 'Compare') return !inside(compared);
    const value = inside(compared.expr);
    const [{ type, expr }] = compared.ops;
    return TEMPLATE_OPERATORS[type](node === compared ? value : !value, inside(expr));
  }
  if (!('right' in node)) throw new TypeError(`no value: ${node.typename}`);
  const left = inside(node.left);
  if (node.typename === 'And') return Boolean(left) ? inside(node.right) : left;
  if (node.typename === 'Or') return Boolean(left) ? left : inside(node.right);
  return TEMPLATE_OPERATORS[node.typename](left, inside(node.right));
}

function memberOf(of: Value, key: Value): Value {
  if (typeof of === 'string' || Array.isArray(of))
    return key === 'length' ? of.length : of[Number(toOperand(key))];
  return isMap(of ?? null)
    ? ownEntry(of as Record<string, Json>, String(toOperand(key)))
    : undefined;
}

/** The library's filters that neither call code, escape HTML nor depend on chance. */
const FILTERS =
  'abs capitalize d default dump first float indent int join last length lower replace round ' +
  'safe string title trim upper wordcount';

const WIDEST_INDENT = 100;

function applyFilter(name: string, [of, ...given]: readonly Value[]): Value {
  try {
    if (name === 'safe') return of === null || of === undefined ? '' : assertionText(of);
    // The library's own takes quadratic time.
    if (name === 'trim' && typeof of === 'string') return of.trim();
    if (isAmong(FILTERS, name) && !(name === 'indent' && Number(given[0]) > WIDEST_INDENT))
      return filters[name]?.(of, ...given) as Value;
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
  }
  return refuse(`the filter ${name} is not supported`);
}

/** Lists and maps may lack the methods that JavaScript's conversion calls. */
const toOperand = (value: Value): number =>
  (typeof value === 'object' && value !== null ? assertionText(value) : value) as number;

/** Lists and maps are compared by identity. */
function equals(a: Value, b: Value): boolean {
  const areObjects = [a, b].every((value) => typeof value === 'object' && value !== null);
  // eslint-disable-next-line eqeqeq -- the other tool's templates compare so
  return areObjects ? a === b : toOperand(a) == toOperand(b);
}

const TEMPLATE_OPERATORS: Readonly<Record<Operator, (a: Value, b: Value) => Value>> = {
  In: (a, b) => {
    if (Array.isArray(b)) return b.some((value) => value === a);
    if (typeof b === 'string') return b.includes(String(toOperand(a)));
    return isMap(b ?? null) && Object.hasOwn(b as object, String(toOperand(a)));
  },
  '==': equals,
  '!=': (a, b) => !equals(a, b),
  '===': (a, b) => a === b,
  '!==': (a, b) => a !== b,
  '<': (a, b) => toOperand(a) < toOperand(b),
  '>': (a, b) => toOperand(a) > toOperand(b),
  '<=': (a, b) => toOperand(a) <= toOperand(b),
  '>=': (a, b) => toOperand(a) >= toOperand(b),
  Add: (a, b) => toOperand(a) + toOperand(b),
};

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

function loopVariables({ name }: Extract<SyntaxNode, { typename: 'For' }>) {
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
