import type { ComponentChildren, RefObject } from 'preact';
import { STATUS_ORDER, STATUS_WORDS } from '../report/sections/phrases.ts';
import { count } from '../text/amounts.ts';
import { shorten } from '../text/visible.ts';
import type { Attribute } from './data.ts';
import { useReport } from './report.ts';
import { attributeKey, choicesOf, type Filter } from './tests.ts';

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
          <Statuses filter={filter} setFilter={setFilter} />
          <Selects filter={filter} setFilter={setFilter} />
          <label>
            <input
              type="checkbox"
              name="different"
              checked={filter.isDifferent}
              onChange={({ currentTarget: { checked } }) =>
                setFilter({ ...filter, isDifferent: checked })
              }
            />{' '}
            different answers only
          </label>
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

type Part = Pick<FiltersProps, 'filter' | 'setFilter'>;

function Statuses({ filter, setFilter }: Part) {
  const { tests } = useReport();
  const numbers = Map.groupBy(tests, ({ reference }) => STATUS_WORDS[reference.status]);
  return (
    <>
      {[...new Set(STATUS_ORDER.map((status) => STATUS_WORDS[status]))].map((status) => {
        const of = numbers.get(status);
        if (of === undefined) return null;
        return (
          <label>
            <input
              type="checkbox"
              value={status}
              checked={!filter.hidden.has(status)}
              onChange={({ currentTarget: { checked } }) => {
                const hidden = new Set(filter.hidden);
                if (checked) hidden.delete(status);
                else hidden.add(status);
                setFilter({ ...filter, hidden });
              }}
            />{' '}
            {`${status} (${count(of.length)})`}
          </label>
        );
      })}
    </>
  );
}

interface Choice {
  value: string;
  words: string;
}

function Selects({ filter, setFilter }: Part) {
  const { tests, result } = useReport();
  const suites = choicesOf(tests, ({ suiteName }) => [suiteName]);
  const tags = choicesOf(tests, ({ reference }) => reference.tags);
  const metrics = choicesOf(tests, ({ failing }) => failing);
  const flipped = tests.filter(({ isFlipped }) => isFlipped).length;
  const select = (
    name: 'suite' | 'tag' | 'attribute' | 'metric' | 'scoring',
    label: string,
    any: string,
    options: ComponentChildren[],
  ) =>
    options.length > 0 && (
      <select
        name={name}
        aria-label={label}
        value={filter[name]}
        onChange={({ currentTarget: { value } }) => setFilter({ ...filter, [name]: value })}
      >
        <option value="">{any}</option>
        {options}
      </select>
    );
  const optionsOf = (choices: readonly Choice[]) =>
    choices.map(({ value, words }) => (
      <option value={value}>{shorten(words, MOST_LETTERS)}</option>
    ));
  return (
    <>
      {select('suite', 'Suite', 'All suites', suites.length > 1 ? optionsOf(suites) : [])}
      {select('attribute', 'Attribute', 'All attributes', attributeOptions(result.attributes))}
      {select('tag', 'Tag', 'All tags', optionsOf(tags))}
      {select('metric', 'Metric', 'Any metric', optionsOf(metrics.map(asFailing)))}
      {select(
        'scoring',
        'Scoring',
        'Any scoring',
        flipped === 0
          ? []
          : optionsOf([{ value: 'flipped', words: `judged differently (${count(flipped)})` }]),
      )}
    </>
  );
}

const MOST_LETTERS = 100;

function asFailing({ value, words }: Choice): Choice {
  return { value, words: `fails ${words}` };
}

function attributeOptions(attributes: readonly Attribute[]) {
  const kinds = Map.groupBy(
    attributes,
    ({ suite, kind }) => `${suite}: ${kind === 'domain' ? 'domains' : 'sub-tasks'}`,
  );
  return [...kinds].map(([label, own]) => (
    <optgroup label={shorten(label, MOST_LETTERS)}>
      {own.map((attribute) => (
        <option value={attributeKey(attribute)}>
          {`${shorten(attribute.name, MOST_LETTERS)} (${count(attribute.references.length)})`}
        </option>
      ))}
    </optgroup>
  ));
}
