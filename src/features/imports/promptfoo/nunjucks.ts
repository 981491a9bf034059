import type { Comparison, SyntaxNode } from 'nunjucks/src/parser.js';
import { isMap, type Json, ownEntry } from '../../../types/plain.ts';
import { assertionText } from '../shared/templates.ts';
import { FILTERS, type Value } from './nunjucks-filters.ts';
import { loopVariables, parseTemplate } from './nunjucks-syntax.ts';

/** Limits, because nested loops can run very long. */
const MOST_CHARACTERS = 1_000_000;
const MOST_STEPS = 1_000_000;

interface RenderState {
  /** The innermost scope is last. Variables of a scope shadow those of the test. */
  scopes: Map<string, Value>[];
  vars: Readonly<Record<string, Json>>;
  text: string;
  steps: number;
  show(value: Json): string;
}

class Unfit extends Error {}

/** Does not escape HTML. Rejects unsupported parts. */
export function renderTemplate(
  text: string,
  vars: Readonly<Record<string, Json>>,
  show: (value: Json) => string,
): { ok: true; text: string } | { ok: false; why: string } {
  const parsed = parseTemplate(text);
  if (!parsed.ok) return { ok: false, why: `${parsed.construct} is not supported` };
  const state: RenderState = { scopes: [new Map()], vars, text: '', steps: 0, show };
  try {
    renderNode(parsed.root, state);
  } catch (error) {
    if (error instanceof Unfit) return { ok: false, why: error.message };
    if (error instanceof RangeError) return { ok: false, why: 'its template is nested too deeply' };
    throw error;
  }
  return { ok: true, text: state.text };
}

function renderNode(node: SyntaxNode, state: RenderState): void {
  state.steps += 1;
  if (state.steps > MOST_STEPS || state.text.length > MOST_CHARACTERS)
    throw new Unfit('its template output is too long');
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
      writeBody(Boolean(evaluateNode(node.cond, state)) ? node.body : node.else_, state);
      return;
    case 'For':
      writeLoop(node, state);
      return;
    case 'Set':
      setVariable(node.targets[0].value, evaluateNode(node.value, state), state);
      return;
    default:
      state.text += shownValue(evaluateNode(node, state), state);
  }
}

function writeBody(body: SyntaxNode | null, state: RenderState): void {
  if (body !== null) renderNode(body, state);
}

function shownValue(value: Value, { show }: RenderState): string {
  return value === undefined || value === null ? '' : show(value);
}

function setVariable(name: string, value: Value, { scopes }: RenderState): void {
  const own = scopes.findLast((scope) => scope.has(name)) ?? scopes.at(-1);
  own?.set(name, value);
}

function writeLoop(node: Extract<SyntaxNode, { typename: 'For' }>, state: RenderState): void {
  const list = evaluateNode(node.arr, state);
  const names = loopVariables(node).map(({ value }) => value);
  const entries =
    Array.isArray(list) || typeof list === 'string'
      ? [...list].map((item) => (names.length === 1 ? [item] : Array.isArray(item) ? item : []))
      : isMap(list ?? null) && names.length > 1
        ? Object.entries(list as Record<string, Json>)
        : [];
  if (entries.length === 0) writeBody(node.else_, state);
  entries.forEach((values, index) => {
    const { length } = entries;
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
    case 'Symbol':
      return lookUp(node.value, state);
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
    case 'In':
      return isMemberOf(inside(node.left), inside(node.right));
    default:
      return evaluateChain(chainOf(node, inside));
  }
}

function lookUp(name: string, { scopes, vars }: RenderState): Value {
  const scope = scopes.findLast((each) => each.has(name));
  return scope === undefined ? ownEntry(vars, name) : scope.get(name);
}

function memberOf(of: Value, key: Value): Value {
  if (typeof of === 'string' || Array.isArray(of))
    return key === 'length' ? of.length : of[Number(key)];
  return isMap(of ?? null) ? ownEntry(of as Record<string, Json>, String(key)) : undefined;
}

function applyFilter(name: string, [of, ...values]: readonly Value[]): Value {
  const filter = ownEntry(FILTERS, name);
  const result = filter?.(of, values);
  if (filter === undefined || result === null)
    throw new Unfit(`the filter ${name} is not supported`);
  return result;
}

type Infix = 'or' | 'and' | Comparison | '+' | '-' | '*' | '/' | '%';
type Chain = readonly (Infix | (() => Value))[];

const INFIX = { Or: 'or', And: 'and', Add: '+', Sub: '-', Mul: '*', Div: '/', Mod: '%' } as const;

/**
 * nunjucks compiles operators to JavaScript without brackets, so JavaScript's precedence applies:
 * `not a == b` is `!a == b`.
 */
function chainOf(node: SyntaxNode, inside: (of: SyntaxNode) => Value): Chain {
  const part = (of: SyntaxNode): Chain => chainOf(of, inside);
  switch (node.typename) {
    case 'Or':
    case 'And':
    case 'Add':
    case 'Sub':
    case 'Mul':
    case 'Div':
    case 'Mod':
      return [...part(node.left), INFIX[node.typename], ...part(node.right)];
    case 'Concat':
      return [...part(node.left), '+', () => '', '+', ...part(node.right)];
    case 'Compare':
      return [...part(node.expr), ...node.ops.flatMap(({ type, expr }) => [type, ...part(expr)])];
    case 'Not':
    case 'Neg': {
      const [first, ...rest] = part(node.target);
      const { typename } = node;
      const signed = (): Value => {
        const value = typeof first === 'function' ? first() : undefined;
        return typename === 'Not' ? !value : -toOperand(value);
      };
      return [signed, ...rest];
    }
    default:
      return [() => inside(node)];
  }
}

/** Lowest first. */
const PRECEDENCE: readonly (readonly Infix[])[] = [
  ['or'],
  ['and'],
  ['==', '!=', '===', '!=='],
  ['<', '>', '<=', '>='],
  ['+', '-'],
  ['*', '/', '%'],
];

function evaluateChain(chain: Chain, level = 0): Value {
  const [only] = chain;
  if (chain.length === 1 && typeof only === 'function') return only();
  const operators = PRECEDENCE[level] ?? [];
  const at = chain.findLastIndex((part) => typeof part === 'string' && operators.includes(part));
  const by = chain[at];
  if (typeof by !== 'string') return evaluateChain(chain, level + 1);
  const first = evaluateChain(chain.slice(0, at), level);
  const second = (): Value => evaluateChain(chain.slice(at + 1), level + 1);
  if (by === 'and') return Boolean(first) ? second() : first;
  if (by === 'or') return Boolean(first) ? first : second();
  return OPERATORS_BY_SIGN[by](first, second());
}

/** Lists and maps may lack the methods that JavaScript's conversion calls. */
const toOperand = (value: Value): number =>
  (typeof value === 'object' && value !== null ? assertionText(value) : value) as number;

function isMemberOf(a: Value, b: Value): boolean {
  if (Array.isArray(b)) return b.some((value) => value === a);
  if (typeof b === 'string') return b.includes(String(a));
  return isMap(b ?? null) && Object.hasOwn(b as object, String(a));
}

/** Lists and maps are compared by identity. */
function equals(a: Value, b: Value): boolean {
  const areObjects = [a, b].every((value) => typeof value === 'object' && value !== null);
  // eslint-disable-next-line eqeqeq -- the other tool's templates compare so
  return areObjects ? a === b : toOperand(a) == toOperand(b);
}

const OPERATORS_BY_SIGN: Readonly<
  Record<Exclude<Infix, 'and' | 'or'>, (a: Value, b: Value) => Value>
> = {
  '==': equals,
  '!=': (a, b) => !equals(a, b),
  '===': (a, b) => a === b,
  '!==': (a, b) => a !== b,
  '<': (a, b) => toOperand(a) < toOperand(b),
  '>': (a, b) => toOperand(a) > toOperand(b),
  '<=': (a, b) => toOperand(a) <= toOperand(b),
  '>=': (a, b) => toOperand(a) >= toOperand(b),
  '+': (a, b) => toOperand(a) + toOperand(b),
  '-': (a, b) => toOperand(a) - toOperand(b),
  '*': (a, b) => toOperand(a) * toOperand(b),
  '/': (a, b) => toOperand(a) / toOperand(b),
  '%': (a, b) => toOperand(a) % toOperand(b),
};
