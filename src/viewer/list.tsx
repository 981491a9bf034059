import {
  defaultRangeExtractor,
  observeWindowOffset,
  observeWindowRect,
  Virtualizer,
  windowScroll,
} from '@tanstack/virtual-core';
import { useEffect, useLayoutEffect, useReducer, useRef, useState } from 'preact/hooks';
import { count } from '../text/amounts.ts';
import { Filters } from './filters.tsx';
import { useReport } from './report.ts';
import { Row } from './row.tsx';
import { fits, NO_FILTER, type Filter, type Test } from './tests.ts';

/** Height of a row in pixels, before it is measured. */
const ROW = 88;

/** A virtual list over the window's scrolling. The row `kept` is always in the document. */
function useVirtualRows(tests: readonly Test[], kept: number) {
  const [, redraw] = useReducer((turn: number) => turn + 1, 0);
  const list = useRef<HTMLUListElement>(null);
  const [margin, setMargin] = useState(0);
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
      return kept < 0 || kept >= tests.length || near.includes(kept) ? near : [...near, kept];
    },
    onChange: () => {
      redraw(null);
    },
  };
  const [virtualizer] = useState(() => new Virtualizer<Window, HTMLElement>(options));
  virtualizer.setOptions(options);
  useLayoutEffect(() => virtualizer._didMount(), []);
  useLayoutEffect(() => {
    virtualizer._willUpdate();
    const top = (list.current?.getBoundingClientRect().top ?? 0) + window.scrollY;
    if (Math.abs(top - margin) > 1) setMargin(top);
  });
  return { list, virtualizer, margin };
}

interface TestsProps {
  /** Parts of the address, as in `test/1/greeting/head/2`. */
  address: readonly string[];
  filter: Filter;
  setFilter(filter: Filter): void;
  isPrinted: boolean;
}

export function Tests({ address, filter, setFilter, isPrinted }: TestsProps) {
  const { tests } = useReport();
  const shown = tests.filter((test) => fits(test, filter));
  const [opened, setOpened] = useState<{ all: boolean; except: ReadonlySet<string> }>({
    all: false,
    except: new Set(),
  });
  const isOpen = ({ key }: Test) => opened.all !== opened.except.has(key);
  const toggle = ({ key }: Test, open: boolean) => {
    setOpened(({ all, except: old }) => {
      const except = new Set(old);
      if (open === all) except.delete(key);
      else except.add(key);
      return { all, except };
    });
    if (open) nameInAddress(`test/${key}`);
  };
  const [kept, setKept] = useState(-1);
  const { list, virtualizer, margin } = useVirtualRows(shown, kept);
  const summaryAt = (at: number) =>
    list.current?.querySelector<HTMLElement>(`[data-index="${String(at)}"] summary`);
  const goTo = (at: number, align: 'start' | 'auto') => {
    setKept(at);
    virtualizer.scrollToIndex(at, { align });
    focusWhenDrawn(() => summaryAt(at), 60);
  };
  const [, number, id, ...chosen] = address;
  const linked = address[0] === 'test' ? `${String(number)}/${String(id)}` : null;
  useEffect(() => {
    const test = tests.find(({ key }) => key === linked);
    if (test === undefined) return;
    if (!shown.includes(test)) setFilter(NO_FILTER);
    if (!isOpen(test)) toggle(test, true);
    const all = shown.includes(test) ? shown : tests;
    requestAnimationFrame(() => goTo(all.indexOf(test), 'start'));
  }, [address]);
  const search = useRef<HTMLInputElement>(null);
  const onKeyDown = (event: KeyboardEvent) => {
    const target = event.target as HTMLElement;
    const item = target.closest<HTMLElement>('[data-index]');
    if (item === null || event.ctrlKey || event.metaKey || event.altKey) return;
    const at = Number(item.dataset.index);
    const steps: Record<string, number> = {
      ArrowDown: at + 1,
      ArrowUp: at - 1,
      Home: 0,
      End: shown.length - 1,
    };
    const to = target.localName === 'summary' ? steps[event.key] : undefined;
    if (to !== undefined) {
      if (to >= 0 && to < shown.length) goTo(to, 'auto');
    } else if (event.key === 'Escape') {
      item.querySelector('details')?.removeAttribute('open');
      summaryAt(at)?.focus();
    } else if (event.key === '/') search.current?.focus();
    else return;
    event.preventDefault();
  };
  const item = (test: Test, at: number, start: number | null) => (
    <li
      key={test.key}
      ref={start === null ? null : virtualizer.measureElement}
      data-index={at}
      aria-setsize={shown.length}
      aria-posinset={at + 1}
      style={start === null ? {} : { transform: `translateY(${String(start)}px)` }}
      onFocusIn={() => setKept(at)}
    >
      <Row
        test={test}
        isOpen={isOpen(test)}
        toggle={(open) => toggle(test, open)}
        chosen={test.key === linked ? chosen : NONE}
      />
    </li>
  );
  return (
    <section>
      <h2 class="unseen">Tests</h2>
      <Filters
        filter={filter}
        setFilter={setFilter}
        search={search}
        onDown={() => goTo(0, 'auto')}
        openAll={(all) => setOpened({ all, except: new Set() })}
      >
        <output aria-live="polite">{`${count(shown.length)} of ${count(tests.length)} shown`}</output>
      </Filters>
      <ul
        ref={list}
        class={isPrinted ? 'rows' : 'rows virtual'}
        onKeyDown={onKeyDown}
        style={isPrinted ? {} : { height: `${String(virtualizer.getTotalSize())}px` }}
      >
        {isPrinted
          ? shown.map((test, at) => item(test, at, null))
          : virtualizer.getVirtualItems().map(({ index, start }) => {
              const test = shown[index];
              return test === undefined ? null : item(test, index, start - margin);
            })}
      </ul>
    </section>
  );
}

const NONE: string[] = [];

/** A row that was far from the window is drawn some frames after scrolling. */
function focusWhenDrawn(find: () => HTMLElement | null | undefined, frames: number): void {
  const element = find();
  if (element) element.focus({ preventScroll: true });
  else if (frames > 0) requestAnimationFrame(() => focusWhenDrawn(find, frames - 1));
}

export function nameInAddress(hash: string): void {
  try {
    history.replaceState(null, '', `#${hash}`);
  } catch {
    // A page inside a frame may not change its address.
  }
}
