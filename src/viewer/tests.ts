import { answerKey, type WithParts } from '../report/answers/text.ts';
import { failedScores } from '../report/sections/failures.ts';
import { exampleTries, fallOf, promptKey, referenceEntries } from '../report/sections/order.ts';
import { repeatedNames, STATUS_ORDER, STATUS_WORDS } from '../report/sections/phrases.ts';
import { count } from '../text/amounts.ts';
import { suitesWorstFirst } from '../wording/figures.ts';
import { variantWords } from '../wording/variants.ts';
import type { Attribute, Reference, Result, Suite, Try } from './data.ts';

/** A row of the list. */
export interface Test {
  /** In addresses, as in `#test/1/greeting`: the suite's place in the result, and the id. */
  key: string;
  suite: Suite;
  /** Distinguishes suites of one name by their variants. */
  suiteName: string;
  reference: Reference;
  base: Try | null;
  head: Try | null;
  hasOtherAnswers: boolean;
  /** Metrics that fail on the newest side. */
  failing: ReadonlySet<string>;
  attributes: readonly Attribute[];
  /** Whether base's and head's scoring judge the same answer differently. */
  isFlipped: boolean;
}

/** All tests, the worst first. */
export function testsOf(result: Result): Test[] {
  const { suites, attributes, scoring } = result;
  const repeated = repeatedNames(suites);
  const attributesOf = new Map<string, Attribute[]>();
  for (const attribute of attributes)
    for (const id of attribute.references) {
      const key = JSON.stringify([suiteKeyOf(attribute, attribute.suite), id]);
      attributesOf.set(key, [...(attributesOf.get(key) ?? []), attribute]);
    }
  const flipped = new Set(
    scoring.flatMap((each) => each.flipped.map(({ id }) => JSON.stringify([promptKey(each), id]))),
  );
  const numbers = new Map(suites.map((suite, at) => [suite, at + 1]));
  return referenceEntries(suitesWorstFirst(suites))
    .map(({ suite, reference }): Test => {
      const { base, head } = exampleTries(reference, []);
      const { name, variant } = suite;
      return {
        key: `${String(numbers.get(suite))}/${encodeURIComponent(reference.id)}`,
        suite,
        suiteName: repeated.has(name) ? `${name}, ${variantWords(variant)}` : name,
        reference,
        base,
        head,
        hasOtherAnswers: answersOf(reference.base) !== answersOf(reference.head),
        failing: new Set(
          ((reference.head ?? reference.base)?.tries ?? []).flatMap((made) =>
            failedScores(made).map(({ metric }) => metric),
          ),
        ),
        attributes: attributesOf.get(JSON.stringify([suiteKeyOf(suite, name), reference.id])) ?? [],
        isFlipped: flipped.has(JSON.stringify([promptKey(suite), reference.id])),
      };
    })
    .sort(
      (a, b) =>
        STATUS_ORDER.indexOf(a.reference.status) - STATUS_ORDER.indexOf(b.reference.status) ||
        fallOf(b.reference) - fallOf(a.reference),
    );
}

function suiteKeyOf({ path, variant }: Pick<Suite, 'path' | 'variant'>, name: string): string {
  return JSON.stringify([path, name, variant]);
}

export function isOfSuite(attribute: Attribute, suite: Suite): boolean {
  return suiteKeyOf(attribute, attribute.suite) === suiteKeyOf(suite, suite.name);
}

function answersOf(side: { tries: readonly WithParts[] } | null): string {
  const keys = (side?.tries ?? []).flatMap(({ parts }) => (parts ? [answerKey(parts)] : []));
  return JSON.stringify([...new Set(keys)].sort());
}

export interface Filter {
  /** Words of statuses that are not shown. */
  hidden: ReadonlySet<string>;
  suite: string;
  tag: string;
  attribute: string;
  metric: string;
  scoring: string;
  isDifferent: boolean;
  words: string;
}

export const NO_FILTER: Filter = {
  hidden: new Set(),
  suite: '',
  tag: '',
  attribute: '',
  metric: '',
  scoring: '',
  isDifferent: false,
  words: '',
};

export function fits(test: Test, filter: Filter): boolean {
  const { reference, suiteName, attributes, failing } = test;
  const { suite, tag, attribute, metric, scoring, isDifferent } = filter;
  const words = filter.words.trim().toLowerCase();
  return (
    !filter.hidden.has(STATUS_WORDS[reference.status]) &&
    (suite === '' || suiteName === suite) &&
    (tag === '' || reference.tags.includes(tag)) &&
    (attribute === '' || attributes.some((each) => attributeKey(each) === attribute)) &&
    (metric === '' || failing.has(metric)) &&
    (scoring === '' || test.isFlipped) &&
    (!isDifferent || test.hasOtherAnswers) &&
    (words === '' || searchedText(test).includes(words))
  );
}

export function attributeKey({ id, path, suite, variant }: Attribute): string {
  return JSON.stringify([id, path, suite, variant]);
}

const searched = new WeakMap<Test, string>();

/** Every text of a test: input, answers, reasons, tags. */
function searchedText(test: Test): string {
  const known = searched.get(test);
  if (known !== undefined) return known;
  const texts: string[] = [test.suiteName];
  const read = (value: unknown, key = ''): void => {
    if (typeof value === 'string' && key !== 'data') texts.push(value);
    else if (typeof value === 'number') texts.push(String(value));
    else if (value !== null && typeof value === 'object')
      for (const [name, each] of Object.entries(value)) read(each, name);
  };
  read(test.reference);
  const text = texts.join('\n').toLowerCase();
  searched.set(test, text);
  return text;
}

const MOST_CHOICES = 200;

/** The values that occur, the most frequent first, with the number of their tests. */
export function choicesOf(
  tests: readonly Test[],
  valuesOf: (test: Test) => Iterable<string>,
): { value: string; words: string }[] {
  const uses = new Map<string, number>();
  for (const test of tests)
    for (const value of new Set(valuesOf(test))) uses.set(value, (uses.get(value) ?? 0) + 1);
  return [...uses]
    .sort(([, a], [, b]) => b - a)
    .slice(0, MOST_CHOICES)
    .map(([value, number]) => ({ value, words: `${value} (${count(number)})` }));
}
