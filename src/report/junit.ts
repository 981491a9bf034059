import { formatProblem } from '../errors.ts';
import {
  countsForVerdict,
  failingMetrics,
  isNew,
  isNewFailing,
  isNewUnproven,
  type MeasuredMetric,
} from '../kernel/result/counts.ts';
import type { ReferenceResult, ReferenceStatus } from '../kernel/result/reference-result.ts';
import type { Result } from '../kernel/result/result.ts';
import type { SuiteResult } from '../kernel/result/suite-result.ts';
import { escapeMarkup, shorten } from '../text/visible.ts';
import type { Problem } from '../types/plain.ts';
import { numberInWords } from '../wording/figures.ts';
import { reasonsInWords } from '../wording/reasons.ts';
import { suiteFacts } from '../wording/suite-facts.ts';
import { ownVariant } from '../wording/variants.ts';
import { suiteSentence } from '../wording/verdicts.ts';
import { plainWords } from '../wording/words.ts';
import { placeText } from './sections/document.ts';
import { shortFace } from './sections/faces.ts';
import type { Reports } from './sections/feature-report.ts';
import { referenceWords } from './sections/order.ts';
import { rolledUpWords, sidesPassWords, statusWord } from './sections/phrases.ts';

/** In UTF-16 units, for one answer or reason. */
const MAX_FAILURE_PART = 4_000;

export interface CaseEnding {
  /** `system-out`: for a case that passes but has a useful message. */
  element: 'failure' | 'error' | 'skipped' | 'system-out';
  type: string;
  message: string;
  body: string;
}

/** Writes JUnit XML in Jenkins' schema: a suite per prompt and variant, a case per reference. */
export function renderJunit(result: Result, reports: Reports): string {
  const own = [
    ...(result.problems.length === 0 ? [] : [problemsSuite(result.problems)]),
    ...result.suites.map((suite) => suiteElement(suite, result, reports)),
  ];
  const suites = [...runSuite(result, own), ...own, ...featureSuites(result, reports)];
  const sum = (key: keyof TestCounts) =>
    suites.reduce((total, { counts }) => total + counts[key], 0);
  const tests = sum('tests');
  const failures = sum('failures');
  const errors = sum('errors');
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites${xmlAttributes({ name: 'evaldiff', tests, failures, errors })}>`,
    ...suites.map(({ xml }) => xml),
    '</testsuites>',
    '',
  ].join('\n');
}

function runSuite(result: Result, own: readonly Element[]): Element[] {
  const { conclusion, title, reasons, suites } = result;
  const [first] = reasons;
  if (conclusion !== 'failure' && conclusion !== 'error') return [];
  const { outcome } = result;
  const isPool = outcome.kind === 'regressed' && outcome.pool !== undefined;
  const isShown = own.some(({ counts }) => counts.failures + counts.errors > 0);
  if (isShown && !isPool) return [];
  const named = first !== undefined && 'suite' in first ? first.suite : null;
  const about = suites.find(({ name }) => name === named);
  const ending: CaseEnding = {
    element: conclusion,
    type: 'run',
    message: title,
    body: [
      ...(about === undefined ? [] : [placeText({ file: about.path, line: 1 })]),
      ...reasonsInWords(result),
    ].join('\n'),
  };
  const name = isPool ? 'all suites' : 'gate';
  return [element({ name: 'evaldiff' }, [{ name, ending }])];
}

function featureSuites(result: Result, reports: Reports): Element[] {
  const found = reports.flatMap(({ cases }) => cases?.(result) ?? []);
  return found
    .filter(({ cases }) => cases.length > 0)
    .map(({ name: suite, cases }) =>
      element(
        { name: suite },
        cases.map(({ name, unmet: message }) => ({
          name,
          ending:
            message === null ? null : { element: 'skipped', type: 'unmet', message, body: '' },
        })),
      ),
    );
}

interface TestCounts {
  tests: number;
  failures: number;
  errors: number;
  skipped: number;
}

interface Element {
  xml: string;
  counts: TestCounts;
}

interface CaseRules {
  failOn: Result['gate']['fail_on'];
  /** Whether new references that fail make the run red. Null in a sweep, where nothing is new. */
  newFails: boolean | null;
}

function caseRules({ gate }: SuiteResult, { gate: all, mode }: Result): CaseRules {
  const failOn = gate?.fail_on ?? all.fail_on;
  const newFails = failOn === 'failure' || (failOn !== 'never' && all.new === 'fail');
  return { failOn, newFails: mode === 'sweep' ? null : newFails };
}

/**
 * CI systems identify a case by class and name. The class includes the variant only if suite names
 * repeat.
 */
function suiteElement(suite: SuiteResult, result: Result, reports: Reports): Element {
  const variant = ownVariant(suite, result.suites);
  const name = variant === '' ? suite.name : `${suite.name} [${variant}]`;
  const cases = referenceCases(suite, result, reports);
  const own = suiteEnding(suite, cases);
  const verdictOf = suite.reason?.by === 'values' ? 'values' : 'pass rate';
  const means =
    caseRules(suite, result).failOn === 'never' || suite.reason?.by === 'values'
      ? []
      : failingMetrics(suite);
  return element(
    { name, file: suite.path },
    [
      ...(own === null ? [] : [{ name: verdictOf, ending: own }]),
      ...means.map((metric) => ({
        name: `mean of ${metric.name}`,
        ending: meanEnding(suite, metric),
      })),
      ...cases,
    ],
    suiteFacts(suite, result).map(({ word, words }) => `${word}: ${plainWords(words)}`),
  );
}

interface TestCase {
  name: string;
  ms?: number;
  ending: CaseEnding | null;
}

interface ReferenceCase extends TestCase {
  reference: ReferenceResult;
  ms: number;
}

export function referenceCases(
  suite: SuiteResult,
  result: Result,
  reports: Reports,
): ReferenceCase[] {
  const rules = caseRules(suite, result);
  return suite.references.map((reference) => ({
    reference,
    name: shortFace(reference),
    ms: (reference.head?.tries ?? []).reduce((sum, { latency_ms }) => sum + (latency_ms ?? 0), 0),
    ending: caseEnding(reference, suite, rules, reports),
  }));
}

function suiteEnding(suite: SuiteResult, cases: readonly TestCase[]): CaseEnding | null {
  const { path, verdict } = suite;
  if (verdict !== 'regressed' || cases.some(({ ending }) => ending?.element === 'failure'))
    return null;
  return {
    element: 'failure',
    type: 'regressed',
    message: `regressed: ${sentenceOf(suite)}`,
    body: `${placeText({ file: path, line: 1 })}\n${sentenceOf(suite)}`,
  };
}

function sentenceOf(suite: SuiteResult): string {
  return plainWords(suiteSentence(suite, { isOnly: true }));
}

function meanEnding(suite: SuiteResult, { name, values }: MeasuredMetric): CaseEnding {
  const words = numberInWords(name, values);
  const message = values.share === undefined ? `the mean of ${words}; gate.metrics is fail` : words;
  const place = placeText({ file: suite.path, line: 1 });
  const body = [place, message, sentenceOf(suite)].join('\n');
  return { element: 'failure', type: 'metric', message, body };
}

function problemsSuite(problems: readonly Problem[]): Element {
  return element(
    { name: 'configuration' },
    problems.map((problem) => {
      const name = formatProblem(problem);
      const { message } = problem;
      return { name, ending: { element: 'error', type: 'configuration', message, body: name } };
    }),
  );
}

type Attributes = Record<string, string | number>;

function endingElement({ element: name, type, message, body }: CaseEnding): string {
  if (name === 'system-out') return `<system-out>${escapeMarkup(message)}</system-out>`;
  const own = xmlAttributes({ type, message: shorten(message, MAX_FAILURE_PART) });
  return `<${name}${own}>${escapeMarkup(body)}</${name}>`;
}

function element(
  own: Attributes & { name: string },
  cases: readonly TestCase[],
  facts: readonly string[] = [],
): Element {
  const of = (kind: CaseEnding['element']) =>
    cases.filter(({ ending }) => ending?.element === kind).length;
  const counts: TestCounts = {
    tests: cases.length,
    failures: of('failure'),
    errors: of('error'),
    skipped: of('skipped'),
  };
  const xml = [
    `  <testsuite${xmlAttributes({ ...own, ...counts })}>`,
    ...cases.map(({ name, ms, ending }) => {
      const time = ms === undefined ? {} : { time: (ms / 1000).toFixed(3) };
      const start = `    <testcase${xmlAttributes({ name, classname: own.name, ...time })}`;
      return ending === null
        ? `${start}/>`
        : `${start}>\n      ${endingElement(ending)}\n    </testcase>`;
    }),
    ...(facts.length === 0
      ? []
      : [`    <system-out>${escapeMarkup(facts.join('\n'))}</system-out>`]),
    '  </testsuite>',
  ].join('\n');
  return { xml, counts };
}

function caseEnding(
  reference: ReferenceResult,
  suite: SuiteResult,
  { failOn, newFails }: CaseRules,
  reports: Reports,
): CaseEnding | null {
  const { status } = reference;
  const isAdded = newFails !== null && isNew(reference, suite);
  const ending = (element: CaseEnding['element'], message: string) => ({
    element,
    type: isAdded ? 'new' : status,
    message,
    body: [placeText(reference), ...referenceWords(reference, MAX_FAILURE_PART, reports)].join(
      '\n',
    ),
  });
  const counts = `${sidesPassWords(reference)}${rolledUpWords(reference, suite)}`;
  const aside = asideWords(reference, counts);
  if (aside !== null) return ending('skipped', aside);
  const fresh = isAdded ? newFailureOf(reference, suite, { failOn, newFails }) : null;
  if (fresh !== null) return ending(fresh.element, `${fresh.words}: ${counts}`);
  const failure = failureOf(reference, suite, failOn);
  if (failure !== null) return ending('failure', `${failure}: ${counts}`);
  if (status === 'error') return ending('error', firstTryError(reference));
  if (isAdded) return ending('system-out', `new: ${counts}`);
  const skipped = SKIPPED[status];
  if (skipped !== undefined) return ending('skipped', `${skipped}: ${counts}`);
  return BETTER_PROPERTY.has(status)
    ? ending('system-out', `${statusWord(status)}: ${counts}`)
    : null;
}

function newFailureOf(
  reference: ReferenceResult,
  suite: SuiteResult,
  { failOn, newFails }: CaseRules,
): { element: CaseEnding['element']; words: string } | null {
  if (isNewFailing(reference, suite))
    return { element: newFails === true ? 'failure' : 'skipped', words: 'new, and fails' };
  return isNewUnproven(reference, suite) && failOn !== 'failure'
    ? { element: 'skipped', words: 'new, failed some tries' }
    : null;
}

const SKIPPED: Readonly<Partial<Record<ReferenceStatus, string>>> = {
  regressed: 'got worse, but not enough to call the suite regressed',
  ungraded: 'not judged',
};

const BETTER_PROPERTY: ReadonlySet<ReferenceStatus> = new Set(['fixed', 'improved', 'rose']);

function asideWords(reference: ReferenceResult, counts: string): string | null {
  const { status, tags } = reference;
  if (status === 'removed')
    return `deleted by this change${tags.includes('critical') ? ', and was critical' : ''}`;
  return countsForVerdict(reference)
    ? null
    : `shown, does not gate: ${statusWord(status)}, ${counts}`;
}

function failureOf(
  { status, head }: ReferenceResult,
  { verdict }: SuiteResult,
  failOn: CaseRules['failOn'],
): string | null {
  if (status === 'fell') return 'fell with its suite';
  const fails = failOn === 'failure' && head?.rollup === 'fail';
  if (status === 'fail' || (status === 'regressed' && (verdict === 'regressed' || fails)))
    return statusWord(status);
  return fails ? 'failed on head' : null;
}

function firstTryError({ base, head }: ReferenceResult): string {
  const tries = [...(head?.tries ?? []), ...(base?.tries ?? [])];
  return tries.find(({ error }) => error !== null)?.error ?? 'no try could be judged';
}

/** Escapes line feeds and tabs, which XML parsers turn into blanks. */
function xmlAttributes(values: Attributes): string {
  return Object.entries(values)
    .map(
      ([name, value]) =>
        ` ${name}="${escapeMarkup(String(value)).replaceAll('\n', '&#10;').replaceAll('\t', '&#9;')}"`,
    )
    .join('');
}
