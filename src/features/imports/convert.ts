import { stringify } from 'yaml';
import { schemaLine, type CopyOrigin } from '../../app/session/origin.ts';
import { formatByPath } from '../../config/formats.ts';
import type { Json, JsonMap } from '../../types/plain.ts';
import { IMPORT_FORMATS } from './formats.ts';
import type { DraftFile, Imported } from './shared/draft.ts';

const OWN_RUBRICS = 'rubrics/*.{yaml,yml}';

export function convertImport(
  imported: Imported,
  source: string,
  origin: CopyOrigin | null,
): Map<string, string> {
  const files = new Map<string, string>();
  const slugs = new Map<DraftFile, string>();
  const taken = new Set<string>();
  for (const { prompt, tests } of imported.prompts) {
    const slug = uniqueFileName(slugOf(String(prompt.value['name'] ?? '')), taken);
    const shared = tests === null ? null : (slugs.get(tests) ?? slug);
    if (tests !== null && shared !== null && !slugs.has(tests)) {
      slugs.set(tests, shared);
      files.set(
        `prompts/tests/${shared}.yaml`,
        `${schemaLine('tests', origin)}# From ${source}\n${yaml(tests.value)}`,
      );
    }
    const defaults = shared === null ? {} : { defaults: [`tests/${shared}`] };
    files.set(
      `prompts/${slug}.yaml`,
      `${schemaLine('prompt', origin)}# From ${source}\n${yaml({ ...defaults, ...prompt.value })}`,
    );
  }
  return files;
}

export function settingsOf({ models, grader, rubrics }: Imported): JsonMap {
  return {
    ...(Object.keys(models).length === 0 ? {} : { models }),
    ...(grader === null ? {} : { grader: { model: grader.model } }),
    ...(rubrics === undefined
      ? {}
      : { rubrics: [OWN_RUBRICS, ...rubrics.map(({ file }) => file)] }),
  };
}

/** Writes no YAML aliases, because evaldiff's reader rejects them. */
export function yaml(value: Json): string {
  return stringify(value, { aliasDuplicateObjects: false, lineWidth: 0, version: '1.2' });
}

function slugOf(name: string): string {
  const slug = name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 60);
  return slug === '' ? 'prompt' : slug;
}

/** Avoids the names of other tools' files, such as `promptfooconfig.yaml`. */
function uniqueFileName(slug: string, taken: Set<string>): string {
  const isForeign = (name: string): boolean =>
    formatByPath(`${name}.yaml`, IMPORT_FORMATS) !== null;
  let name = slug;
  for (let ordinal = isForeign(slug) ? 1 : 2; taken.has(name) || isForeign(name); ordinal += 1)
    name = `${slug}-${ordinal}`;
  taken.add(name);
  return name;
}
