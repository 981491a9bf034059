import type { ToolCall } from '../../types/answer.ts';
import type { JsonSchema, SchemaFinding } from '../../types/metric.ts';
import { isMap, type Json } from '../../types/plain.ts';
import { checkAgainst } from './json-schema.ts';
import { differencesText, compareJson, parseJson, type JsonMatchOptions } from './json.ts';
import { maximumPairs } from './pairing.ts';

export interface WantedCall {
  name: string;
  arguments: { [key: string]: Json } | null;
  schema: JsonSchema | null;
}

type ToolOrder = 'strict' | 'unordered' | 'subset' | 'superset';

/** Accepts names, and maps with `name` and either `arguments` or `schema`. */
export function wantedCalls(expected: Json): WantedCall[] | null {
  const entries = Array.isArray(expected) ? expected : [expected];
  const calls = entries.map((entry): WantedCall | null => {
    if (typeof entry === 'string') return { name: entry, arguments: null, schema: null };
    if (!isMap(entry) || typeof entry['name'] !== 'string') return null;
    const { name, arguments: given = null, schema = null } = entry;
    if (given !== null && (!isMap(given) || schema !== null)) return null;
    const isSchema = schema === null || typeof schema === 'boolean' || isMap(schema);
    return isSchema ? { name, arguments: given, schema } : null;
  });
  return calls.some((call) => call === null) ? null : calls.filter((call) => call !== null);
}

/** What is wrong with the arguments of a call that has the wanted name. */
export function checkArguments(
  call: ToolCall,
  { arguments: wanted, schema }: WantedCall,
  options: JsonMatchOptions,
): SchemaFinding {
  if (wanted === null && schema === null) return { status: 'checked', wrong: null };
  const given = parseJson(call.arguments.trim() || '{}', 'raw');
  if (!given.ok) return { status: 'checked', wrong: 'the arguments are not JSON' };
  if (schema !== null) return checkAgainst(schema, given.value);
  const { differences } = compareJson(given.value, wanted, options);
  return { status: 'checked', wrong: differencesText(differences) || null };
}

/** `problem` returns why a call with the right name does not match, or null if it matches. */
export function matchCalls(
  made: readonly ToolCall[],
  wanted: readonly WantedCall[],
  order: ToolOrder,
  problem: (call: ToolCall, want: WantedCall) => string | null,
): { matched: number; pass: boolean; problems: string[] } {
  const fits = (call: ToolCall | undefined, want: WantedCall) =>
    call?.name === want.name && problem(call, want) === null;
  const pairs =
    order === 'strict'
      ? new Map(wanted.flatMap((want, at) => (fits(made[at], want) ? [[at, at] as const] : [])))
      : maximumPairs(made, wanted, fits);
  const complete = pairs.size === wanted.length;
  const nothingElse = pairs.size === made.length;
  const pass = (complete || order === 'subset') && (nothingElse || order === 'superset');
  const open = {
    made: made.filter((_, at) => ![...pairs.values()].includes(at)),
    wanted: wanted.filter((_, at) => !pairs.has(at)),
  };
  return {
    matched: pairs.size,
    pass,
    problems: pass ? [] : unpairedProblems(open, order, problem),
  };
}

function unpairedProblems(
  open: { made: readonly ToolCall[]; wanted: readonly WantedCall[] },
  order: ToolOrder,
  problem: (call: ToolCall, want: WantedCall) => string | null,
): string[] {
  const left = [...open.made];
  const ofWanted = open.wanted.flatMap((want) => {
    const at = left.findIndex(({ name }) => name === want.name);
    const [call] = at === -1 ? [] : left.splice(at, 1);
    if (call !== undefined)
      return `${want.name}: ${problem(call, want) ?? 'not called in this order'}`;
    return order === 'subset' ? [] : `${want.name} not called`;
  });
  const ofMade = order === 'superset' ? [] : left.map(({ name }) => `${name} not expected`);
  return [...ofWanted, ...ofMade];
}
