import type { VendorFacts } from './facts.ts';

const COMMON = {
  speaks: 'openai',
  keyHeader: 'authorization',
  headers: {},
  baseUrlVariable: 'OPENAI_BASE_URL',
  files: [{ models: /./, takes: ['image'] }],
  passports: [],
  ends: {},
  embeddings: null,
  batchShare: null,
} as const satisfies Partial<VendorFacts>;

/**
 * Matches no name. These vendors serve other companies' models, which need an entry under
 * `models:`.
 */
const OF_OTHERS = /(?!)/;

/** For vendors whose key only the input `keys` gives. */
export const BY_LINE = { ...COMMON, keyInput: null, models: OF_OTHERS, priceId: null };

export const compatibleFacts = {
  gemini: {
    ...COMMON,
    label: 'Google Gemini',
    host: 'https://generativelanguage.googleapis.com/v1beta/openai',
    keyInput: 'gemini-api-key',
    keyVariable: 'GEMINI_API_KEY',
    models: /^gemini-/,
    // https://ai.google.dev/gemini-api/docs/models
    outputs: [{ models: /^gemini-(2\.5|3)/, tokens: 65_536 }],
    starterModel: 'gemini-3.5-flash',
    // https://ai.google.dev/gemini-api/docs/deprecations. If there are two dates, uses the
    // announced one, not the earliest.
    ends: {
      '2025-12-02': [
        'gemini-2.5-pro-preview-03-25',
        'gemini-2.5-pro-preview-05-06',
        'gemini-2.5-pro-preview-06-05',
      ],
      '2026-03-09': ['gemini-3-pro-preview'],
      '2026-06-01': [
        'gemini-2.0-flash',
        'gemini-2.0-flash-001',
        'gemini-2.0-flash-lite',
        'gemini-2.0-flash-lite-001',
      ],
      '2026-12-01': ['gemini-2.5-pro', 'gemini-2.5-flash'],
    },
    priceId: 'google',
  },
  mistral: {
    ...COMMON,
    label: 'Mistral',
    host: 'https://api.mistral.ai/v1',
    keyInput: 'mistral-api-key',
    keyVariable: 'MISTRAL_API_KEY',
    files: [
      { models: /^(codestral|devstral)/, takes: [] },
      { models: /./, takes: ['image'] },
    ],
    models: /^(mistral|ministral|magistral|codestral|devstral|pixtral)-[\w.-]+$/,
    starterModel: 'mistral-small-latest',
    priceId: 'mistral',
  },
  groq: {
    ...COMMON,
    label: 'Groq',
    host: 'https://api.groq.com/openai/v1',
    keyInput: 'groq-api-key',
    keyVariable: 'GROQ_API_KEY',
    models: OF_OTHERS,
    starterModel: 'openai/gpt-oss-20b',
    hasResponses: true,
    files: [
      { models: /gpt-oss|^llama-3/, takes: [] },
      { models: /./, takes: ['image'] },
    ],
    // https://console.groq.com/docs/deprecations
    ends: { '2026-08-16': ['llama-3.3-70b-versatile', 'llama-3.1-8b-instant'] },
    priceId: 'groq',
  },
  deepseek: {
    ...COMMON,
    label: 'DeepSeek',
    host: 'https://api.deepseek.com/v1',
    keyInput: 'deepseek-api-key',
    keyVariable: 'DEEPSEEK_API_KEY',
    models: /^deepseek-[\w.-]+$/,
    starterModel: 'deepseek-v4-flash',
    files: [{ models: /./, takes: [] }],
    // https://api-docs.deepseek.com/news/news260424
    ends: { '2026-07-24': ['deepseek-chat', 'deepseek-reasoner'] },
    priceId: 'deepseek',
  },
  xai: {
    ...COMMON,
    label: 'xAI',
    host: 'https://api.x.ai/v1',
    keyInput: 'xai-api-key',
    keyVariable: 'XAI_API_KEY',
    models: /^grok-[\w.-]+$/,
    starterModel: 'grok-4.3',
    hasResponses: true,
    // https://docs.x.ai/developers/migration/may-15-retirement
    ends: {
      '2026-05-15': [
        'grok-4-1-fast-reasoning',
        'grok-4-1-fast-non-reasoning',
        'grok-4-fast-reasoning',
        'grok-4-fast-non-reasoning',
        'grok-4-0709',
        'grok-code-fast-1',
        'grok-3',
      ],
    },
    priceId: 'x-ai',
  },
  openrouter: {
    ...COMMON,
    label: 'OpenRouter',
    host: 'https://openrouter.ai/api/v1',
    keyInput: 'openrouter-api-key',
    keyVariable: 'OPENROUTER_API_KEY',
    models: OF_OTHERS,
    starterModel: 'openai/gpt-oss-20b',
    hasResponses: true,
    files: [{ models: /./, takes: ['image', 'file'] }],
    priceId: 'openrouter',
  },
  together: {
    ...COMMON,
    label: 'Together',
    host: 'https://api.together.xyz/v1',
    keyInput: 'together-api-key',
    keyVariable: 'TOGETHER_API_KEY',
    models: OF_OTHERS,
    starterModel: 'meta-llama/Llama-3.3-70B-Instruct-Turbo',
    priceId: 'together',
  },
  perplexity: {
    ...COMMON,
    label: 'Perplexity',
    host: 'https://api.perplexity.ai',
    keyInput: 'perplexity-api-key',
    keyVariable: 'PERPLEXITY_API_KEY',
    models: /^sonar(-[\w.-]+)?$/,
    starterModel: 'sonar',
    priceId: 'perplexity',
  },
  cerebras: {
    ...BY_LINE,
    label: 'Cerebras',
    host: 'https://api.cerebras.ai/v1',
    keyVariable: 'CEREBRAS_API_KEY',
    starterModel: 'gpt-oss-120b',
    priceId: 'cerebras',
  },
  cohere: {
    ...BY_LINE,
    label: 'Cohere',
    host: 'https://api.cohere.ai/compatibility/v1',
    keyVariable: 'COHERE_API_KEY',
    models: /^(command|c4ai)-[\w.-]+$/,
    starterModel: 'command-a-03-2025',
    priceId: 'cohere',
  },
  fireworks: {
    ...BY_LINE,
    label: 'Fireworks',
    host: 'https://api.fireworks.ai/inference/v1',
    keyVariable: 'FIREWORKS_API_KEY',
    models: /^accounts\/fireworks\/models\/./,
    starterModel: 'accounts/fireworks/models/gpt-oss-120b',
    priceId: 'fireworks',
  },
  huggingface: {
    ...BY_LINE,
    label: 'Hugging Face',
    host: 'https://router.huggingface.co/v1',
    keyVariable: 'HF_TOKEN',
    starterModel: 'openai/gpt-oss-120b',
  },
  moonshot: {
    ...BY_LINE,
    label: 'Moonshot',
    host: 'https://api.moonshot.ai/v1',
    keyVariable: 'MOONSHOT_API_KEY',
    models: /^(kimi|moonshot)-[\w.-]+$/,
    starterModel: 'kimi-k2.6',
    priceId: 'moonshotai',
  },
  nvidia: {
    ...BY_LINE,
    label: 'NVIDIA',
    host: 'https://integrate.api.nvidia.com/v1',
    keyVariable: 'NVIDIA_API_KEY',
    starterModel: 'openai/gpt-oss-120b',
  },
  qwen: {
    ...BY_LINE,
    label: 'Qwen',
    host: 'https://dashscope-intl.aliyuncs.com/compatible-mode/v1',
    keyVariable: 'DASHSCOPE_API_KEY',
    models: /^qwen(-|\d[\w.]*-)[\w.-]+$/,
    starterModel: 'qwen-plus',
  },
  zai: {
    ...BY_LINE,
    label: 'Z.ai',
    host: 'https://api.z.ai/api/paas/v4',
    keyVariable: 'ZAI_API_KEY',
    models: /^glm-[\w.-]+$/,
    starterModel: 'glm-5.3',
    priceId: 'zai',
  },
} as const satisfies Record<string, VendorFacts>;
