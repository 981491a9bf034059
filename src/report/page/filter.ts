import { explainedSuites } from '../../features/attributes/explained-suites.ts';
import type { AttributeResult } from '../../features/attributes/result.ts';
import type { ReferenceStatus } from '../../kernel/result/reference-result.ts';
import type { Result } from '../../kernel/result/result.ts';
import { count } from '../../text/amounts.ts';
import { type Markup, markup } from '../../text/markup.ts';
import { shorten } from '../../text/visible.ts';
import { NAME_LIMIT } from '../sections/document.ts';
import { suitesWorstFirst } from '../sections/order.ts';
import { STATUS_WORDS, STATUS_ORDER } from '../sections/phrases.ts';
import type { PageIndex } from './page-index.ts';

/** The most frequent tags that can be filtered by. */
const MOST_TAGS = 200;

/** An option of a select: its value and text. */
interface Choice {
  value: string;
  words: string;
}

/** `not-asked`: a row without any answer yet. */
export type RowStatus = ReferenceStatus | 'not-asked';

export const ROW_WORDS: Readonly<Record<RowStatus, string>> = {
  ...STATUS_WORDS,
  'not-asked': 'not asked yet',
};

/** Worst first. */
export const ROW_ORDER: readonly RowStatus[] = [...STATUS_ORDER, 'not-asked'];

interface Choices {
  /** Of each row. */
  statuses: readonly RowStatus[];
  suites: readonly Choice[];
  tags: readonly Choice[];
  /** Effects of a scoring change. */
  scoring?: readonly Choice[];
  /** See {@link kindsHtml}. */
  kinds: readonly Markup[];
}

/** A checkbox for each status present, and selects for suites, attributes and tags. */
export function choicesHtml({ statuses, suites, tags, scoring = [], kinds }: Choices): Markup {
  const numbers = new Map<RowStatus, number>();
  for (const status of statuses) numbers.set(status, (numbers.get(status) ?? 0) + 1);
  const boxes = ROW_ORDER.flatMap((status) => {
    const number = numbers.get(status);
    return number === undefined
      ? []
      : markup`<label>
          <input type="checkbox" value="${status}" checked> ${ROW_WORDS[status]} (${count(number)})
        </label>`;
  });
  const selects = [
    selectHtml('suite', 'Suite', 'All suites', suites.length > 1 ? optionsHtml(suites) : []),
    selectHtml('kinds', 'Attribute', 'All attributes', kinds),
    selectHtml('tags', 'Tag', 'All tags', optionsHtml(tags)),
    selectHtml('scoring', 'Scoring', 'Any scoring', optionsHtml(scoring)),
  ];
  return markup`${boxes}${selects}`;
}

/** The search field, and the number of rows shown. */
export const SEARCH_HTML = markup`
  <input type="search" placeholder="Find in references" aria-label="Find in references">`;

function selectHtml(
  name: string,
  label: string,
  any: string,
  options: readonly Markup[],
): Markup | null {
  if (options.length === 0) return null;
  return markup`
    <select name="${name}" aria-label="${label}"><option value="">${any}</option>${options}</select>`;
}

function optionsHtml(choices: readonly Choice[]): Markup[] {
  return choices.map(
    ({ value, words }) => markup`<option value="${value}">${shorten(words, NAME_LIMIT)}</option>`,
  );
}

export function frequentTags(tagged: Iterable<readonly string[]>): string[] {
  const uses = new Map<string, number>();
  for (const tags of tagged) for (const tag of tags) uses.set(tag, (uses.get(tag) ?? 0) + 1);
  return [...uses]
    .sort(([, a], [, b]) => b - a)
    .slice(0, MOST_TAGS)
    .map(([tag]) => tag);
}

/** The attributes of all suites, as options in groups. */
export function kindsHtml(result: Result, index: Pick<PageIndex, 'kind'>): Markup[] {
  const groups = explainedSuites(result, suitesWorstFirst(result.suites)).flatMap((of) =>
    KINDS.map(({ kind, words }) => ({
      label: `${of.name}: ${words}`,
      attributes: of.attributes.filter((attribute) => attribute.kind === kind),
    })),
  );
  const choice = (attribute: AttributeResult): Choice => ({
    value: index.kind(attribute) ?? '',
    words: `${shorten(attribute.name, NAME_LIMIT)} (${count(attribute.references.length)})`,
  });
  return groups
    .filter(({ attributes }) => attributes.length > 0)
    .map(
      ({ label, attributes }) => markup`
        <optgroup label="${shorten(label, NAME_LIMIT)}">
          ${optionsHtml(attributes.map(choice))}
        </optgroup>`,
    );
}

const KINDS = [
  { kind: 'domain', words: 'domains' },
  { kind: 'subtask', words: 'sub-tasks' },
] as const;
