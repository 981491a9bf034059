import type { Result } from '../../../../src/kernel/result/result.ts';
import { readResult } from '../../../stand-ins/features.ts';
import { inTerminal, renderComment, renderHtml } from '../../../stand-ins/reports.ts';
import { referenceOf, resultOf, suiteOf, passed } from '../../report/results.ts';

const side = () => passed('spam');
const both = (base: number | null, head: number | null) => ({ base, head });
const result = resultOf({
  suites: [
    suiteOf('mails', [referenceOf('a', 'unchanged', { base: side(), head: side() })], {
      classification: {
        metric: 'exact_match',
        accuracy: both(0.8, 0.75),
        macro_f1: both(0.7912, 0.74),
        other: both(0, 0.05),
        labels: [
          { label: 'spam', references: 12, precision: both(0.9, 1), recall: both(0.75, 0.5) },
          { label: 'ham | <b>', references: 8, precision: both(null, 0.6), recall: both(0, 1) },
        ],
      },
    }),
  ],
});

describe('classification suite', () => {
  test.each<[string, (from: Result) => string | Promise<string>]>([
    ['comment', (from) => renderComment(from)],
    ['page', (from) => renderHtml(from)],
    ['terminal', (from) => inTerminal(from, 120)],
  ])('shows precision and recall per label on base and head in the %s', async (_, render) => {
    const text = (await render(result)).replace(/<[^>]+>/g, ' ').replace(/[|·\s]+/g, ' ');
    expect(text).toContain('Right when given');
    expect(text).toMatch(
      /accuracy 80\.0 % → 75\.0 %, macro-F1 0\.791 → 0\.740, answers that are not a label 0\.0 % → 5\.0 %/,
    );
    expect(text).toMatch(
      /spam \(12\) 90\.0 % → (100\.0 % 75\.0 % → 50\.0 %|75\.0 % → 100\.0 % 50\.0 %)/,
    );
  });

  test('escapes labels, and shows a dash for a label that was never predicted', async () => {
    expect(await renderHtml(result)).toContain('ham | &lt;b&gt;');
    expect(
      inTerminal(
        {
          ...result,
          suites: result.suites.map((suite) => ({
            ...suite,
            classification: {
              ...suite.classification!,
              labels: suite.classification!.labels.map((row) => ({
                ...row,
                precision: both(null, null),
              })),
            },
          })),
        },
        120,
      ),
    ).toMatch(/spam \(12\) +– +75/);
  });
});

test('labels survive a round trip through result.json', () =>
  expect(readResult('result.json', JSON.parse(JSON.stringify(result)))).toEqual({
    result,
    problems: [],
  }));
