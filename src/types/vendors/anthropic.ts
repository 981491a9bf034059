import type { Passport, Refusal, VendorFacts } from './facts.ts';

const CHECKED = '2026-11-22';

const MIGRATION = 'https://platform.claude.com/docs/en/about-claude/models/migration-guide';

const THINKING = 'https://platform.claude.com/docs/en/build-with-claude/thinking';

/** For models that do not accept sampling parameters. */
const NO_SAMPLING: Readonly<Record<string, Refusal>> = {
  temperature: { but: 1 },
  top_p: {},
  top_k: {},
};

/** For models that always think, or that have another setting for thinking. */
const ADAPTIVE: Readonly<Record<string, Refusal>> = {
  ...NO_SAMPLING,
  thinking: { values: ['enabled', 'disabled'], instead: 'thinking: { type: adaptive }' },
};

/** For models that cannot be forced to use a tool. */
const UNFORCED: Readonly<Record<string, Refusal>> = {
  ...ADAPTIVE,
  tool_choice: { values: ['tool', 'any'], instead: 'tool_choice: { type: auto }' },
};

/** For models whose thinking can be turned off but not limited. */
const WITHOUT_BUDGET: Readonly<Record<string, Refusal>> = {
  ...NO_SAMPLING,
  thinking: { values: ['enabled'], instead: 'thinking: { type: adaptive }' },
};

const NOT_THINKING = { parameter: 'thinking', values: ['disabled', null] } as const;

/** For models that accept sampling parameters except while they think. */
const SAMPLED: Readonly<Record<string, Refusal>> = {
  temperature: { but: 1, unless: NOT_THINKING },
  top_p: { unless: { parameter: 'temperature', values: [null] } },
  top_k: { unless: NOT_THINKING },
  tool_choice: {
    values: ['tool', 'any'],
    unless: { parameter: 'thinking', values: ['disabled', 'adaptive', null] },
  },
};

const PASSPORTS: readonly Passport[] = [
  {
    family: 'Claude Fable and Mythos from 5.1, Claude Opus 5.5',
    models: /^claude-((fable|mythos)-5-[1-9]|opus-5-5)(?!\d)/,
    refuses: UNFORCED,
    // The model's tools cannot be forced.
    forms: ['schema', 'plain'],
    prefill: false,
    thinks: 'always',
    source: 'https://platform.claude.com/docs/en/models/fable-5-1/migration-guide',
    checked: CHECKED,
  },
  {
    family: 'Claude Sonnet 5.5',
    models: /^claude-sonnet-5-5(?!\d)/,
    refuses: UNFORCED,
    forms: ['schema', 'plain'],
    prefill: false,
    thinks: 'with `thinking: { type: adaptive }`, less with `{ type: between_tools }`',
    source: 'https://platform.claude.com/docs/en/models/sonnet-5-5/migration-guide',
    checked: CHECKED,
  },
  {
    family: 'Claude Fable 5 and Mythos 5',
    models: /^claude-(fable|mythos)-5/,
    refuses: ADAPTIVE,
    forms: ['schema', 'tool', 'plain'],
    prefill: false,
    thinks: 'always',
    source: THINKING,
    checked: CHECKED,
  },
  {
    family: 'Claude Opus 5, Sonnet 5 and Haiku 5.5',
    models: /^claude-(opus|sonnet|haiku)-5/,
    refuses: WITHOUT_BUDGET,
    forms: ['schema', 'tool', 'plain'],
    prefill: false,
    thinks: 'with `thinking: { type: adaptive }`',
    source: MIGRATION,
    checked: CHECKED,
  },
  {
    family: 'Claude Opus 4.7 and 4.8',
    models: /^claude-opus-4-[78]/,
    refuses: WITHOUT_BUDGET,
    forms: ['schema', 'tool', 'plain'],
    prefill: false,
    thinks: 'with `thinking: { type: adaptive }`',
    source: MIGRATION,
    checked: CHECKED,
  },
  {
    family: 'Claude 4.6',
    models: /^claude-(opus|sonnet)-4-6/,
    refuses: SAMPLED,
    forms: ['schema', 'tool', 'plain'],
    prefill: false,
    thinks: 'with `thinking`',
    source: THINKING,
    checked: CHECKED,
  },
  {
    family: 'Claude 4.5',
    models: /^claude-(opus|sonnet|haiku)-4-5/,
    refuses: {
      ...SAMPLED,
      thinking: { values: ['adaptive'], instead: 'thinking: { type: enabled, budget_tokens: … }' },
    },
    forms: ['schema', 'tool', 'plain'],
    thinks: 'with `thinking: { type: enabled, budget_tokens: … }`',
    source: THINKING,
    checked: CHECKED,
  },
];

/**
 * Source: https://platform.claude.com/docs/en/about-claude/model-deprecations. The SDK also lists
 * the latest retirements.
 */
const ANTHROPIC_RETIREMENTS: Readonly<Record<string, readonly string[]>> = {
  '2024-11-06': [
    'claude-1.0',
    'claude-1.1',
    'claude-1.2',
    'claude-1.3',
    'claude-instant-1.0',
    'claude-instant-1.1',
    'claude-instant-1.2',
  ],
  '2025-07-21': ['claude-2.0', 'claude-2.1', 'claude-3-sonnet-20240229'],
  '2025-10-28': [
    'claude-3-5-sonnet-20240620',
    'claude-3-5-sonnet-20241022',
    'claude-3-5-sonnet-latest',
  ],
  '2026-01-05': ['claude-3-opus-20240229', 'claude-3-opus-latest'],
  '2026-02-19': [
    'claude-3-7-sonnet-20250219',
    'claude-3-7-sonnet-latest',
    'claude-3-5-haiku-20241022',
    'claude-3-5-haiku-latest',
  ],
  '2026-04-20': ['claude-3-haiku-20240307'],
  '2026-06-15': [
    'claude-sonnet-4-20250514',
    'claude-sonnet-4-0',
    'claude-opus-4-20250514',
    'claude-opus-4-0',
  ],
  '2026-08-05': ['claude-opus-4-1', 'claude-opus-4-1-20250805'],
  '2026-11-30': ['claude-sonnet-4-5', 'claude-sonnet-4-5-20250929'],
};

export const anthropicFacts = {
  label: 'Anthropic',
  speaks: 'anthropic',
  host: 'https://api.anthropic.com',
  keyInput: 'anthropic-api-key',
  keyVariable: 'ANTHROPIC_API_KEY',
  keyHeader: 'x-api-key',
  // The next API version refuses temperature, top_p and top_k for every model.
  headers: { 'anthropic-version': '2023-06-01' },
  baseUrlVariable: 'ANTHROPIC_BASE_URL',
  // https://platform.claude.com/docs/en/manage-claude/wif-providers/github-actions
  federation: {
    audience: 'https://api.anthropic.com',
    required: ['organization'],
    optional: ['service-account', 'workspace'],
    headers: { 'anthropic-beta': 'oauth-2025-04-20' },
  },
  models: /^claude-/,
  starterModel: 'claude-sonnet-5-5',
  files: [
    { models: /^claude-(1|2|instant)/, takes: [] },
    // https://platform.claude.com/docs/en/build-with-claude/vision
    { models: /./, takes: ['image', 'file'], imageTokens: 4784 },
  ],
  passports: PASSPORTS,
  ownLimit: { first: 4096, second: 16_384 },
  // https://platform.claude.com/docs/en/models
  outputs: [
    { models: /^claude-\w+-4-5/, tokens: 64_000 },
    { models: /^claude-\w+-(5|4-[678])/, tokens: 128_000 },
  ],
  caches: {
    from: [
      { models: /^claude-sonnet-5(?!-\d\b)/, tokens: 1024 },
      { models: /^claude-(opus|sonnet|haiku|fable|mythos)-5/, tokens: 512 },
      { models: /^claude-(opus-4-8|sonnet-4-[56])/, tokens: 1024 },
      { models: /^claude-opus-4-7/, tokens: 2048 },
      { models: /^claude-(opus-4-[56]|haiku-4-5)/, tokens: 4096 },
    ],
    source: 'https://platform.claude.com/docs/en/build-with-claude/prompt-caching',
    checked: CHECKED,
  },
  ends: ANTHROPIC_RETIREMENTS,
  list: { path: '/v1/models?limit=1000', ends: 'retires_at' },
  priceId: 'anthropic',
  embeddings: null,
  batchShare: 0.5,
} as const satisfies VendorFacts;
