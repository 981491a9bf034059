import { valueAt, type Document, type Path } from '../../../documents/document.ts';
import { isMap, ownEntry, type Json, type JsonMap, type Place } from '../../../types/plain.ts';
import { isAmong, lose, type Loss } from './draft.ts';

export interface Node {
  value: Json;
  place: Place;
  map: JsonMap;
  at(...path: Path): Node;
  items(): Node[];
  each(): Node[];
}

export function nodeOf(document: Pick<Document, 'value' | 'placeOf'>, path: Path = []): Node {
  const value = valueAt(document.value, path) ?? null;
  const at = (...below: Path): Node => nodeOf(document, [...path, ...below]);
  const items = (): Node[] => (Array.isArray(value) ? value.map((_, index) => at(index)) : []);
  return {
    value,
    place: document.placeOf(path),
    map: isMap(value) ? value : {},
    at,
    items,
    each: () => (Array.isArray(value) ? items() : [at()]),
  };
}

interface UnreadKeys {
  /** The supported keys, separated by spaces. */
  read: string;
  why?: Readonly<Record<string, string>>;
  otherwise?: string;
  what?(key: string): string;
}

export function loseUnread(
  left: { push(loss: Loss): unknown },
  { map, at }: Node,
  { read, why = {}, otherwise = 'evaldiff has no equivalent', what = (key) => key }: UnreadKeys,
): void {
  for (const key of Object.keys(map).filter((each) => !isAmong(read, each)))
    lose(left, at(key).place, what(key), ownEntry(why, key) ?? otherwise);
}

export async function readEach<T, R>(
  list: readonly T[],
  read: (each: T) => R[] | Promise<R[]>,
): Promise<R[]> {
  return (await Promise.all(list.map(read))).flat();
}
