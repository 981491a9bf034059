import type { ComponentChildren, RefObject } from 'preact';
import { useMemo } from 'preact/hooks';
import { count } from '../text/amounts.ts';
import { shorten } from '../text/visible.ts';
import { useReport } from './report.ts';
import { choicesOf, FACETS, type Filter } from './tests.ts';

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

export function Filters({ filter, setFilter, search, onDown, openAll, children }: FiltersProps) {
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
