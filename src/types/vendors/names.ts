export type VendorName =
  | 'openai'
  | 'anthropic'
  | 'gemini'
  | 'mistral'
  | 'groq'
  | 'deepseek'
  | 'xai'
  | 'openrouter'
  | 'together'
  | 'perplexity';

export const CHAT_APIS = ['chat', 'responses'] as const;

export type ChatApi = (typeof CHAT_APIS)[number];
