import { weakInsights } from '../../../../src/features/attributes/insight.ts';
import { insights, weakBlocks, attributes } from '../../../../src/features/attributes/report.ts';
import type { AttributeResult } from '../../../../src/features/attributes/result.ts';
import type { Result } from '../../../../src/kernel/result/result.ts';
import { COMMENT_LEVELS } from '../../../../src/report/sections/detail.ts';
import { renderBlocks } from '../../../../src/report/terminal.ts';
import { renderComment, checkSummary, renderTerminal } from '../../../stand-ins/reports.ts';
import { sweepOfModels, withKinds } from '../../report/kinds.ts';
import { green, referenceOf, sideOf, suiteOf } from '../../report/results.ts';

const [detail] = COMMENT_LEVELS;
const wide = { width: 200, colour: false };
const shown = (result: Result, section = attributes, items = 50) =>
  renderBlocks(section(result, { ...detail!, collapsedItems: items }), wide);
const rowsOf = (text: string) => text.split('\n').map((line) => line.trim().split(/ {2,}/));
const changed = (change: (attribute: AttributeResult) => Partial<AttributeResult>): Result => {
  const result = withKinds();
  const all = result.attributes.map((attribute) => ({ ...attribute, ...change(attribute) }));
  return { ...result, attributes: all };
};

describe('attributes in a report', () => {
  const text = shown(withKinds());

  test('are summarized in one line', () => {
    expect(text.split('\n')[0]).toBe('Attributes: 1 regressed');
  });

  test('are listed if they regressed, with tests, rates and verdict', () => {
    const rates = ['100.0 % → 60.0 %', 'regressed'];
    expect(rowsOf(text)).toContainEqual(['Refunds and returns domain (20)', ...rates]);
    expect(text).not.toContain('Late or lost parcels');
  });

  test('that got worse together with a regressed attribute are listed below it', () => {
    expect(text).toContain(
      '- Refusing politely sub-task (100.0 % → 83.3 % over 22 tests) also fell and shares tests with Refunds and returns.',
    );
  });

  test('whose effects cannot be separated are listed as alternatives, and none of them is singled out', () => {
    const alternatives = [{ id: 'domain-2', shared: 9, of: 11 }];
    const unsure = shown(
      changed(({ id }) => ({
        verdict: id === 'domain-1' ? 'also fell' : 'no change found',
        ...(id === 'domain-1' ? { alternatives } : {}),
        explained_by: [],
      })),
    );
    expect(unsure).toContain(
      '- Refunds and returns domain or Late or lost parcels (100.0 % → 60.0 % over 20 tests) also fell: they share 9 of 11 tests.',
    );
    expect(unsure).toContain('so none is named.');
    expect(unsure).not.toContain('regressed');
  });

  test('that share references with the same regressed attribute are listed in one sentence with their rates', () => {
    const moved: Record<string, Partial<AttributeResult>> = {
      'Naming the next step': { base: 1, head: 0.9, difference: -0.1 },
      'Product advice': { base: 0.5, head: 0.75, difference: 0.25, verdict: 'also rose' },
    };
    const neighbours = changed(({ name }) =>
      name in moved
        ? {
            explained_by: ['domain-1'],
            n: 20,
            verdict: 'also fell',
            ...moved[name],
          }
        : {},
    );
    const line = (items?: number) => shown(neighbours, attributes, items).replace(/\s+/g, ' ');
    expect(line()).toContain(
      '- Refusing politely sub-task (100.0 % → 83.3 % over 22 tests), Naming the next step sub-task (100.0 % → 90.0 % over 20 tests) also fell and share tests with Refunds and returns. - Product advice domain (50.0 % → 75.0 % over 20 tests) also rose and shares tests with Refunds and returns.',
    );
    expect(line(1)).toContain(
      'over 22 tests) and 1 more also fell and share tests with Refunds and returns. and 1 more.',
    );
  });

  test('with too few references are counted but not listed', () => {
    const none = { verdict: 'too few' as const, difference: -1, head: 0, explained_by: [] };
    const few = shown(changed(() => none));
    expect(few).toContain(
      'Not compared: 11 attributes that too few tests have or too few tests lack.',
    );
    expect(few).not.toMatch(/Refunds|Praise|Refusing|No change found in/);
    expect(text).toContain(
      'Not compared: 1 attribute that too few tests have or too few tests lack.',
    );
  });

  test('show how often skills of a changed sub-task were misused, and say that lower is better', () => {
    expect(text).not.toContain('Other skills');
    const moved = shown(
      changed(({ kind }) => (kind === 'subtask' ? { verdict: 'regressed' } : {})),
    );
    const rates = ['100.0 % → 83.3 %', '18.0 % → 45.3 %', 'regressed'];
    expect(rowsOf(moved)).toContainEqual(['Refusing politely sub-task (22)', ...rates]);
    expect(moved).toContain('lower is better');
  });

  test('say that nothing changed if no attribute changed', () => {
    const same = shown(changed(() => ({ verdict: 'no change found', explained_by: [] })));
    expect(same).toContain('No change found in any of them.');
  });

  test('of several suites include the suite name', () => {
    const result = withKinds();
    const other = green().suites[0]!;
    const { path, name: suite, variant } = other;
    const own = { ...result.attributes[0]!, path, suite, variant };
    const suites = [...result.suites, other];
    const two = shown({ ...result, suites, attributes: [...result.attributes, own] });
    expect(two).toContain('Refunds and returns domain of triage');
    expect(two).toContain('Refunds and returns domain of capitals');
  });

  test.each([
    ['comment', (result) => renderComment(result, { marker: '<!-- m -->' })],
    ['check', checkSummary],
    ['terminal', (result) => renderTerminal(result, { width: 160, colour: false })],
  ])('appear in the %s', (_, render) => {
    const output = render(withKinds());
    expect(output).toContain('Attributes: 1 regressed');
    expect(output).toContain('Refunds and returns');
    expect(output).toContain('between −51.2 and −28.8');
    expect(output).toContain('2 insights');
    expect(output).toContain('fixes 3 of 3 tests and broke none of 12 others that passed');
  });
});

describe('insights in a report', () => {
  test('list the references on which they are based', () => {
    expect(shown(withKinds(), insights)).toContain('tests. (mail-001, mail-013, mail-019)');
  });

  test('show the change that was tested, with its file and line', () => {
    const text = shown(withKinds(), insights);
    expect(text.split('\n')[0]).toBe('2 insights');
    expect(text).toContain('- Be firm about the thirty days.');
    expect(text).toContain('+ Be firm about the thirty days, unless goods came broken.');
    expect(text).toContain('prompts/triage.yaml:9');
  });

  test('say why no change was proven', () => {
    const insight = { ...withKinds().insights[0]!, fix: null, no_fix: '30 calls were used up' };
    const text = shown({ ...withKinds(), insights: [insight] }, insights);
    expect(text).toMatch(/^no insight\n/);
    expect(text).toContain('No fix is proven: 30 calls were used up.');
    expect(text).not.toContain('A model wrote');
  });
});

test('attributes are left out if none changed and no suite is red', () => {
  const quiet = changed(() => ({ verdict: 'no change found' }));
  expect(shown(quiet)).toContain('no attribute is named as worse');
  const suites = quiet.suites.map((suite) => ({ ...suite, verdict: 'unchanged' as const }));
  expect(shown({ ...quiet, suites })).toBe('');
});

describe('a sweep', () => {
  const [own] = sweepOfModels().attributes;
  /** Of 24 tests, the first `fails` fail, and the first `n` have the attribute. */
  const swept = (fails: number, n: number, model = 'second'): Result => {
    const references = Array.from({ length: 24 }, (_, at) => {
      const outcome = at < fails ? 'fail' : 'pass';
      return referenceOf(`r${String(at)}`, outcome, {
        head: sideOf([{ outcome, actual: 'Oslo' }]),
      });
    });
    const suite = suiteOf('capitals', references, { variant: { model, parameters: {} } });
    const rivers = {
      ...own!,
      ...{ suite: suite.name, path: suite.path, variant: suite.variant, id: 'rivers', n },
      ...{ name: 'Rivers', head: Math.max(0, n - fails) / n },
      references: references.slice(0, n).map(({ id }) => id),
    };
    const found = weakInsights(suite, [rivers]);
    return { ...sweepOfModels(), suites: [suite], attributes: [rivers], insights: found };
  };

  test.each([
    [
      'all its tests',
      8,
      8,
      'capitals is weak in Rivers (0 % of 8 tests pass). For example, r0: Oslo',
    ],
    ['most of its tests', 6, 8, 'capitals is weak in Rivers (25 % of 8 tests pass). For example,'],
    ['too few tests', 3, 3, ''],
    ['a share that may be chance', 6, 24, ''],
    ['no test', 0, 8, ''],
  ])('names an attribute that fails in %s', (_, fails, n, words) => {
    expect(shown(swept(fails, n), weakBlocks)).toContain(words);
    expect(shown(swept(fails, n), weakBlocks) === '').toBe(words === '');
  });

  test('names the model that is weak, in its first lines', () => {
    const [one, two] = [swept(8, 8), swept(0, 8, 'first')];
    const both = { ...one, suites: [...two.suites, ...one.suites] };
    const [top] = renderComment(both).split('<details>');
    expect(top).toContain('`capitals, second` is weak in **Rivers**');
  });
});

test('attributes of a sweep are listed with their pass rate and without a verdict', () => {
  const text = shown(sweepOfModels());
  expect(text.split('\n')[0]).toBe('11 attributes');
  expect(text).toContain('lower is better');
  expect(text).not.toMatch(/Verdict|too few|no change found/);
});
