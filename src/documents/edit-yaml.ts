import {
  LineCounter,
  Parser,
  isMap,
  isPair,
  isScalar,
  isSeq,
  parseDocument,
  visit,
  type Document,
  type YAMLMap,
  type YAMLSeq,
} from 'yaml';
import type { Json, JsonMap } from '../types/plain.ts';
import { valueAt } from './document.ts';
import {
  appendItem,
  applySplices,
  pairAt,
  remarkAbove,
  setKey,
  type EditResult,
  type Splice,
  type YamlText,
} from './yaml-splices.ts';

export type YamlEdit =
  | ({ kind: 'set'; values: JsonMap; remark: string | null } & ReferencePosition)
  | ({ kind: 'append'; value: Json } & ReferencePosition)
  | { kind: 'append-in'; path: readonly string[]; value: Json };

interface ReferencePosition {
  line: number;
  id: string;
}

function parseYamlText(text: string): YamlText | null {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, version: '1.2' });
  if (document.errors.length > 0) return null;
  return { text, root: document.contents, lines, value: expandedValue(document) };
}

function expandedValue(document: Document.Parsed): Json {
  return JSON.parse(JSON.stringify(document.toJS() ?? null)) as Json;
}

/** Keeps the file's formatting. Rejects the edit if any other value would change. */
export function editYaml(text: string, edit: YamlEdit, read: string): EditResult {
  const found = parseYamlText(text);
  if (found === null) return { refused: 'the file is no longer valid YAML' };
  const planned = plan(found, edit, read);
  if ('refused' in planned) return planned;
  const wanted = JSON.stringify(planned.change(structuredClone(found.value)));
  const spliced = applySplices(text, planned.splices);
  const after = parseDocument(spliced, { version: '1.2' });
  if (after.errors.length > 0 || JSON.stringify(expandedValue(after)) !== wanted)
    return { refused: "the file's layout cannot be kept with this change" };
  const kept = new Set(commentsIn(spliced));
  return commentsIn(text).some((comment) => !kept.has(comment))
    ? { refused: 'the replaced part contains a comment, which would be lost' }
    : { text: spliced };
}

function commentsIn(text: string): string[] {
  const found: string[] = [];
  const collect = (token: unknown) => {
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
    return `${number} ${comment}`;
  });
}

type EditPlan = { splices: Splice[]; change(value: Json): Json } | { refused: string };

function plan(found: YamlText, edit: YamlEdit, read: string): EditPlan {
  if (edit.kind === 'append-in') return appendIn(found, edit);
  const [item, ...others] = itemsAt(found, edit);
  if (item === undefined)
    return { refused: 'the reference is no longer at this place in the file' };
  if (others.length > 0)
    return {
      refused: `several references are on line ${edit.line}; give each its own line, or an id`,
    };
  if (found.text !== read && !isSameItem(found, item, read, edit))
    return {
      refused: 'the file has changed since it was read: another reference is on this line now',
    };
  const { map, list, path } = item;
  if (edit.kind === 'append')
    return {
      splices: [appendItem(found, list, edit.value)],
      change: (value) => {
        (valueAt(value, path.slice(0, -1)) as unknown[]).push(edit.value);
        return value;
      },
    };
  const { values, remark } = edit;
  const splices = [
    ...Object.entries(values).map(([key, value]) => setKey(found, item, key, value)),
    ...(remark === null ? [] : [remarkAbove(found, map, remark)]),
  ];
  return splices.some((splice) => splice === null)
    ? { refused: 'the reason is a comment above the key, so write the reference on several lines' }
    : {
        splices: splices.filter((splice) => splice !== null),
        change: (all) => {
          Object.assign(valueAt(all, path) as JsonMap, values);
          return all;
        },
      };
}

interface ListItem {
  map: YAMLMap;
  list: YAMLSeq;
  path: (string | number)[];
}

function isSameItem(
  { value }: YamlText,
  { path }: ListItem,
  read: string,
  at: ReferencePosition,
): boolean {
  const before = parseYamlText(read);
  const [item] = before === null ? [] : itemsAt(before, at);
  return (
    before !== null &&
    item !== undefined &&
    JSON.stringify(valueAt(before.value, item.path)) === JSON.stringify(valueAt(value, path))
  );
}

function itemsAt({ root, lines }: YamlText, { line, id }: ReferencePosition): ListItem[] {
  const items: ListItem[] = [];
  visit(root as never, {
    Seq(_, list, above) {
      const keys = above.flatMap((node) =>
        isPair(node) && isScalar(node.key) ? [String(node.key.value)] : [],
      );
      if (keys.at(-1) !== 'references' || above.some((node) => isSeq(node))) return;
      list.items.forEach((map, index) => {
        if (isMap(map) && lines.linePos(map.range?.[0] ?? 0).line === line)
          items.push({ map, list, path: [...keys, index] });
      });
    },
  });
  const named = items.filter(({ map }) => {
    const given: unknown = map.get('id', true);
    return isScalar(given) && (given.source ?? String(given.value)) === id;
  });
  return items.length < 2 || named.length === 0 ? items : named;
}

function pathName(path: readonly string[]): string {
  return path.length === 0 ? 'the file' : `"${path.join('.')}"`;
}

function mapAt({ root }: YamlText, path: readonly string[]): YAMLMap | { refused: string } {
  let map = root;
  for (const name of path) {
    const pair = isMap(map) ? pairAt(map, name) : undefined;
    if (pair === undefined) return { refused: `there is no ${pathName(path)} in it` };
    map = pair.value;
  }
  return isMap(map) ? map : { refused: `${pathName(path)} is not a plain map in the file` };
}

function appendIn(
  found: YamlText,
  { path, value }: Extract<YamlEdit, { kind: 'append-in' }>,
): EditPlan {
  const above = path.slice(0, -1);
  const key = path.at(-1) ?? '';
  const map = mapAt(found, above);
  if ('refused' in map) return map;
  const list = pairAt(map, key)?.value;
  const isEmpty = list === undefined || list === null || (isScalar(list) && list.value === null);
  const splice = isSeq(list)
    ? appendItem(found, list, value)
    : isEmpty
      ? setKey(found, { map, path: [...above] }, key, [value])
      : null;
  if (splice === null) return { refused: `${pathName(path)} is not a plain list in the file` };
  return {
    splices: [splice],
    change: (all) => {
      const at = valueAt(all, above) as Record<string, Json[] | null | undefined>;
      at[key] = [...(at[key] ?? []), value];
      return all;
    },
  };
}
