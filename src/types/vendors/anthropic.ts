import type { Passport, Refusal, VendorFacts } from './facts.ts';

const CHECKED = '2026-11-22';

/** Sampling is the model's own: only the default may be written, and best nothing. */
const NO_SAMPLING: Readonly<Record<string, Refusal>> = {
  temperature: { but: 1 },
  top_p: {},
  top_k: {},
};

const PASSPORTS: readonly Passport[] = [
  {
    family: 'Claude Fable and Mythos from 5.1',
    models: /^claude-(fable|mythos)-5-[1-9]/,
    refuses: NO_SAMPLING,
    // A tool cannot be forced here.
    forms: ['schema', 'plain'],
    thinks: 'always',
    source: 'https://platform.claude.com/docs/en/models/fable-5-1/migration-guide',
    checked: CHECKED,
  },
  {
    family: 'Claude 5',
    models: /^claude-(opus|sonnet|haiku|fable|mythos)-5/,
    refuses: NO_SAMPLING,
    forms: ['schema', 'tool', 'plain'],
    thinks: '`thinking: { type: adaptive }`',
    source: 'https://platform.claude.com/docs/en/about-claude/models/migration-guide',
    checked: CHECKED,
  },
  {
    family: 'Claude Opus 4.7 and 4.8',
    models: /^claude-opus-4-[78]/,
    refuses: NO_SAMPLING,
    forms: ['schema', 'tool', 'plain'],
    thinks: '`thinking: { type: adaptive }`',
    source: 'https://platform.claude.com/docs/en/about-claude/models/migration-guide',
    checked: CHECKED,
  },
  {
    family: 'Claude 4.5 and 4.6',
    models: /^claude-(opus|sonnet|haiku)-4-[56]/,
    refuses: { top_p: { unless: { parameter: 'temperature', values: [null] } } },
    forms: ['schema', 'tool', 'plain'],
    thinks: '`thinking`',
    source: 'https://platform.claude.com/docs/en/about-claude/models/migration-guide',
    checked: CHECKED,
  },
];

export const anthropicFacts = {
  label: 'Anthropic',
  speaks: 'anthropic',
  host: 'https://api.anthropic.com',
  keyInput: 'anthropic-api-key',
  keyVariable: 'ANTHROPIC_API_KEY',
  keyHeader: 'x-api-key',
  // The version after this one refuses temperature, top_p and top_k of every model.
  headers: { 'anthropic-version': '2023-06-01' },
  baseUrlVariable: 'ANTHROPIC_BASE_URL',
  models: /^claude-/,
  starterModel: 'claude-sonnet-5-5',
  passports: PASSPORTS,
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
  ends: { '2026-11-30': ['claude-sonnet-4-5', 'claude-sonnet-4-5-20250929'] },
  priceId: 'anthropic',
  embeddings: null,
  batchShare: 0.5,
} as const satisfies VendorFacts;
