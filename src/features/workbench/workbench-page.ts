import { noteHtml } from '../../report/page/blocks.ts';
import { SEARCH_HTML } from '../../report/page/filter.ts';
import { STYLE } from '../../report/page/style.ts';
import { markup, trusted, written } from '../../text/markup.ts';
import { WORKBENCH_SCRIPT } from './workbench-script.ts';

/**
 * The workbench's page; its contents come from the server. Its policy only allows its own style and
 * script, and no requests to others.
 */
export function workbenchPage(nonce: string): string {
  const page = markup`<!doctype html>
    <html lang="en">
    <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="referrer" content="no-referrer">
    <title>evaldiff dev</title>
    <style nonce="${nonce}">${trusted(STYLE + OWN_STYLE)}</style>
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
    <script nonce="${nonce}">${trusted(WORKBENCH_SCRIPT)}</script>
    </body>
    </html>`;
  return `${written(page)}\n`;
}

const OLD = 'The files have changed since; what stands below is from before.';

const KEYS = [
  '↑ ↓ or j k: row',
  'Home End: first, last',
  '← → or h l: cell',
  'Enter: opens the row',
  'Esc: closes it',
  "a: accept the cell's answer",
  'm: more tries of the cell',
  't: tag',
  's: skip',
  'n: new reference',
  'u: undo',
  '/: find',
];

const OWN_STYLE = `
header,main{max-width:1700px}header{position:sticky;top:0;z-index:2;background:var(--page);padding-bottom:8px}
#state{color:var(--soft);min-height:1.5em}#state.bad,.note{color:var(--open)}
#columns.open{display:grid;grid-template-columns:minmax(0,1fr) minmax(0,1fr);gap:18px;align-items:start}
#detail{position:sticky;top:52px;max-height:calc(100vh - 60px);overflow:auto;border:1px solid var(--line);border-radius:8px;padding:0 16px 12px;background:var(--page)}
#board{padding-bottom:12px}#choices{display:contents}#notices>summary{cursor:pointer;color:var(--soft)}#detail h2 code{background:none;padding:0;font-size:.85em}h2 .soft{font-size:15px;font-weight:400}#detail .acts{display:flex;gap:6px;flex-wrap:wrap;padding:10px 0 4px}#detail .acts+.acts{padding-top:2px}#detail h2{margin:16px 0 0}#detail form,#board form{display:flex;gap:6px;flex-wrap:wrap;margin:8px 0;align-items:end}#detail form[hidden]{display:none}#detail textarea,#board textarea{width:100%;min-height:120px;font:13px/1.5 ui-monospace,monospace;color:inherit;background:var(--panel);border:1px solid var(--line);border-radius:6px}
.grid :is(.top,.ref){display:grid;gap:4px 14px;padding:5px 10px;align-items:center;border-bottom:1px solid var(--line)}
.grid.c1 :is(.top,.ref){grid-template-columns:2fr 1fr}.grid.c2 :is(.top,.ref){grid-template-columns:2fr 1fr 1fr}.grid:is(.c3,.c4) :is(.top,.ref){grid-template-columns:2fr repeat(4,1fr)}
.grid:is(.c5,.c6) :is(.top,.ref){grid-template-columns:2fr repeat(6,1fr)}.grid:is(.c7,.c8) :is(.top,.ref){grid-template-columns:2fr repeat(8,1fr)}
.grid>div>div{contain:layout style paint}.grid .ref{cursor:pointer;scroll-margin:60px 0 10px;outline-offset:-2px}.grid .ref.on{background:var(--panel)}.grid .ref.on .here{outline:2px solid var(--line);outline-offset:3px;border-radius:3px}.grid .top{color:var(--soft);font-size:13px}
.grid .soft{font-size:13px}.grid .dots .soft{margin-left:6px}.grid span{min-width:0;overflow-wrap:anywhere}.grid .dots{margin:0;display:block;white-space:normal}
details.prompt>summary{cursor:pointer;color:var(--link)}
@media(max-width:600px){.grid.grid :is(.top,.ref){grid-template-columns:1fr 1fr}.grid.grid.c1 :is(.top,.ref){grid-template-columns:1fr}.grid .name,.grid .top>:first-child{grid-column:1/-1}.grid .ref{scroll-margin-top:126px}}
@media(max-width:900px){#columns.open{display:block}#detail{position:fixed;inset:auto 0 0;max-height:75vh;z-index:3;border-radius:12px 12px 0 0;box-shadow:0 0 24px #0006}}
`;
