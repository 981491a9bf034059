/** Writes schemas/ from the schemas that the readers use. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { jsonSchemas } from '../src/config/json-schemas.ts';

const folder = join(dirname(dirname(fileURLToPath(import.meta.url))), 'schemas');
mkdirSync(folder, { recursive: true });
for (const [name, schema] of Object.entries(jsonSchemas()))
  writeFileSync(join(folder, name), `${JSON.stringify(schema, null, 2)}\n`);
