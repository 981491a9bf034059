import { rowDocument } from '../documents/dataset.ts';
import { Field, type Document } from '../documents/document.ts';
import type { Files } from '../documents/files.ts';
import { isPlainRelative, join, slashHint } from '../documents/paths.ts';
import { problem } from '../errors.ts';
import type { Settings, OwnSettings } from '../project/settings.ts';
import { isMap, type Notice, type Place, type Problem } from '../types/plain.ts';
import { readOverridden } from './apply-overrides.ts';
import { misnamedSettings } from './check-settings.ts';
import { LLMEVAL_FILE, SETTINGS_FILE } from './file-names.ts';
import type { Overrides } from './overrides.ts';

/** Keys of llmeval.yaml that evaldiff does not read, and why. */
const FOREIGN_KEYS: Readonly<Record<string, string>> = {
  defaults: 'defaults in the settings file have no effect: all prompts are read',
  hydra: 'hydra has no effect; write a sweep as sweep: { model: [a, b] }',
  log10: 'log10 has no effect; remove it, and if it contains a token, revoke that',
  version: 'version has no effect; you can remove it',
};

function withoutForeignKeys(document: Document): { document: Document; notices: Notice[] } {
  if (!isMap(document.value)) return { document, notices: [] };
  const entries = Object.entries(document.value);
  const [foreign = [], own = []] = [true, false].map((isForeign) =>
    entries.filter(([key]) => Object.hasOwn(FOREIGN_KEYS, key) === isForeign),
  );
  return {
    document: { ...document, value: Object.fromEntries(own) },
    notices: foreign.map(([key]) => ({
      kind: 'settings',
      message: FOREIGN_KEYS[key] ?? '',
      place: document.placeOf([key]),
    })),
  };
}

interface SettingsOptions {
  config: string;
  configRequired: boolean;
  overrides: Overrides;
  own: readonly OwnSettings[];
}

/**
 * `known`: the settings file is readable, or there is none. `field`: the file's content, or an empty
 * map.
 */
export async function loadSettings(
  files: Files,
  options: SettingsOptions,
  problems: Problem[],
): Promise<{ settings: Settings; known: boolean; notices: Notice[]; field: Field }> {
  const before = problems.length;
  const file = findSettings(files, options, problems);
  if (options.configRequired) problems.push(...misnamedSettings(files.below(''), file));
  const written = file === null ? null : await files.document(file, problems);
  const known = written !== null || problems.length === before;
  const given = written ?? rowDocument({ file: file ?? options.config, line: 0 }, {});
  const isLlmeval = file?.slice(file.lastIndexOf('/') + 1) === LLMEVAL_FILE;
  const { document, notices } = isLlmeval
    ? withoutForeignKeys(given)
    : { document: given, notices: [] };
  const settings = readOverridden(document, options.overrides, options.own, problems);
  return {
    settings: { ...settings, file },
    known,
    notices,
    field: new Field(document, problems),
  };
}

function findSettings(
  files: Files,
  { config, configRequired }: SettingsOptions,
  problems: Problem[],
): string | null {
  const asked = isPlainRelative(config) ? join('', config) : null;
  if (asked === null) {
    const message =
      `config: ${config.slice(0, 100)} must be a path below the working directory` +
      `${slashHint(config)}`;
    problems.push(problem(null, message));
    return null;
  }
  const absence = files.absence(asked);
  if (absence === null) return asked;
  if (
    absence.startsWith('does not exist') &&
    asked === SETTINGS_FILE &&
    files.absence(LLMEVAL_FILE) === null
  )
    return LLMEVAL_FILE;
  // A missing file is an error only if the user named it, because every setting has a default.
  const asksForIt = configRequired && asked !== SETTINGS_FILE;
  if (asksForIt || !absence.startsWith('does not exist')) problems.push(problem(asked, absence));
  return null;
}

/** The line is 0 for the default pattern, which no file contains. */
export function placeOfPattern(settings: Field, pattern: string): Place {
  for (const field of [settings.at('prompts'), settings.at('rubrics')]) {
    const { value } = field;
    if (value === pattern) return field.place;
    if (Array.isArray(value) && value.includes(pattern))
      return field.at(value.indexOf(pattern)).place;
  }
  return { file: settings.document.file, line: 0 };
}
