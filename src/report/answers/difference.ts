import type { CallPart, Part } from '../../types/answer.ts';
import {
  argumentText,
  argumentsOf,
  partKey,
  partText,
  visibleParts,
  valueKey,
  type Argument,
} from './text.ts';
import { unchangedStretch, wordRuns, type Stretch } from './words.ts';

interface Pair<T> {
  base: T | null;
  head: T | null;
}

/** `base` or `head` is null if that side's call lacks the argument. */
export interface ArgumentChange extends Pair<Argument> {
  call: string;
}

export function answerRuns(base: readonly Part[], head: readonly Part[]): Stretch[] {
  return joinRuns(pairParts(base, head).map(partRuns), '\n');
}

export function argumentChanges(base: readonly Part[], head: readonly Part[]): ArgumentChange[] {
  return pairParts(base, head).flatMap(({ base: before, head: after }) =>
    before?.type === 'tool_call' && after?.type === 'tool_call'
      ? (pairArguments(before, after) ?? [])
          .filter((pair) => !isEqualPair(pair))
          .map((pair) => ({ call: before.name, ...pair }))
      : [],
  );
}

/** Parts beyond this number are not paired, because comparing all pairs takes quadratic time. */
const MOST_PAIRED = 200;

/** Pairs parts of the same kind and name in order. Equal parts are paired first. */
function pairParts(ofBase: readonly Part[], ofHead: readonly Part[]): Pair<Part>[] {
  const base = visibleParts(ofBase);
  const head = visibleParts(ofHead);
  const pairs: Pair<Part>[] = [];
  const others = head.slice(0, MOST_PAIRED).map(identifyPart);
  let next = 0;
  for (const part of base.slice(0, MOST_PAIRED)) {
    const left = others.slice(next);
    const { key, kind } = identifyPart(part);
    const equal = left.findIndex((other) => other.key === key);
    const at = equal < 0 ? left.findIndex((other) => other.kind === kind) : equal;
    const partner = left[at]?.part ?? null;
    for (const between of at < 0 ? [] : left.slice(0, at))
      pairs.push({ base: null, head: between.part });
    pairs.push({ base: part, head: partner });
    if (at >= 0) next += at + 1;
  }
  return [
    ...pairs,
    ...base.slice(MOST_PAIRED).map((part) => ({ base: part, head: null })),
    ...head.slice(next).map((part) => ({ base: null, head: part })),
  ];
}

function identifyPart(part: Part) {
  return { part, key: partKey(part), kind: kindOf(part) };
}

function kindOf(part: Part): string {
  if (part.type === 'tool_call') return `${part.type} ${part.name}`;
  if (part.type === 'file') return `${part.type} ${part.path}`;
  return part.type === 'unknown' ? `${part.type} ${part.kind}` : part.type;
}

function partRuns({ base, head }: Pair<Part>): Stretch[] {
  const [before, after] = [base, head].map((part) => (part === null ? '' : partText(part)));
  const marked = { changed: true, base: before ?? '', head: after ?? '' };
  if (base === null || head === null) return [marked];
  if (partKey(base) === partKey(head)) return [unchangedStretch(marked.base, marked.head)];
  if (base.type === 'tool_call' && head.type === 'tool_call')
    return callRuns(base, head) ?? [marked];
  const words = wordRuns(marked.base, marked.head);
  return words ?? [base.type === 'text' ? unchangedStretch(marked.base, marked.head) : marked];
}

function callRuns(base: CallPart, head: CallPart): Stretch[] | null {
  const pairs = pairArguments(base, head);
  if (pairs === null) return null;
  const given = joinRuns(pairs.map(argumentRuns), ', ');
  return [unchangedStretch(`${base.name}(`), ...given, unchangedStretch(')')];
}

function argumentRuns({ base, head }: Pair<Argument>): Stretch[] {
  const [before, after] = [base, head].map((of) => (of === null ? '' : argumentText(of)));
  const own = before ?? '';
  const other = after ?? '';
  if (isEqualPair({ base, head })) return [unchangedStretch(own, other)];
  const words = base?.name === head?.name ? wordRuns(own, other) : null;
  return words ?? [{ changed: true, base: own, head: other }];
}

function pairArguments(base: CallPart, head: CallPart): Pair<Argument>[] | null {
  const given = argumentsOf(base);
  const other = argumentsOf(head);
  if (given === null || other === null) return null;
  const byName = new Map(other.map((argument) => [argument.name, argument]));
  const named = given.map((argument) => ({
    base: argument,
    head: byName.get(argument.name) ?? null,
  }));
  for (const { name } of given) byName.delete(name);
  const byValue = Map.groupBy([...byName.values()].toReversed(), ({ value }) => valueKey(value));
  const renamed = named.map((pair) => {
    const head = pair.head ?? byValue.get(valueKey(pair.base.value))?.pop() ?? null;
    if (head !== null) byName.delete(head.name);
    return { ...pair, head };
  });
  return [...renamed, ...[...byName.values()].map((argument) => ({ base: null, head: argument }))];
}

function isEqualPair({ base, head }: Pair<Argument>): boolean {
  return base !== null && base.name === head?.name && valueKey(base.value) === valueKey(head.value);
}

function joinRuns(groups: readonly Stretch[][], separator: string): Stretch[] {
  const hasText = { base: false, head: false };
  return groups.flatMap((runs) => {
    const before = (side: 'base' | 'head') => {
      if (!runs.some((run) => run[side] !== '')) return '';
      const said = hasText[side] ? separator : '';
      hasText[side] = true;
      return said;
    };
    const between = unchangedStretch(before('base'), before('head'));
    return between.base === '' && between.head === '' ? runs : [between, ...runs];
  });
}
