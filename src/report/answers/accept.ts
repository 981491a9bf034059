import type { Part, ToolCall } from '../../types/answer.ts';
import { LongNumber, type ExactJson } from '../../types/exact-json.ts';
import { isMap, type Json, type JsonMap } from '../../types/plain.ts';
import { argumentsOf, visibleParts } from './text.ts';

/**
 * Returns an `expected` value that accepts this answer. For an answer with files, it is a list of
 * files, unless `before` (the old value) lists tool calls. `chosen`: the numbers of the calls to
 * expect, from 0; absent: all.
 */
export function expectedFrom(
  all: readonly Part[],
  before: Json,
  chosen?: readonly number[],
): { value: Json } | { refused: string } {
  const parts = visibleParts(all);
  const [only] = parts;
  if (parts.length === 1 && only?.type === 'json') return { value: only.value };
  if (parts.some(({ type }) => type === 'json' || type === 'unknown'))
    return {
      refused:
        'An answer that mixes JSON with other parts, or has unknown parts, cannot be accepted.',
    };
  const files = parts.flatMap(fileEntry);
  const calls = parts.flatMap((part) => (part.type === 'tool_call' ? [part] : []));
  const wantsCalls = files.length === 0 || [before].flat().some((of) => isMap(of) && 'name' in of);
  if (!wantsCalls) return { value: files };
  if (calls.length === 0) return { value: only?.type === 'text' ? only.text : '' };
  const value = calls.filter((_, at) => chosen?.includes(at) ?? true).map(callEntry);
  return value.every((call) => call !== null)
    ? { value }
    : { refused: 'Its arguments are not a JSON map, or contain a number with too many digits.' };
}

function fileEntry(part: Part): JsonMap[] {
  if (part.type === 'image') return [{ image: part.digest }];
  return part.type === 'file' ? [{ path: part.path, content: part.diff }] : [];
}

function callEntry(call: ToolCall): JsonMap | null {
  const given = argumentsOf(call);
  if (given === null || given.some((each) => hasLongNumber(each.value))) return null;
  const values = given.map(({ name, value }) => [name, value as Json] as const);
  return { name: call.name, arguments: Object.fromEntries(values) };
}

/** Reads expected calls or files. Null if the reference expects something else. */
export function expectedParts(expected: Json): Part[] | null {
  const entries = Array.isArray(expected) ? expected : [];
  const parts = entries.map(expectedPart);
  return parts.length > 0 && parts.every((part) => part !== null) ? parts : null;
}

function expectedPart(entry: Json): Part | null {
  if (!isMap(entry) || Object.keys(entry).length > 2) return null;
  const { name, arguments: given, path, content } = entry;
  if (typeof name === 'string' && isMap(given))
    return { type: 'tool_call', name, arguments: JSON.stringify(given) };
  return typeof path === 'string' && typeof content === 'string'
    ? { type: 'file', path, diff: content }
    : null;
}

function hasLongNumber(value: ExactJson): boolean {
  if (value === null || typeof value !== 'object') return false;
  return value instanceof LongNumber || Object.values(value).some(hasLongNumber);
}
