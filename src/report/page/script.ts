/**
 * For pages with a filter above long lists.
 *
 * `wantedIn`: the filter's choices; `fits`: whether a row `{status, suite, tags, kinds, …}` (lists
 * of values except the first) matches them; `plain`: the lower-case text of a row's HTML.
 *
 * `longList`: a virtual list in boxes of `view` rows; boxes far from the window only have a height.
 * `rowsOf(items)` returns rows as elements or HTML; `dress(element, item, place)` is called for
 * each new one; `stays(items)`: always rendered. An item that is shown again keeps its element.
 */
export const LIST_SCRIPT = `
  const wantedIn = (filter) => ({
    statuses: new Set([...filter.querySelectorAll('input[type=checkbox]:checked')].map(({ value }) => value)),
    choices: [...filter.querySelectorAll('select')].map(({ name, value }) => ({ name, value })),
  });
  const fits = (row, { statuses, choices }) => statuses.has(row.status) && choices.every(({ name, value }) => value === '' || row[name].includes(value));
  const plain = (html) => html.replace(/<[^>]*>/g, '').replaceAll('&quot;', '"').replaceAll('&#39;', "'").replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&').toLowerCase();
  const template = document.createElement('template');
  const made = (html) => {
    template.innerHTML = html;
    return template.content.firstElementChild;
  };

  // Boxes of the row that was revealed last: they stay until the next.
  let wanted = [];
  const longList = (root, { view, rowHeight, rowsOf, dress, stays = () => false }) => {
    let items = [], parts = [], all = false;
    const drawn = new Map();
    const needs = (part) => all || part.near || part.stays || wanted.includes(part) || part.box.contains(document.activeElement);
    // What stays where it is keeps the focus.
    const put = (box, elements) => {
      const kept = new Set(elements);
      for (const one of [...box.children]) if (!kept.has(one)) one.remove();
      let next = box.firstElementChild;
      for (const one of elements) {
        if (one === next) next = next.nextElementSibling;
        else box.insertBefore(one, next);
      }
    };
    const fill = async (part) => {
      const own = part.items, missing = own.filter((one) => !drawn.has(one));
      const rows = missing.length === 0 ? [] : await rowsOf(missing);
      if (part.filled || part.items !== own || !needs(part)) return;
      missing.forEach((one, at) => drawn.set(one, typeof rows[at] === 'string' ? made(rows[at]) : rows[at]));
      const elements = own.map((one) => drawn.get(one));
      if (elements.includes(undefined)) return fill(part);
      part.filled = true;
      part.box.style.height = '';
      put(part.box, elements);
      const first = parts.indexOf(part) * view;
      elements.forEach((one, at) => dress(one, own[at], first + at));
    };
    const empty = (part) => {
      part.box.style.height = (part.height ?? part.items.length * rowHeight) + 'px';
      part.box.replaceChildren();
      part.filled = false;
    };
    const settle = async () => {
      for (const part of parts) if (part.filled && !needs(part)) empty(part);
      const used = new Set(parts.filter(needs).flatMap(({ items: own }) => own));
      for (const one of drawn.keys()) if (!used.has(one)) drawn.delete(one);
      await Promise.all(parts.filter((part) => !part.filled && needs(part)).map(fill));
    };
    const watcher = new IntersectionObserver((entries) => {
      for (const { target, isIntersecting, boundingClientRect: { height } } of entries) {
        const part = parts.find(({ box }) => box === target);
        if (part !== undefined) Object.assign(part, { near: isIntersecting, height });
      }
      void settle();
    }, { rootMargin: '1200px 0px' });
    const partAt = (at) => {
      if (parts[at] === undefined) {
        parts[at] = { box: document.createElement('div'), items: [], near: false, filled: false, stays: false, height: null };
        root.append(parts[at].box);
        watcher.observe(parts[at].box);
      }
      return parts[at];
    };
    const show = (these) => {
      items = these;
      const number = Math.ceil(items.length / view);
      for (const { box } of parts.splice(number)) {
        watcher.unobserve(box);
        box.remove();
      }
      for (let at = 0; at < number; at += 1) {
        const part = partAt(at), own = items.slice(at * view, (at + 1) * view), same = own.length === part.items.length;
        if (same && own.every((one, place) => one === part.items[place])) continue;
        Object.assign(part, { items: own, filled: false, stays: stays(own), height: same ? part.height : null });
        if (!needs(part)) empty(part);
      }
      return settle();
    };
    // Its element, and those around it, so that it stays where it is scrolled to.
    const reveal = async (item) => {
      const at = Math.floor(items.indexOf(item) / view);
      wanted = parts.slice(Math.max(0, at - 1), at + 2);
      await settle();
      return drawn.get(item) ?? null;
    };
    const elementOf = (item) => drawn.get(item) ?? null;
    const showAll = (isAll) => {
      all = isAll;
      return settle();
    };
    const left = () => parts.reduce((sum, part) => sum + (part.filled ? 0 : part.items.length), 0);
    return { show, reveal, elementOf, showAll, left };
  };
`;

/**
 * The page's script: a virtual list of references. Rows are escaped at build time; it unpacks them
 * and renders those near the window.
 */
export const SCRIPT = `
(() => {
  const filter = document.getElementById('filter');
  const list = document.getElementById('list');
  if (filter === null || list === null) return;
  const KEPT = 12;
  const packs = [...document.querySelectorAll('.pack')].map((one) => {
    const text = one.textContent;
    one.remove();
    return text;
  });
  const packRows = Number(list.dataset.pack);
  const own = [...list.children];
  const query = filter.querySelector('input[type=search]');
  const boxes = [...filter.querySelectorAll('input[type=checkbox]')];
  const selects = [...filter.querySelectorAll('select')];
  const said = filter.querySelector('output');${LIST_SCRIPT}
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
  let turns = 0;
  let all = false;
  const otherwise = new Set();
  const isOpen = (id) => all !== otherwise.has(id);
  const rows = longList(list, {
    view: 50,
    rowHeight: 44,
    rowsOf: rowsAt,
    stays: (places) => places.every((at) => at < own.length),
    dress: (row) => {
      if (row.open !== isOpen(row.id)) row.open = !row.open;
    },
  });
  const show = (places) => {
    shown = places;
    said.textContent = places.length.toLocaleString('en-US') + ' of ' + index.length.toLocaleString('en-US') + ' shown';
    return rows.show(places);
  };

  const textOf = (row) => (typeof row === 'string' ? plain(row) : row.textContent.toLowerCase());
  const withWords = async (places, words, isLate) => {
    const found = [];
    for (let from = 0; from < places.length && !isLate(); from += packRows) {
      const some = places.slice(from, from + packRows);
      const read = await rowsAt(some);
      found.push(...some.filter((_, at) => textOf(read[at]).includes(words)));
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

  const focus = async (number) => {
    const row = await rows.reveal(shown[number]);
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
    const row = await rows.reveal(at);
    row.open = true;
    row.querySelector('summary').focus({ preventScroll: true });
    row.scrollIntoView();
    // Rows above it may be higher than was thought.
    setTimeout(() => row.scrollIntoView(), 120);
  };
  const numberOf = (row) => shown.indexOf(placeOf.get(row.id));

  filter.addEventListener('input', () => void apply());
  const rest = document.getElementById('rest');
  const print = async () => {
    await rows.showAll(true);
    window.print();
  };
  addEventListener('beforeprint', () => {
    const left = rows.left();
    rest.hidden = left === 0;
    rest.textContent = left.toLocaleString('en-US') + ' more rows are printed by the button Print of this page.';
  });
  addEventListener('afterprint', () => void rows.showAll(false));
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
    const { statuses, rows: facts } = await unpack(packs.shift());
    index = facts.map(([number, status, suite, tags, kinds, flipped], at) => {
      placeOf.set('r' + number, at);
      return { status: statuses[status], suite: [String(suite)], tags: (tags ?? []).map(String), kinds: (kinds ?? []).map(String), scoring: flipped ? ['flipped'] : [] };
    });
    filter.hidden = false;
    list.replaceChildren();
    await apply();
    await reveal(location.hash.slice(1));
  };
  void start();
})();
`;
