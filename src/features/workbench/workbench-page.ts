import { readFileSync } from 'node:fs';
import { noteHtml } from '../../report/blocks-html.ts';
import { STYLE } from '../../report/viewer-files.ts';
import { markup, trustedHtml, markupText } from '../../text/markup.ts';
import { SEARCH_HTML } from './filter.ts';

const OWN_STYLE = readFileSync(new URL('./assets/workbench.css', import.meta.url), 'utf8');
const LIST_SCRIPT = readFileSync(new URL('./assets/list.js', import.meta.url), 'utf8');
const OWN_SCRIPT = readFileSync(new URL('./assets/workbench.js', import.meta.url), 'utf8');
const WORKBENCH_SCRIPT = `{\n${LIST_SCRIPT}${OWN_SCRIPT}}`;

/** The content security policy allows only the page's own style, script and requests. */
export function workbenchPage(nonce: string): string {
  const page = markup`<!doctype html>
    <html lang="en">
    <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="referrer" content="no-referrer">
    <title>evaldiff dev</title>
    <style nonce="${nonce}">${trustedHtml(STYLE + OWN_STYLE)}</style>
    </head>
    <body>
    <header>
      <span><b>evaldiff</b> workbench</span>
      <span id="spend" role="status"></span>
      <span>
        <button type="button" id="raise">Allow as much again</button>${' '}
        <button type="button" id="undo" disabled>Undo (u)</button>
      </span>
    </header>
    <main>
      <p id="state" role="status">opening</p>
      <p id="old" class="note" role="status" hidden>${OLD}</p>
      <fieldset id="filter"><legend>Show</legend>
        <span id="choices"></span>${SEARCH_HTML}<output aria-live="polite"></output>
        ${noteHtml(KEYS.join(' · '))}
      </fieldset>
      <div id="columns">
        <div id="board"><div id="head"></div><div id="matrices"></div><div id="firsts"></div></div>
        <aside id="detail" aria-label="The reference" hidden></aside>
      </div>
    </main>
    <script nonce="${nonce}">${trustedHtml(WORKBENCH_SCRIPT)}</script>
    </body>
    </html>`;
  return `${markupText(page)}\n`;
}

const OLD = 'The files have changed since this was shown.';

const KEYS = [
  '↑ ↓ or j k: row · Home End: first, last · ← → or h l: cell · Enter: open the row',
  "Esc: close it · a: accept the cell's answer · m: more tries of the cell · t: tag · s: skip",
  'n: new reference · u: undo · /: find',
];
