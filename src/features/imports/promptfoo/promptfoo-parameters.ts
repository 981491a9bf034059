import { refusedKey } from '../../../documents/parameters.ts';
import { isMap, type Json, type JsonMap, ownEntry } from '../../../types/plain.ts';
import type { ImportFiles } from '../shared/files.ts';
import type { Lost } from '../shared/models.ts';
import { type Node, isAmong } from '../shared/node.ts';

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

export function textsIn(value: Json): string[] {
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

interface ProviderCall {
  vendor: string;
  model: string;
  own: JsonMap;
  /** Without promptfoo's defaults. */
  bare: boolean;
  /** The second part of the provider's id: `chat`, `responses`, or the model. */
  kind: string;
}

interface SentMembers {
  sent: JsonMap;
  unsent: string[];
}

/** How promptfoo turns a configuration into a vendor's request, in the order of the steps. */
interface VendorRow {
  before?(own: JsonMap, call: ProviderCall): JsonMap;
  omits?(key: string, call: ProviderCall): boolean;
  after?(sent: JsonMap, call: ProviderCall): JsonMap;
  names?: Readonly<Record<string, string>>;
  defaults?: JsonMap | ((call: ProviderCall) => JsonMap);
}

function requestOf(call: ProviderCall): SentMembers {
  const { vendor, own } = call;
  const row = isAmong(LIKE_OPENAI, vendor) ? OPENAI : (ownEntry(VENDOR_ROWS, vendor) ?? {});
  const { before, omits, after, names = {}, defaults = {} } = row;
  const entries = Object.entries(before?.(own, call) ?? own);
  const isOmitted = ([key]: [string, unknown]): boolean => omits?.(key, call) === true;
  const kept = Object.fromEntries(entries.filter((entry) => !isOmitted(entry)));
  const renamed = Object.entries(after?.(kept, call) ?? kept).map(([key, value]) => [
    ownEntry(names, key) ?? key,
    value,
  ]);
  return {
    sent: {
      ...(typeof defaults === 'function' ? defaults(call) : defaults),
      ...Object.fromEntries(renamed),
    },
    unsent: entries.filter(isOmitted).map(([key]) => key),
  };
}

const LIKE_OPENAI =
  'openai openrouter groq deepseek perplexity xai togetherai together fireworks cerebras ' +
  'deepinfra nvidia github';

const TO_OPENAI =
  'seed max_tokens temperature top_p presence_penalty frequency_penalty functions ' +
  'function_call functionToolCallbacks tools tool_choice tool_resources response_format stop ' +
  'prompt_cache_key prompt_cache_options prompt_cache_retention service_tier user metadata ' +
  'store modalities audio mcp';

const TO_THINKING = 'max_completion_tokens reasoning_effort reasoning verbosity';

const MISSPELT =
  /^(?:maxTokens|maxCompletionTokens|topP|topK|frequencyPenalty|presencePenalty|max_completion_tokens)$/;

/** Names of reasoning models that reject `temperature` and `max_tokens`. */
const THINKS = /^(?:.*\/)?(?:o\d|gpt-5)/;

const THINKS_WARMLY: Readonly<Record<string, RegExp>> = {
  groq: /gpt-oss|qwen/,
  xai: /^grok-(?!.*non-reasoning)(?:3-mini|4|code|build|latest)/,
};

/** Reasoning models that reject `temperature` too. */
const isCold = ({ model }: ProviderCall): boolean => THINKS.test(model);

const isReasoning = (call: ProviderCall): boolean =>
  isCold(call) || THINKS_WARMLY[call.vendor]?.test(call.model) === true;

const OPENAI: VendorRow = {
  before: (own, call) => (call.kind === 'responses' ? ofResponses(own, isCold(call)) : own),
  omits: (key, call) => {
    if (isReasoning(call)) {
      if (isAmong(TO_THINKING, key)) return false;
      if (key === 'max_tokens' || (isCold(call) && key === 'temperature')) return true;
    }
    if (key === 'reasoning_effort' && call.model.includes('gpt-oss')) return false;
    return call.vendor === 'openai' ? isUnknown(TO_OPENAI, key) : MISSPELT.test(key);
  },
  defaults: (call) => ({
    ...(call.bare || isCold(call) ? {} : { temperature: 0 }),
    ...(call.bare || isReasoning(call) ? {} : { max_tokens: 1024 }),
  }),
};

const isUnknown = (known: string, key: string): boolean =>
  !isAmong(known, key) && refusedKey(key) === null;

function ofResponses({ reasoning, max_output_tokens, ...own }: JsonMap, thinks: boolean): JsonMap {
  const effort = isMap(reasoning) ? reasoning['effort'] : undefined;
  const bound = thinks ? 'max_completion_tokens' : 'max_tokens';
  return {
    ...own,
    ...(max_output_tokens === undefined ? {} : { [bound]: max_output_tokens }),
    ...(effort === undefined ? {} : { reasoning_effort: effort }),
  };
}

const AZURE_THINKS =
  /^(?:o[134]|gpt-5)|-(?:o[134]|gpt-5)|deepseek[-_]r1|phi-4-(?:mini-)?reasoning|grok.*reasoning/i;

const isAzureThinking = ({ model, own }: ProviderCall): boolean =>
  own['isReasoningModel'] === true || own['o1'] === true || AZURE_THINKS.test(model);

const AZURE: VendorRow = {
  before: (
    { isReasoningModel: _, o1: __, apiVersion: ___, max_tokens, max_completion_tokens, ...own },
    call,
  ) => {
    if (!isAzureThinking(call)) return max_tokens === undefined ? own : { max_tokens, ...own };
    const { temperature: ____, ...others } = own;
    const bound = max_completion_tokens ?? max_tokens;
    return bound === undefined ? others : { max_completion_tokens: bound, ...others };
  },
  defaults: (call) => {
    if (call.bare) return {};
    return isAzureThinking(call)
      ? { reasoning_effort: 'medium', max_completion_tokens: 1024 }
      : { temperature: 0, max_tokens: 1024, top_p: 1, presence_penalty: 0, frequency_penalty: 0 };
  },
};

/** Names of Anthropic models that reject `temperature`. */
const WITHOUT_TEMPERATURE = /^claude-[a-z]+-(?:4-[7-9]|[5-9])/;

const TO_ANTHROPIC =
  'max_tokens temperature top_p top_k cache_control service_tier stop_sequences metadata tools ' +
  'tool_choice thinking output_format effort extra_body beta';

const ANTHROPIC: VendorRow = {
  omits: (key, call) => {
    const { isWarm, thinks, cold } = anthropicModel(call);
    if (key === 'temperature') return !isWarm;
    if (key === 'top_k') return thinks || cold;
    if (key === 'top_p') return cold;
    return isUnknown(TO_ANTHROPIC, key);
  },
  after: ({ output_format: format, effort, ...others }) => {
    const output = {
      ...(format === undefined ? {} : { format }),
      ...(effort === undefined ? {} : { effort }),
    };
    return Object.keys(output).length === 0 ? others : { ...others, output_config: output };
  },
  defaults: (call) => {
    const { isWarm, thinks } = anthropicModel(call);
    return { max_tokens: thinks ? 2048 : 1024, ...(isWarm ? { temperature: 0 } : {}) };
  },
};

function anthropicModel({ model, own }: ProviderCall) {
  const { thinking } = own;
  const thinks = isMap(thinking) && thinking['type'] !== 'disabled';
  const cold = WITHOUT_TEMPERATURE.test(model);
  return { thinks, cold, isWarm: !thinks && !cold && !('top_p' in own) };
}

/** Whether a test's option of this name becomes part of requests. */
export const isSent = (key: string): boolean =>
  [TO_OPENAI, TO_THINKING, TO_ANTHROPIC].some((keys) => isAmong(keys, key));

const VENDOR_ROWS: Readonly<Record<string, VendorRow>> = {
  anthropic: ANTHROPIC,
  azure: AZURE,
  azureopenai: AZURE,
  mistral: { defaults: { top_p: 1, max_tokens: 1024 } },
  cohere: { defaults: { temperature: 0.3, top_p: 0.75 }, names: { p: 'top_p' } },
  localai: { omits: (key) => isUnknown('temperature', key), defaults: { temperature: 0.7 } },
  google: {
    omits: (key) => isAmong('max_tokens top_p stop', key),
    // Keys in `generationConfig` override the keys next to it.
    after: ({ generationConfig, ...beside }) => ({
      ...beside,
      ...(isMap(generationConfig) ? generationConfig : {}),
    }),
    names: { maxOutputTokens: 'max_tokens', topP: 'top_p', stopSequences: 'stop' },
  },
  ollama: { omits: (key) => key === 'max_tokens', names: { num_predict: 'max_tokens' } },
};
