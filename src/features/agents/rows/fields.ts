import { isMap, type JsonMap } from '../../../types/plain.ts';

/** Null if the key has no text. */
export function textIn(map: JsonMap, key: string): string | null {
  const value = map[key];
  return typeof value === 'string' ? value : null;
}

/** Returns an empty map if the key has another value. */
export function mapIn(map: JsonMap, key: string): JsonMap {
  const value = map[key];
  return isMap(value) ? value : {};
}

/** Returns the maps in a list. */
export function listIn(map: JsonMap, key: string): JsonMap[] {
  const value = map[key];
  return Array.isArray(value) ? value.filter(isMap) : [];
}
