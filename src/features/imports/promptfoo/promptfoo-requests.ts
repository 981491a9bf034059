import { refusedKey } from '../../../documents/parameters.ts';
import { isMap, type JsonMap } from '../../../types/plain.ts';
import { isAmong } from '../shared/draft.ts';

interface ProviderCall {
  model: string;
  own: JsonMap;
  bare: boolean;
  /** The second part of the provider's id: `chat`, `responses`, or the model. */
  kind: string;
}

interface SentMembers {
  sent: JsonMap;
  unsent: string[];
}

const LIKE_OPENAI =
  'openai openrouter groq deepseek perplexity xai togetherai together fireworks cerebras ' +
  'deepinfra nvidia github';

export function requestOf(vendor: string, asked: ProviderCall): SentMembers {
  if (isAmong(LIKE_OPENAI, vendor)) return asOpenai(vendor, asked);
  const { own } = asked;
  switch (vendor) {
    case 'anthropic':
      return asAnthropic(asked);
    case 'azure':
    case 'azureopenai':
      return { sent: asAzure(asked), unsent: [] };
    case 'mistral':
      return { sent: { top_p: 1, max_tokens: 1024, ...own }, unsent: [] };
    case 'cohere':
      return {
        sent: { temperature: 0.3, top_p: 0.75, ...renameKeys(own, { p: 'top_p' }) },
        unsent: [],
      };
    case 'localai': {
      const { temperature = 0.7, ...others } = own;
      const kept = splitMembers(others, (key) => refusedKey(key) === null);
      return { sent: { temperature, ...kept.sent }, unsent: kept.unsent };
    }
    case 'google':
      return asGoogle(own);
    case 'ollama': {
      const { sent, unsent } = splitMembers(own, (key) => key === 'max_tokens');
      return { sent: renameKeys(sent, { num_predict: 'max_tokens' }), unsent };
    }
    default:
      return { sent: own, unsent: [] };
  }
}

function renameKeys(map: JsonMap, names: Readonly<Record<string, string>>): JsonMap {
  return Object.fromEntries(Object.entries(map).map(([key, value]) => [names[key] ?? key, value]));
}

function splitMembers(map: JsonMap, isLeft: (key: string) => boolean): SentMembers {
  const sent: JsonMap = {};
  const unsent: string[] = [];
  for (const [key, value] of Object.entries(map)) {
    if (isLeft(key)) unsent.push(key);
    else sent[key] = value;
  }
  return { sent, unsent };
}

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

function asOpenai(vendor: string, { model, own, bare, kind }: ProviderCall): SentMembers {
  const cold = THINKS.test(model);
  const thinks = cold || THINKS_WARMLY[vendor]?.test(model) === true;
  const given = kind === 'responses' ? ofResponses(own, cold) : own;
  const { sent, unsent } = splitMembers(given, (key) => {
    if (thinks && isAmong(TO_THINKING, key)) return false;
    if (thinks && (key === 'max_tokens' || (cold && key === 'temperature'))) return true;
    if (key === 'reasoning_effort' && model.includes('gpt-oss')) return false;
    if (vendor !== 'openai') return MISSPELT.test(key);
    return !isAmong(TO_OPENAI, key) && refusedKey(key) === null;
  });
  if (bare) return { sent, unsent };
  const bound = thinks ? {} : { max_tokens: 1024 };
  return { sent: { ...(cold ? {} : { temperature: 0 }), ...bound, ...sent }, unsent };
}

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

function asAzure({ model, own, bare }: ProviderCall): JsonMap {
  const { isReasoningModel, o1, apiVersion: _, max_tokens, max_completion_tokens, ...given } = own;
  if (isReasoningModel === true || o1 === true || AZURE_THINKS.test(model)) {
    const { temperature: __, ...others } = given;
    const bound = max_completion_tokens ?? max_tokens ?? (bare ? null : 1024);
    return {
      ...(bare ? {} : { reasoning_effort: 'medium' }),
      ...(bound === null ? {} : { max_completion_tokens: bound }),
      ...others,
    };
  }
  const bound = max_tokens === undefined ? {} : { max_tokens };
  const defaults = { temperature: 0, max_tokens: 1024, top_p: 1 };
  return {
    ...(bare ? {} : { ...defaults, presence_penalty: 0, frequency_penalty: 0 }),
    ...bound,
    ...given,
  };
}

/** Names of Anthropic models that reject `temperature`. */
const WITHOUT_TEMPERATURE = /^claude-[a-z]+-(?:4-[7-9]|[5-9])/;

const TO_ANTHROPIC =
  'max_tokens temperature top_p top_k cache_control service_tier stop_sequences metadata tools ' +
  'tool_choice thinking output_format effort extra_body beta';

function asAnthropic({ model, own }: ProviderCall): SentMembers {
  const { thinking } = own;
  const thinks = isMap(thinking) && thinking['type'] !== 'disabled';
  const cold = WITHOUT_TEMPERATURE.test(model);
  const { sent, unsent } = splitMembers(own, (key) => {
    if (key === 'temperature') return thinks || cold || 'top_p' in own;
    if (key === 'top_k') return thinks || cold;
    if (key === 'top_p') return cold;
    return !isAmong(TO_ANTHROPIC, key) && refusedKey(key) === null;
  });
  const { output_format: format, effort, ...others } = sent;
  const output = {
    ...(format === undefined ? {} : { format }),
    ...(effort === undefined ? {} : { effort }),
  };
  return {
    sent: {
      max_tokens: thinks ? 2048 : 1024,
      ...(thinks || cold || 'top_p' in own ? {} : { temperature: 0 }),
      ...others,
      ...(Object.keys(output).length === 0 ? {} : { output_config: output }),
    },
    unsent,
  };
}

const OF_GOOGLE: Readonly<Record<string, string>> = {
  maxOutputTokens: 'max_tokens',
  topP: 'top_p',
  stopSequences: 'stop',
};

/** Keys in `generationConfig` override the keys next to it. */
function asGoogle({ generationConfig, ...beside }: JsonMap): SentMembers {
  const { sent, unsent } = splitMembers(beside, (key) => /^(?:max_tokens|top_p|stop)$/.test(key));
  const inside = isMap(generationConfig) ? generationConfig : {};
  return { sent: renameKeys({ ...sent, ...inside }, OF_GOOGLE), unsent };
}
