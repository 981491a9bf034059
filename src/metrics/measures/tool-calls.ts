import type { ToolCall } from '../../types/model.ts';
import { isMap, type Json } from '../../types/plain.ts';
import { jsonAgreement, parseJson, type JsonMatchOptions } from './json.ts';
import { maximumPairs } from './pairing.ts';

interface WantedCall {
  name: string;
  arguments: { [key: string]: Json } | null;
}

type ToolOrder = 'strict' | 'unordered' | 'subset' | 'superset';

/** One or a list of names or maps of `name` and `arguments`; null if invalid. */
export function wantedCalls(expected: Json): WantedCall[] | null {
  const entries = Array.isArray(expected) ? expected : [expected];
  const calls = entries.map((entry): WantedCall | null => {
    if (typeof entry === 'string') return { name: entry, arguments: null };
    if (!isMap(entry) || typeof entry['name'] !== 'string') return null;
    const given = entry['arguments'] ?? null;
    return given === null || isMap(given) ? { name: entry['name'], arguments: given } : null;
  });
  return calls.some((call) => call === null) ? null : calls.filter((call) => call !== null);
}

/** A call wanted without arguments matches any. `strict` pairs by position. */
export function matchCalls(
  made: readonly ToolCall[],
  wanted: readonly WantedCall[],
  order: ToolOrder,
  options: JsonMatchOptions,
): { matched: number; pass: boolean } {
  const fits = (call: ToolCall | undefined, want: WantedCall): boolean =>
    call !== undefined && call.name === want.name && argumentsFit(call, want, options);
  if (order === 'strict') {
    const matched = wanted.filter((want, index) => fits(made[index], want)).length;
    return { matched, pass: matched === wanted.length && made.length === wanted.length };
  }
  const matched = maximumPairs(wanted, made, (want, call) => fits(call, want));
  const complete = matched === wanted.length;
  const nothingElse = matched === made.length;
  return {
    matched,
    pass: { unordered: complete && nothingElse, subset: nothingElse, superset: complete }[order],
  };
}

function argumentsFit(call: ToolCall, want: WantedCall, options: JsonMatchOptions): boolean {
  if (want.arguments === null) return true;
  const given = parseJson(call.arguments.trim() === '' ? '{}' : call.arguments, 'raw');
  return given.ok && jsonAgreement(given.value, want.arguments, options) === 1;
}

export function unreadArguments(made: readonly ToolCall[]): string {
  const odd = made.find(
    ({ arguments: given }) => given.trim() !== '' && !parseJson(given, 'raw').ok,
  );
  return odd === undefined ? '' : `; the arguments of ${odd.name} are not JSON`;
}
