import type { Part } from '../../types/answer.ts';
import { LongNumber, type ExactJson } from '../../types/exact-json.ts';
import type { Json, JsonMap } from '../../types/plain.ts';
import { argumentsOf } from './text.ts';

/** What a reference expects whose right answer this is, or why that cannot be written. */
export function expectedFrom(parts: readonly Part[]): { value: Json } | { refused: string } {
  const rest = parts.filter(({ type }) => type !== 'text' && type !== 'tool_call');
  const [only] = parts;
  if (parts.length === 1 && only?.type === 'json') return { value: only.value };
  if (rest.length > 0)
    return { refused: 'An answer with images, files or unknown parts cannot be accepted.' };
  const calls = parts.flatMap((part) => (part.type === 'tool_call' ? [part] : []));
  if (calls.length === 0) return { value: only?.type === 'text' ? only.text : '' };
  const value = calls.map((call): JsonMap | null => {
    const given = argumentsOf(call);
    if (given === null || given.some((each) => hasLongNumber(each.value))) return null;
    const values = given.map(({ name, value }) => [name, value as Json] as const);
    return { name: call.name, arguments: Object.fromEntries(values) };
  });
  return value.every((call) => call !== null)
    ? { value }
    : { refused: 'Its arguments are not a JSON map, or have a number with too many digits.' };
}

function hasLongNumber(value: ExactJson): boolean {
  if (value === null || typeof value !== 'object') return false;
  return value instanceof LongNumber || Object.values(value).some(hasLongNumber);
}
