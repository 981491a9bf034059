import { isMap, type Json, type JsonMap } from '../../../types/plain.ts';
import type { ClientValue } from '../rows/agent-row.ts';
import { agentRow } from '../rows/index.ts';
import type { AgentName } from '../suite/spec.ts';

const SHORT_COMMIT_CHARS = 7;

export type Normalise = (body: JsonMap) => JsonMap;

/**
 * Replaces values that vary by chance: those that the run itself knows, and those that the agent's
 * client writes. The result's hash is the key of the stored reply.
 */
export function normaliserFor(agent: AgentName, known: readonly string[]): Normalise {
  const replaced = known.map(knownPattern);
  const clean = (value: Json): Json => {
    if (typeof value === 'string')
      return replaced.reduce(
        (text, pattern, index) => text.replace(pattern, `KNOWN-${index}`),
        value,
      );
    if (Array.isArray(value)) return value.map(clean);
    return isMap(value) ? mapValues(value, clean) : value;
  };
  return (body) => mapValues(withoutClientValues(agent, body), clean);
}

export function withoutClientValues(agent: AgentName, body: JsonMap): JsonMap {
  return agentRow(agent).clientValues.reduce<JsonMap>(
    (left, { at, text }) => withoutValue(left, at.split('.'), text) as JsonMap,
    body,
  );
}

function mapValues(map: JsonMap, change: (value: Json) => Json): JsonMap {
  return Object.fromEntries(Object.entries(map).map(([key, value]) => [key, change(value)]));
}

function withoutValue(
  value: Json,
  [key, ...below]: readonly string[],
  text: ClientValue['text'],
): Json {
  if (key === undefined) {
    if (text === undefined) return null;
    return typeof value === 'string' ? value.replace(text, '') : value;
  }
  const inner = (each: Json) => withoutValue(each, below, text);
  if (Array.isArray(value))
    return value.map((each, index) => (['*', String(index)].includes(key) ? inner(each) : each));
  if (!isMap(value)) return value;
  const [name = '', wanted] = key.split('=');
  if (wanted !== undefined) return value[name] === wanted ? inner(value) : value;
  return Object.hasOwn(value, key) ? { ...value, [key]: inner(value[key] ?? null) } : value;
}

/**
 * What differs between equal runs: the date, in the forms in which clients write it, and the
 * workspace's commit. A value that `isContent` finds in a file or in the task is not replaced,
 * because an edit of it must reach the model. A value's index is part of keys.
 */
export function knownValues(
  now: number,
  commit: string,
  isContent: (text: string) => boolean,
): string[] {
  // The sandbox's time zone is UTC.
  const written = (options?: Intl.DateTimeFormatOptions) =>
    new Date(now).toLocaleDateString('en-US', { timeZone: 'UTC', ...options });
  const long = { year: 'numeric', month: 'long', day: 'numeric' } as const;
  const [day = '', date = '', month = '', year = ''] = new Date(now).toUTCString().split(/,? /);
  const forms = [
    new Date(now).toISOString().slice(0, 'YYYY-MM-DD'.length),
    [day, month, date, year].join(' '),
    written({ weekday: 'long', ...long }),
    written(long),
    written(),
  ];
  return [...forms, commit].map((value) =>
    isContent(value === commit ? commit.slice(0, SHORT_COMMIT_CHARS) : value) ? '' : value,
  );
}

/** Matches only whole values: not the date of a time, or a part of a path. Commits may be short. */
function knownPattern(value: string): RegExp {
  const short = value.slice(0, SHORT_COMMIT_CHARS);
  const rest = [...value.slice(SHORT_COMMIT_CHARS)].reduceRight(
    (inner, digit) => `(?:${digit}${inner})?`,
    '',
  );
  const isCommit = /^[0-9a-f]{40,64}$/.test(value);
  const source = isCommit ? short + rest : value.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  return new RegExp(`(?<!\\w|\\w[-./:])${source || '(?!)'}(?!\\w|[-./:]\\w)`, 'g');
}
