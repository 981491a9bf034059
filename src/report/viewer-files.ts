import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';

/** Beside the bundles, or where scripts/viewer.ts builds it for the sources. */
const FOLDERS = ['../viewer/', '../../build/viewer/', '../../dist/viewer/'];

function read(name: string): string {
  const files = FOLDERS.map((folder) => new URL(`${folder}${name}`, import.meta.url));
  const found = files.find((file) => existsSync(file));
  if (found === undefined) throw new Error(`${name} is missing: run npm run build`);
  return readFileSync(found, 'utf8');
}

export const STYLE = read('viewer.css').trim();

export const SCRIPT = read('viewer.js').trim();

const hashOf = (text: string): string =>
  `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

/** Allows only the page's own style and script. The page cannot send requests. */
export const POLICY =
  `default-src 'none'; style-src ${hashOf(STYLE)}; script-src ${hashOf(SCRIPT)}; ` +
  `img-src data:; base-uri 'none'; form-action 'none'`;
