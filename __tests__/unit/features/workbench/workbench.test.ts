import { matricesOf } from '../../../../src/features/workbench/workbench-rows.ts';
import { boardOf } from '../../../../src/features/workbench/workbench.ts';
import type { Result } from '../../../../src/kernel/result/result.ts';
import type { SuiteResult } from '../../../../src/kernel/result/suite-result.ts';
import { REPORTS } from '../../../stand-ins/reports.ts';
import { withKinds } from '../../report/kinds.ts';
import { referenceOf, resultOf, sideOf, suiteOf, passed } from '../../report/results.ts';

const board = (result: Result, all: Result | null = null) =>
  boardOf({
    result,
    all,
    reports: REPORTS,
    matrices: matricesOf(result, all),
    missing: false,
    notes: [],
    empty: [],
  });

describe('workbench board', () => {
  test.each([
    ['compared', (result: Result) => board(result)],
    ['stored', (result: Result) => board({ ...result, suites: [], attributes: [] }, result)],
  ])('offers each attribute of a %s result as a filter of references', (_, drawn) => {
    const result = withKinds(12);
    const { choices, matrices } = drawn(result);
    const rows = matrices.flatMap((matrix) => matrix.rows);
    const named = new Map(
      [...choices.matchAll(/<option value="([^"]+)">([^<]+)<\/option>/g)].map(
        ([, value = '', words = '']) => [words.replace(/ \(\d+\)$/, ''), value],
      ),
    );
    expect(result.attributes.length).toBeGreaterThan(0);
    for (const { name, references } of result.attributes)
      expect([
        name,
        rows.filter(({ kinds }) => kinds.includes(named.get(name) ?? '')).length,
      ]).toEqual([name, references.length]);
  });

  test('compares variants with the same adjusted p-values as the ranking', () => {
    // Five of forty references differ, all in one direction: p = 1/32, and twice that for two
    // variants.
    const suite = (model: string, from: number) =>
      suiteOf(
        'capitals',
        Array.from({ length: 40 }, (_, at) => {
          const outcome = at >= from && at < from + 5 ? 'fail' : 'pass';
          const head = sideOf([{ outcome, actual: 'x' }]);
          return referenceOf(`q${at}`, outcome, { base: null, head, p: null, q: null });
        }),
        { variant: { model, parameters: {} }, verdict: 'not_compared' },
      );
    const of = (...suites: SuiteResult[]) =>
      board(resultOf({ mode: 'sweep', base: null, title: '', suites })).matrices[0]?.head;
    const best = suite('best', 40);
    expect(of(best, suite('one', 0))).toContain('one is worse than best');
    const two = of(best, suite('one', 0), suite('two', 5));
    expect(two).toContain('one is not distinguishable from best');
    expect(two).toContain('two is not distinguishable from best');
  });

  test('lists the worst reference first and references without answers last', () => {
    const side = passed('yes');
    const asked = { base: side, head: side };
    const rows = [
      referenceOf('unasked', 'inconclusive'),
      referenceOf('same', 'unchanged', asked),
      referenceOf('open', 'inconclusive', asked),
      referenceOf('worse', 'regressed', asked),
    ];
    const result = resultOf({ suites: [suiteOf('one', rows.slice(0, 1)), suiteOf('two', rows)] });
    const { matrices, choices } = board(result);
    expect(matrices.flatMap((matrix) => matrix.rows).map(({ status }) => status)).toEqual([
      'regressed',
      'inconclusive',
      'unchanged',
      'not-asked',
      'not-asked',
    ]);
    expect(choices).toMatch(/value="inconclusive" checked> [^<]*\(1\)/);
    expect(choices).toContain('value="not-asked" checked> not asked yet (2)');
  });

  test('distinguishes references of a removed prompt from references without answers', () => {
    const gone = referenceOf('gone', 'removed', { base: null, head: null });
    const open = referenceOf('open', 'inconclusive', { base: null, head: null });
    const suite = (model: string, rows: (typeof gone)[]) =>
      suiteOf('p', rows, { variant: { model, parameters: {} } });
    const statuses = (...suites: SuiteResult[]) =>
      board(resultOf({ suites })).matrices.flatMap(({ rows }) => rows.map(({ status }) => status));
    expect(statuses(suite('m', [gone, open]))).toEqual(['removed', 'not-asked']);
    // A reference removed for only one model still counts as unasked for the other.
    expect(statuses(suite('m', [gone]), suite('n', [{ ...open, id: 'gone' }]))).toEqual([
      'not-asked',
    ]);
  });
});
