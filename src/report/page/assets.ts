import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';

export const STYLE = readFileSync(new URL('./assets/page.css', import.meta.url), 'utf8');
const list = readFileSync(new URL('./assets/list.js', import.meta.url), 'utf8');
/** In a block, so that the script's names stay local. */
export const withListScript = (own: string): string => `{\n${list}${own}}`;
export const SCRIPT = withListScript(
  readFileSync(new URL('./assets/page.js', import.meta.url), 'utf8'),
);

const cspHash = (text: string): string =>
  `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

/** Nothing is loaded, sent or framed; only our style and script apply. */
export const POLICY =
  `default-src 'none'; style-src ${cspHash(STYLE)}; script-src ${cspHash(SCRIPT)}; ` +
  `img-src data:; base-uri 'none'; form-action 'none'`;
