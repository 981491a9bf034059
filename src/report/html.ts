import type { Result } from '../kernel/result/result.ts';
import { type MarkupPart, markup, markupText, trustedHtml } from '../text/markup.ts';
import { outcomeLook } from '../wording/outcomes.ts';
import { htmlOf } from './blocks-html.ts';
import { COMMENT_LEVELS, EVERYTHING } from './sections/detail.ts';
import { placeLinks } from './sections/document.ts';
import type { Reports } from './sections/feature-report.ts';
import { sectionBlocks, SECTION_NAMES } from './sections/index.ts';
import { savedView, type SavedView } from './sections/saved-view.ts';
import { POLICY, SCRIPT, STYLE } from './viewer-files.ts';

/** In characters. Browsers struggle with larger files. */
const MOST = 25_000_000;

const LEFT =
  'Images and the steps that led to answers are left out, to limit the size of this file; ' +
  'result.json has them.';

/** The viewer with a result: one file that needs no server and sends no request. */
export async function renderHtml(result: Result, reports: Reports): Promise<string> {
  const view = savedView(result, reports);
  const whole = await packView(view);
  const data =
    whole.length <= MOST ? whole : await packView({ ...view, result: smaller(result), left: LEFT });
  const links = placeLinks(result);
  const blocks = sectionBlocks(
    result,
    COMMENT_LEVELS[0] ?? EVERYTHING,
    reports,
    SECTION_NAMES,
    links,
  );
  const { sign, outcome } = outcomeLook(result);
  return pageHtml(`${sign} ${outcome} – evaldiff`, {
    script: SCRIPT,
    body: markup`
      <div id="root"></div>
      <noscript><main>${htmlOf(blocks, links)}<p>${UNSCRIPTED}</p></main></noscript>
      <script type="application/octet-stream" id="data">${trustedHtml(data)}</script>`,
  });
}

const UNSCRIPTED = 'This page shows every answer if JavaScript is on. So does result.json.';

function smaller(result: Result): Result {
  const text = JSON.stringify(result, (key, value: unknown) =>
    key === 'steps' ? undefined : key === 'data' && typeof value === 'string' ? null : value,
  );
  return JSON.parse(text) as Result;
}

async function packView(view: SavedView): Promise<string> {
  const stream = new Blob([JSON.stringify(view)])
    .stream()
    .pipeThrough(new CompressionStream('deflate-raw'));
  return Buffer.from(await new Response(stream).arrayBuffer()).toString('base64');
}

interface Page {
  script?: string;
  body: MarkupPart;
}

/** A self-contained page. Its content security policy allows only its own style and script. */
export function pageHtml(title: string, { script, body }: Page): string {
  const shown = markup`<!doctype html>
    <html lang="en">
    <head>
    <meta charset="utf-8">
    <meta http-equiv="Content-Security-Policy" content="${trustedHtml(POLICY)}">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="referrer" content="no-referrer">
    <title>${title}</title>
    <style>${trustedHtml(STYLE)}</style>
    ${script === undefined ? null : markup`<script>${trustedHtml(script)}</script>`}
    </head>
    <body>${body}</body>
    </html>`;
  return `${markupText(shown)}\n`;
}
