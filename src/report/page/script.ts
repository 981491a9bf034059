/**
 * For the scripts of pages with such a filter. `wantedIn`: what is chosen in it; `fits`: whether a
 * row `{status, suite, tags, kinds, …}`, all but the first lists of values, is among that.
 */
export const FILTER_SCRIPT = `
  const wantedIn = (filter) => ({
    statuses: new Set([...filter.querySelectorAll('input[type=checkbox]:checked')].map(({ value }) => value)),
    choices: [...filter.querySelectorAll('select')].map(({ name, value }) => ({ name, value })),
  });
  const fits = (row, { statuses, choices }) => statuses.has(row.status) && choices.every(({ name, value }) => value === '' || row[name].includes(value));
`;

/**
 * The page's script: the list of references. Its rows were written and escaped where the page was
 * made; it unpacks them, puts those near the window into the page, and takes far ones out again.
 */
export const SCRIPT = `
(() => {
  const filter = document.getElementById('filter');
  const list = document.getElementById('list');
  if (filter === null || list === null) return;
  const VIEW = 50;
  const KEPT = 12;
  const ROW_HEIGHT = 44;
  const packs = [...document.querySelectorAll('.pack')].map((one) => {
    const text = one.textContent;
    one.remove();
    return text;
  });
  const packRows = Number(list.dataset.pack);
  const own = [...list.children];
  const template = document.createElement('template');
  const made = (html) => {
    template.innerHTML = html;
    return template.content.firstElementChild;
  };
  const query = filter.querySelector('input[type=search]');
  const boxes = [...filter.querySelectorAll('input[type=checkbox]')];${FILTER_SCRIPT}  const selects = [...filter.querySelectorAll('select')];
  const said = filter.querySelector('output');

  const unpack = (text) => new Response(new Blob([Uint8Array.from(atob(text), (sign) => sign.charCodeAt(0))]).stream().pipeThrough(new DecompressionStream('deflate-raw'))).json();
  const kept = new Map();
  const load = (number) => {
    const found = kept.get(number) ?? unpack(packs[number]);
    kept.delete(number);
    kept.set(number, found);
    if (kept.size > KEPT) kept.delete(kept.keys().next().value);
    return found;
  };
  const rowsAt = async (places) => {
    const rows = [];
    for (const at of places)
      rows.push(at < own.length ? own[at] : (await load(Math.floor((at - own.length) / packRows)))[(at - own.length) % packRows]);
    return rows;
  };

  let index = [];
  const placeOf = new Map();
  let shown = [];
  let parts = [];
  let turns = 0;
  let all = false;
  let printing = false;
  const otherwise = new Set();
  const isOpen = (id) => all !== otherwise.has(id);

  const put = (part, rows) => {
    part.box.replaceChildren(...rows.map((row) => (typeof row === 'string' ? made(row) : row)));
    part.box.style.height = '';
    part.filled = true;
    for (const one of part.box.children) if (one.open !== isOpen(one.id)) one.open = !one.open;
  };
  const fill = async (part, wanted = false) => {
    part.near = true;
    if (part.filled) return;
    const rows = await rowsAt(part.places);
    // What is wanted is about to be scrolled to.
    if ((part.near || wanted) && !part.filled) put(part, rows);
  };
  const clear = (part) => {
    part.near = false;
    if (!part.filled || part.stays || printing || part.box.contains(document.activeElement)) return;
    part.box.style.height = part.box.offsetHeight + 'px';
    part.box.replaceChildren();
    part.filled = false;
  };
  const watcher = new IntersectionObserver((entries) => {
    for (const { target, isIntersecting } of entries) {
      const part = parts.find(({ box }) => box === target);
      if (part !== undefined) void (isIntersecting ? fill(part) : clear(part));
    }
  }, { rootMargin: '1200px 0px' });
  const watch = () => {
    watcher.disconnect();
    for (const { box } of parts) watcher.observe(box);
  };
  const show = (places) => {
    shown = places;
    parts = [];
    for (let from = 0; from < places.length; from += VIEW) {
      const of = places.slice(from, from + VIEW);
      const part = { box: document.createElement('div'), places: of, filled: false, near: false, stays: of.every((at) => at < own.length) };
      if (part.stays) put(part, of.map((at) => own[at]));
      else part.box.style.height = of.length * ROW_HEIGHT + 'px';
      parts.push(part);
    }
    list.replaceChildren(...parts.map(({ box }) => box));
    watch();
    said.textContent = places.length.toLocaleString('en-US') + ' of ' + index.length.toLocaleString('en-US') + ' shown';
  };

  const plain = (html) => html.replace(/<[^>]*>/g, '').replaceAll('&quot;', '"').replaceAll('&#39;', "'").replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&').toLowerCase();
  const textOf = (row) => (typeof row === 'string' ? plain(row) : row.textContent.toLowerCase());
  const withWords = async (places, words, isLate) => {
    const found = [];
    for (let from = 0; from < places.length && !isLate(); from += VIEW) {
      const some = places.slice(from, from + VIEW);
      const rows = await rowsAt(some);
      found.push(...some.filter((_, at) => textOf(rows[at]).includes(words)));
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
    if (turn === turns) show(found);
  };

  const rowAt = async (number) => {
    const part = parts[Math.floor(number / VIEW)];
    if (part === undefined || number < 0) return null;
    await fill(part, true);
    return part.box.children[number % VIEW] ?? null;
  };
  const focus = async (number) => {
    const row = await rowAt(number);
    if (row !== null) row.querySelector('summary').focus();
  };
  const reset = () => {
    for (const box of boxes) box.checked = true;
    for (const select of selects) select.value = '';
    query.value = '';
    return apply();
  };
  const reveal = async (id) => {
    const at = placeOf.get(id);
    if (at === undefined) return;
    if (!shown.includes(at)) await reset();
    const row = await rowAt(shown.indexOf(at));
    row.open = true;
    row.querySelector('summary').focus({ preventScroll: true });
    row.scrollIntoView();
    // Rows above it are filled in once they are near, and may be higher than was thought.
    setTimeout(() => row.scrollIntoView(), 120);
  };
  const numberOf = (row) => shown.indexOf(placeOf.get(row.id));

  filter.addEventListener('input', () => void apply());
  const rest = document.getElementById('rest');
  const print = async () => {
    printing = true;
    for (const part of parts) await fill(part, true);
    window.print();
  };
  addEventListener('beforeprint', () => {
    const left = parts.filter(({ filled }) => !filled).reduce((sum, { places }) => sum + places.length, 0);
    rest.hidden = left === 0;
    rest.textContent = left.toLocaleString('en-US') + ' more rows are printed by the button Print of this page.';
  });
  addEventListener('afterprint', () => {
    printing = false;
    // Says anew of each part whether it is near, which takes the far ones out again.
    watch();
  });
  filter.addEventListener('click', ({ target }) => {
    if (target.dataset.print !== undefined) void print();
    if (target.dataset.open === undefined) return;
    all = target.dataset.open === 'yes';
    otherwise.clear();
    for (const one of list.querySelectorAll('details.case')) one.open = all;
  });
  list.addEventListener('toggle', ({ target }) => {
    if (!target.matches('details.case')) return;
    if (target.open === all) otherwise.delete(target.id);
    else otherwise.add(target.id);
  }, true);
  list.addEventListener('click', ({ target }) => {
    const row = target.closest('details.case > summary')?.parentElement;
    // A page that is shown in a frame may not change its address.
    if (row) try { history.replaceState(null, '', '#' + row.id); } catch {}
  });
  list.addEventListener('keydown', (event) => {
    const row = event.target.closest('details.case');
    if (row === null || event.ctrlKey || event.metaKey || event.altKey) return;
    const onRow = event.target.matches('details.case > summary');
    const to = { ArrowDown: numberOf(row) + 1, ArrowUp: numberOf(row) - 1, Home: 0, End: shown.length - 1 }[event.key];
    if (onRow && to !== undefined) void focus(to);
    else if (event.key === 'Escape') {
      row.open = false;
      row.querySelector('summary').focus();
    } else if (event.key === '/') query.focus();
    else return;
    event.preventDefault();
  });
  query.addEventListener('keydown', (event) => {
    if (event.key !== 'ArrowDown') return;
    event.preventDefault();
    void focus(0);
  });
  document.addEventListener('click', ({ target }) => {
    const link = target.closest('a[href^="#"]');
    if (link === null) return;
    const select = selects.find(({ name }) => name === 'kinds');
    if (link.dataset.kind !== undefined && select !== undefined) {
      select.value = link.dataset.kind;
      void apply();
    } else void reveal(link.hash.slice(1));
  });
  addEventListener('hashchange', () => void reveal(location.hash.slice(1)));

  const start = async () => {
    const { statuses, rows } = await unpack(packs.shift());
    index = rows.map(([number, status, suite, tags, kinds, flipped], at) => {
      placeOf.set('r' + number, at);
      return { status: statuses[status], suite: [String(suite)], tags: (tags ?? []).map(String), kinds: (kinds ?? []).map(String), scoring: flipped ? ['flipped'] : [] };
    });
    filter.hidden = false;
    await apply();
    await reveal(location.hash.slice(1));
  };
  void start();
})();
`;
