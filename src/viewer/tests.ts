import { answerKey, type WithParts } from '../report/answers/text.ts';
import { failedScores } from '../report/sections/failures.ts';
import {
  exampleTries,
  fallOf,
  promptKey,
  referenceEntries,
  suiteIdentity,
  type SuiteId,
} from '../report/sections/order.ts';
import { STATUS_TONES, statusWord } from '../report/sections/phrases.ts';
import { dialogueLength } from '../wording/dialogues.ts';
import { suitesWorstFirst } from '../wording/figures.ts';
import type { Tone } from '../wording/outcomes.ts';
import { ownVariant } from '../wording/variants.ts';
import type {
  AttributeData,
  CoverageData,
  ReferenceData,
  SuiteData,
  TryData,
  ViewData,
} from './data.ts';

/** A row of the list. */
export interface TestRow {
  /** In addresses, as in `#test/capitals/canada`: the suite and the id. */
  key: string;
  status: { words: string; tone: Tone; rank: number };
  suite: SuiteData;
  /** Distinguishes suites of one name by their variants. */
  suiteName: string;
  reference: ReferenceData;
  base: TryData | null;
  head: TryData | null;
  answers: 'different answers' | 'the same answers';
  /** `fails` and a metric, for each that fails on the newest side. */
  failing: string[];
  /** Names of attributes. */
  attributes: string[];
  /** Lines of the prompt that the test holds. */
  lines: string[];
  /** Has a value if base's and head's scoring judge the same answer differently. */
  scoring: string[];
}

/** All tests, the worst first. */
export function viewerRows({ result, live }: ViewData): TestRow[] {
  const suites = [...result.suites, ...(live?.others ?? [])];
  const { scoring } = result;
  const names = suiteNames(suites);
  const attributes = [...result.attributes, ...(live?.attributes ?? [])];
  const attributesOf = namesByTest(
    attributes.flatMap((own) => own.references.map((id) => ({ of: own, id, name: own.name }))),
  );
  const linesOf = namesByTest(
    (result.coverage ?? []).flatMap((own) =>
      own.lines.flatMap((line) =>
        line.reference === null ? [] : [{ of: own, id: line.reference, name: lineName(line) }],
      ),
    ),
  );
  const flipped = new Set(
    scoring.flatMap((each) => each.flipped.map(({ id }) => JSON.stringify([promptKey(each), id]))),
  );
  return referenceEntries(suitesWorstFirst(suites))
    .map(({ suite, reference }): TestRow => {
      const { base, head } = exampleTries(reference, [{ onTry: lengthOf }]);
      const testKey = testKeyOf(suite, reference.id);
      const suiteName = names.get(suiteIdentity(suite)) ?? suite.name;
      return {
        key: `${encodeURIComponent(suiteName)}/${encodeURIComponent(reference.id)}`,
        status: rowStatus(reference),
        suite,
        suiteName,
        reference,
        base,
        head,
        answers: answersWords(reference),
        failing: failingIn(reference),
        attributes: attributesOf.get(testKey) ?? [],
        lines: linesOf.get(testKey) ?? [],
        scoring: flipped.has(JSON.stringify([promptKey(suite), reference.id]))
          ? ['judged differently']
          : [],
      };
    })
    .sort((a, b) => a.status.rank - b.status.rank || fallOf(b.reference) - fallOf(a.reference));
}

/** Names a line of a prompt in filters. */
export function lineName({
  unit: { file, lines, head_text: words },
}: CoverageData['lines'][number]) {
  return `${file}:${String(lines.from)} ${words ?? ''}`;
}

function lengthOf(made: object) {
  const { conversation } = made as TryData;
  return conversation ? { length: dialogueLength(conversation.turns) } : null;
}

function testKeyOf(suite: SuiteId, id: string): string {
  return JSON.stringify([suiteIdentity(suite), id]);
}

function namesByTest(
  named: readonly {
    of: Pick<AttributeData, 'path' | 'suite' | 'variant'>;
    id: string;
    name: string;
  }[],
): ReadonlyMap<string, string[]> {
  const names = new Map<string, string[]>();
  for (const { of, id, name } of named) {
    const key = testKeyOf({ ...of, name: of.suite }, id);
    names.set(key, [...(names.get(key) ?? []), name]);
  }
  return names;
}

/** Different names of suites. `evaldiff dev` keeps them as long as its variants. */
function suiteNames(suites: readonly SuiteData[]): Map<string, string> {
  const distinct = new Map(suites.map((suite) => [suiteIdentity(suite), suite]));
  const all = [...distinct.values()];
  const uses = new Map<string, number>();
  return new Map(
    [...distinct].map(([key, suite]) => {
      const words = [suite.name, ownVariant(suite, all)].filter(Boolean).join(', ');
      const use = (uses.get(words) ?? 0) + 1;
      uses.set(words, use);
      return [key, use === 1 ? words : `${words} (${String(use)})`];
    }),
  );
}

const STATUS_ORDER = Object.keys(STATUS_TONES);

function rowStatus({ status, base, head }: ReferenceData): TestRow['status'] {
  const sides = [base, head].filter((side) => side !== null);
  const isAsked = sides.length > 0 && sides.every(({ tries }) => tries.length > 0);
  return isAsked || status === 'removed'
    ? {
        words: statusWord(status),
        tone: STATUS_TONES[status],
        rank: STATUS_ORDER.indexOf(status),
      }
    : { words: 'not asked yet', tone: 'neutral', rank: STATUS_ORDER.length };
}

function failingIn({ base, head }: ReferenceData): string[] {
  const metrics = ((head ?? base)?.tries ?? []).flatMap((made) =>
    failedScores(made).map(({ metric }) => `fails ${metric}`),
  );
  return [...new Set(metrics)];
}

export function isOfSuite(attribute: AttributeData, suite: SuiteData): boolean {
  return suiteIdentity({ ...attribute, name: attribute.suite }) === suiteIdentity(suite);
}

export function answersWords({ base, head }: ReferenceData): TestRow['answers'] {
  return answersKey(base) === answersKey(head) ? 'the same answers' : 'different answers';
}

function answersKey(side: { tries: readonly WithParts[] } | null): string {
  const keys = (side?.tries ?? []).flatMap(({ parts }) => (parts ? [answerKey(parts)] : []));
  return JSON.stringify([...new Set(keys)].sort());
}

export interface Filter {
  /** The chosen value of each facet; absent or empty: any. */
  chosen: Readonly<Record<string, string>>;
  words: string;
}

export const NO_FILTER: Filter = { chosen: {}, words: '' };

interface Facet {
  name: string;
  any: string;
  valuesOf(test: TestRow): string[];
}

export const FACETS: readonly Facet[] = [
  { name: 'status', any: 'Any status', valuesOf: (test) => [test.status.words] },
  { name: 'suite', any: 'All suites', valuesOf: (test) => [test.suiteName] },
  { name: 'attribute', any: 'All attributes', valuesOf: (test) => test.attributes },
  { name: 'line', any: 'All lines', valuesOf: (test) => test.lines },
  { name: 'tag', any: 'All tags', valuesOf: (test) => test.reference.tags },
  { name: 'metric', any: 'Any metric', valuesOf: (test) => test.failing },
  { name: 'scoring', any: 'Any scoring', valuesOf: (test) => test.scoring },
  { name: 'answers', any: 'Any answers', valuesOf: (test) => [test.answers] },
];

export function passesFilter(test: TestRow, { chosen, words }: Filter): boolean {
  const wanted = words.trim().toLowerCase();
  return (
    FACETS.every(({ name, valuesOf }) => !chosen[name] || valuesOf(test).includes(chosen[name])) &&
    (wanted === '' || searchedText(test).includes(wanted))
  );
}

const searchedTexts = new WeakMap<TestRow, string>();

/** Every text of a test: input, answers, reasons, tags. */
function searchedText(test: TestRow): string {
  const known = searchedTexts.get(test);
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
  searchedTexts.set(test, text);
  return text;
}

const MOST_CHOICES = 200;

/** The values that occur, the most frequent first, with the number of their tests. */
export function choicesOf({ valuesOf }: Facet, tests: readonly TestRow[]): [string, number][] {
  const uses = new Map<string, number>();
  for (const value of tests.flatMap(valuesOf)) uses.set(value, (uses.get(value) ?? 0) + 1);
  return [...uses].sort(([, a], [, b]) => b - a).slice(0, MOST_CHOICES);
}
