import {
  LineCounter,
  Parser,
  isMap,
  isNode,
  isPair,
  isScalar,
  isSeq,
  parseDocument,
  visit,
  type YAMLMap,
  type YAMLSeq,
} from 'yaml';
import type { Json } from '../types/plain.ts';
import { speltOut } from './limits.ts';

/** One change of a file that leaves every other byte of it as it is. */
export type YamlEdit =
  /** A key of the map that begins at a line, with a comment above the map or without. */
  | { kind: 'set'; line: number; key: string; value: Json; remark: string | null }
  /** A further member of the list that the map at a line is in. */
  | { kind: 'append'; line: number; value: Json }
  /** A further member of the list at a path of keys; the last key is made if need be. */
  | { kind: 'append-in'; path: readonly string[]; value: Json };

/** The new text, or in a sentence why there is none. */
export type Edited = { text: string } | { refused: string };

/** A change of the text, and the value that it must come to. */
interface Splice {
  from: number;
  to: number;
  put: string;
}

interface Found {
  text: string;
  root: unknown;
  lines: LineCounter;
  /** What the text means. */
  value: unknown;
}

function foundIn(text: string): Found | null {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, version: '1.2' });
  if (document.errors.length > 0) return null;
  return { text, root: document.contents, lines, value: document.toJS() as unknown };
}

/**
 * Maps are known by their place and by what they hold: `read` is the text as it was when the place
 * was found, and what changed since is refused. Comments, order and spelling of everything else stay, because the text is only spliced; what the
 * new text means is then compared with what it should mean, and refused when it differs: anchors,
 * merge keys and odd layouts are nobody's to guess.
 */
export function editYaml(text: string, edit: YamlEdit, read: string): Edited {
  const found = foundIn(text);
  if (found === null) return { refused: 'the file is not valid YAML now' };
  const planned = plan(found, edit, read);
  if ('refused' in planned) return planned;
  const wanted = planned.change(structuredClone(found.value));
  const spliced = planned.splices
    .sort((one, other) => other.from - one.from)
    .reduce((all, { from, to, put }) => `${all.slice(0, from)}${put}${all.slice(to)}`, text);
  const after = parseDocument(spliced, { version: '1.2' });
  if (after.errors.length > 0 || JSON.stringify(after.toJS()) !== JSON.stringify(wanted))
    return { refused: 'it is laid out so that this cannot be written back without changing more' };
  const kept = commentsIn(spliced);
  return commentsIn(text).some((comment) => !kept.includes(comment))
    ? { refused: 'a comment stands in what would be replaced, and would be lost' }
    : { text: spliced };
}

/** The comments of a text; of those that say the same, each with its number. */
function commentsIn(text: string): string[] {
  const found: string[] = [];
  const collect = (token: unknown): void => {
    if (typeof token !== 'object' || token === null) return;
    if ('type' in token && token.type === 'comment' && 'source' in token)
      found.push(String(token.source).trimEnd());
    else for (const part of Object.values(token)) collect(part);
  };
  for (const token of new Parser().parse(text)) collect(token);
  const seen = new Map<string, number>();
  return found.map((comment) => {
    const number = (seen.get(comment) ?? 0) + 1;
    seen.set(comment, number);
    return `${String(number)} ${comment}`;
  });
}

type Plan = { splices: Splice[]; change(value: unknown): unknown } | { refused: string };

function plan(found: Found, edit: YamlEdit, read: string): Plan {
  if (edit.kind === 'append-in') return appendIn(found, edit);
  const item = itemAt(found, edit.line);
  if (item === null) return { refused: 'the reference is not at its place any more' };
  if (found.text !== read && !isSame(found, item, read, edit.line))
    return { refused: 'it was changed since it was read: another reference stands there now' };
  const { map, list, path } = item;
  if (edit.kind === 'append')
    return {
      splices: [appended(found, list, edit.value)],
      change: (value) => {
        (valueAt(value, path.slice(0, -1)) as unknown[]).push(edit.value);
        return value;
      },
    };
  const { key, value, remark } = edit;
  const splices = [
    setKey(found, item, key, value),
    ...(remark === null ? [] : [remarked(found, map, remark)]),
  ];
  return splices.some((one) => one === null)
    ? { refused: 'it is laid out so that no remark fits above it' }
    : {
        splices: splices.filter((one) => one !== null),
        change: (all) => {
          (valueAt(all, path) as Record<string, unknown>)[key] = value;
          return all;
        },
      };
}

interface Item {
  map: YAMLMap;
  list: YAMLSeq;
  /** Keys and positions from the root. */
  path: (string | number)[];
}

/** Whether what stands at a line is what stood there when the file was read. */
function isSame({ value }: Found, { path }: Item, read: string, line: number): boolean {
  const before = foundIn(read);
  const item = before === null ? null : itemAt(before, line);
  return (
    before !== null &&
    item !== null &&
    JSON.stringify(valueAt(before.value, item.path)) === JSON.stringify(valueAt(value, path))
  );
}

/** The map in a list that begins at a line. */
function itemAt({ root, lines }: Found, line: number): Item | null {
  let item: Item | null = null;
  visit(root as never, {
    Seq(_, list, above) {
      list.items.forEach((map, index) => {
        if (item !== null || !isMap(map) || lines.linePos(map.range?.[0] ?? 0).line !== line)
          return;
        const keys = [...above, list].flatMap((node): (string | number)[] => {
          if (typeof node !== 'object' || node === null || !('key' in node)) return [];
          return isScalar(node.key) ? [String(node.key.value)] : [];
        });
        const seqs = above.filter((node) => isSeq(node)).length;
        // Lists within lists have no references.
        if (seqs === 0) item = { map, list, path: [...keys, index] };
      });
    },
  });
  return item;
}

function valueAt(value: unknown, path: readonly (string | number)[]): unknown {
  return path.reduce((at: unknown, key) => (at as Record<string | number, unknown>)[key], value);
}

/** The key's new value; a list that gets one member more keeps the others as they are written. */
function setKey(
  found: Found,
  { map, path }: Pick<Item, 'map' | 'path'>,
  key: string,
  value: Json,
): Splice | null {
  const pair = map.items.find((one) => isScalar(one.key) && one.key.value === key);
  if (pair === undefined) return member(found, map, `${key}: ${flowText(value)}`, '');
  const before = valueAt(found.value, [...path, key]);
  const last = Array.isArray(value) ? value.at(-1) : undefined;
  if (
    isSeq(pair.value) &&
    Array.isArray(before) &&
    last !== undefined &&
    JSON.stringify([...(before as unknown[]), last]) === JSON.stringify(value)
  )
    return appended(found, pair.value, last);
  const range = (pair.value as { range?: [number, number, number] } | null)?.range;
  if (range === undefined) return null;
  const [from, to] = range;
  const old = found.text.slice(from, to);
  return {
    from,
    to,
    put: `${old === '' ? ' ' : ''}${flowText(value)}${/\s*$/.exec(old)?.[0] ?? ''}`,
  };
}

function appended(found: Found, list: YAMLSeq, value: Json): Splice {
  return member(found, list, flowText(value), '- ');
}

/** A further member at the end of a map or list, in its own style. */
function member(
  { text, lines }: Found,
  into: YAMLMap | YAMLSeq,
  words: string,
  mark: string,
): Splice {
  const [, end = 0] = into.range ?? [];
  if (into.flow === true) {
    const before = text.slice(0, end - 1).trimEnd();
    const separator = /[[{,]$/.test(before) ? ' ' : ', ';
    return (
      afterRemark({ text, lines }, into, before.length, words) ?? {
        from: before.length,
        to: before.length,
        put: `${separator}${words}`,
      }
    );
  }
  const start = into.range?.[0] ?? 0;
  const last = text.slice(0, end).trimEnd().length;
  const eol = /\r?\n|$/.exec(text.slice(last))?.index ?? 0;
  const indent = ' '.repeat(lines.linePos(start).col - 1);
  const newline = text.includes('\r\n') ? '\r\n' : '\n';
  return { from: last + eol, to: last + eol, put: `${newline}${indent}${mark}${words}` };
}

/** A further member below the comments that follow the last one; null: none do. */
function afterRemark(
  { text, lines }: Pick<Found, 'text' | 'lines'>,
  { items }: YAMLMap | YAMLSeq,
  end: number,
  words: string,
): Splice | null {
  const last = items.at(-1);
  const ranges = (isPair(last) ? [last.key, last.value] : [last]).flatMap((node) =>
    isNode(node) && node.range ? [node.range] : [],
  );
  const [start, from] = [ranges.at(0)?.[0], ranges.at(-1)?.[1]];
  const rest = text.slice(from, end);
  if (start === undefined || !rest.includes('#')) return null;
  const indent = ' '.repeat(lines.linePos(start).col - 1);
  const newline = text.includes('\r\n') ? '\r\n' : '\n';
  const comma = rest.trimStart().startsWith(',') ? '' : ',';
  return { from: end - rest.length, to: end, put: `${comma}${rest}${newline}${indent}${words}` };
}

/** A comment line above a map that has a line of its own. */
function remarked({ text, lines }: Found, map: YAMLMap, remark: string): Splice | null {
  const start = map.range?.[0] ?? 0;
  const from = start - (lines.linePos(start).col - 1);
  const before = text.slice(from, start);
  if (!/^\s*-\s+$/.test(before)) return null;
  const indent = /^\s*/.exec(before)?.[0] ?? '';
  const newline = text.includes('\r\n') ? '\r\n' : '\n';
  const words = remark.replace(/[\p{Cc}\p{Bidi_Control}\u2028\u2029\ufeff]+/gu, ' ').trim();
  return { from, to: from, put: `${indent}# ${words}${newline}` };
}

function appendIn(found: Found, { path, value }: Extract<YamlEdit, { kind: 'append-in' }>): Plan {
  const above = path.slice(0, -1);
  const key = path.at(-1) ?? '';
  const map = above.reduce<unknown>((at, name) => (isMap(at) ? at.get(name) : null), found.root);
  if (!isMap(map)) return { refused: `there is no "${above.join('.')}" in it any more` };
  const list: unknown = map.get(key);
  const splice = isSeq(list)
    ? appended(found, list, value)
    : list === null || list === undefined
      ? setKey(found, { map, path: [...above] }, key, [value])
      : null;
  if (splice === null) return { refused: `"${path.join('.')}" is not a list` };
  return {
    splices: [splice],
    change: (all) => {
      const at = valueAt(all, above) as Record<string, unknown[] | null | undefined>;
      at[key] = [...(at[key] ?? []), value as unknown];
      return all;
    },
  };
}

/** Keys that YAML reads as the text they are. */
const PLAIN_KEY = /^(?!(?:true|false|null|yes|no|on|off|y|n)$)[A-Za-z_][\w-]*$/i;

/** A value in YAML's flow style: JSON, with plain keys. */
function flowText(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(flowText).join(', ')}]`;
  if (value !== null && typeof value === 'object')
    return `{ ${Object.entries(value)
      .map(([key, each]) => `${PLAIN_KEY.test(key) ? key : flowText(key)}: ${flowText(each)}`)
      .join(', ')} }`;
  return speltOut(JSON.stringify(value), /[\u007f-\u009f\u2028\u2029\ufeff]/g);
}
