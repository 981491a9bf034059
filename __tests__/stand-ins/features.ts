import { readResultValue } from '../../src/app/commands/files.ts';
import { ownKeys, ownSettings } from '../../src/app/run/feature.ts';
import { suiteKeysOf } from '../../src/app/session/session-row.ts';
import { FEATURES } from '../../src/features.ts';
import { resultSchemaWith } from '../../src/kernel/result/result.ts';

export { FEATURES };

/** The features in the form for `prepare`, without files. */
export const ROWS = { features: FEATURES, read: new Map<string, unknown>() };

/** Tools for `prepare` whose store is empty. */
export const PLANNING = {
  hash: (text: string) => text,
  random: () => 'delimiter',
  stored: async () => () => false,
};

/** Keys of the settings file that belong to features. */
export const OWN_SETTINGS = ownSettings(FEATURES);

const OWN_KEYS = ownKeys(FEATURES);
export const SUITE_KEYS = suiteKeysOf(FEATURES);

/** The schema of `result.json` with the features' keys. */
export const wholeResultSchema = resultSchemaWith(OWN_KEYS);

/** Reads a result as a command does. */
export const readResult = (file: string, value: unknown) => readResultValue(file, value, OWN_KEYS);
