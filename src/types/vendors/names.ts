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
  | 'perplexity'
  | 'cerebras'
  | 'cohere'
  | 'fireworks'
  | 'huggingface'
  | 'moonshot'
  | 'nvidia'
  | 'qwen'
  | 'zai'
  | 'bedrock'
  | 'vertex'
  | 'azure';

export const CHAT_APIS = ['chat', 'responses'] as const;

export type ChatApi = (typeof CHAT_APIS)[number];
