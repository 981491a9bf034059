import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';

/** Beside the bundles, or where scripts/viewer.ts builds it for the sources. */
const FOLDERS = ['../viewer/', '../../build/viewer/', '../../dist/viewer/'];

const viewerFolder = FOLDERS.map((path) => new URL(path, import.meta.url)).find((url) =>
  existsSync(new URL('viewer.js', url)),
);

function readViewerFile(name: string): string {
  if (viewerFolder === undefined)
    throw new Error("The report's page is missing: run npm run build");
  return readFileSync(new URL(name, viewerFolder), 'utf8').trim();
}

export const STYLE = readViewerFile('viewer.css');

export const SCRIPT = readViewerFile('viewer.js');

const hashOf = (text: string): string =>
  `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

/** Allows only the page's own style and script. The page cannot send requests. */
export const POLICY =
  `default-src 'none'; style-src ${hashOf(STYLE)}; script-src ${hashOf(SCRIPT)}; ` +
  `img-src data:; base-uri 'none'; form-action 'none'`;
