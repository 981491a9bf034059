import { isMap, member, type JsonMap } from '../../../types/plain.ts';

export function textIn(value: unknown, key: string): string | null {
  const text = member(value, key);
  return typeof text === 'string' ? text : null;
}

export function mapIn(value: unknown, key: string): JsonMap {
  const map = member(value, key);
  return isMap(map) ? map : {};
}

export function listIn(value: unknown, key: string): JsonMap[] {
  const list = member(value, key);
  return Array.isArray(list) ? list.filter(isMap) : [];
}
