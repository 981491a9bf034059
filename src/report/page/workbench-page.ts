import { SEARCH_HTML } from './filter.ts';
import { FILTER_SCRIPT } from './script.ts';
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
<p id="old" class="note" role="status" hidden>The files have changed since; what stands below is from before.</p>
<fieldset id="filter"><legend>Show</legend><span id="choices"></span>${SEARCH_HTML}<output aria-live="polite"></output><p class="soft">↑ ↓ or j k: row · ← → or h l: cell · Enter: opens the row · Esc: closes it · a: accept the cell’s answer · m: more tries of the cell · t: tag · s: skip · n: new reference · u: undo · /: find</p></fieldset>
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
#choices{display:contents}#notices>summary{cursor:pointer;color:var(--soft)}#detail h2 code{background:none;padding:0;font-size:.85em}h2 .soft{font-size:15px;font-weight:400}#detail .acts{display:flex;gap:6px;flex-wrap:wrap;padding:10px 0 4px}#detail .acts+.acts{padding-top:2px}#detail h2{margin:16px 0 0}#detail form,#board form{display:flex;gap:6px;flex-wrap:wrap;margin:8px 0;align-items:end}#detail form[hidden]{display:none}#detail textarea,#board textarea{width:100%;min-height:120px;font:13px/1.5 ui-monospace,monospace;color:inherit;background:var(--panel);border:1px solid var(--line);border-radius:6px}
.grid>div{display:grid;gap:4px 14px;padding:5px 10px;align-items:center;border-bottom:1px solid var(--line)}
.grid.c1>div{grid-template-columns:2fr 1fr}.grid.c2>div{grid-template-columns:2fr 1fr 1fr}.grid.c3>div,.grid.c4>div{grid-template-columns:2fr repeat(4,1fr)}
.grid.c5>div,.grid.c6>div{grid-template-columns:2fr repeat(6,1fr)}.grid.c7>div,.grid.c8>div{grid-template-columns:2fr repeat(8,1fr)}
.grid .ref{cursor:pointer;content-visibility:auto;contain-intrinsic-size:auto 36px}.grid .ref.on{background:var(--panel)}.grid .ref.on .here{outline:2px solid var(--line);outline-offset:3px;border-radius:3px}.grid .top{color:var(--soft);font-size:13px}
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
  const filters = $('filter'), choices = $('choices'), old = $('old');
  let open = null, on = null, column = null, gone = false, turn = 0, view = 0;${FILTER_SCRIPT}
  // Thousands of rows: their words are read once for each board, and only what changes is touched.
  let rows = [];
  const shown = () => rows.flatMap(({ row }) => (row.hidden ? [] : [row]));
  const rowOf = (key) => rows.find(({ row }) => row.dataset.key === key)?.row ?? null;
  // What was written last is said besides what goes on, until the next thing is done.
  let done = '';
  const say = (words, bad = false) => { state.textContent = bad || done === '' ? words : done + ' · ' + words; state.className = bad ? 'bad' : ''; };

  const filter = () => {
    const words = search.value.trim().toLowerCase(), wanted = wantedIn(filters);
    let count = 0;
    for (const { row, text, facts } of rows) {
      const hidden = !fits(facts, wanted) || (words !== '' && !text.includes(words));
      if (row.hidden !== hidden) row.hidden = hidden;
      if (!hidden) count += 1;
    }
    said.textContent = count + ' of ' + rows.length + ' shown';
  };
  // What was chosen stays chosen, as long as it is there and means the same.
  const meant = (option) => option.value + option.textContent.replace(/ \\(\\d+\\)$/, '');
  const choose = (html) => {
    const off = new Set([...choices.querySelectorAll('input:not(:checked)')].map(({ value }) => value));
    const taken = new Set([...choices.querySelectorAll('select')].map(({ name, selectedOptions: [option] }) => name + meant(option)));
    const focused = document.activeElement;
    const held = choices.contains(focused) ? (focused.name || focused.value) : null;
    choices.innerHTML = html;
    for (const box of choices.querySelectorAll('input')) box.checked = !off.has(box.value);
    for (const select of choices.querySelectorAll('select'))
      for (const option of select.options) if (option.value !== '' && taken.has(select.name + meant(option))) option.selected = true;
    if (held !== null) [...choices.querySelectorAll('input,select')].find((one) => (one.name || one.value) === held)?.focus();
  };
  // The first references that somebody is writing are not drawn over.
  const draw = (html) => {
    const writing = [...board.querySelectorAll('form')].filter((one) => [...new FormData(one).values()].some((value) => value !== ''));
    const focused = document.activeElement, unfolded = $('notices')?.open === true;
    board.innerHTML = html;
    if (unfolded && $('notices')) $('notices').open = true;
    for (const one of writing) {
      const place = [...board.querySelectorAll('form')].find(({ dataset }) => dataset.prompt === one.dataset.prompt);
      if (place) place.replaceWith(one);
      if (one.isConnected && one.contains(focused)) focused.focus();
    }
  };
  const mark = (row, focus) => {
    for (const one of board.querySelectorAll('.on')) { one.classList.remove('on'); one.tabIndex = -1; }
    for (const one of board.querySelectorAll('.here')) one.classList.remove('here');
    on = row === null ? null : row.dataset.key;
    const first = row ?? shown()[0];
    if (first) first.tabIndex = 0;
    if (row !== null) { row.classList.add('on'); cellOf(row)?.classList.add('here'); if (focus) { row.focus({ preventScroll: true }); row.scrollIntoView({ block: 'nearest' }); } }
  };
  // The cell that keys act on: the one chosen, else the first of the working tree.
  const cellsOf = (row) => [...row.querySelectorAll('[data-cell]')];
  const cellOf = (row) => cellsOf(row).find(({ dataset }) => dataset.cell === column) ?? cellsOf(row).find(({ dataset }) => dataset.cell.startsWith('head ')) ?? null;
  const load = async () => {
    turn += 1;
    const mine = turn;
    const answer = await fetch('board');
    if (!answer.ok || mine !== turn) return;
    const { html, spend, choices: found, rows: facts, note, bad, old: isOld, undo } = await answer.json();
    const had = document.activeElement?.classList.contains('ref');
    const y = scrollY;
    draw(html);
    rows = [...board.querySelectorAll('.ref')].map((row, at) => ({ row, text: row.textContent.toLowerCase(), facts: facts[at] }));
    $('spend').textContent = spend;
    $('undo').disabled = !undo;
    old.hidden = !isOld;
    say(note, bad);
    choose(found);
    filter();
    mark(on === null ? null : rowOf(on), had);
    scrollTo(0, y);
    if (open !== null && !writing()) void show(open, false, true);
  };
  // Nothing is drawn over what somebody is writing.
  const writing = () => detail.querySelector('form:not([hidden])') !== null;
  // What stands for the same in the next detail; of an answer that is gone, what stands for its cell's first.
  const sameAs = (held) => {
    const like = (names) => [...detail.querySelectorAll(held.localName)].find((one) => names.every((name) => one.dataset[name] === held.dataset[name]) && (held.dataset.kind || held.dataset.form || one.textContent === held.textContent));
    return like(['kind', 'form', 'cell', 'answer']) ?? like(['kind', 'form', 'cell']);
  };
  const show = async (key, focus, again = false) => {
    view += 1;
    const mine = view;
    const answer = await fetch('detail?key=' + encodeURIComponent(key));
    if (mine !== view || (again && (open !== key || writing()))) return;
    if (!answer.ok) return close();
    const html = await answer.text();
    if (mine !== view || (again && writing())) return;
    const held = open === key && detail.contains(document.activeElement) ? document.activeElement : null;
    const y = open === key ? detail.scrollTop : 0;
    open = key;
    detail.innerHTML = html;
    detail.scrollTop = y;
    if (held !== null) (sameAs(held) ?? detail.querySelector('button'))?.focus({ preventScroll: true });
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
  const act = async (what, form = null) => {
    if (gone) return say('The workbench has ended; start evaldiff dev again.', true);
    const answer = await fetch('act', { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(what) }).catch(() => null);
    if (answer === null) return say('The workbench does not answer.', true);
    const { said: words, bad } = await answer.json();
    done = '';
    say(words, bad);
    if (bad || what.kind === 'more') return;
    if (what.kind !== 'raise') done = words;
    if (form !== null) form.reset();
    for (const one of detail.querySelectorAll('form')) one.hidden = true;
    if (document.activeElement?.closest('#detail form')) document.activeElement.blur();
  };
  // A label is one of the rubric that is chosen.
  const narrow = ({ elements: { rubric, label } }) => {
    for (const group of label.children) group.hidden = group.disabled = group.dataset.rubric !== rubric.value;
    if (label.selectedOptions[0]?.parentElement.disabled !== false) label.value = label.querySelector('optgroup:not([disabled]) option')?.value ?? '';
  };
  const form = (name, { dataset, textContent } = {}) => {
    const found = detail.querySelector('form[data-kind=' + name + ']');
    if (name === 'label') { found.elements.cell.value = dataset.cell; found.elements.answer.value = dataset.answer; found.querySelector('span').textContent = textContent; narrow(found); }
    if (found) { found.hidden = false; found.querySelector('input,textarea,select').focus(); }
  };

  board.addEventListener('click', ({ target }) => {
    const row = target.closest('.ref');
    if (row) { column = target.closest('[data-cell]')?.dataset.cell ?? column; mark(row, true); void show(row.dataset.key, false); }
  });
  detail.addEventListener('click', ({ target }) => {
    const { kind, form: named, cell, answer } = target.dataset;
    if (named) form(named, target);
    else if (kind === 'close') close();
    else if (kind && target.matches('button')) void act({ kind, key: open, cell, answer });
  });
  for (const part of [board, detail]) part.addEventListener('submit', (event) => {
    event.preventDefault();
    const of = event.target;
    void act({ kind: of.dataset.kind, key: open, prompt: of.dataset.prompt, ...Object.fromEntries(new FormData(of)) }, of);
  });
  detail.addEventListener('change', ({ target }) => { if (target.name === 'rubric') narrow(target.form); });
  filters.addEventListener('input', filter);
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
    const aside = { ArrowRight: 1, l: 1, ArrowLeft: -1, h: -1 }[key];
    if (aside !== undefined && at >= 0) {
      const cells = cellsOf(all[at]), here = cells.indexOf(cellOf(all[at]));
      column = cells[Math.max(0, Math.min(cells.length - 1, here + aside))].dataset.cell;
      event.preventDefault();
      mark(all[at], false);
      return;
    }
    if (key === '/') { event.preventDefault(); search.focus(); return; }
    if (key === 'u') { void act({ kind: 'undo' }); return; }
    if (key === 'Enter' && target.classList.contains('ref')) { void show(target.dataset.key, true); return; }
    if (open === null && on !== null && 'amtsn'.includes(key)) { event.preventDefault(); void show(on, false).then(() => keyed(key)); return; }
    if (open !== null && 'amtsn'.includes(key)) { event.preventDefault(); keyed(key); }
  });
  const keyed = (key) => {
    const row = rowOf(open), cell = row === null ? null : cellOf(row)?.dataset.cell;
    const press = (kind) => [...detail.querySelectorAll('[data-kind=' + kind + ']')].find(({ dataset }) => dataset.cell === cell)?.click();
    if (key === 'a') press('accept');
    if (key === 'm') press('more');
    if (key === 't') form('tag');
    if (key === 's') form('skip');
    if (key === 'n') form('add');
  };

  const events = new EventSource('events');
  events.addEventListener('board', () => void load());
  events.addEventListener('state', ({ data }) => { const { note, spend, bad, old: isOld } = JSON.parse(data); old.hidden = !isOld; say(note, bad); $('spend').textContent = spend; });
  events.addEventListener('open', () => { gone = false; void load(); });
  events.addEventListener('error', () => { gone = true; say('The workbench has ended; start evaldiff dev again. What is shown is what it last said.', true); });
})();
`;
