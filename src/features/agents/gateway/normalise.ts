import { isMap, type Json, type JsonMap } from '../../../types/plain.ts';
import type { AgentName } from '../suite/spec.ts';

/**
 * What differs between two equal runs of an agent. Requests are compared without it, so that a run
 * can be replayed, and base and head share replies. The vendor gets the request unchanged.
 */
type Normaliser = { agents: readonly AgentName[]; why: string } & (
  | { fields: readonly string[]; at: 'top' | 'anywhere' }
  | { text: RegExp; in: 'messages' | 'results' }
);

const CLIS: readonly AgentName[] = ['claude-code', 'codex', 'gemini-cli', 'copilot', 'opencode'];

/**
 * Patterns are anchored in the words around the value: an edited instruction must never look equal.
 */
const NORMALISERS: readonly Normaliser[] = [
  {
    agents: ['claude-code', 'codex'],
    why: 'ids of account, device and session, for telemetry and routing',
    fields: ['metadata', 'client_metadata', 'prompt_cache_key', 'user', 'safety_identifier'],
    at: 'top',
  },
  {
    agents: CLIS,
    why: 'ids of calls, made up by the agent or the vendor; their order says the same',
    fields: ['call_id', 'tool_use_id', 'tool_call_id', 'id'],
    at: 'anywhere',
  },
  {
    agents: ['codex', 'copilot'],
    why: 'folders of the session',
    text: /(?<=[/\\])[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g,
    in: 'messages',
  },
  {
    agents: ['copilot'],
    why: 'the time, in front of the task',
    text: /(?<=<current_datetime>)[^<]{1,40}/g,
    in: 'messages',
  },
  {
    agents: CLIS,
    why: 'the day, in the first message',
    text: /(?<=(?:today's date|current_date|current date)(?: is)?[:> ]+)[A-Z0-9][^\n.<]{5,40}/gi,
    in: 'messages',
  },
  {
    agents: ['claude-code'],
    why: 'the kernel, in the block on the environment; runner images change weekly',
    text: /OS Version: [^\n"]+/g,
    in: 'messages',
  },
  { agents: ['codex'], why: 'number of an output', text: /Chunk ID: \w+/g, in: 'results' },
  { agents: ['codex'], why: 'duration', text: /Wall time: [\d.]+ seconds/g, in: 'results' },
  {
    agents: ['gemini-cli'],
    why: 'process group of a command',
    text: /Process Group PGID: \d+/g,
    in: 'results',
  },
];

/** Any CLI can be behind these. */
const UNKNOWN_AGENTS: readonly AgentName[] = ['acp', 'command'];

/** Shorter values occur by chance. */
const MIN_KNOWN_CHARS = 6;

/** Git shortens commit ids to this. */
const SHORT_ID_CHARS = 7;

type Zone = 'messages' | 'given' | 'results';

export type Normalise = (body: JsonMap) => Json;

export function normaliserFor(agent: AgentName, known: readonly string[]): Normalise {
  const rows = NORMALISERS.filter(
    ({ agents }) => agents.includes(agent) || UNKNOWN_AGENTS.includes(agent),
  );
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

/** A commit id also in its short forms. */
function knownPattern(value: string, index: number): { pattern: RegExp; to: () => string }[] {
  if (value.length < MIN_KNOWN_CHARS) return [];
  const to = (): string => `KNOWN-${String(index)}`;
  if (!/^[0-9a-f]{40,64}$/.test(value)) return [{ pattern: literal(value), to }];
  const short = value.slice(0, SHORT_ID_CHARS);
  const rest = [...value.slice(SHORT_ID_CHARS)].reduceRight(
    (inner, digit) => `(?:${digit}${inner})?`,
    '',
  );
  return [{ pattern: new RegExp(`\\b${short}${rest}\\b`, 'g'), to }];
}

function literal(text: string): RegExp {
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

/** Schemas, inputs and results of tools are content: no field is dropped inside. */
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
