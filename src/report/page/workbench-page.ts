import { STYLE } from './style.ts';

/**
 * The workbench's page without its contents, which come from the process that serves it. Its policy
 * lets nothing but its own style and script apply, and nothing be asked of anybody else.
 */
export function workbenchPage(nonce: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>evaldiff dev</title>
<style nonce="${nonce}">${STYLE}${OWN_STYLE}</style>
</head>
<body>
<header><span><b>evaldiff</b> workbench</span><span id="spend" role="status"></span><span><button type="button" id="raise">Allow as much again</button> <button type="button" id="undo" disabled>Undo (u)</button></span></header>
<main>
<p id="state" role="status">opening</p>
<fieldset id="filter"><legend>Show</legend><span id="statuses"></span><input type="search" placeholder="Find in references" aria-label="Find in references"><output aria-live="polite"></output><p class="soft">↑ ↓ or j k: next row · Enter: opens it · Esc: closes it · a: accept the answer · m: more tries · t: tag · s: skip · n: new reference · u: undo · /: find</p></fieldset>
<div id="columns"><div id="board"></div><aside id="detail" aria-label="The reference" hidden></aside></div>
</main>
<script nonce="${nonce}">${SCRIPT}</script>
</body>
</html>
`;
}

const OWN_STYLE = `
header,main{max-width:1700px}header{position:sticky;top:0;z-index:2;background:var(--page);padding-bottom:8px}
#state{color:var(--soft);min-height:1.5em}#state.bad,.note{color:var(--open)}
#columns.open{display:grid;grid-template-columns:minmax(0,1fr) minmax(0,1fr);gap:18px;align-items:start}
#detail{position:sticky;top:52px;max-height:calc(100vh - 60px);overflow:auto;border:1px solid var(--line);border-radius:8px;padding:0 16px 12px;background:var(--page)}
#statuses label{display:inline-block;margin-right:10px}#detail h2 code{background:none;padding:0;font-size:.85em}h2 .soft{font-size:15px;font-weight:400}#detail .acts{display:flex;gap:6px;flex-wrap:wrap;padding:12px 0 0}#detail form{display:flex;gap:6px;flex-wrap:wrap;margin:8px 0;align-items:end}#detail form[hidden]{display:none}#detail textarea{width:100%;min-height:120px;font:13px/1.5 ui-monospace,monospace;color:inherit;background:var(--panel);border:1px solid var(--line);border-radius:6px}
.grid>div{display:grid;gap:4px 14px;padding:5px 10px;align-items:center;border-bottom:1px solid var(--line)}
.grid.c1>div{grid-template-columns:2fr 1fr}.grid.c2>div{grid-template-columns:2fr 1fr 1fr}.grid.c3>div,.grid.c4>div{grid-template-columns:2fr repeat(4,1fr)}
.grid.c5>div,.grid.c6>div{grid-template-columns:2fr repeat(6,1fr)}.grid.c7>div,.grid.c8>div{grid-template-columns:2fr repeat(8,1fr)}
.grid .ref{cursor:pointer;content-visibility:auto;contain-intrinsic-size:auto 36px}.grid .ref.on{background:var(--panel)}.grid .top{color:var(--soft);font-size:13px}
.grid .soft{font-size:13px}.grid .dots+.soft{margin-left:6px}.grid span{min-width:0;overflow-wrap:anywhere}.grid .dots{margin:0;display:inline;white-space:normal}.ref[hidden]{display:none!important}
details.prompt>summary{cursor:pointer;color:var(--link)}
@media(max-width:600px){.grid.grid>div{grid-template-columns:1fr 1fr}.grid.c1>div{grid-template-columns:1fr}.grid .name,.grid .top>:first-child{grid-column:1/-1}}
@media(max-width:900px){#columns.open{display:block}#detail{position:fixed;inset:auto 0 0;max-height:75vh;z-index:3;border-radius:12px 12px 0 0;box-shadow:0 0 24px #0006}}
`;

/** Runs in the page. Texts of others reach it as HTML that was escaped where it was made. */
const SCRIPT = `
(() => {
  const $ = (id) => document.getElementById(id);
  const board = $('board'), detail = $('detail'), columns = $('columns'), state = $('state');
  const search = document.querySelector('input[type=search]'), said = document.querySelector('output');
  let open = null, on = null, off = new Set(), gone = false, turn = 0, view = 0;

  // Thousands of rows: their words are read once for each board, and only what changes is touched.
  let rows = [];
  const shown = () => rows.flatMap(({ row }) => (row.hidden ? [] : [row]));
  const rowOf = (key) => rows.find(({ row }) => row.dataset.key === key)?.row ?? null;
  const say = (words, bad = false) => { state.textContent = words; state.className = bad ? 'bad' : ''; };

  const filter = () => {
    const words = search.value.trim().toLowerCase();
    let count = 0;
    for (const { row, text, status } of rows) {
      const hidden = off.has(status) || (words !== '' && !text.includes(words));
      if (row.hidden !== hidden) row.hidden = hidden;
      if (!hidden) count += 1;
    }
    said.textContent = count + ' of ' + rows.length + ' shown';
  };
  const statuses = (list) => {
    $('statuses').replaceChildren(...list.map(({ value, words, count }) => {
      const label = document.createElement('label'), box = document.createElement('input');
      box.type = 'checkbox';
      box.checked = !off.has(value);
      box.addEventListener('change', () => { if (box.checked) off.delete(value); else off.add(value); filter(); });
      label.append(box, ' ' + words + ' (' + count + ')');
      return label;
    }));
  };
  const mark = (row, focus) => {
    for (const one of board.querySelectorAll('.on')) { one.classList.remove('on'); one.tabIndex = -1; }
    on = row === null ? null : row.dataset.key;
    const first = row ?? shown()[0];
    if (first) first.tabIndex = 0;
    if (row !== null) { row.classList.add('on'); if (focus) { row.focus({ preventScroll: true }); row.scrollIntoView({ block: 'nearest' }); } }
  };
  const load = async () => {
    turn += 1;
    const mine = turn;
    const answer = await fetch('board');
    if (!answer.ok || mine !== turn) return;
    const { html, spend, list, note, bad, undo } = await answer.json();
    const had = document.activeElement?.classList.contains('ref');
    const y = scrollY;
    board.innerHTML = html;
    rows = [...board.querySelectorAll('.ref')].map((row) => ({ row, text: row.textContent.toLowerCase(), status: row.dataset.status }));
    $('spend').textContent = spend;
    $('undo').disabled = !undo;
    say(note, bad);
    statuses(list);
    filter();
    mark(on === null ? null : rowOf(on), had);
    scrollTo(0, y);
    if (open !== null && !writing()) void show(open, false, true);
  };
  // Nothing is drawn over what somebody is writing.
  const writing = () => detail.contains(document.activeElement) || detail.querySelector('form:not([hidden])') !== null;
  const show = async (key, focus, again = false) => {
    view += 1;
    const mine = view;
    const answer = await fetch('detail?key=' + encodeURIComponent(key));
    if (mine !== view || (again && (open !== key || writing()))) return;
    if (!answer.ok) return close();
    open = key;
    detail.innerHTML = await answer.text();
    detail.hidden = false;
    columns.classList.add('open');
    if (focus) detail.querySelector('button')?.focus();
  };
  const close = () => {
    view += 1;
    open = null;
    detail.hidden = true;
    detail.replaceChildren();
    columns.classList.remove('open');
    const row = on === null ? null : rowOf(on);
    if (row) row.focus();
  };
  const act = async (what) => {
    if (gone) return say('The workbench has ended; start evaldiff dev again.', true);
    const answer = await fetch('act', { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(what) }).catch(() => null);
    if (answer === null) return say('The workbench does not answer.', true);
    const { said: words, bad } = await answer.json();
    say(words, bad);
    if (bad || what.kind === 'more') return;
    for (const form of detail.querySelectorAll('form')) form.hidden = true;
    if (detail.contains(document.activeElement)) document.activeElement.blur();
  };
  const form = (name) => {
    const found = detail.querySelector('form[data-kind=' + name + ']');
    if (found) { found.hidden = false; found.querySelector('input,textarea,select').focus(); }
  };

  board.addEventListener('click', ({ target }) => {
    const row = target.closest('.ref');
    if (row) { mark(row, true); void show(row.dataset.key, false); }
  });
  detail.addEventListener('click', ({ target }) => {
    const { kind, form: named, text } = target.dataset;
    if (named) form(named);
    else if (kind === 'close') close();
    else if (kind === 'accept') void act({ kind, key: open, try: Number(target.dataset.try) });
    else if (kind) void act({ kind, key: open, text });
  });
  detail.addEventListener('submit', (event) => {
    event.preventDefault();
    const of = event.target;
    void act({ kind: of.dataset.kind, key: open, ...Object.fromEntries(new FormData(of)) });
  });
  search.addEventListener('input', filter);
  $('raise').addEventListener('click', () => void act({ kind: 'raise' }));
  $('undo').addEventListener('click', () => void act({ kind: 'undo' }));
  addEventListener('keydown', (event) => {
    const { key, target } = event;
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const typing = target.matches('textarea,select,input:not([type=checkbox])');
    if (key === 'Escape') { if (typing && target === search) { search.value = ''; filter(); search.blur(); } else close(); return; }
    if (typing) return;
    const all = shown(), at = all.findIndex((row) => row.dataset.key === on);
    const step = { ArrowDown: 1, j: 1, ArrowUp: -1, k: -1 }[key];
    if (step !== undefined) {
      const next = all[Math.max(0, Math.min(all.length - 1, at < 0 ? 0 : at + step))];
      if (next) { event.preventDefault(); mark(next, true); if (open !== null) void show(next.dataset.key, false); }
      return;
    }
    if (key === '/') { event.preventDefault(); search.focus(); return; }
    if (key === 'u') { void act({ kind: 'undo' }); return; }
    if (key === 'Enter' && target.classList.contains('ref')) { void show(target.dataset.key, true); return; }
    if (open === null && on !== null && 'amtsn'.includes(key)) { event.preventDefault(); void show(on, false).then(() => keyed(key)); return; }
    if (open !== null && 'amtsn'.includes(key)) { event.preventDefault(); keyed(key); }
  });
  const keyed = (key) => {
    if (key === 'a') detail.querySelector('[data-kind=accept]')?.click();
    if (key === 'm') void act({ kind: 'more', key: open });
    if (key === 't') form('tag');
    if (key === 's') form('skip');
    if (key === 'n') form('add');
  };

  const events = new EventSource('events');
  events.addEventListener('board', () => void load());
  events.addEventListener('state', ({ data }) => { const { note, spend, bad } = JSON.parse(data); say(note, bad); $('spend').textContent = spend; });
  events.addEventListener('open', () => { gone = false; void load(); });
  events.addEventListener('error', () => { gone = true; say('The workbench has ended; start evaldiff dev again. What is shown is what it last said.', true); });
})();
`;
