import { isScalar, isSeq, type LineCounter, type Pair, type YAMLMap, type YAMLSeq } from 'yaml';
import type { Json } from '../types/plain.ts';
import { valueAt } from './document.ts';
import { escapeCodePoints } from './text-flaws.ts';

/** Positions are in UTF-16 units. */
export interface Splice {
  from: number;
  to: number;
  put: string;
}

/** Of several splices at one place, the first one's text comes first. */
export function applySplices(text: string, splices: readonly Splice[]): string {
  return splices
    .toReversed()
    .sort((a, b) => b.from - a.from)
    .reduce((all, { from, to, put }) => `${all.slice(0, from)}${put}${all.slice(to)}`, text);
}

export type EditResult = { text: string } | { refused: string };

export interface YamlText {
  text: string;
  root: unknown;
  lines: LineCounter;
  value: Json;
}

export function setKey(
  found: YamlText,
  { map, path }: { map: YAMLMap; path: readonly (string | number)[] },
  key: string,
  value: Json,
): Splice | null {
  const pair = pairAt(map, key);
  if (pair === undefined) return appendMember(found, map, `${key}: ${flowText(value)}`, '');
  const before = valueAt(found.value, [...path, key]);
  const last = Array.isArray(value) ? value.at(-1) : undefined;
  if (
    isSeq(pair.value) &&
    Array.isArray(before) &&
    last !== undefined &&
    JSON.stringify([...before, last]) === JSON.stringify(value)
  )
    return appendItem(found, pair.value, last);
  const range = (pair.value as { range?: [number, number, number] } | null)?.range;
  if (range === undefined) return null;
  const [from, to] = range;
  const old = found.text.slice(from, to);
  const put = `${old === '' ? ' ' : ''}${flowText(value)}${/\s*$/.exec(old)?.[0] ?? ''}`;
  return { from, to, put };
}

export function appendItem(found: YamlText, list: YAMLSeq, value: Json): Splice {
  return appendMember(found, list, flowText(value), '- ');
}

function appendMember(
  { text, lines }: YamlText,
  into: YAMLMap | YAMLSeq,
  words: string,
  mark: string,
): Splice {
  const [, end = 0] = into.range ?? [];
  if (into.flow === true) {
    const before = text.slice(0, end - 1).trimEnd();
    const separator = /[[{,]$/.test(before) ? ' ' : ', ';
    return { from: before.length, to: before.length, put: `${separator}${words}` };
  }
  const start = into.range?.[0] ?? 0;
  const last = text.slice(0, end).trimEnd().length;
  const eol = /\r?\n|$/.exec(text.slice(last))?.index ?? 0;
  const indent = ' '.repeat(lines.linePos(start).col - 1);
  const newline = text.includes('\r\n') ? '\r\n' : '\n';
  return { from: last + eol, to: last + eol, put: `${newline}${indent}${mark}${words}` };
}

export function remarkAbove(
  { text, lines }: YamlText,
  map: YAMLMap,
  remark: string,
): Splice | null {
  const start = map.range?.[0] ?? 0;
  const from = start - (lines.linePos(start).col - 1);
  const before = text.slice(from, start);
  if (!/^\s*-\s+(?:&\S+\s+)?$/.test(before)) return null;
  const indent = /^\s*/.exec(before)?.[0] ?? '';
  const newline = text.includes('\r\n') ? '\r\n' : '\n';
  const words = remark.replace(/[\p{Cc}\p{Bidi_Control}\u2028\u2029\ufeff]+/gu, ' ').trim();
  return { from, to: from, put: `${indent}# ${words}${newline}` };
}

export function pairAt(map: YAMLMap, key: string): Pair | undefined {
  return map.items.find((pair) => isScalar(pair.key) && String(pair.key.value) === key);
}

const PLAIN_KEY = /^(?!(?:true|false|null|yes|no|on|off|y|n)$)[A-Za-z_][\w-]*$/i;

function flowText(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(flowText).join(', ')}]`;
  if (value !== null && typeof value === 'object')
    return `{ ${Object.entries(value)
      .map(([key, each]) => `${PLAIN_KEY.test(key) ? key : flowText(key)}: ${flowText(each)}`)
      .join(', ')} }`;
  return escapeCodePoints(JSON.stringify(value), /[\u007f-\u009f\u2028\u2029\ufeff]/g);
}
