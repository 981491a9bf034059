import { isMap, type Json, ownEntry } from '../../../types/plain.ts';

import { FILTERS, type Value } from './nunjucks-filters.ts';
import { parseTemplate, type Expression, type Node } from './nunjucks-syntax.ts';

/** Limits on length and steps, because loops can nest. */
const MOST_CHARACTERS = 1_000_000;
const MOST_STEPS = 1_000_000;

interface State {
  /** Loop and `set` variables, innermost last; they shadow the test's. */
  scopes: Map<string, Value>[];
  vars: Readonly<Record<string, Json>>;
  text: string;
  steps: number;
  show(value: Json): string;
}

class Unfit extends Error {}

/**
 * Renders nunjucks without escaping: variables, filters, conditions and loops. Unsupported parts
 * are named instead of rendered. `show` formats a map or list.
 */
export function renderTemplate(
  text: string,
  vars: Readonly<Record<string, Json>>,
  show: (value: Json) => string,
): { ok: true; text: string } | { ok: false; why: string } {
  const parsed = parseTemplate(text);
  if (!parsed.ok) return { ok: false, why: `${parsed.construct} is not read here` };
  const state: State = { scopes: [new Map()], vars, text: '', steps: 0, show };
  try {
    write(parsed.nodes, state);
  } catch (error) {
    if (error instanceof Unfit) return { ok: false, why: error.message };
    throw error;
  }
  return { ok: true, text: state.text };
}

function write(nodes: readonly Node[], state: State): void {
  for (const node of nodes) {
    state.steps += 1;
    if (state.steps > MOST_STEPS || state.text.length > MOST_CHARACTERS)
      throw new Unfit('its template makes a text without end');
    if (node.kind === 'text') state.text += node.text;
    else if (node.kind === 'output') state.text += valueText(valueOf(node.value, state), state);
    else if (node.kind === 'set') assign(node.name, valueOf(node.value, state), state);
    else if (node.kind === 'if') writeBranch(node, state);
    else writeLoop(node, state);
  }
}

function valueText(value: Value, { show }: State): string {
  return value === undefined || value === null ? '' : show(value);
}

function assign(name: string, value: Value, { scopes }: State): void {
  const own = scopes.findLast((scope) => scope.has(name)) ?? scopes.at(-1);
  own?.set(name, value);
}

function writeBranch({ branches }: Extract<Node, { kind: 'if' }>, state: State): void {
  const taken = branches.find(
    ({ condition }) => condition === null || Boolean(valueOf(condition, state)),
  );
  write(taken?.body ?? [], state);
}

function writeLoop(
  { names, over, body, otherwise }: Extract<Node, { kind: 'for' }>,
  state: State,
): void {
  const list = valueOf(over, state);
  const [first = '', second] = names;
  const items: Map<string, Value>[] =
    Array.isArray(list) || typeof list === 'string'
      ? [...list].map((item) => namesOf(names, item))
      : isMap(list ?? null) && second !== undefined
        ? Object.entries(list as Record<string, Json>).map(
            ([key, value]) =>
              new Map<string, Value>([
                [first, key],
                [second, value],
              ]),
          )
        : [];
  if (items.length === 0) return write(otherwise, state);
  items.forEach((scope, index) => {
    const { length } = items;
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
    write(body, state);
    state.scopes.pop();
  });
}

/** One name takes the item, several take its members. */
function namesOf(names: readonly string[], item: Json): Map<string, Value> {
  const [only = ''] = names;
  return names.length === 1
    ? new Map<string, Value>([[only, item]])
    : new Map(names.map((name, index) => [name, Array.isArray(item) ? item[index] : undefined]));
}

function valueOf(expression: Expression, state: State): Value {
  state.steps += 1;
  switch (expression.kind) {
    case 'literal':
      return expression.value;
    case 'list':
      return expression.items.map((item) => valueOf(item, state) ?? null);
    case 'name':
      return lookUp(expression.name, state);
    case 'member':
      return memberOf(valueOf(expression.of, state), valueOf(expression.key, state));
    case 'not':
      return !valueOf(expression.of, state);
    case 'choice':
      return Boolean(valueOf(expression.condition, state))
        ? valueOf(expression.yes, state)
        : expression.no === null
          ? ''
          : valueOf(expression.no, state);
    case 'filter':
      return applyFilter(expression, state);
    case 'both':
      return combine(expression, state);
  }
}

function lookUp(name: string, { scopes, vars }: State): Value {
  const scope = scopes.findLast((each) => each.has(name));
  return scope === undefined ? ownEntry(vars, name) : scope.get(name);
}

function memberOf(of: Value, key: Value): Value {
  if (typeof of === 'string') return key === 'length' ? of.length : of[Number(key)];
  if (Array.isArray(of)) return key === 'length' ? of.length : of[Number(key)];
  return isMap(of ?? null) ? ownEntry(of as Record<string, Json>, String(key)) : undefined;
}

function applyFilter(
  { name, of, values }: Extract<Expression, { kind: 'filter' }>,
  state: State,
): Value {
  const filter = ownEntry(FILTERS, name);
  const result = filter?.(
    valueOf(of, state),
    values.map((value) => valueOf(value, state)),
  );
  // A filter returns null if it does not apply.
  if (filter === undefined || result === null)
    throw new Unfit(`the filter ${name} is not read here`);
  return result;
}

type Both = Extract<Expression, { kind: 'both' }>;

function combine({ by, left, right }: Both, state: State): Value {
  const first = valueOf(left, state);
  if (by === 'and') return Boolean(first) ? valueOf(right, state) : first;
  if (by === 'or') return Boolean(first) ? first : valueOf(right, state);
  return COMBINED[by](first, valueOf(right, state));
}

const number = (value: Value): number => (value === null ? 0 : Number(value));

/** Like `+` in JavaScript. */
function add(a: Value, b: Value): Value {
  return typeof a === 'string' || typeof b === 'string'
    ? `${String(a)}${String(b)}`
    : number(a) + number(b);
}

function isIn(a: Value, b: Value): boolean {
  if (Array.isArray(b)) return b.some((value) => value === a);
  if (typeof b === 'string') return b.includes(String(a));
  return isMap(b ?? null) && Object.hasOwn(b as object, String(a));
}

/** Like `==` in JavaScript for scalars; lists and maps by identity. */
function equals(a: Value, b: Value): boolean {
  // eslint-disable-next-line eqeqeq -- the other tool's templates compare so
  return a == b;
}

const ordered =
  (holds: (a: number | string, b: number | string) => boolean) =>
  (a: Value, b: Value): boolean =>
    typeof a === 'string' && typeof b === 'string' ? holds(a, b) : holds(number(a), number(b));

const COMBINED: Readonly<Record<Exclude<Both['by'], 'and' | 'or'>, (a: Value, b: Value) => Value>> =
  {
    '==': equals,
    '!=': (a, b) => !equals(a, b),
    '===': (a, b) => a === b,
    '!==': (a, b) => a !== b,
    '<': ordered((a, b) => a < b),
    '>': ordered((a, b) => a > b),
    '<=': ordered((a, b) => a <= b),
    '>=': ordered((a, b) => a >= b),
    in: isIn,
    '~': (a, b) => `${String(a)}${String(b)}`,
    '+': add,
    '-': (a, b) => number(a) - number(b),
    '*': (a, b) => number(a) * number(b),
    '/': (a, b) => number(a) / number(b),
    '%': (a, b) => number(a) % number(b),
  };
