export const SETTINGS_FILE = 'evaldiff.yaml';

/** Read if our settings file is absent. */
export const LLMEVAL_FILE = 'llmeval.yaml';
