/**
 * The demo's comment as a page that looks as GitHub shows a comment; `comment-picture.ts`
 * photographs it.
 */
import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { micromark } from 'micromark';
import { gfm, gfmHtml } from 'micromark-extension-gfm';

export const THEMES = ['light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

/** Columns of the picture; GitHub's own comments are about as wide. */
export const WIDTH = 860;

/**
 * The comment without what differs between two runs of the same demo: the port of its stand-in of
 * GitHub.
 */
export function steadyComment(comment: string): string {
  return comment.replaceAll(/http:\/\/127\.0\.0\.1:\d+\//g, 'https://github.com/');
}

const COLOURS: Readonly<Record<Theme, string>> = {
  light:
    '--page:#fff;--text:#1f2328;--soft:#59636e;--line:#d1d9e0;--head:#f6f8fa;--code:#818b981f;--link:#0969da;--row:#fff',
  dark: '--page:#0d1117;--text:#f0f6fc;--soft:#9198a1;--line:#3d444d;--head:#151b23;--code:#656c7633;--link:#4493f8;--row:#0d1117',
};

const STYLE = `
body{margin:0;padding:12px;background:var(--page);color:var(--text);font:14px/1.5 "Liberation Sans",Arial,sans-serif}
.comment{border:1px solid var(--line);border-radius:6px;overflow:hidden}
.comment>header{padding:8px 16px;background:var(--head);border-bottom:1px solid var(--line);color:var(--soft)}
.comment>header b{color:var(--text)}
.comment>header span{margin-left:6px;padding:0 7px;border:1px solid var(--line);border-radius:2em;font-size:12px}
.body{padding:16px}
p,ul,table,details{margin:0 0 16px}
ul{padding-left:2em}
table{border-collapse:collapse;width:max-content;max-width:100%}
th,td{padding:6px 13px;border:1px solid var(--line);background:var(--row);vertical-align:top}
th{font-weight:600}
code{padding:.2em .4em;border-radius:6px;background:var(--code);font:85% "Liberation Mono","DejaVu Sans Mono",monospace;white-space:break-spaces}
a{color:var(--link)}
sub{font-size:85%;vertical-align:baseline}
details[open]>summary{margin-bottom:8px}
details[open]>table~*{display:none}
details[open]::after{content:"⋮";color:var(--soft)}
.body>p:last-child{margin:0;line-height:1.8}
`;

/**
 * The page for one theme. The first collapsed part is open, as after a reader's click; of what is
 * in it, the first reference is shown.
 */
export function commentPage(comment: string, theme: Theme): string {
  const html = micromark(steadyComment(comment), {
    extensions: [gfm()],
    htmlExtensions: [gfmHtml()],
    allowDangerousHtml: true,
  });
  const opened = html.replace('<details>', '<details open>');
  return (
    `<!doctype html><html lang="en"><meta charset="utf-8"><title>comment</title><style>:root{${COLOURS[theme]}}${STYLE}</style>` +
    `<article class="comment"><header><b>github-actions</b><span>bot</span> commented</header><div class="body">${opened}</div></article></html>`
  );
}

/**
 * What a picture must be made from to be current: the comment and this page, by hash. It stands in
 * the picture itself.
 */
export function pictureKey(comment: string, theme: Theme): string {
  return createHash('sha256').update(commentPage(comment, theme)).digest('hex');
}

/** Where a theme's picture lies, below the repository's root. */
export function pictureFile(theme: Theme): string {
  return `docs/images/comment${theme === 'light' ? '' : '-dark'}.png`;
}

const KEYWORD = 'evaldiff-key';
/** Length, kind and checksum of a chunk. */
const FRAME = 12;

/** The PNG with the key as a text chunk in front of its end. */
export function withKey(png: Buffer, key: string): Buffer {
  const body = Buffer.from(`tEXt${KEYWORD}\0${key}`, 'latin1');
  const chunk = Buffer.alloc(body.length + 8);
  chunk.writeUInt32BE(body.length - 4);
  body.copy(chunk, 4);
  chunk.writeUInt32BE(crc32(body), body.length + 4);
  const end = png.length - FRAME;
  return Buffer.concat([png.subarray(0, end), chunk, png.subarray(end)]);
}

/** The key in a PNG; null when it has none. */
export function keyOf(png: Buffer): string | null {
  const at = png.indexOf(`tEXt${KEYWORD}\0`, 0, 'latin1');
  if (at < 0) return null;
  const text = png.subarray(at + 4, at + 4 + png.readUInt32BE(at - 4)).toString('latin1');
  return text.slice(KEYWORD.length + 1);
}
