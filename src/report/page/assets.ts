import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';

export const STYLE = readFileSync(new URL('./assets/page.css', import.meta.url), 'utf8');
const list = readFileSync(new URL('./assets/list.js', import.meta.url), 'utf8');
export const withListScript = (own: string): string => `{\n${list}${own}}`;
export const SCRIPT = withListScript(
  readFileSync(new URL('./assets/page.js', import.meta.url), 'utf8'),
);

const cspHash = (text: string): string =>
  `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

export const POLICY =
  `default-src 'none'; style-src ${cspHash(STYLE)}; script-src ${cspHash(SCRIPT)}; ` +
  `img-src data:; base-uri 'none'; form-action 'none'`;
