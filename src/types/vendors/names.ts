/** `VENDORS` has a row for each. Kept apart from the rows, which are long. */
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

/** The two forms of OpenAI's language. */
export const CHAT_APIS = ['chat', 'responses'] as const;

export type ChatApi = (typeof CHAT_APIS)[number];
