// @ts-check
// The report's list of references. Rows are escaped at build time; this unpacks and filters them,
// and renders those near the window.
(() => {
  const filter = document.getElementById('filter');
  const list = document.getElementById('list');
  if (filter === null || list === null) return;
  const rest = firstIn(document, '#rest', HTMLElement);
  const query = firstIn(filter, 'input[type=search]', HTMLInputElement);
  const count = firstIn(filter, 'output', HTMLOutputElement);
  const selects = foundAll(filter, 'select', HTMLSelectElement);
  const own = foundAll(list, 'details.case', HTMLElement);
  const packs = foundAll(document, '.pack', HTMLElement).map((pack) => {
    pack.remove();
    return pack.textContent;
  });
  const packRows = Number(list.dataset.pack);
  const numberOf = (/** @type {number} */ count) => count.toLocaleString('en-US');

  const unpack = (/** @type {string} */ text) => {
    const bytes = Uint8Array.from(atob(text), (sign) => sign.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate-raw'));
    return new Response(stream).json();
  };
  const MOST_UNPACKED = 12;
  const unpacked = /** @type {Map<number, Promise<string[]>>} */ (new Map());
  const load = (/** @type {number} */ number) => {
    const rows = unpacked.get(number) ?? unpack(packs[number]);
    unpacked.delete(number);
    unpacked.set(number, rows);
    for (const [oldest] of unpacked) if (unpacked.size > MOST_UNPACKED) unpacked.delete(oldest);
    return rows;
  };
  const rowsAt = async (/** @type {number[]} */ places) => {
    const rows = [];
    for (const at of places) {
      const packed = at - own.length;
      rows.push(
        packed < 0 ? own[at] : (await load(Math.floor(packed / packRows)))[packed % packRows],
      );
    }
    return rows;
  };

  const index = /** @type {FilterRow[]} */ ([]);
  const placeOf = /** @type {Map<string, number>} */ (new Map());
  let shown = /** @type {number[]} */ ([]);
  let turns = 0;
  let all = false;
  const otherwise = new Set();
  const rows = longList(list, {
    view: 50,
    rowHeight: 44,
    rowsOf: rowsAt,
    stays: (/** @type {number[]} */ places) => places.every((at) => at < own.length),
    dress: (row) => row.toggleAttribute('open', all !== otherwise.has(row.id)),
  });
  const show = (/** @type {number[]} */ places) => {
    shown = places;
    count.textContent = `${numberOf(places.length)} of ${numberOf(index.length)} shown`;
    return rows.show(places);
  };

  /** @param {number[]} places @param {string} words @param {() => boolean} isLate */
  const withWords = async (places, words, isLate) => {
    const found = [];
    for (let from = 0; from < places.length && !isLate(); from += packRows) {
      const some = places.slice(from, from + packRows);
      const texts = (await rowsAt(some)).map((row) =>
        typeof row === 'string' ? plain(row) : row.textContent.toLowerCase(),
      );
      found.push(...some.filter((_, at) => texts[at].includes(words)));
    }
    return found;
  };
  const apply = async () => {
    turns += 1;
    const turn = turns;
    const wanted = wantedIn(filter);
    const places = [...index.keys()].filter((at) => fits(index[at], wanted));
    const words = query.value.trim().toLowerCase();
    if (words === '') return show(places);
    const found = await withWords(places, words, () => turn !== turns);
    if (turn === turns) void show(found);
  };
  const reset = () => {
    for (const box of foundAll(filter, 'input[type=checkbox]', HTMLInputElement))
      box.checked = true;
    for (const select of selects) select.value = '';
    query.value = '';
    return apply();
  };

  const summaryOf = (/** @type {Element} */ row) => firstIn(row, 'summary', HTMLElement);
  const focus = async (/** @type {number} */ number) => {
    const row = await rows.reveal(shown[number]);
    if (row !== null) summaryOf(row).focus();
  };
  const reveal = async (/** @type {string} */ id) => {
    const at = placeOf.get(id);
    if (at === undefined) return;
    if (!shown.includes(at)) await reset();
    const row = await rows.reveal(at);
    if (row === null) return;
    row.toggleAttribute('open', true);
    summaryOf(row).focus({ preventScroll: true });
    row.scrollIntoView();
    // Scroll again, because rows above this one may be taller than estimated.
    setTimeout(() => row.scrollIntoView(), 120);
  };

  filter.addEventListener('input', () => void apply());
  const print = async () => {
    await rows.showAll(true);
    window.print();
  };
  addEventListener('beforeprint', () => {
    const left = rows.left();
    rest.hidden = left === 0;
    rest.textContent = `${numberOf(left)} more rows are printed by the button Print of this page.`;
  });
  addEventListener('afterprint', () => void rows.showAll(false));
  filter.addEventListener('click', (event) => {
    const { dataset } = targetOf(event);
    if (dataset.print !== undefined) void print();
    if (dataset.open === undefined) return;
    all = dataset.open === 'yes';
    otherwise.clear();
    for (const row of foundAll(list, 'details.case', HTMLDetailsElement)) row.open = all;
  });
  list.addEventListener(
    'toggle',
    ({ target: row }) => {
      if (!(row instanceof HTMLDetailsElement && row.matches('.case'))) return;
      if (row.open === all) otherwise.delete(row.id);
      else otherwise.add(row.id);
    },
    true,
  );
  list.addEventListener('click', (event) => {
    const row = targetOf(event).closest('details.case > summary')?.parentElement;
    try {
      if (row) history.replaceState(null, '', `#${row.id}`);
    } catch {
      // A page inside a frame may not change its address.
    }
  });
  list.addEventListener('keydown', (event) => {
    const target = targetOf(event);
    const row = target.closest('details.case');
    if (row === null || event.ctrlKey || event.metaKey || event.altKey) return;
    const at = shown.indexOf(placeOf.get(row.id) ?? -1);
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: shown.length - 1 }[event.key];
    if (to !== undefined && target.matches('details.case > summary')) void focus(to);
    else if (event.key === 'Escape') {
      row.toggleAttribute('open', false);
      summaryOf(row).focus();
    } else if (event.key === '/') query.focus();
    else return;
    event.preventDefault();
  });
  query.addEventListener('keydown', (event) => {
    if (event.key !== 'ArrowDown') return;
    event.preventDefault();
    void focus(0);
  });
  document.addEventListener('click', (event) => {
    const link = targetOf(event).closest('a[href^="#"]');
    if (!(link instanceof HTMLAnchorElement)) return;
    const kinds = selects.find(({ name }) => name === 'kinds');
    if (link.dataset.kind !== undefined && kinds !== undefined) {
      kinds.value = link.dataset.kind;
      void apply();
    } else void reveal(link.hash.slice(1));
  });
  addEventListener('hashchange', () => void reveal(location.hash.slice(1)));

  const start = async () => {
    const { statuses, rows: facts } = await unpack(packs.shift() ?? '');
    /** @typedef {[number, number, number, number[]?, number[]?, number?]} Facts */
    for (const [at, fact] of /** @type {Facts[]} */ (facts).entries()) {
      const [number, status, suite, tags, kinds, flipped] = fact;
      placeOf.set(`r${number}`, at);
      const lists = {
        suite: [String(suite)],
        tags: (tags ?? []).map(String),
        kinds: (kinds ?? []).map(String),
        scoring: flipped === undefined ? [] : ['flipped'],
      };
      index.push({ status: statuses[status], lists });
    }
    filter.hidden = false;
    list.replaceChildren();
    await apply();
    await reveal(location.hash.slice(1));
  };
  void start();
})();
