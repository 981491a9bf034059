import type { Result } from '../../../src/kernel/result/result.ts';
import type { SuiteResult } from '../../../src/kernel/result/suite-result.ts';
import { renderComment } from '../../stand-ins/reports.ts';
import { failed, passed, referenceOf, resultOf, suiteOf } from '../report/results.ts';

/** Heading and lines at the top of the comment, above the first table or fold. */
function topOf(result: Result) {
  const [, ...lines] = renderComment(result).split('\n');
  const end = lines.findIndex((line) => /^(<|\*\*|```)/.test(line));
  return lines.slice(0, end).filter((line) => line !== '');
}

const many = (count: number, prefix = 'ok') =>
  Array.from({ length: count }, (_, at) =>
    referenceOf(`${prefix}${at}`, 'unchanged', {
      base: passed('x', 'x'),
      head: passed('x', 'x'),
    }),
  );
const fixed = (id: string) =>
  referenceOf(id, 'fixed', { base: failed('x', 'x'), head: passed('y', 'y') });
const fell = (id: string) =>
  referenceOf(id, 'regressed', { base: passed('x', 'x'), head: failed('y', 'y') });
const added = (id: string, side: typeof passed) =>
  referenceOf(id, 'added', { head: side('x', 'x') });
const removed = (id: string, tags: string[] = []) => referenceOf(id, 'removed', { tags });
const named = (...ids: string[]): Result['reasons'] => [
  { code: 'removed', named: ids.map((id) => `prompts/answer.yaml: ${id}`), fails: false },
];
/** An unchanged suite with the rates of the tests that both sides have. */
const quiet = (name: string, references: SuiteResult['references']) => {
  const { pass_rate } = suiteOf(
    name,
    references.filter(({ base }) => base !== null),
  );
  return suiteOf(name, references, { pass_rate, compared: { references: 26, tries: 2 } });
};

const route = quiet('route', [...many(23), ...['t05', 't12', 't20'].map(fixed)]);
const answer = [
  added('new1', failed),
  added('new2', failed),
  added('new3', passed),
  added('new4', passed),
];
const gone = [removed('cone6', ['critical']), removed('wash', ['critical']), removed('kiln')];
const red = (name: string, broken: number, of: number) =>
  suiteOf(
    name,
    [...many(of - broken), ...Array.from({ length: broken }, (_, at) => fell(`r${at}`))],
    { verdict: 'regressed' },
  );

describe('headlines of fixed, new and deleted tests', () => {
  test('name failing new tests, even if everything else is green', () =>
    expect(topOf(resultOf({ suites: [quiet('answer', [...many(12), ...answer])] }))).toEqual([
      '### ➖ New: 4 tests, 2 fail (`new1`, `new2`)',
      'No regression: `answer` 100 → 100 %.',
    ]));

  test('count new tests once, however many variants of a suite run them', () => {
    const suite = quiet('answer', [...many(12), ...answer]);
    const suites = [suite, { ...suite, variant: { ...suite.variant, model: 'other' } }];
    expect(topOf(resultOf({ suites }))[0]).toBe('### ➖ New: 4 tests, 2 fail (`new1`, `new2`)');
  });

  test('show which tests of a first pull request fail', () =>
    expect(
      topOf(
        resultOf({
          suites: [
            suiteOf('order', answer, { verdict: 'new', compared: { references: 0, tries: 0 } }),
          ],
        }),
      ),
    ).toEqual(['### ➖ New: 4 tests, 2 fail (`new1`, `new2`)', 'Nothing to compare with yet.']));

  test('name deleted critical tests if nothing else ran', () => {
    const outcome = { kind: 'only-removed', references: 3 } as const;
    const reasons: Result['reasons'] = [{ code: 'no-test' }, ...named('cone6', 'wash', 'kiln')];
    const suites = [suiteOf('answer', gone, { verdict: 'no_data' })];
    const result = resultOf({ outcome, reasons, suites, conclusion: 'neutral' });
    expect(topOf(result)[0]).toBe('### ➖ Deleted: 3 tests, 2 of them critical (`cone6`, `wash`)');
    expect(renderComment(result)).not.toMatch(/newly skipped or quarantined|No test ran/);
  });

  test('do not call newly skipped tests deleted', () => {
    const [first, ...others] = many(4);
    const suites = [{ ...quiet('answer', [{ ...first!, skip: true }, ...others]) }];
    expect(topOf(resultOf({ suites, reasons: named('ok0') }))).toContain('Skipped: 1 test (`ok0`)');
    const kept = [{ ...quiet('answer', [{ ...first!, quarantined: true }, ...others]) }];
    expect(topOf(resultOf({ suites: kept, reasons: named('ok0') }))).toContain(
      'Quarantined: 1 test (`ok0`)',
    );
  });

  test('name tests that disappeared from a suite that is not in the result', () => {
    const suites = [quiet('answer', many(4))];
    expect(topOf(resultOf({ suites, reasons: named('elsewhere') }))).toContainEqual(
      expect.stringMatching(/^Deleted, skipped or quarantined: 1 test \(.*elsewhere/),
    );
  });

  test('name the setting that fails the run', () => {
    const reasons = [{ ...named('kiln')[0]!, fails: true } as Result['reasons'][0]];
    const suites = [quiet('answer', [...many(3), removed('kiln')])];
    expect(topOf(resultOf({ suites, reasons, conclusion: 'failure' }))[0]).toBe(
      '### ❌ Deleted: 1 test (`kiln`), and `gate.removed` is `fail`',
    );
  });

  test('list all other facts below the worst one', () => {
    const suites = [
      red('support', 6, 20),
      red('tags', 2, 8),
      route,
      quiet('answer', [...many(12), ...answer, ...gone]),
    ];
    const result = resultOf({
      suites,
      reasons: named('cone6', 'wash', 'kiln'),
      conclusion: 'failure',
    });
    expect(topOf(result)).toEqual([
      '### ❌ Regressed: `support`, `tags`',
      '- `support` 100 → 70 %: 6 of 20 tests broke',
      '- `tags` 100 → 75 %: 2 of 8 tests broke',
      '- Fixed: 3 of 26 tests of `route` (`t05`, `t12`, `t20`): 0 of 6 → 6 of 6 answers pass',
      '- New: 4 tests, 2 fail (`new1`, `new2`)',
      '- Deleted: 3 tests, 2 of them critical (`cone6`, `wash`)',
    ]);
  });
});

describe('a green comment', () => {
  const green = (changes: Partial<SuiteResult>) =>
    topOf(resultOf({ suites: [suiteOf('route', many(26), changes)] }));
  const rates = (base: number, head: number, low: number): Partial<SuiteResult> => ({
    pass_rate: { base, head, difference: head - base, low, high: 0.1, p: 0.3 },
  });

  test('names the largest drop that could have gone unnoticed, or says that the suite is too small', () => {
    expect(green(rates(0.946, 0.9, -0.097))).toEqual([
      '### ✅ No regression: `route` 95 → 90 %',
      'A drop of 10 points or less could go unnoticed.',
    ]);
    expect(green(rates(0.1, 0.1, -0.3))[1]).toBe('A drop of 10 points or less could go unnoticed.');
    expect(green({ ...rates(1, 1, -1), compared: { references: 1, tries: 5 } })).toEqual([
      '### ✅ No change found: `route` 100 → 100 %',
      '1 test is too few: even a large drop could go unnoticed.',
    ]);
  });

  test('shows decimals only if whole percents would hide the change', () => {
    expect(green(rates(0.952, 0.948, -0.03))[0]).toBe(
      '### ✅ No regression: `route` 95.2 → 94.8 %',
    );
    expect(green(rates(1, 0.996, -0.03))[0]).toBe('### ✅ No regression: `route` 100 → 99.6 %');
    expect(green(rates(0.004, 0.006, -0.03))[0]).toBe('### ✅ No regression: `route` 0.4 → 0.6 %');
  });
});
