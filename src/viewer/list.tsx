import {
  defaultRangeExtractor,
  observeWindowOffset,
  observeWindowRect,
  Virtualizer,
  windowScroll,
} from '@tanstack/virtual-core';
import type { RefObject, ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useMemo, useReducer, useRef, useState } from 'preact/hooks';
import { count } from '../text/amounts.ts';
import { shorten } from '../text/visible.ts';
import { useReport } from './report.ts';
import { isTyping, RowView, useKeys } from './row.tsx';
import { passesFilter, NO_FILTER, type Filter, type TestRow, choicesOf, FACETS } from './tests.ts';

/** Height of a row in pixels, before it is measured. */
const ROW = 88;

/** A virtual list over the window's scrolling. The row with the focus is always in the document. */
function useVirtualRows(tests: readonly TestRow[]) {
  const [, redraw] = useReducer((turn: number) => turn + 1, 0);
  const list = useRef<HTMLUListElement>(null);
  const [margin, setMargin] = useState(0);
  const [keptKey, keep] = useState<string | undefined>();
  const kept = tests.findIndex(({ key }) => key === keptKey);
  const where = usePlaceKept(list, tests);
  const options = {
    count: tests.length,
    scrollMargin: margin,
    overscan: 4,
    estimateSize: () => ROW,
    getItemKey: (at: number) => tests[at]?.key ?? at,
    getScrollElement: () => window,
    observeElementRect: observeWindowRect,
    observeElementOffset: observeWindowOffset,
    scrollToFn: windowScroll<Window>,
    rangeExtractor: (range: Parameters<typeof defaultRangeExtractor>[0]) => {
      const near = defaultRangeExtractor(range);
      return tests[kept] === undefined ? near : [...new Set([...near, kept])];
    },
    onChange: () => redraw(null),
  };
  const [virtualizer] = useState(() => new Virtualizer<Window, HTMLElement>(options));
  virtualizer.setOptions(options);
  useLayoutEffect(() => virtualizer._didMount(), []);
  useLayoutEffect(() => {
    virtualizer._willUpdate();
    where();
    const top = (list.current?.getBoundingClientRect().top ?? 0) + window.scrollY;
    if (Math.abs(top - margin) > 1) setMargin(top);
  });
  const goTo = (at: number, align: 'start' | 'auto') => {
    keep(tests[at]?.key);
    virtualizer.scrollToIndex(at, { align });
    const find = () => list.current?.querySelector<HTMLElement>(`[data-index="${at}"] summary`);
    focusWhenDrawn(find, 60);
  };
  const items = virtualizer
    .getVirtualItems()
    .map(({ index, start }) => ({ index, top: start - margin }));
  return {
    list,
    items,
    goTo,
    keep,
    height: virtualizer.getTotalSize(),
    measure: virtualizer.measureElement,
  };
}

/** Keeps the row with the focus where it is on the screen when new results move the rows. */
function usePlaceKept(list: RefObject<HTMLElement | null>, tests: readonly TestRow[]): () => void {
  const last = useRef(tests);
  const isNew = last.current !== tests;
  last.current = tests;
  const row = isNew ? list.current?.querySelector('[data-index]:focus-within') : null;
  const before = row?.getBoundingClientRect().top ?? 0;
  return () => {
    if (row?.isConnected) window.scrollBy(0, row.getBoundingClientRect().top - before);
  };
}

interface TestsProps {
  /** Parts of the address, as in `test/1/greeting/head/2`. */
  address: readonly string[];
  filter: Filter;
  setFilter(filter: Filter): void;
  isPrinted: boolean;
}

export function TestList({ address, filter, setFilter, isPrinted }: TestsProps) {
  const { tests } = useReport();
  const shown = useMemo(() => tests.filter((test) => passesFilter(test, filter)), [tests, filter]);
  const { isOpen, toggle, openAll } = useOpenRows();
  const { list, items, goTo, keep, height, measure } = useVirtualRows(shown);
  const [kind, number, id, ...chosen] = address;
  const linked = kind === 'test' ? `${number}/${id}` : null;
  useEffect(() => {
    const test = tests.find(({ key }) => key === linked);
    if (test === undefined) return;
    const all = shown.includes(test) ? shown : tests;
    if (all === tests) setFilter(NO_FILTER);
    toggle(test, true);
    requestAnimationFrame(() => goTo(all.indexOf(test), 'start'));
  }, [address]);
  const search = useSearchKey();
  const onKeyDown = (event: KeyboardEvent) => {
    const way = wayOf(event, shown.length);
    if (way === null) return;
    event.preventDefault();
    goTo(way, 'auto');
  };
  const rows = isPrinted ? shown.map((_, index) => ({ index, top: null })) : items;
  return (
    <section>
      <h2 class="unseen">Tests</h2>
      <Filters {...{ filter, setFilter, search, openAll }} onDown={() => goTo(0, 'auto')}>
        <output aria-live="polite">{`${count(shown.length)} of ${count(tests.length)} shown`}</output>
      </Filters>
      <ul
        ref={list}
        class={isPrinted ? 'rows' : 'rows virtual'}
        onKeyDown={onKeyDown}
        onFocusIn={({ target }) => keep(shown[rowIndexOf(target)]?.key)}
        style={isPrinted ? {} : { height: `${height}px` }}
      >
        {rows.map(({ index, top }) => {
          const test = shown[index];
          return test === undefined ? null : (
            <li
              key={test.key}
              ref={isPrinted ? null : measure}
              data-index={index}
              aria-setsize={shown.length}
              aria-posinset={index + 1}
              style={top === null ? {} : { transform: `translateY(${top}px)` }}
            >
              <RowView
                {...{ test, toggle }}
                isOpen={isOpen(test)}
                chosen={test.key === linked ? chosen : NO_CHOICE}
              />
            </li>
          );
        })}
      </ul>
    </section>
  );
}

/** The field that the key / leads to, from anywhere on the page. */
function useSearchKey(): RefObject<HTMLInputElement | null> {
  const search = useRef<HTMLInputElement>(null);
  useKeys((event) => {
    if (event.key !== '/') return;
    event.preventDefault();
    search.current?.focus();
  });
  return search;
}

function rowIndexOf(target: EventTarget | null): number {
  const item = target instanceof Element ? target.closest<HTMLElement>('[data-index]') : null;
  return Number(item?.dataset.index ?? -1);
}

function useOpenRows() {
  const [{ all, except }, setOpened] = useState({ all: false, except: new Set<string>() });
  return {
    isOpen: ({ key }: TestRow) => all !== except.has(key),
    openAll: (isAll: boolean) => setOpened({ all: isAll, except: new Set() }),
    toggle({ key }: TestRow, open: boolean) {
      setOpened((old) => {
        const others = new Set(old.except);
        if (open === old.all) others.delete(key);
        else others.add(key);
        return { all: old.all, except: others };
      });
      if (open) nameInAddress(`test/${key}`);
    },
  };
}

/** The row that a key leads to. Closes an open row on Escape. */
function wayOf(event: KeyboardEvent, rows: number): number | null {
  const target = event.target as HTMLElement;
  if (isTyping(event)) return null;
  const at = rowIndexOf(target);
  if (event.key === 'Escape') {
    target.closest('.case')?.removeAttribute('open');
    return at;
  }
  const steps: Record<string, number> = {
    ArrowDown: at + 1,
    ArrowUp: at - 1,
    Home: 0,
    End: rows - 1,
  };
  const to = target.localName === 'summary' ? steps[event.key] : undefined;
  return to === undefined ? null : Math.min(rows - 1, Math.max(0, to));
}

const NO_CHOICE: string[] = [];

/** A row that was far from the window is drawn some frames after scrolling. */
function focusWhenDrawn(find: () => HTMLElement | null | undefined, frames: number): void {
  const element = find();
  if (element) element.focus({ preventScroll: true });
  else if (frames > 0) requestAnimationFrame(() => focusWhenDrawn(find, frames - 1));
}

function nameInAddress(hash: string): void {
  try {
    history.replaceState(null, '', `#${hash}`);
  } catch {
    // A page inside a frame may not change its address.
  }
}

interface FiltersProps {
  filter: Filter;
  setFilter(filter: Filter): void;
  search: RefObject<HTMLInputElement | null>;
  onDown(): void;
  openAll(isAll: boolean): void;
  children: ComponentChildren;
}

/** In pixels. Narrower windows fold the filters, so that the first test is in sight. */
const WIDE = 760;

function Filters({ filter, setFilter, search, onDown, openAll, children }: FiltersProps) {
  return (
    <div class="filter">
      <input
        ref={search}
        type="search"
        placeholder="Find in inputs, answers, reasons, tags"
        aria-label="Find in tests"
        value={filter.words}
        onInput={({ currentTarget }) => setFilter({ ...filter, words: currentTarget.value })}
        onKeyDown={(event) => {
          if (event.key !== 'ArrowDown') return;
          event.preventDefault();
          onDown();
        }}
      />
      {children}
      <details open={innerWidth >= WIDE}>
        <summary>Filters</summary>
        <fieldset>
          <legend class="unseen">Show only</legend>
          <Selects filter={filter} setFilter={setFilter} />
          <button type="button" onClick={() => openAll(true)}>
            Open all
          </button>
          <button type="button" onClick={() => openAll(false)}>
            Close all
          </button>
          <span class="soft">On a row: ↑ ↓ to the next, Enter opens, Esc closes, / finds.</span>
        </fieldset>
      </details>
    </div>
  );
}

/** In characters. */
const MOST_LETTERS = 100;

/** A choice that every test has is left out. */
function Selects({ filter, setFilter }: Pick<FiltersProps, 'filter' | 'setFilter'>) {
  const { tests } = useReport();
  const facets = useMemo(
    () => FACETS.map((facet) => ({ ...facet, choices: choicesOf(facet, tests) })),
    [tests],
  );
  return (
    <>
      {facets
        .filter(({ choices }) => choices.some(([, number]) => number < tests.length))
        .map(({ name, any, choices }) => (
          <select
            name={name}
            aria-label={name}
            value={filter.chosen[name] ?? ''}
            onChange={({ currentTarget: { value } }) =>
              setFilter({ ...filter, chosen: { ...filter.chosen, [name]: value } })
            }
          >
            <option value="">{any}</option>
            {choices.map(([value, number]) => (
              <option value={value}>{`${shorten(value, MOST_LETTERS)} (${count(number)})`}</option>
            ))}
          </select>
        ))}
    </>
  );
}
