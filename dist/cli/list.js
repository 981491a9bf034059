// @ts-check
// The workbench's filter and long list. The viewer in src/viewer replaces both.
/* exported firstIn, fits, foundAll, longList, plain, targetOf, wantedIn */

/** @typedef {{ status: string, lists: Record<string, string[]> }} FilterRow */

/** @template {Element} E @param {ParentNode} root @param {string} selector @param {new () => E} type */
const foundAll = (root, selector, type) =>
  [...root.querySelectorAll(selector)].filter(
    /** @returns {element is E} */ (element) => element instanceof type,
  );

/** @template {Element} E @param {ParentNode} root @param {string} selector @param {new () => E} type */
const firstIn = (root, selector, type) => {
  const [element] = foundAll(root, selector, type);
  if (element === undefined) throw new Error(`There is no ${selector}`);
  return element;
};

const targetOf = (/** @type {Event} */ event) => /** @type {HTMLElement} */ (event.target);

const wantedIn = (/** @type {Element} */ filter) => ({
  statuses: new Set(
    foundAll(filter, 'input[type=checkbox]:checked', HTMLInputElement).map(({ value }) => value),
  ),
  choices: foundAll(filter, 'select', HTMLSelectElement).map(({ name, value }) => ({
    name,
    value,
  })),
});

/** @param {FilterRow} row @param {ReturnType<typeof wantedIn>} wanted */
const fits = ({ status, lists }, { statuses, choices }) =>
  statuses.has(status) &&
  choices.every(({ name, value }) => value === '' || lists[name]?.includes(value) === true);

const plain = (/** @type {string} */ html) =>
  html
    .replace(/<[^>]*>/g, '')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&')
    .toLowerCase();

const template = document.createElement('template');

const made = (/** @type {string} */ html) => {
  template.innerHTML = html;
  return /** @type {HTMLElement} */ (template.content.firstElementChild);
};

/** @typedef {{ near: boolean, filled: boolean, height: number | null }} PartState */
/** @template T @typedef {PartState & { box: HTMLElement, items: T[] }} Part */

// Parts around the row that `reveal` rendered last. They stay rendered until its next call.
let revealed = /** @type {unknown[]} */ ([]);

// Elements that are already in place are not moved, so that they keep the focus.
const put = (/** @type {Element} */ box, /** @type {Element[]} */ elements) => {
  const kept = new Set(elements);
  for (const child of [...box.children]) if (!kept.has(child)) child.remove();
  let next = box.firstElementChild;
  for (const element of elements) {
    if (element === next) next = next.nextElementSibling;
    else box.insertBefore(element, next);
  }
};

/**
 * A virtual list in boxes of `view` rows. Boxes far from the window are empty but keep their
 * height. `rowsOf` returns rows as HTML. `dress` is called for each new element.
 * @template T
 * @param {Element} root
 * @param {{
 *   view: number,
 *   rowHeight: number,
 *   rowsOf(items: T[]): string[],
 *   dress(element: HTMLElement, item: T, place: number): void,
 * }} options
 */
const longList = (root, { view, rowHeight, rowsOf, dress }) => {
  let items = /** @type {T[]} */ ([]);
  const parts = /** @type {Part<T>[]} */ ([]);
  const drawn = /** @type {Map<T, HTMLElement>} */ (new Map());
  const needs = (/** @type {Part<T>} */ part) =>
    part.near || revealed.includes(part) || part.box.contains(document.activeElement);
  const fill = (/** @type {Part<T>} */ part) => {
    const own = part.items;
    const missing = own.filter((item) => !drawn.has(item));
    rowsOf(missing).forEach((row, at) => drawn.set(missing[at], made(row)));
    const elements = own.flatMap((item) => drawn.get(item) ?? []);
    part.filled = true;
    part.box.style.height = '';
    put(part.box, elements);
    const first = parts.indexOf(part) * view;
    elements.forEach((element, at) => dress(element, own[at], first + at));
  };
  const empty = (/** @type {Part<T>} */ part) => {
    part.box.style.height = `${part.height ?? part.items.length * rowHeight}px`;
    part.box.replaceChildren();
    part.filled = false;
  };
  const settle = () => {
    for (const part of parts) if (part.filled && !needs(part)) empty(part);
    const used = new Set(parts.filter(needs).flatMap((part) => part.items));
    for (const item of drawn.keys()) if (!used.has(item)) drawn.delete(item);
    parts.filter((part) => !part.filled && needs(part)).forEach(fill);
  };
  const watcher = new IntersectionObserver(
    (entries) => {
      for (const { target, isIntersecting, boundingClientRect } of entries) {
        const part = parts.find(({ box }) => box === target);
        if (part !== undefined)
          Object.assign(part, { near: isIntersecting, height: boundingClientRect.height });
      }
      settle();
    },
    { rootMargin: '1200px 0px' },
  );
  const addPart = () => {
    const box = document.createElement('div');
    root.append(box);
    watcher.observe(box);
    parts.push({ box, items: [], near: false, filled: false, height: null });
  };
  return {
    /** @param {T[]} these */
    show(these) {
      items = these;
      const number = Math.ceil(items.length / view);
      for (const { box } of parts.splice(number)) {
        watcher.unobserve(box);
        box.remove();
      }
      while (parts.length < number) addPart();
      for (const [at, part] of parts.entries()) {
        const own = items.slice(at * view, (at + 1) * view);
        const same = own.length === part.items.length;
        if (same && own.every((item, place) => item === part.items[place])) continue;
        const height = same ? part.height : null;
        Object.assign(part, { items: own, filled: false, height });
        if (!needs(part)) empty(part);
      }
      settle();
    },
    /**
     * Renders an item and its neighbours, so that scrolling to it is stable.
     * @param {T} item
     */
    reveal(item) {
      const at = Math.floor(items.indexOf(item) / view);
      revealed = parts.slice(Math.max(0, at - 1), at + 2);
      settle();
      return drawn.get(item) ?? null;
    },
    /** @param {T} item */
    elementOf: (item) => drawn.get(item) ?? null,
  };
};
