import { LIST_SCRIPT } from '../../report/page/script.ts';

/**
 * The workbench page's script: fetches the board as data and renders rows near the window. Texts
 * arrive as escaped HTML.
 */
export const WORKBENCH_SCRIPT = `
(() => {
  const $ = (id) => document.getElementById(id);
  const board = $('board'), detail = $('detail'), columns = $('columns'), state = $('state');
  const search = document.querySelector('input[type=search]'), said = document.querySelector('output');
  const filters = $('filter'), choices = $('choices'), old = $('old');
  let open = null, on = null, tab = null, column = null, gone = false, turn = 0, view = 0, opening = Promise.resolve();${LIST_SCRIPT}
  // Rows are data: all of them by their keys, each matrix with its own, and those that the filter shows.
  let rows = new Map(), matrices = new Map(), shown = [];
  const rowOf = (key) => rows.get(key) ?? null;
  // Its element, where it is in the page; for its cells alone, as good as that.
  const drawnOf = (key) => { const row = rowOf(key); return row === null ? null : row.matrix.list.elementOf(row); };
  const elementOf = (row) => drawnOf(row.key) ?? made(row.html);
  // What was written last is said besides what goes on, until the next thing is done.
  let done = '';
  const say = (words, bad = false) => { state.textContent = bad || done === '' ? words : done + ' · ' + words; state.className = bad ? 'bad' : ''; };

  const filter = () => {
    const words = search.value.trim().toLowerCase(), wanted = wantedIn(filters);
    shown = [...matrices.values()].flatMap((matrix) => {
      const own = matrix.rows.filter((row) => fits(row, wanted) && (words === '' || (row.text ??= plain(row.html)).includes(words)));
      matrix.table.ariaRowCount = own.length + 1;
      void matrix.list.show(own);
      return own;
    });
    said.textContent = shown.length + ' of ' + rows.size + ' shown';
    return mark(rowOf(on));
  };
  // What was chosen stays chosen, as long as it is there and means the same.
  const meant = (option) => option.value + option.textContent.replace(/ \\(\\d+\\)$/, '');
  const choose = (html) => {
    if (!isNew(choices, html)) return;
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
  // What is drawn already stays as it is.
  const drawn = new WeakMap();
  const isNew = (element, html) => drawn.get(element) !== html && drawn.set(element, html) !== null;
  const drawHead = (html) => {
    if (!isNew($('head'), html)) return;
    const unfolded = $('notices')?.open === true;
    $('head').innerHTML = html;
    if (unfolded && $('notices')) $('notices').open = true;
  };
  // The first references that somebody is writing are not drawn over.
  const drawFirsts = (html) => {
    const firsts = $('firsts');
    if (!isNew(firsts, html)) return;
    const writing = [...firsts.querySelectorAll('form')].filter((one) => [...new FormData(one).values()].some((value) => value !== ''));
    const focused = document.activeElement;
    firsts.innerHTML = html;
    for (const one of writing) {
      const place = [...firsts.querySelectorAll('form')].find(({ dataset }) => dataset.prompt === one.dataset.prompt);
      if (place) place.replaceWith(one);
      if (one.isConnected && one.contains(focused)) focused.focus();
    }
  };
  const light = (element) => {
    const { key } = element.dataset, cell = key === on ? cellOf(element) : null;
    element.tabIndex = key === tab?.key ? 0 : -1;
    element.classList.toggle('on', key === on);
    for (const one of cellsOf(element)) one.classList.toggle('here', one === cell);
  };
  const dress = (element, { key }, place) => {
    element.dataset.key = key;
    element.ariaRowIndex = place + 2;
    light(element);
  };
  const newMatrix = () => {
    const section = document.createElement('section');
    section.className = 'matrix';
    section.innerHTML = '<div></div><div role="table"><div role="row" class="top" aria-rowindex="1"></div><div></div></div>';
    const [head, table] = section.children, [top, body] = table.children;
    return { section, head, table, top, rows: [], list: longList(body, { view: 20, rowHeight: 36, rowsOf: (of) => of.map(({ html }) => html), dress }) };
  };
  const drawMatrix = ({ key, suite, label, head, top, columns, rows: found }, at) => {
    const matrix = matrices.get(key) ?? newMatrix();
    const { section, table } = matrix;
    if (isNew(matrix.head, head)) matrix.head.innerHTML = head;
    if (isNew(matrix.top, top)) matrix.top.innerHTML = top;
    table.ariaLabel = label;
    table.className = 'grid c' + Math.min(columns, 8);
    // A row that looks as before is the same.
    matrix.rows = found.map((row) => {
      const known = rows.get(row.key), same = known !== undefined && known.html === row.html && known.matrix === matrix;
      return Object.assign(same ? known : { matrix }, row, { suite: [suite] });
    });
    const place = $('matrices').children[at];
    if (place !== section) $('matrices').insertBefore(section, place ?? null);
    return [key, matrix];
  };
  const drawMatrices = (found) => {
    const keys = new Set(found.map(({ key }) => key));
    for (const [key, { section, list }] of matrices) if (!keys.has(key)) { void list.show([]); section.remove(); }
    matrices = new Map(found.map(drawMatrix));
    rows = new Map([...matrices.values()].flatMap((matrix) => matrix.rows.map((row) => [row.key, row])));
  };
  // The row that is worked on; keys reach it, or else the first.
  const mark = async (row, focus = false) => {
    on = row === null ? null : row.key;
    tab = row !== null && shown.includes(row) ? row : shown[0] ?? null;
    for (const one of $('matrices').querySelectorAll('.on,.ref[tabindex="0"]')) light(one);
    if (tab === null) return;
    const of = tab, element = await of.matrix.list.reveal(of);
    if (element === null || of !== tab) return;
    light(element);
    if (!focus || of !== row) return;
    element.focus({ preventScroll: true });
    element.scrollIntoView({ block: 'nearest' });
  };
  // The cell that keys act on: the one chosen, else the first of the working tree.
  const cellsOf = (element) => [...element.querySelectorAll('[data-cell]')];
  const cellOf = (element) => cellsOf(element).find(({ dataset }) => dataset.cell === column) ?? cellsOf(element).find(({ dataset }) => dataset.cell.startsWith('head ')) ?? null;
  const load = async () => {
    turn += 1;
    const mine = turn;
    const answer = await fetch('board').catch(() => null);
    if (!answer?.ok || mine !== turn) return;
    const { head, matrices: found, firsts, spend, choices: choosable, note, bad, old: isOld, undo } = await answer.json();
    const held = document.activeElement?.closest('.ref')?.dataset.key ?? null;
    drawHead(head);
    drawMatrices(found);
    drawFirsts(firsts);
    $('spend').textContent = spend;
    $('undo').disabled = !undo;
    old.hidden = !isOld;
    say(note, bad);
    choose(choosable);
    await filter();
    if (held !== null && tab?.key === held) drawnOf(held)?.focus({ preventScroll: true });
    if (open !== null && !writing()) show(open, false, true);
  };
  // Nothing is drawn over what somebody is writing.
  const writing = () => detail.querySelector('form:not([hidden])') !== null;
  // What stands for the same in the next detail; of an answer that is gone, what stands for its cell's first.
  const sameAs = (held) => {
    const like = (names) => [...detail.querySelectorAll(held.localName)].find((one) => names.every((name) => one.dataset[name] === held.dataset[name]) && (held.dataset.kind || held.dataset.form || one.textContent === held.textContent));
    return like(['kind', 'form', 'cell', 'answer']) ?? like(['kind', 'form', 'cell']);
  };
  const show = (key, focus, again = false) => { opening = draw(key, focus, again); };
  const draw = async (key, focus, again) => {
    view += 1;
    const mine = view;
    const late = () => mine !== view || (open === key ? writing() : again);
    const answer = await fetch('detail?key=' + encodeURIComponent(key)).catch(() => null);
    if (answer === null || late()) return;
    if (!answer.ok) return close();
    const html = await answer.text();
    if (late()) return;
    const held = open === key && detail.contains(document.activeElement) ? document.activeElement : null;
    const y = open === key ? detail.scrollTop : 0;
    open = key;
    detail.innerHTML = html;
    detail.scrollTop = y;
    if (held !== null) (sameAs(held) ?? detail.querySelector('button'))?.focus({ preventScroll: true });
    detail.hidden = false;
    // What stands above the row gets higher when the columns get narrower.
    if (!columns.classList.contains('open')) { columns.classList.add('open'); drawnOf(on)?.scrollIntoView({ block: 'nearest' }); }
    if (focus) detail.querySelector('button')?.focus();
  };
  const close = () => {
    view += 1;
    open = null;
    detail.hidden = true;
    detail.replaceChildren();
    columns.classList.remove('open');
    drawnOf(on)?.focus();
  };
  const act = async (what, form = null) => {
    if (gone) return say('The workbench has ended; start evaldiff dev again.', true);
    const answer = await fetch('act', { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(what) }).catch(() => null);
    if (answer === null) return say('The workbench does not answer.', true);
    const { said: words, bad } = await answer.json().catch(() => ({ said: 'The workbench could not do this.', bad: true }));
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
    const row = rowOf(target.closest('.ref')?.dataset.key);
    if (row !== null) { column = target.closest('[data-cell]')?.dataset.cell ?? column; void mark(row, true); show(row.key, false); }
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
  filters.addEventListener('input', () => void filter());
  $('raise').addEventListener('click', () => void act({ kind: 'raise' }));
  $('undo').addEventListener('click', () => void act({ kind: 'undo' }));
  addEventListener('keydown', (event) => {
    const { key, target } = event;
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const typing = target.matches('textarea,select,input:not([type=checkbox])');
    if (key === 'Escape') { if (typing && target === search) { search.value = ''; void filter(); search.blur(); } else close(); return; }
    // From the words, the arrow leads to what they found.
    if (typing && (target !== search || key !== 'ArrowDown')) return;
    const at = shown.findIndex((row) => row.key === on), last = shown.length - 1;
    const to = { ArrowDown: at + 1, j: at + 1, ArrowUp: at - 1, k: at - 1, Home: 0, End: last }[key];
    if (to !== undefined) {
      const next = shown[Math.max(0, Math.min(last, to))];
      if (next) { event.preventDefault(); void mark(next, true); if (open !== null) show(next.key, false); }
      return;
    }
    const aside = { ArrowRight: 1, l: 1, ArrowLeft: -1, h: -1 }[key];
    if (aside !== undefined && at >= 0) {
      const element = elementOf(shown[at]), cells = cellsOf(element), here = cells.indexOf(cellOf(element));
      column = cells[Math.max(0, Math.min(cells.length - 1, here + aside))].dataset.cell;
      event.preventDefault();
      light(element);
      return;
    }
    if (key === '/') { event.preventDefault(); search.focus(); return; }
    if (key === 'u') { void act({ kind: 'undo' }); return; }
    if (key === 'Enter' && target.classList.contains('ref')) { show(target.dataset.key, true); return; }
    if (!'amtsn'.includes(key) || (open ?? on) === null) return;
    event.preventDefault();
    if (open === null) show(on, false);
    // A key is for the reference that was chosen last, which may be on its way.
    void opening.then(() => keyed(key));
  });
  const keyed = (key) => {
    const row = rowOf(open), cell = row === null ? null : cellOf(elementOf(row))?.dataset.cell;
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
