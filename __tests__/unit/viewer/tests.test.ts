import type { SuiteResult } from '../../../src/kernel/result/suite-result.ts';
import type { ViewData } from '../../../src/viewer/data.ts';
import { FACETS, viewerRows } from '../../../src/viewer/tests.ts';
import { withKinds } from '../report/kinds.ts';
import { passed, referenceOf, resultOf, suiteOf } from '../report/results.ts';

const rowsOf = (suites: SuiteResult[], others: SuiteResult[] = []) =>
  viewerRows({
    result: resultOf({ suites }),
    live: { others, attributes: [], prompts: [], notes: [] },
  } as unknown as ViewData);

describe('the rows of the viewer', () => {
  const asked = { base: passed('yes'), head: passed('yes') };
  const unasked = referenceOf('unasked', 'inconclusive', { base: null, head: null });

  test('are worst first, and without answers last', () => {
    const suite = suiteOf('two', [
      unasked,
      referenceOf('same', 'unchanged', asked),
      referenceOf('open', 'inconclusive', asked),
      referenceOf('worse', 'regressed', asked),
      referenceOf('gone', 'removed', { base: null, head: null }),
    ]);
    const rows = rowsOf([suite], [suiteOf('one', [unasked])]);
    expect(rows.map(({ status }) => status.words)).toEqual([
      'regressed',
      'unclear',
      'removed',
      'unchanged',
      'not asked yet',
      'not asked yet',
    ]);
  });

  test('have a key that stays if a suite is compared or not, and differs between suites', () => {
    const suite = (model: string, path = 'p') => ({
      ...suiteOf('two', [referenceOf('a/b', 'unchanged', asked)]),
      path,
      variant: { model, parameters: {} },
    });
    const keys = rowsOf([suite('x')], [suite('y'), suite('y', 'q')]).map(({ key }) => key);
    expect(new Set(keys).size).toBe(3);
    expect(keys).toContain('two%2C%20x/a%2Fb');
    expect(rowsOf([], [suite('x'), suite('y'), suite('y', 'q')]).map(({ key }) => key)).toEqual(
      expect.arrayContaining(keys),
    );
  });

  test('show the shortest dialogue that fails, as the comment does', () => {
    const reference = referenceOf('a', 'regressed', { base: passed('yes'), head: passed('no') });
    const { head } = reference;
    const tries = ['Where is the blue coat?', 'Where?'].flatMap((question, at) =>
      (head?.tries ?? []).slice(0, 1).map((made) => ({
        ...{ ...made, try: at, outcome: 'fail' as const },
        conversation: { turns: [{ question, answer: 'Here.' }] },
      })),
    );
    const [row] = rowsOf([
      suiteOf('one', [{ ...reference, head: { ...head, tries } as typeof head }]),
    ]);
    expect(row?.head?.try).toBe(1);
  });

  test('can be chosen by the line of the prompt that they hold', () => {
    const suite = suiteOf(
      'two',
      ['a', 'b'].map((id) => referenceOf(id, 'unchanged', asked)),
    );
    const unit = { file: 'p.yaml', lines: { from: 7, to: 7 }, head_text: 'Be brief.' };
    const lines = [
      { reference: 'b', unit },
      { reference: null, unit: { ...unit, head_text: 'Be kind.' } },
    ];
    const { path, name, variant } = suite;
    const coverage = [{ path, suite: name, variant, lines }];
    const rows = viewerRows({
      result: { ...resultOf({ suites: [suite] }), coverage },
    } as unknown as ViewData);
    const facet = FACETS.find((own) => own.name === 'line');
    const held = rows.filter((row) => facet?.valuesOf(row).includes('p.yaml:7 Be brief.'));
    expect(held.map(({ reference }) => reference.id)).toEqual(['b']);
    expect(rows.flatMap((row) => facet?.valuesOf(row) ?? [])).toHaveLength(1);
  });

  test.each([
    ['compared', (result: ReturnType<typeof withKinds>) => ({ result })],
    [
      'stored',
      (result: ReturnType<typeof withKinds>) => ({
        result: { ...result, suites: [], attributes: [] },
        live: { others: result.suites, attributes: result.attributes },
      }),
    ],
  ])('of a %s result can be chosen by attribute', (_, view) => {
    const result = withKinds(12);
    const rows = viewerRows(view(result) as unknown as ViewData);
    const facet = FACETS.find(({ name }) => name === 'attribute');
    for (const { name, references } of result.attributes)
      expect(rows.filter((row) => facet?.valuesOf(row).includes(name))).toHaveLength(
        references.length,
      );
  });
});
