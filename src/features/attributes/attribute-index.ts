import type { SuiteResult } from '../../kernel/result/suite-result.ts';
import { suiteKey, type AttributeResult } from './result.ts';

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
