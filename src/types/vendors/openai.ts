import type { Passport, Refusal, VendorFacts } from './facts.ts';

const OPENAI_CHECKED = '2026-11-22';

const OPENAI_DEFAULTS = { temperature: 1, top_p: 1, presence_penalty: 0, frequency_penalty: 0 };

const RENAMED: Readonly<Record<string, Refusal>> = {
  max_tokens: { instead: 'max_completion_tokens' },
};

/**
 * `efforts`: values that turn reasoning off. While models reason, they refuse sampling parameters.
 */
function reasoning(efforts: readonly (string | null)[]): Readonly<Record<string, Refusal>> {
  const unless =
    efforts.length === 0 ? {} : { unless: { parameter: 'reasoning_effort', values: efforts } };
  return {
    ...RENAMED,
    ...Object.fromEntries(
      Object.entries(OPENAI_DEFAULTS).map(([name, value]) => [name, { but: value, ...unless }]),
    ),
    logprobs: { but: false, ...unless },
    top_logprobs: unless,
    logit_bias: unless,
  };
}

const OPENAI_PASSPORTS: readonly Passport[] = [
  {
    family: 'Models available only in the Responses API',
    models:
      /^(o1-pro|o3-pro|o3-deep-research|o4-mini-deep-research|computer-use-preview|gpt-5-codex|gpt-5-pro|gpt-5\.\d-pro|gpt-5\.1-codex-max|gpt-5\.[23]-codex|gpt-daybreak-|gpt-[\d.]+-cyber|gpt-rosalind-|gpt-6-rosalind)/,
    refuses: reasoning([]),
    forms: ['schema', 'plain'],
    thinks: 'always; `reasoning_effort` sets how much',
    api: 'responses',
    source: 'https://developers.openai.com/api/docs/models',
    checked: OPENAI_CHECKED,
  },
  {
    family: 'GPT-6 Astra and GPT-6.1 Sol',
    models: /^gpt-(6-astra|6\.1-sol)/,
    // `tools` is refused only in chat completions.
    refuses: { ...reasoning([]), tools: {}, reasoning_effort: { values: ['none', 'minimal'] } },
    forms: ['schema', 'plain'],
    thinks: 'always; `reasoning_effort` sets how much',
    source: 'https://developers.openai.com/api/docs/models/gpt-6.1-sol',
    checked: '2026-11-23',
  },
  {
    family: 'GPT-6 and GPT-5.6',
    models: /^gpt-(6|5\.6)/,
    refuses: {
      ...reasoning(['none']),
      tools: { unless: { parameter: 'reasoning_effort', values: ['none'] } },
      reasoning_effort: { values: ['minimal'] },
    },
    forms: ['schema', 'plain'],
    thinks: 'unless `reasoning_effort: none`',
    source: 'https://developers.openai.com/api/docs/guides/latest-model',
    checked: '2026-11-23',
  },
  {
    family: 'GPT-5.5',
    models: /^gpt-5\.5/,
    refuses: { ...reasoning(['none']), reasoning_effort: { values: ['minimal'] } },
    forms: ['schema', 'tool', 'plain'],
    thinks: 'unless `reasoning_effort: none`',
    source: 'https://developers.openai.com/api/docs/guides/latest-model',
    checked: OPENAI_CHECKED,
  },
  {
    family: 'GPT-5.4',
    models: /^gpt-5\.4/,
    refuses: {
      ...reasoning(['none', null]),
      tools: { unless: { parameter: 'reasoning_effort', values: ['none', null] } },
      reasoning_effort: { values: ['minimal'] },
    },
    forms: ['schema', 'tool', 'plain'],
    thinks: 'only with `reasoning_effort`',
    source: 'https://developers.openai.com/api/docs/guides/latest-model',
    checked: OPENAI_CHECKED,
  },
  {
    family: 'GPT-5.1 to GPT-5.3',
    models: /^gpt-5\.[1-3]/,
    refuses: { ...reasoning(['none', null]), reasoning_effort: { values: ['minimal'] } },
    forms: ['schema', 'tool', 'plain'],
    thinks: 'only with `reasoning_effort`',
    source: 'https://developers.openai.com/api/docs/guides/latest-model',
    checked: OPENAI_CHECKED,
  },
  {
    family: 'GPT-5, o1, o3 and o4-mini',
    models: /^(gpt-5(-mini|-nano)?(-\d{4}-\d\d-\d\d)?$|o\d)/,
    refuses: { ...reasoning([]), reasoning_effort: { values: ['none'] } },
    forms: ['schema', 'tool', 'plain'],
    thinks: 'always; `reasoning_effort` sets how much',
    source: 'https://developers.openai.com/api/docs/guides/reasoning',
    checked: OPENAI_CHECKED,
  },
  {
    family: 'GPT-4.1, GPT-4o and older',
    models: /^(gpt-4|gpt-3\.5|chatgpt-)/,
    refuses: {},
    forms: ['schema', 'tool', 'plain'],
    thinks: 'no',
    source: 'https://developers.openai.com/api/docs/guides/structured-outputs',
    checked: OPENAI_CHECKED,
  },
];

/** https://developers.openai.com/api/docs/deprecations. The SDK lists the retired chat models. */
const OPENAI_RETIREMENTS: Readonly<Record<string, readonly string[]>> = {
  '2024-09-13': [
    'gpt-3.5-turbo-16k',
    'gpt-3.5-turbo-0301',
    'gpt-3.5-turbo-0613',
    'gpt-3.5-turbo-16k-0613',
  ],
  '2024-12-06': ['gpt-4-vision-preview'],
  '2025-06-06': ['gpt-4-32k', 'gpt-4-32k-0314', 'gpt-4-32k-0613'],
  '2025-07-28': ['o1-preview', 'o1-preview-2024-09-12'],
  '2025-10-10': ['gpt-4o-audio-preview-2024-10-01'],
  '2025-10-27': ['o1-mini', 'o1-mini-2024-09-12'],
  '2026-02-12': ['codex-mini-latest'],
  '2026-02-17': ['chatgpt-4o-latest'],
  '2026-03-26': ['gpt-4-0125-preview', 'gpt-4-turbo-preview', 'gpt-4-0314'],
  '2026-05-07': [
    'gpt-4o-audio-preview',
    'gpt-4o-audio-preview-2024-12-17',
    'gpt-4o-audio-preview-2025-06-03',
    'gpt-4o-mini-audio-preview',
    'gpt-4o-mini-audio-preview-2024-12-17',
  ],
  '2026-07-23': [
    'gpt-5.1-codex',
    'gpt-5.1-chat-latest',
    'gpt-5-chat-latest',
    'gpt-4o-search-preview',
    'gpt-4o-mini-search-preview',
    'gpt-4o-search-preview-2025-03-11',
    'gpt-4o-mini-search-preview-2025-03-11',
  ],
  '2026-08-10': ['gpt-5.3-chat-latest', 'gpt-5.2-chat-latest'],
  '2026-09-28': ['gpt-3.5-turbo-1106'],
  '2026-10-23': [
    'gpt-4.1-nano',
    'gpt-4.1-nano-2025-04-14',
    'o4-mini',
    'o4-mini-2025-04-16',
    'o3-mini',
    'o3-mini-2025-01-31',
    'o1',
    'o1-2024-12-17',
    'o1-pro',
    'o1-pro-2025-03-19',
    'gpt-4o-2024-05-13',
    'gpt-4-turbo',
    'gpt-4-turbo-2024-04-09',
    'gpt-4-1106-preview',
    'gpt-4',
    'gpt-4-0613',
    'gpt-3.5-turbo',
    'gpt-3.5-turbo-0125',
  ],
  '2026-12-11': [
    'gpt-5',
    'gpt-5-mini',
    'gpt-5-nano',
    'gpt-5-2025-08-07',
    'gpt-5-mini-2025-08-07',
    'gpt-5-nano-2025-08-07',
    'o3',
    'o3-2025-04-16',
    'gpt-5-pro',
    'gpt-5-pro-2025-10-06',
    'o3-pro',
    'o3-pro-2025-06-10',
  ],
  '2027-01-14': [
    'gpt-4.1',
    'gpt-4.1-mini',
    'gpt-4.1-2025-04-14',
    'gpt-4.1-mini-2025-04-14',
    'gpt-4o',
    'gpt-4o-2024-11-20',
    'gpt-4o-2024-08-06',
    'gpt-4o-mini',
    'gpt-4o-mini-2024-07-18',
  ],
  '2027-01-20': ['gpt-audio-mini', 'gpt-audio-mini-2025-12-15'],
  '2027-04-01': [
    'gpt-5.4-nano',
    'gpt-5.4-nano-2026-03-17',
    'gpt-5.1',
    'gpt-5.1-2025-11-13',
    'gpt-5.3-codex',
  ],
};

export const openaiFacts = {
  label: 'OpenAI',
  speaks: 'openai',
  host: 'https://api.openai.com/v1',
  keyInput: 'openai-api-key',
  keyVariable: 'OPENAI_API_KEY',
  keyHeader: 'authorization',
  headers: {},
  baseUrlVariable: 'OPENAI_BASE_URL',
  // https://developers.openai.com/api/docs/guides/workload-identity-federation/github-actions
  federation: {
    audience: 'https://api.openai.com/v1',
    required: ['service-account'],
    optional: [],
    headers: {},
  },
  models: /^(gpt-|chatgpt-|o\d|text-embedding-|omni-moderation-)/,
  starterModel: 'gpt-5.4-mini',
  hasResponses: true,
  // https://developers.openai.com/api/docs/models
  outputs: [
    { models: /^(gpt-4o|chatgpt-|gpt-5-chat)/, tokens: 16_384 },
    { models: /^gpt-4\.1/, tokens: 32_768 },
    { models: /^(gpt-4|gpt-3\.5)/, tokens: 4096 },
    { models: /^gpt-5-pro/, tokens: 272_000 },
    { models: /^o\d/, tokens: 100_000 },
    { models: /^gpt-[56]/, tokens: 128_000 },
  ],
  files: [
    { models: /audio|realtime|embedding|^(gpt-3\.5|o1-mini|o1-preview|o3-mini)/, takes: [] },
    { models: /^gpt-4-(turbo(-\d{4}|$)|vision)/, takes: ['image'] },
    { models: /^gpt-4(-|$)/, takes: [] },
    // https://developers.openai.com/api/docs/guides/images-vision#calculating-costs: 8 tiles, or
    // 2,500 patches times 1.62.
    { models: /^gpt-4o-mini/, takes: ['image', 'file'], imageTokens: 48_200 },
    { models: /./, takes: ['image', 'file'], imageTokens: 4100 },
  ],
  passports: OPENAI_PASSPORTS,
  ends: OPENAI_RETIREMENTS,
  list: { path: '/models', ends: 'shutdown_date' },
  priceId: 'openai',
  embeddings: 'text-embedding-3-small',
  batchShare: 0.5,
} as const satisfies VendorFacts;
