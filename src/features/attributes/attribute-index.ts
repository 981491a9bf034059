import type { SuiteResult } from '../../kernel/result/suite-result.ts';
import type { AnchorOf, Reports } from '../../report/sections/feature-report.ts';
import { type Markup, markup } from '../../text/markup.ts';
import { suiteKey, type AttributeRating, type AttributeResult } from './result.ts';

export interface RatedAttribute {
  attribute: AttributeResult;
  rating: AttributeRating;
}

export interface AttributeIndex {
  anchor: AnchorOf;
  reports: Reports;
  attributes: readonly AttributeResult[];
}

export function filterValue(of: AttributeResult, all: readonly AttributeResult[]): string {
  return String(all.indexOf(of) + 1);
}

export function byReference<T>(
  attributes: readonly AttributeResult[],
  entriesOf: (attribute: AttributeResult) => readonly { id: string; entry: T }[],
): (suite: SuiteResult, id: string) => T[] {
  const lists = Map.groupBy(
    attributes.flatMap((attribute) => {
      const suite = suiteKey(attribute);
      return entriesOf(attribute).map(({ id, entry }) => ({ key: `${suite} ${id}`, entry }));
    }),
    ({ key }) => key,
  );
  return (suite, id) =>
    lists.size === 0 ? [] : (lists.get(`${suiteKey(suite)} ${id}`) ?? []).map(({ entry }) => entry);
}

export function kindLink(attribute: AttributeResult, words: string, index: AttributeIndex): Markup {
  const value = filterValue(attribute, index.attributes);
  return attribute.references.length === 0
    ? markup`${words}`
    : markup`<a href="#references" data-kind="${value}">${words}</a>`;
}
