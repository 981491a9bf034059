import { isMap, type JsonMap } from '../../../types/plain.ts';

/** Null: no text under this key. */
export function textIn(map: JsonMap, key: string): string | null {
  const value = map[key];
  return typeof value === 'string' ? value : null;
}

/** An empty map if the key holds anything else. */
export function mapIn(map: JsonMap, key: string): JsonMap {
  const value = map[key];
  return isMap(value) ? value : {};
}

/** The maps of a list. */
export function listIn(map: JsonMap, key: string): JsonMap[] {
  const value = map[key];
  return Array.isArray(value) ? value.filter(isMap) : [];
}
