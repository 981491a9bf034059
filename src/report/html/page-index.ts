import type { AttributeResult, ReferenceResult, Result, SuiteResult } from '../../types.ts';
import { escapeMarkup } from '../../text/html.ts';
import { shorten } from '../../text/cut.ts';
import { NAME_LIMIT } from '../sections/document.ts';
import { suiteKey } from '../sections/explained-suites.ts';

/** Which references of which suites a page shows, and by what they are found and filtered. */
export interface PageIndex {
  shown: ReadonlySet<ReferenceResult>;
  /** The element's id of a reference of a suite. */
  anchor(suite: SuiteResult, id: string): string | null;
  /** The values of the filter that a reference belongs to. */
  kinds(suite: SuiteResult, id: string): string[];
  /** The filter's value of an attribute. */
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
    attributes.map((attribute, at): [AttributeResult, string] => [attribute, `a${String(at + 1)}`]),
  );
  const kinds = new Map<string, string[]>();
  for (const [attribute, value] of values) {
    for (const id of attribute.references) {
      const key = `${suiteKey(attribute)} ${id}`;
      const known = kinds.get(key);
      if (known === undefined) kinds.set(key, [value]);
      else known.push(value);
    }
  }
  return {
    shown,
    anchor: (suite, id) => anchors.get(suite)?.get(id) ?? null,
    kinds: (suite, id) =>
      attributes.length === 0 ? [] : (kinds.get(`${suiteKey(suite)} ${id}`) ?? []),
    kind: (attribute) => values.get(attribute) ?? null,
  };
}

/** The name of a reference, leading to it where the page shows it. */
export function referenceLink(suite: SuiteResult | null, id: string, index: PageIndex): string {
  const name = `<code>${escapeMarkup(shorten(id, NAME_LIMIT))}</code>`;
  const anchor = suite === null ? null : index.anchor(suite, id);
  return anchor === null ? name : `<a href="#${anchor}">${name}</a>`;
}

/** Words that set the filter to an attribute. */
export function kindLink(attribute: AttributeResult, words: string, index: PageIndex): string {
  const value = index.kind(attribute);
  return value === null || attribute.references.length === 0
    ? escapeMarkup(words)
    : `<a href="#references" data-kind="${value}">${escapeMarkup(words)}</a>`;
}
