import { isMap, type Json, type JsonMap } from '../../../types/plain.ts';
import type { ImportFiles } from '../shared/files.ts';
import type { Lost } from '../shared/models.ts';
import { type Node, isAmong } from '../shared/node.ts';
import { requestOf, type SentMembers } from './promptfoo-requests.ts';

/** Keys for promptfoo's own client. They do not affect answers. */
const OF_THE_CLIENT =
  'omitDefaults passthrough maxRetries timeout cost inputCost outputCost apiKeyRequired ' +
  'showThinking';

const FILLED_IN = 'tools functions response_format output_format reasoning_effort';

export function sentParameters(id: string, config: JsonMap, lost: Lost): SentMembers {
  const { passthrough, omitDefaults } = config;
  const own = convertibleMembers(config, lost);
  const [vendor = '', ...steps] = id.split(':');
  const kinds = ['chat', 'responses', 'messages'];
  const model = steps.filter((step) => !kinds.includes(step)).join(':');
  const call = { vendor, model, own, bare: omitDefaults === true, kind: steps[0] ?? '' };
  const { sent, unsent } = model === '' ? { sent: own, unsent: [] } : requestOf(call);
  return { sent: { ...sent, ...(isMap(passthrough) ? passthrough : {}) }, unsent };
}

export function convertibleMembers(config: JsonMap, lost: Lost): JsonMap {
  const own = Object.entries(config).filter(([key, value]) => {
    if (isAmong(OF_THE_CLIENT, key)) return false;
    const texts = textsIn(value);
    const file = texts.find((text) => text.startsWith('file://'));
    const isFilledIn = isAmong(FILLED_IN, key) && texts.some((text) => /\{\{|\{%/.test(text));
    if (file !== undefined)
      lost(key, `${file} is not supported: only JSON and YAML files are read`);
    else if (isFilledIn) lost(key, 'it is a template that promptfoo fills in for each test');
    return file === undefined && !isFilledIn;
  });
  return Object.fromEntries(own);
}

function textsIn(value: Json): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

const DEEPEST = 8;

export async function withFiles(config: JsonMap, from: Node, files: ImportFiles): Promise<JsonMap> {
  return mapMembers(config, async (value, key) => {
    const read = await fileData(value, from, files, DEEPEST);
    const isLists = key === 'tools' && Array.isArray(read) && read.every(Array.isArray);
    return isLists ? read.flat() : read;
  });
}

async function mapMembers(
  map: JsonMap,
  change: (value: Json, key: string) => Promise<Json>,
): Promise<JsonMap> {
  const members = Object.entries(map).map(async ([key, value]): Promise<[string, Json]> => [
    key,
    await change(value, key),
  ]);
  return Object.fromEntries(await Promise.all(members));
}

async function fileData(value: Json, from: Node, files: ImportFiles, depth: number): Promise<Json> {
  if (depth === 0) return value;
  const next = (member: Json): Promise<Json> => fileData(member, from, files, depth - 1);
  if (Array.isArray(value)) return Promise.all(value.map(next));
  if (isMap(value)) return mapMembers(value, next);
  if (typeof value !== 'string' || !/^file:\/\/.+\.(?:json|ya?ml)$/i.test(value)) return value;
  const found = (await files.nodes(value, from)).map((node) => node.value);
  return next(value.includes('*') ? found.flat() : (found[0] ?? null));
}
