import { isMap, type Json, type JsonMap, type Place } from '../../../types/plain.ts';
import { isAmong, type ImportFiles } from '../shared/draft.ts';
import { requestOf } from './promptfoo-requests.ts';

interface SentParameters {
  config: JsonMap;
  unsent: string[];
  left: { key: string; why: string }[];
}

/** Keys for promptfoo's own client. They do not affect answers. */
const OF_THE_CLIENT =
  'omitDefaults passthrough maxRetries timeout cost inputCost outputCost apiKeyRequired ' +
  'showThinking';

const FILLED_IN = ['tools', 'functions', 'response_format', 'output_format', 'reasoning_effort'];

export function sentParameters(id: string, config: JsonMap): SentParameters {
  const { passthrough } = config;
  const { own, left } = convertibleMembers(config);
  const [vendor = '', ...steps] = id.split(':');
  const kinds = ['chat', 'responses', 'messages'];
  const model = steps.filter((step) => !kinds.includes(step)).join(':');
  const asked = { model, own, bare: config['omitDefaults'] === true, kind: steps[0] ?? '' };
  const request = model === '' ? { sent: own, unsent: [] } : requestOf(vendor, asked);
  return {
    config: { ...request.sent, ...(isMap(passthrough) ? passthrough : {}) },
    unsent: request.unsent,
    left,
  };
}

/** Splits a configuration: `own` can be converted, `left` cannot. */
export function convertibleMembers(config: JsonMap): {
  own: JsonMap;
  left: SentParameters['left'];
} {
  const own: JsonMap = {};
  const left: SentParameters['left'] = [];
  for (const [key, value] of Object.entries(config)) {
    if (isAmong(OF_THE_CLIENT, key)) continue;
    const file = textIn(value, (text) => text.startsWith('file://'));
    const isFilledIn =
      FILLED_IN.includes(key) && textIn(value, (text) => /\{\{|\{%/.test(text)) !== null;
    if (file !== null)
      left.push({
        key,
        why: `${file} is not supported: only JSON and YAML files are read`,
      });
    else if (isFilledIn)
      left.push({
        key,
        why: 'it is a template that promptfoo fills in for each test',
      });
    else own[key] = value;
  }
  return { own, left };
}

function textIn(value: Json, is: (text: string) => boolean): string | null {
  if (typeof value === 'string') return is(value) ? value : null;
  if (typeof value !== 'object' || value === null) return null;
  for (const member of Object.values(value)) {
    const found = textIn(member, is);
    if (found !== null) return found;
  }
  return null;
}

const DEEPEST = 8;

export async function withFiles(
  config: JsonMap,
  from: Place,
  files: ImportFiles,
): Promise<JsonMap> {
  const members = Object.entries(config).map(async ([key, value]): Promise<[string, Json]> => {
    const read = await fileData(value, from, files, DEEPEST);
    const isLists = key === 'tools' && Array.isArray(read) && read.every(Array.isArray);
    return [key, isLists ? read.flat() : read];
  });
  return Object.fromEntries(await Promise.all(members));
}

async function fileData(
  value: Json,
  from: Place,
  files: ImportFiles,
  depth: number,
): Promise<Json> {
  if (depth === 0) return value;
  const next = (member: Json): Promise<Json> => fileData(member, from, files, depth - 1);
  if (typeof value === 'string') {
    if (!/^file:\/\/.+\.(?:json|ya?ml)$/i.test(value)) return value;
    const found = (await files.documents(value, from)).map((document) => document.value);
    return next(value.includes('*') ? found.flat() : (found[0] ?? null));
  }
  if (Array.isArray(value)) return Promise.all(value.map(next));
  if (!isMap(value)) return value;
  const members = Object.entries(value).map(async ([key, member]): Promise<[string, Json]> => [
    key,
    await next(member),
  ]);
  return Object.fromEntries(await Promise.all(members));
}
