export const SETTINGS_FILE = 'evaldiff.yaml';

export const LLMEVAL_FILE = 'llmeval.yaml';
