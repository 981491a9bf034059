import { isMap, type Json, type JsonMap } from '../../../types/plain.ts';
import { normalisersOf } from '../rows/index.ts';
import type { AgentName } from '../suite/spec.ts';

/** In characters. Shorter values are not replaced, because they may occur by chance. */
const MIN_KNOWN_CHARS = 6;

const SHORT_ID_CHARS = 7;

type Zone = 'messages' | 'given' | 'results';

export type Normalise = (body: JsonMap) => Json;

/** Removes values that vary by chance. The result's hash is the key of the stored reply. */
export function normaliserFor(agent: AgentName, known: readonly string[]): Normalise {
  const rows = normalisersOf(agent);
  const named = (place: 'top' | 'anywhere'): Set<string> =>
    new Set(rows.flatMap((row) => ('fields' in row && row.at === place ? row.fields : [])));
  const [top, anywhere] = [named('top'), named('anywhere')];
  const replaced = known.flatMap(knownPattern);
  const clean = (text: string, zone: Zone): string => {
    let cleaned = text;
    for (const { pattern, to } of replaced) cleaned = cleaned.replace(pattern, to);
    for (const row of rows)
      if ('text' in row && row.in === zone) cleaned = cleaned.replace(row.text, '');
    return cleaned;
  };
  const walk = (value: Json, zone: Zone): Json => {
    if (typeof value === 'string') return clean(value, zone);
    if (Array.isArray(value)) return value.map((each) => walk(each, zone));
    if (!isMap(value)) return value;
    const kept = Object.entries(value).filter(([key]) => zone !== 'messages' || !anywhere.has(key));
    return Object.fromEntries(
      kept.map(([key, each]) => [key, walk(each, zoneOf(value, key, zone))]),
    );
  };
  return (body) =>
    walk(Object.fromEntries(Object.entries(body).filter(([key]) => !top.has(key))), 'messages');
}

function knownPattern(value: string, index: number): { pattern: RegExp; to: () => string }[] {
  if (value.length < MIN_KNOWN_CHARS) return [];
  const to = (): string => `KNOWN-${String(index)}`;
  if (!/^[0-9a-f]{40,64}$/.test(value)) return [{ pattern: literalPattern(value), to }];
  const short = value.slice(0, SHORT_ID_CHARS);
  const rest = [...value.slice(SHORT_ID_CHARS)].reduceRight(
    (inner, digit) => `(?:${digit}${inner})?`,
    '',
  );
  return [{ pattern: new RegExp(`\\b${short}${rest}\\b`, 'g'), to }];
}

function literalPattern(text: string): RegExp {
  return new RegExp(text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'), 'g');
}

const SCHEMAS: ReadonlySet<string> = new Set([
  'input_schema',
  'parameters',
  'parametersJsonSchema',
  'responseSchema',
  'responseJsonSchema',
  'schema',
]);

const INPUTS: ReadonlySet<string> = new Set(['args', 'arguments']);

/** Schemas, tool inputs and tool results are content, so their fields are not removed. */
function zoneOf(parent: JsonMap, key: string, zone: Zone): Zone {
  if (zone !== 'messages') return zone;
  const { type, role } = parent;
  if (SCHEMAS.has(key) || INPUTS.has(key)) return 'given';
  if (key === 'input' && typeof type === 'string') return 'given';
  const isResult =
    (key === 'content' && (type === 'tool_result' || role === 'tool')) ||
    (key === 'output' && typeof type === 'string') ||
    key === 'response';
  return isResult ? 'results' : zone;
}
