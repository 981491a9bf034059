import { isMap, type Json } from '../../../types/plain.ts';

export type Value = Json | undefined;

type Filter = (value: Value, given: readonly Value[]) => Value;

const ofText =
  (change: (text: string, given: readonly Value[]) => Value): Filter =>
  (value, given) => {
    const read = value === undefined || value === null || value === false ? '' : value;
    return typeof read === 'string' ? change(read, given) : null;
  };

const capitalized = (word: string): string =>
  `${word.charAt(0).toUpperCase()}${word.slice(1).toLowerCase()}`;

function lengthFilter(value: Value): Value {
  if (value === undefined || value === null || value === false) return 0;
  if (typeof value === 'number' || value === true) return undefined;
  return isMap(value) ? Object.keys(value).length : value.length;
}

function joinFilter(value: Value, [between = '', part]: readonly Value[]): Value {
  if (!Array.isArray(value)) return null;
  const items = value.map((item) =>
    part === undefined ? item : isMap(item) ? item[String(part)] : undefined,
  );
  return items.some((item) => typeof item === 'object' && item !== null)
    ? null
    : items.map((item) => item ?? '').join(String(between));
}

function indent(words: string, [width = 4, first = false]: readonly Value[]): Value {
  const space = ' '.repeat(Math.min(Math.max(Number(width), 0), 100));
  const lines = words.split('\n');
  return lines.map((line, index) => (index === 0 && !first ? line : `${space}${line}`)).join('\n');
}

function replace(value: Value, [old, by = '', ...more]: readonly Value[]): Value {
  const words = typeof value === 'number' ? String(value) : (value ?? '');
  if (typeof words !== 'string') return null;
  return typeof old === 'string' && old !== '' && more.length === 0
    ? words.replaceAll(old, () => String(by))
    : null;
}

function rounded(value: Value, [digits = 0, method]: readonly Value[]): Value {
  if (typeof value !== 'number' || typeof digits !== 'number') return null;
  const factor = 10 ** digits;
  const by = method === 'ceil' ? Math.ceil : method === 'floor' ? Math.floor : Math.round;
  return by(value * factor) / factor;
}

function dump(value: Value, [spaces]: readonly Value[]): Value {
  return value === undefined
    ? ''
    : JSON.stringify(value, null, typeof spaces === 'number' ? spaces : undefined);
}

const ends =
  (at: 0 | -1): Filter =>
  (value) =>
    Array.isArray(value) || typeof value === 'string' ? (value.at(at) ?? undefined) : null;

function orElse(value: Value, [instead, alsoEmpty]: readonly Value[]): Value {
  if (alsoEmpty === true) return Boolean(value) ? value : instead;
  return value === undefined ? instead : (value ?? undefined);
}

const numberFilter =
  (read: (text: string, base: number) => number): Filter =>
  (value, [instead, base]) => {
    if (typeof value !== 'number' && typeof value !== 'string') return null;
    const found = read(String(value), typeof base === 'number' ? base : 10);
    return Number.isNaN(found) ? instead : found;
  };

export const FILTERS: Readonly<Record<string, Filter>> = {
  abs: (value) => (typeof value === 'number' ? Math.abs(value) : null),
  capitalize: ofText(capitalized),
  d: orElse,
  default: orElse,
  dump: dump,
  first: ends(0),
  float: numberFilter((text) => Number.parseFloat(text)),
  indent: ofText(indent),
  int: numberFilter((text, base) => Number.parseInt(text, base)),
  join: joinFilter,
  last: ends(-1),
  length: lengthFilter,
  lower: ofText((words) => words.toLowerCase()),
  replace: replace,
  round: rounded,
  safe: (value) => (typeof value === 'object' && value !== null ? null : (value ?? '')),
  string: (value) => (typeof value === 'object' || value === undefined ? null : String(value)),
  title: ofText((words) => words.split(' ').map(capitalized).join(' ')),
  trim: (value) => (typeof value === 'string' ? value.trim() : null),
  upper: ofText((words) => words.toUpperCase()),
  wordcount: ofText((words) => words.match(/\w+/g)?.length),
};
