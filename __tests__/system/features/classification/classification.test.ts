import type { Json } from '../../../../src/types/plain.ts';
import { metric, project, reference, settings, suite } from '../../../unit/app/run/builders.ts';
import { runPipeline } from '../../app/run/pipeline.ts';

const exact = (given: Record<string, Json> = {}) =>
  metric('exact', { source: { kind: 'built-in', uses: 'exact_match', with: given } });

function mails(wording: string, expected: readonly Json[], given: Record<string, Json> = {}) {
  const references = expected.map((label, index) => reference(`r${index}`, { expected: label }));
  const messages = [
    {
      role: 'user' as const,
      content: `${wording} {q}`,
      place: { file: 'prompts/p.yaml', line: 6 },
    },
  ];
  return project(
    [suite({ prompt: { messages }, tests: { metrics: [exact(given)], references } })],
    { settings: settings({ n_tries: 1 }) },
  );
}

/** Answers of base and head, by reference. */
async function classified(
  expected: readonly Json[],
  base: readonly string[],
  head: readonly string[],
  given: Record<string, Json> = {},
) {
  const { result } = await runPipeline(
    mails('Old', expected, given),
    mails('New', expected, given),
    (_, text) => {
      return (text.startsWith('Old') ? base : head)[Number(/r(\d+)$/.exec(text)?.[1])] ?? '';
    },
  );
  return result.suites[0]?.classification;
}

describe('a suite that expects labels', () => {
  // Confusion of scikit-learn's user guide: y_true [0, 1, 2, 2, 0], y_pred [0, 0, 2, 1, 0] of
  // classification_report.
  const truth = ['class 0', 'class 1', 'class 2', 'class 2', 'class 0', 'class 1'];
  const said = ['class 0', 'class 0', 'class 2', 'class 1', 'class 0', 'class 1'];

  test('has accuracy, macro-F1, precision and recall per label on both sides', async () => {
    const found = await classified(truth, truth, said);
    expect(found).toMatchObject({
      metric: 'exact',
      accuracy: { base: 1, head: 4 / 6 },
      other: { base: 0, head: 0 },
    });
    const of = (label: string, precision: number, recall: number) => ({
      label,
      references: 2,
      precision: { base: 1, head: precision },
      recall: { base: 1, head: recall },
    });
    expect(found?.labels).toEqual([
      of('class 0', 2 / 3, 1),
      of('class 1', 0.5, 0.5),
      of('class 2', 1, 0.5),
    ]);
    // F1: 0.8, 0.5, 2/3.
    expect(found?.macro_f1.head).toBeCloseTo((0.8 + 0.5 + 2 / 3) / 3, 12);
  });

  test('counts an unknown label only against recall; a label never given has F1 0', async () => {
    const found = await classified(
      ['yes', 'no', 'yes', 'no'],
      ['yes', 'no', 'yes', 'no'],
      ['yes', 'perhaps', 'yes', ''],
    );
    expect(found).toMatchObject({
      accuracy: { head: 0.5 },
      other: { head: 0.5 },
      macro_f1: { base: 1, head: 0.5 },
    });
    expect(found?.labels[1]).toMatchObject({
      precision: { base: 1, head: null },
      recall: { base: 1, head: 0 },
    });
  });

  test('compares answers with labels as the metric exact_match does', async () => {
    expect(
      await classified(['A', 'B', 'A', 'B'], ['a', 'b', 'a ', 'B'], ['A', 'B', 'A', 'B'], {
        ignore_case: true,
      }),
    ).toMatchObject({ accuracy: { base: 1 } });
    expect(
      await classified(['A', 'B', 'A', 'B'], ['a', 'b', 'a ', 'B'], ['A', 'B', 'A', 'B']),
    ).toMatchObject({ accuracy: { base: 0.25 }, other: { base: 0.75 } });
    expect(
      await classified([1, 2, 1, 2], ['1', '2', '1', '2'], ['1', '1', '1', '1']),
    ).toMatchObject({ accuracy: { base: 1, head: 0.5 } });
  });

  test.each([
    ['one label', ['a', 'a', 'a', 'a'], {}],
    ['almost as many labels as references', ['a', 'b', 'c'], {}],
    ['lists of alternatives', [['a'], ['b'], ['a'], ['b']], {}],
    ['a comparison with a value of the file', ['a', 'b', 'a', 'b'], { value: 'a' }],
    ['a negated comparison', ['a', 'b', 'a', 'b'], { negate: true }],
    ['more than twenty labels', Array.from({ length: 42 }, (_, index) => `l${index % 21}`), {}],
  ])('gets no accuracy or F1 with %s', async (_, expected, given) => {
    const texts = expected.map(String);
    expect(await classified(expected, texts, texts, given)).toBeUndefined();
  });
});
