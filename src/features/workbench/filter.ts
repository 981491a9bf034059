import type { ReferenceStatus } from '../../kernel/result/reference-result.ts';
import { NAME_LIMIT } from '../../report/sections/document.ts';
import type { ReferenceFilter } from '../../report/sections/feature-report.ts';
import { STATUS_WORDS, STATUS_ORDER } from '../../report/sections/phrases.ts';
import { count } from '../../text/amounts.ts';
import { type Markup, markup } from '../../text/markup.ts';
import { shorten } from '../../text/visible.ts';

const MOST_TAGS = 200;

interface Choice {
  value: string;
  words: string;
}

export type RowStatus = ReferenceStatus | 'not-asked';

export const ROW_WORDS: Readonly<Record<RowStatus, string>> = {
  ...STATUS_WORDS,
  'not-asked': 'not asked yet',
};

export const ROW_ORDER: readonly RowStatus[] = [...STATUS_ORDER, 'not-asked'];

interface Choices {
  statuses: readonly RowStatus[];
  suites: readonly Choice[];
  tags: readonly Choice[];
  scoring?: readonly Choice[];
  own: ReferenceFilter | null;
}

export function choicesHtml({ statuses, suites, tags, scoring = [], own }: Choices): Markup {
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
    own === null ? null : selectHtml('kinds', own.label, own.any, groupsHtml(own)),
    selectHtml('tags', 'Tag', 'All tags', optionsHtml(tags)),
    selectHtml('scoring', 'Scoring', 'Any scoring', optionsHtml(scoring)),
  ];
  return markup`${boxes}${selects}`;
}

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

function groupsHtml({ groups }: ReferenceFilter): Markup[] {
  return groups
    .filter(({ choices }) => choices.length > 0)
    .map(
      ({ label, choices }) => markup`
        <optgroup label="${shorten(label, NAME_LIMIT)}">
          ${optionsHtml(choices)}
        </optgroup>`,
    );
}
