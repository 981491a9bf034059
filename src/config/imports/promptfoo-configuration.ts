import type { Document } from '../../documents/document.ts';
import { emptyMap } from '../../documents/document.ts';
import { isMap, type Json, type JsonMap, type Place } from '../../types/plain.ts';
import { isScalar, type ImportFiles } from './draft.ts';

/**
 * The configuration as the other tool takes it before anything is read: the environment that it
 * sets itself filled in everywhere, files that providers name read, and what it sends to a model
 * that nothing is said of.
 */
export async function configurationOf(document: Document, files: ImportFiles): Promise<Document> {
  const { value: written } = document;
  if (!isMap(written)) return document;
  const env = isMap(written['env']) ? written['env'] : {};
  const value = withEnvironment(written, env);
  for (const key of ['providers', 'targets']) {
    const entries = value[key];
    if (entries === undefined || entries === null) continue;
    const from = document.placeOf([key]);
    value[key] = Array.isArray(entries)
      ? await Promise.all(entries.map((entry) => providerOf(entry, from, files)))
      : await providerOf(entries, from, files);
  }
  return { ...document, value };
}

const ENVIRONMENT = /\{\{\s*env\.([A-Za-z_]\w*)\s*\}\}/g;

function withEnvironment(map: JsonMap, env: JsonMap): JsonMap {
  const known = (text: string): string =>
    text.replace(ENVIRONMENT, (all, name: string) => {
      const value = Object.hasOwn(env, name) ? env[name] : undefined;
      return isScalar(value) ? String(value) : all;
    });
  const filled = (value: Json): Json => {
    if (typeof value === 'string') return known(value);
    if (Array.isArray(value)) return value.map(filled);
    return isMap(value) ? withEnvironment(value, env) : value;
  };
  const copy = emptyMap();
  for (const [key, value] of Object.entries(map)) copy[key] = filled(value);
  return copy;
}

/** One provider with its files read and the other tool's defaults in its configuration. */
async function providerOf(entry: Json, from: Place, files: ImportFiles): Promise<Json> {
  const map = entryMap(entry);
  if (map === null) return entry;
  const config = await withFiles(isMap(map['config']) ? map['config'] : {}, from, files);
  const sent = withDefaults(String(map['id']), config);
  if (Object.keys(sent).length === 0 && !('config' in map)) return entry;
  return { ...map, config: sent };
}

/** `id`, `{ id, config }`, or a map whose one key is the id; null for anything else. */
function entryMap(entry: Json): JsonMap | null {
  if (typeof entry === 'string') return { id: entry };
  if (!isMap(entry)) return null;
  if (typeof entry['id'] === 'string') return entry;
  const [[id, rest] = ['', null], ...more] = Object.entries(entry);
  return id === '' || more.length > 0 ? null : { ...(isMap(rest) ? rest : {}), id };
}

/** `tools: file://tools.json` and the like: data that goes to the model. */
async function withFiles(config: JsonMap, from: Place, files: ImportFiles): Promise<JsonMap> {
  const read = emptyMap();
  for (const [key, value] of Object.entries(config)) {
    const isData = typeof value === 'string' && /^file:\/\/.+\.(?:json|ya?ml)$/i.test(value);
    read[key] = isData ? ((await files.documents(value, from))[0]?.value ?? value) : value;
  }
  return read;
}

/** Vendors whose chat the other tool asks as it asks OpenAI's. */
const LIKE_OPENAI = new Set([
  'openai',
  'openrouter',
  'azure',
  'azureopenai',
  'groq',
  'deepseek',
  'perplexity',
  'xai',
  'togetherai',
  'together',
  'fireworks',
  'cerebras',
  'deepinfra',
  'nvidia',
  'github',
]);

/** Models that think first take neither a temperature nor a bound named `max_tokens`. */
const THINKS = /^(?:.*\/)?(?:o\d|gpt-5)/;

/** Models of Anthropic's that take no temperature any more. */
const WITHOUT_TEMPERATURE = /^claude-[a-z]+-(?:4-[7-9]|[5-9])/;

/** What the other tool sends where nothing is said: temperature 0, and at most 1,024 tokens. */
function withDefaults(id: string, config: JsonMap): JsonMap {
  const [vendor = '', ...steps] = id.split(':');
  const model = steps.filter((step) => !['chat', 'responses', 'messages'].includes(step)).join(':');
  const { omitDefaults, passthrough, ...own } = config;
  const given = { ...own, ...(isMap(passthrough) ? passthrough : {}) };
  if (omitDefaults === true || model === '') return given;
  if (vendor === 'anthropic') return asAnthropic(model, given);
  return LIKE_OPENAI.has(vendor) ? asOpenai(model, given) : given;
}

function asAnthropic(model: string, given: JsonMap): JsonMap {
  const { thinking } = given;
  const thinks = isMap(thinking ?? null) && (thinking as JsonMap)['type'] !== 'disabled';
  const isFree = !thinks && !('top_p' in given) && !WITHOUT_TEMPERATURE.test(model);
  return { max_tokens: thinks ? 2048 : 1024, ...(isFree ? { temperature: 0 } : {}), ...given };
}

const BOUNDS = ['max_tokens', 'max_completion_tokens', 'maxTokens'];

function asOpenai(model: string, given: JsonMap): JsonMap {
  if (THINKS.test(model)) {
    const { temperature: _, max_tokens: __, ...rest } = given;
    return rest;
  }
  const bounded = BOUNDS.some((name) => name in given);
  return { temperature: 0, ...(bounded ? {} : { max_tokens: 1024 }), ...given };
}
