/**
 * Writes schemas/ from the schemas that the readers use: JSON Schemas for editors and programs, and
 * the TypeScript type of `result.json`.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { compile } from 'json-schema-to-typescript';
import { ownKeys, ownSettings } from '../src/app/run/feature.ts';
import { suiteKeysOf } from '../src/app/session/session-row.ts';
import { FEATURES } from '../src/features.ts';
import { jsonSchemas, ownFiles } from './json-schemas.ts';

export const SCHEMAS = jsonSchemas(
  ownKeys(FEATURES),
  ownSettings(FEATURES),
  suiteKeysOf(FEATURES),
  await ownFiles(FEATURES),
);

/** The files of schemas/, by name. */
export async function schemaFiles(): Promise<Map<string, string>> {
  const files = new Map(
    Object.entries(SCHEMAS).map(([name, schema]) => [name, `${JSON.stringify(schema, null, 2)}\n`]),
  );
  const result = structuredClone(SCHEMAS['result.schema.json']) as Parameters<typeof compile>[0];
  files.set(
    'result.d.ts',
    await compile(result, 'Result', { bannerComment: '', additionalProperties: false }),
  );
  return files;
}

if (import.meta.main) {
  const folder = join(dirname(dirname(fileURLToPath(import.meta.url))), 'schemas');
  mkdirSync(folder, { recursive: true });
  for (const [name, text] of await schemaFiles()) writeFileSync(join(folder, name), text);
}
