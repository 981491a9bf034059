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
