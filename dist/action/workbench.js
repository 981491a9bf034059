// @ts-check
// The workbench: fetches the board as data and renders rows near the window. Texts arrive as
// escaped HTML.
(() => {
  /** @typedef {{ note: string, spend: string, bad: boolean, old: boolean }} State */
  /** @typedef {State & { head: string, matrices: BoardMatrix[], firsts: string, choices: string, undo: boolean }} Board */
  /** @typedef {{ key: string, suite: string, label: string, head: string, top: string, columns: number, rows: BoardRow[] }} BoardMatrix */
  /** @typedef {{ key: string, html: string, status: string, tags: string[], kinds: string[] }} BoardRow */
  /** @typedef {ReturnType<typeof newMatrix> & { rows: Row[] }} Matrix */
  /** @typedef {FilterRow & { key: string, html: string, text?: string, matrix: Matrix }} Row */

  const $ = (/** @type {string} */ id) => firstIn(document, `#${id}`, HTMLElement);
  const [board, detail, columns, state] = ['board', 'detail', 'columns', 'state'].map($);
  const [filters, choices, old, firsts] = ['filter', 'choices', 'old', 'firsts'].map($);
  const [summary, sections, spend] = ['head', 'matrices', 'spend'].map($);
  const undo = firstIn(document, '#undo', HTMLButtonElement);
  const search = firstIn(document, 'input[type=search]', HTMLInputElement);
  const count = firstIn(document, 'output', HTMLOutputElement);
  const ENDED = 'The workbench has ended; start evaldiff dev again.';

  let open = /** @type {string | null} */ (null);
  let on = /** @type {string | null} */ (null);
  let column = /** @type {string | undefined} */ (undefined);
  let tab = /** @type {Row | null} */ (null);
  let gone = false;
  let turn = 0;
  let view = 0;
  let opening = Promise.resolve();
  let rows = /** @type {Map<string, Row>} */ (new Map());
  let matrices = /** @type {Map<string, Matrix>} */ (new Map());
  let shown = /** @type {Row[]} */ ([]);
  const rowOf = (/** @type {string | null | undefined} */ key) => rows.get(key ?? '') ?? null;
  const drawnOf = (/** @type {string | null} */ key) => {
    const row = rowOf(key);
    return row === null ? null : row.matrix.list.elementOf(row);
  };
  const elementOf = (/** @type {Row} */ row) => drawnOf(row.key) ?? made(row.html);

  /** @param {Element} root */
  const focusedIn = (root) => {
    const { activeElement: focused } = document;
    return focused instanceof HTMLElement && root.contains(focused) ? focused : null;
  };

  let done = '';
  const say = (/** @type {string} */ words, bad = false) => {
    state.textContent = bad || done === '' ? words : `${done} · ${words}`;
    state.className = bad ? 'bad' : '';
  };

  const filter = () => {
    const words = search.value.trim().toLowerCase();
    const wanted = wantedIn(filters);
    const hasWords = (/** @type {Row} */ row) =>
      words === '' || (row.text ??= plain(row.html)).includes(words);
    shown = [...matrices.values()].flatMap((matrix) => {
      const own = matrix.rows.filter((row) => fits(row, wanted) && hasWords(row));
      matrix.table.ariaRowCount = String(own.length + 1);
      void matrix.list.show(own);
      return own;
    });
    count.textContent = `${shown.length} of ${rows.size} shown`;
    return mark(rowOf(on));
  };
  const drawn = /** @type {WeakMap<Element, string>} */ (new WeakMap());
  /** @param {Element} element @param {string} html */
  const isNew = (element, html) => {
    if (drawn.get(element) === html) return false;
    drawn.set(element, html);
    return true;
  };
  const meaningOf = (
    /** @type {HTMLSelectElement} */ { name },
    /** @type {HTMLOptionElement} */ option,
  ) => name + option.value + option.textContent.replace(/ \(\d+\)$/, '');
  const choose = (/** @type {string} */ html) => {
    if (!isNew(choices, html)) return;
    const off = foundAll(choices, 'input:not(:checked)', HTMLInputElement).map(
      ({ value }) => value,
    );
    const selects = () => foundAll(choices, 'select', HTMLSelectElement);
    const taken = selects().map((select) => meaningOf(select, select.selectedOptions[0]));
    const nameOf = (/** @type {Element} */ field) =>
      field.getAttribute('name') ?? field.getAttribute('value');
    const held = focusedIn(choices);
    choices.innerHTML = html;
    for (const box of foundAll(choices, 'input', HTMLInputElement))
      box.checked = !off.includes(box.value);
    for (const select of selects())
      for (const option of select.options)
        if (option.value !== '' && taken.includes(meaningOf(select, option)))
          option.selected = true;
    if (held !== null)
      foundAll(choices, 'input,select', HTMLElement)
        .find((field) => nameOf(field) === nameOf(held))
        ?.focus();
  };
  const drawHead = (/** @type {string} */ html) => {
    if (!isNew(summary, html)) return;
    const unfolded = summary.querySelector('#notices[open]') !== null;
    summary.innerHTML = html;
    summary.querySelector('#notices')?.toggleAttribute('open', unfolded);
  };
  const drawFirsts = (/** @type {string} */ html) => {
    if (!isNew(firsts, html)) return;
    const forms = () => foundAll(firsts, 'form', HTMLFormElement);
    const begun = forms().filter((form) =>
      [...new FormData(form).values()].some((value) => value !== ''),
    );
    const focused = focusedIn(firsts);
    firsts.innerHTML = html;
    for (const form of begun) {
      forms()
        .find(({ dataset }) => dataset.prompt === form.dataset.prompt)
        ?.replaceWith(form);
      if (form.contains(focused)) focused?.focus();
    }
  };
  const light = (/** @type {HTMLElement} */ element) => {
    const { key } = element.dataset;
    const chosen = key === on ? cellOf(element) : null;
    element.tabIndex = key === tab?.key ? 0 : -1;
    element.classList.toggle('on', key === on);
    for (const cell of cellsOf(element)) cell.classList.toggle('here', cell === chosen);
  };
  const newMatrix = () => {
    const section = document.createElement('section');
    section.className = 'matrix';
    section.innerHTML =
      '<div></div><div role="table"><div role="row" class="top" aria-rowindex="1"></div><div></div></div>';
    const [head, table] = section.children;
    const [top, body] = table.children;
    const list = longList(body, {
      view: 20,
      rowHeight: 36,
      rowsOf: (/** @type {Row[]} */ of) => of.map(({ html }) => html),
      dress(element, { key }, place) {
        element.dataset.key = key;
        element.ariaRowIndex = String(place + 2);
        light(element);
      },
    });
    return { section, head, table, top, list };
  };
  /** @param {BoardMatrix} board @param {number} at @returns {[string, Matrix]} */
  const drawMatrix = ({ key, suite, label, head, top, columns, rows: found }, at) => {
    const matrix = matrices.get(key) ?? Object.assign(newMatrix(), { rows: [] });
    const { section, table } = matrix;
    if (isNew(matrix.head, head)) matrix.head.innerHTML = head;
    if (isNew(matrix.top, top)) matrix.top.innerHTML = top;
    table.ariaLabel = label;
    table.className = `grid c${Math.min(columns, 8)}`;
    matrix.rows = found.map(({ tags, kinds, ...row }) => {
      const known = rows.get(row.key);
      const same = known?.html === row.html && known.matrix === matrix ? known : {};
      return Object.assign(same, row, { matrix, lists: { suite: [suite], tags, kinds } });
    });
    const place = sections.children[at];
    if (place !== section) sections.insertBefore(section, place ?? null);
    return [key, matrix];
  };
  const drawMatrices = (/** @type {BoardMatrix[]} */ found) => {
    const keys = new Set(found.map(({ key }) => key));
    for (const [key, { section, list }] of matrices)
      if (!keys.has(key)) {
        void list.show([]);
        section.remove();
      }
    matrices = new Map(found.map(drawMatrix));
    rows = new Map(
      [...matrices.values()].flatMap((matrix) => matrix.rows.map((row) => [row.key, row])),
    );
  };
  const mark = async (/** @type {Row | null} */ row, focus = false) => {
    on = row?.key ?? null;
    tab = shown.find((candidate) => candidate === row) ?? shown[0] ?? null;
    for (const element of foundAll(sections, '.on,.ref[tabindex="0"]', HTMLElement)) light(element);
    if (tab === null) return;
    const of = tab;
    const element = await of.matrix.list.reveal(of);
    if (element === null || of !== tab) return;
    light(element);
    if (!focus || of !== row) return;
    element.focus({ preventScroll: true });
    element.scrollIntoView({ block: 'nearest' });
  };
  const cellsOf = (/** @type {HTMLElement} */ element) =>
    foundAll(element, '[data-cell]', HTMLElement);
  const cellOf = (/** @type {HTMLElement} */ element) =>
    cellsOf(element).find(({ dataset }) => dataset.cell === column) ??
    element.querySelector('[data-cell^="head "]');
  const load = async () => {
    turn += 1;
    const mine = turn;
    const answer = await fetch('board').catch(() => null);
    if (answer?.ok && mine === turn) await showBoard(await answer.json());
  };
  const showBoard = async (/** @type {Board} */ found) => {
    const held = focusedIn(board)?.closest('.ref')?.getAttribute('data-key') ?? null;
    drawHead(found.head);
    drawMatrices(found.matrices);
    drawFirsts(found.firsts);
    undo.disabled = !found.undo;
    showState(found);
    choose(found.choices);
    await filter();
    if (held !== null && held === tab?.key) drawnOf(held)?.focus({ preventScroll: true });
    if (open !== null && !writing()) show(open, false, true);
  };
  const showState = (/** @type {State} */ found) => {
    old.hidden = !found.old;
    say(found.note, found.bad);
    spend.textContent = found.spend;
  };
  const writing = () => detail.querySelector('form:not([hidden])') !== null;
  const sameAs = (/** @type {HTMLElement} */ held) => {
    const like = (/** @type {string[]} */ names) =>
      foundAll(detail, held.localName, HTMLElement).find(
        ({ dataset, textContent }) =>
          names.every((name) => dataset[name] === held.dataset[name]) &&
          (held.dataset.kind || held.dataset.form || textContent === held.textContent),
      );
    return like(['kind', 'form', 'cell', 'answer']) ?? like(['kind', 'form', 'cell']);
  };
  const show = (/** @type {string} */ key, /** @type {boolean} */ focus, again = false) => {
    opening = draw(key, focus, again);
  };
  /** @param {string} key @param {boolean} focus @param {boolean} again */
  const draw = async (key, focus, again) => {
    view += 1;
    const mine = view;
    const isLate = () => mine !== view || (open === key ? writing() : again);
    const answer = await fetch(`detail?key=${encodeURIComponent(key)}`).catch(() => null);
    if (answer === null || isLate()) return;
    if (!answer.ok) return close();
    const html = await answer.text();
    if (!isLate()) showDetail(key, html, focus);
  };
  /** @param {string} key @param {string} html @param {boolean} focus */
  const showDetail = (key, html, focus) => {
    const held = open === key ? focusedIn(detail) : null;
    const y = open === key ? detail.scrollTop : 0;
    open = key;
    detail.innerHTML = html;
    detail.scrollTop = y;
    const first = detail.querySelector('button');
    if (held !== null) (sameAs(held) ?? first)?.focus({ preventScroll: true });
    detail.hidden = false;
    // The list gets narrower. Rows above this one may wrap and push it out of view.
    if (!columns.classList.contains('open')) {
      columns.classList.add('open');
      drawnOf(on)?.scrollIntoView({ block: 'nearest' });
    }
    if (focus) first?.focus();
  };
  const close = () => {
    view += 1;
    open = null;
    detail.hidden = true;
    detail.replaceChildren();
    columns.classList.remove('open');
    drawnOf(on)?.focus();
  };
  const act = async (
    /** @type {Record<string, unknown>} */ action,
    form = /** @type {HTMLFormElement | null} */ (null),
  ) => {
    if (gone) return say(ENDED, true);
    const answer = await fetch('act', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(action),
    }).catch(() => null);
    if (answer === null) return say('The workbench does not answer.', true);
    const { said, bad } = await answer
      .json()
      .catch(() => ({ said: 'The workbench could not do this.', bad: true }));
    done = '';
    say(said, bad);
    if (bad || action.kind === 'more') return;
    if (action.kind !== 'raise') done = said;
    form?.reset();
    const focused = focusedIn(detail);
    for (const each of foundAll(detail, 'form', HTMLFormElement)) each.hidden = true;
    if (focused?.closest('form')) focused.blur();
  };
  const narrow = (/** @type {HTMLFormElement} */ form) => {
    const rubric = firstIn(form, '[name=rubric]', HTMLSelectElement);
    const label = firstIn(form, '[name=label]', HTMLSelectElement);
    const groups = foundAll(label, 'optgroup', HTMLOptGroupElement);
    for (const group of groups)
      group.hidden = group.disabled = group.dataset.rubric !== rubric.value;
    const [chosen] = label.selectedOptions;
    if (chosen === undefined || chosen.closest('optgroup:not([disabled])') === null)
      label.value =
        label.querySelector('optgroup:not([disabled]) option')?.getAttribute('value') ?? '';
  };
  const showForm = (
    /** @type {string} */ name,
    button = /** @type {HTMLElement | null} */ (null),
  ) => {
    const [form] = foundAll(detail, `form[data-kind=${name}]`, HTMLFormElement);
    if (form === undefined) return;
    if (button !== null && name === 'label') {
      for (const field of ['cell', 'answer'])
        firstIn(form, `[name=${field}]`, HTMLInputElement).value = button.dataset[field] ?? '';
      firstIn(form, 'span', HTMLElement).textContent = button.textContent;
      narrow(form);
    }
    form.hidden = false;
    firstIn(form, 'input,textarea,select', HTMLElement).focus();
  };

  board.addEventListener('click', (event) => {
    const target = targetOf(event);
    const ref = target.closest('.ref');
    const row = ref instanceof HTMLElement ? rowOf(ref.dataset.key) : null;
    if (row === null) return;
    column = target.closest('[data-cell]')?.getAttribute('data-cell') ?? column;
    void mark(row, true);
    show(row.key, false);
  });
  detail.addEventListener('click', (event) => {
    const target = targetOf(event);
    const { kind, form, cell, answer } = target.dataset;
    if (form) showForm(form, target);
    else if (kind === 'close') close();
    else if (kind && target.matches('button')) void act({ kind, key: open, cell, answer });
  });
  for (const part of [board, detail])
    part.addEventListener('submit', (event) => {
      event.preventDefault();
      const form = /** @type {HTMLFormElement} */ (event.target);
      const { kind, prompt } = form.dataset;
      void act({ kind, key: open, prompt, ...Object.fromEntries(new FormData(form)) }, form);
    });
  detail.addEventListener('change', ({ target }) => {
    if (target instanceof HTMLSelectElement && target.name === 'rubric' && target.form)
      narrow(target.form);
  });
  filters.addEventListener('input', () => void filter());
  $('raise').addEventListener('click', () => void act({ kind: 'raise' }));
  undo.addEventListener('click', () => void act({ kind: 'undo' }));

  const go = (/** @type {Row | undefined} */ row) => {
    if (row === undefined) return false;
    void mark(row, true);
    if (open !== null) show(row.key, false);
    return true;
  };
  const goAside = (/** @type {Row} */ row, /** @type {number} */ by) => {
    const element = elementOf(row);
    const cells = cellsOf(element);
    const here = cells.findIndex((cell) => cell === cellOf(element));
    column = cells[Math.max(0, Math.min(cells.length - 1, here + by))].dataset.cell;
    light(element);
  };
  const press = (/** @type {string} */ kind) => {
    const row = rowOf(open);
    const cell = row === null ? null : cellOf(elementOf(row))?.getAttribute('data-cell');
    foundAll(detail, `[data-kind=${kind}]`, HTMLElement)
      .find(({ dataset }) => dataset.cell === cell)
      ?.click();
  };
  const DETAIL_KEYS = new Map([
    ['a', () => press('accept')],
    ['m', () => press('more')],
    ['t', () => showForm('tag')],
    ['s', () => showForm('skip')],
    ['n', () => showForm('add')],
  ]);
  const onDetailKey = (/** @type {string} */ key) => {
    const work = DETAIL_KEYS.get(key);
    const of = open ?? on;
    if (work === undefined || of === null) return false;
    if (open === null) show(of, false);
    // The row that was just chosen may still be loading.
    void opening.then(work);
    return true;
  };
  const onKey = (/** @type {string} */ key, /** @type {HTMLElement} */ { classList, dataset }) => {
    const at = shown.findIndex((row) => row.key === on);
    const last = shown.length - 1;
    const by = { ArrowDown: 1, j: 1, ArrowUp: -1, k: -1 }[key];
    const to = by === undefined ? { Home: 0, End: last }[key] : at + by;
    if (to !== undefined) return go(shown[Math.max(0, Math.min(last, to))]);
    const aside = { ArrowRight: 1, l: 1, ArrowLeft: -1, h: -1 }[key];
    if (aside !== undefined && at >= 0) goAside(shown[at], aside);
    else if (key === '/') search.focus();
    else if (key === 'u') return void act({ kind: 'undo' });
    else if (key === 'Enter' && classList.contains('ref')) return show(dataset.key ?? '', true);
    else return onDetailKey(key);
    return true;
  };
  const leaveSearch = () => {
    search.value = '';
    void filter();
    search.blur();
  };
  addEventListener('keydown', (event) => {
    const target = targetOf(event);
    const { key } = event;
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const typing = target.matches('textarea,select,input:not([type=checkbox])');
    if (key === 'Escape') return typing && target === search ? leaveSearch() : close();
    if (typing && (target !== search || key !== 'ArrowDown')) return;
    if (onKey(key, target)) event.preventDefault();
  });

  const events = new EventSource('events');
  events.addEventListener('board', () => void load());
  events.addEventListener('state', ({ data }) => showState(JSON.parse(data)));
  events.addEventListener('open', () => {
    gone = false;
    void load();
  });
  events.addEventListener('error', () => {
    gone = true;
    say(`${ENDED} What is shown is what it last said.`, true);
  });
})();
