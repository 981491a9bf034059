/**
 * For the scripts of pages with a filter above long lists.
 *
 * `wantedIn`: what is chosen in the filter; `fits`: whether a row `{status, suite, tags, kinds, …}`,
 * all but the first lists of values, is among that; `plain`: the words of a row's HTML, in small
 * letters.
 *
 * `longList`: a list in boxes of `view` rows. Those near the window are in the page, of the others
 * only the height. `rowsOf(items)` gives the rows of items, as elements or HTML; `dress(element,
 * item, place)` is called for each that comes into the page; `stays(items)`: these always are there.
 * An item that is shown again keeps its element.
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
