import { readFileSync } from 'node:fs';
import { parse } from 'yaml';

/** The value of a JSON or YAML file below `fixtures`. */
export function readFixture(path: string): unknown {
  return parse(readFileSync(new URL(`../../fixtures/${path}`, import.meta.url), 'utf8'));
}
