/** Renders a comment as a page that looks like GitHub; `pictures.ts` takes its screenshot. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { micromark } from 'micromark';
import { gfm, gfmHtml } from 'micromark-extension-gfm';

export const THEMES = ['light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

/** GitHub's own style sheet for Markdown, in one theme. */
function githubStyle(theme: Theme): string {
  const file = `github-markdown-css/github-markdown-${theme}.css`;
  return readFileSync(createRequire(import.meta.url).resolve(file), 'utf8');
}

const BORDERS: Readonly<Record<Theme, string>> = {
  light: '--page:#fff;--soft:#59636e;--line:#d1d9e0;--head:#f6f8fa',
  dark: '--page:#0d1117;--soft:#9198a1;--line:#3d444d;--head:#151b23',
};

const STYLE = `
body{margin:0;padding:8px;background:var(--page)}
.comment{border:1px solid var(--line);border-radius:6px;overflow:hidden}
.comment>header{padding:8px 16px;background:var(--head);border-bottom:1px solid var(--line);color:var(--soft);font:14px/1.5 "Liberation Sans",Arial,sans-serif}
.comment>header span{margin-left:6px;padding:0 7px;border:1px solid var(--line);border-radius:2em;font-size:12px}
.markdown-body{padding:16px;font-family:"Liberation Sans",Arial,sans-serif;font-size:14px}
.markdown-body code,.markdown-body pre{font-family:"Liberation Mono","DejaVu Sans Mono",monospace}
.markdown-body svg{vertical-align:-2px}
`;

/** Colours the lines of a diff as GitHub's highlighting does. */
function coloured(html: string): string {
  return html.replace(
    /<code class="language-diff">([^]*?)<\/code>/g,
    (_whole, lines: string) =>
      `<code>${lines
        .split('\n')
        .map((line) =>
          line.startsWith('+')
            ? `<span class="pl-mi1">${line}</span>`
            : line.startsWith('-')
              ? `<span class="pl-md">${line}</span>`
              : line,
        )
        .join('\n')}</code>`,
  );
}

const circle = (colour: string, mark: string): string =>
  `<svg width="16" height="16" viewBox="0 0 16 16" aria-hidden="true"><circle cx="8" cy="8" r="8" fill="${colour}"/><path d="${mark}" stroke="#fff" stroke-width="2" fill="none"/></svg>`;

/** Replaces symbols that the machine that takes screenshots may not have a font for. */
const SIGNS: Readonly<Record<string, string>> = {
  '❌': circle('#d1242f', 'M5 5l6 6M11 5l-6 6'),
  '✅': circle('#1a7f37', 'M4.5 8.5l2.5 2.5 4.5-5.5'),
  '⚪': circle('#818b98', ''),
  '➖': circle('#818b98', 'M4 8h8'),
  '⚠️': circle('#9a6700', 'M8 3.5v5.5M8 11v2'),
};

function drawn(html: string): string {
  return Object.entries(SIGNS).reduce((text, [sign, svg]) => text.replaceAll(sign, svg), html);
}

/** A comment in GitHub's style with all folds closed. */
export function commentPage(comment: string, theme: Theme): string {
  const html = micromark(comment, {
    extensions: [gfm()],
    htmlExtensions: [gfmHtml()],
    allowDangerousHtml: true,
  });
  return (
    `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>comment</title><style>${githubStyle(theme)}:root{${BORDERS[theme]}}${STYLE}</style>` +
    `<article class="comment"><header><b>github-actions</b><span>bot</span> commented</header><div class="markdown-body">${drawn(coloured(html))}</div></article></html>`
  );
}
