import type { Result } from '../kernel/result/result.ts';
import { escapeMarkup } from '../text/visible.ts';
import { outcomeLook } from '../wording/outcomes.ts';
import { COMMENT_LEVELS } from './sections/detail.ts';
import type { Reports } from './sections/feature-report.ts';
import { sectionBlocks } from './sections/index.ts';
import { savedView, type SavedView, type Trend } from './sections/saved-view.ts';
import { renderBlocks } from './terminal.ts';
import { POLICY, SCRIPT, STYLE } from './viewer-files.ts';

/** In characters. Browsers struggle with larger files. */
const MOST = 25_000_000;

const LEFT =
  'Images and the steps that led to answers are left out, to limit the size of this file; ' +
  'result.json has them.';

const UNSCRIPTED = 'This page shows every answer if JavaScript is on. So does result.json.';

/** In columns. */
const UNSCRIPTED_WIDTH = 96;

/** The viewer with a result: one file that needs no server and sends no request. */
export async function renderHtml(
  result: Result,
  reports: Reports,
  trend: Trend | null = null,
): Promise<string> {
  const view = { ...savedView(result, reports), trend };
  const whole = await packView(view);
  const data =
    whole.length <= MOST ? whole : await packView({ ...view, result: smaller(result), left: LEFT });
  const blocks = sectionBlocks(result, COMMENT_LEVELS[0], reports);
  const plain = renderBlocks(blocks, { width: UNSCRIPTED_WIDTH, colour: false });
  const { sign, outcome } = outcomeLook(result);
  const heading = `${sign} ${outcome}`;
  return pageHtml(`${heading} – evaldiff`, {
    policy: POLICY,
    body: `<div id="root"></div>
<noscript><main><h1>${escapeMarkup(heading)}</h1><pre>${escapeMarkup(plain)}</pre><p>${UNSCRIPTED}</p></main></noscript>
<script type="application/octet-stream" id="data">${data}</script>`,
  });
}

/** The viewer of `evaldiff dev`, which fetches its data. `policy` must be sent as a header. */
export function livePage(): { html: string; policy: string } {
  const policy = `${POLICY}; connect-src 'self'; frame-ancestors 'none'`;
  const body = '<div id="root" data-live></div><noscript>This page needs JavaScript.</noscript>';
  return { html: pageHtml('evaldiff dev', { policy: null, body }), policy };
}

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

/** `policy`: the content security policy; null if it is sent as a header. */
function pageHtml(
  title: string,
  { policy, body }: { policy: string | null; body: string },
): string {
  const meta =
    policy === null ? '' : `<meta http-equiv="Content-Security-Policy" content="${policy}">\n`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
${meta}<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>${escapeMarkup(title)}</title>
<style>${STYLE}</style>
<script>${SCRIPT}</script>
</head>
<body>${body}</body>
</html>
`;
}
