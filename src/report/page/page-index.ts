import { suiteKey } from '../../features/attributes/explained-suites.ts';
import type { AttributeRating, AttributeResult } from '../../features/attributes/result.ts';
import type { ReferenceResult } from '../../kernel/result/reference-result.ts';
import type { Result } from '../../kernel/result/result.ts';
import type { SuiteResult } from '../../kernel/result/suite-result.ts';
import { type Markup, markup } from '../../text/markup.ts';
import { shorten } from '../../text/visible.ts';
import { NAME_LIMIT } from '../sections/document.ts';

/** An attribute of a reference, with the grader's reason. */
export interface RatedAttribute {
  attribute: AttributeResult;
  rating: AttributeRating;
}

/** The references that a page shows, with their ids and filter values. */
export interface PageIndex {
  shown: ReadonlySet<ReferenceResult>;
  /** A reference's element id. */
  anchor(suite: SuiteResult, id: string): string | null;
  /** A reference's filter values. */
  kinds(suite: SuiteResult, id: string): string[];
  /** The reasons for its attributes. */
  ratings(suite: SuiteResult, id: string): RatedAttribute[];
  /** An attribute's filter value. */
  kind(attribute: AttributeResult): string | null;
}

export function pageIndex(
  { suites, attributes }: Result,
  shown: ReadonlySet<ReferenceResult>,
): PageIndex {
  let next = 0;
  const anchors = new Map(
    suites.map((suite) => [
      suite,
      new Map(
        suite.references.map((reference): [string, string | null] => {
          next += 1;
          return [reference.id, shown.has(reference) ? `r${String(next)}` : null];
        }),
      ),
    ]),
  );
  const values = new Map(
    attributes.map((attribute, at): [AttributeResult, string] => [attribute, String(at + 1)]),
  );
  const kinds = new Map<string, string[]>();
  const ratings = new Map<string, RatedAttribute[]>();
  for (const [attribute, value] of values) {
    const suite = suiteKey(attribute);
    for (const id of attribute.references) addTo(kinds, `${suite} ${id}`, value);
    for (const rating of attribute.ratings ?? [])
      addTo(ratings, `${suite} ${rating.reference}`, { attribute, rating });
  }
  return {
    shown,
    anchor: (suite, id) => anchors.get(suite)?.get(id) ?? null,
    kinds: (suite, id) =>
      attributes.length === 0 ? [] : (kinds.get(`${suiteKey(suite)} ${id}`) ?? []),
    ratings: (suite, id) =>
      ratings.size === 0 ? [] : (ratings.get(`${suiteKey(suite)} ${id}`) ?? []),
    kind: (attribute) => values.get(attribute) ?? null,
  };
}

function addTo<T>(lists: Map<string, T[]>, key: string, entry: T): void {
  const known = lists.get(key);
  if (known === undefined) lists.set(key, [entry]);
  else known.push(entry);
}

/** A reference's name, linked if the page shows it. */
export function referenceLink(suite: SuiteResult | null, id: string, index: PageIndex): Markup {
  const name = markup`<code>${shorten(id, NAME_LIMIT)}</code>`;
  const anchor = suite === null ? null : index.anchor(suite, id);
  return anchor === null ? name : markup`<a href="#${anchor}">${name}</a>`;
}

/** Text that sets the filter to an attribute. */
export function kindLink(attribute: AttributeResult, words: string, index: PageIndex): Markup {
  const value = index.kind(attribute);
  return value === null || attribute.references.length === 0
    ? markup`${words}`
    : markup`<a href="#references" data-kind="${value}">${words}</a>`;
}
