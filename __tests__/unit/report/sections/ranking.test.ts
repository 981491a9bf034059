import type { SuiteResult } from '../../../../src/kernel/result/suite-result.ts';
import { costPer1000Calls } from '../../../../src/money/meter.ts';
import { ranking } from '../../../../src/report/sections/tables.ts';
import { renderBlocks } from '../../../../src/report/terminal.ts';
import { REPORTS } from '../../../stand-ins/reports.ts';
import { referenceOf, resultOf, sideOf, suiteOf } from '../results.ts';

const answers = (passes: number, tries: number) =>
  Array.from({ length: tries }, (_, index) => ({
    outcome: index < passes ? ('pass' as const) : ('fail' as const),
    actual: 'x',
  }));

function variant(model: string, passes: number, tries: number, more: Partial<SuiteResult> = {}) {
  return suiteOf('capitals', [referenceOf('a', 'pass', { head: sideOf(answers(passes, tries)) })], {
    variant: { model, parameters: { temperature: 0 } },
    ...more,
  });
}

const shown = (suites: SuiteResult[], mode: 'sweep' | 'diff' = 'sweep') =>
  renderBlocks(
    ranking(
      resultOf({ mode, suites }),
      {
        suites: 10,
        answers: 5,
        lines: 0,
        counts: 5,
        characters: 100,
        collapsedItems: 5,
        problems: 5,
        showsUnmovedMetrics: true,
        sizeNote: null,
      },
      REPORTS,
    ),
    { width: 140, colour: false },
  );

describe('the ranking of variants', () => {
  test('lists the best variant first, with its interval and its cost', () => {
    const text = shown([
      variant('slow', 10, 20, { cost_per_1000_calls: 1.5 }),
      variant('good', 20, 20, { cost_per_1000_calls: 12 }),
      variant('odd', 0, 20),
    ]);
    const rows = text
      .split('\n')
      .filter((line) => /^ *\d /.test(line))
      .map((line) => line.trim().split(/ {2,}/));
    expect(rows).toEqual([
      ['1', 'good, temperature 0', '100.0 %', '83.9 % to 100.0 %', '20 of 20', '$12.00'],
      ['2', 'slow, temperature 0', '50.0 %', '29.9 % to 70.1 %', '10 of 20', '$1.50'],
      ['3', 'odd, temperature 0', '0.0 %', '0.0 % to 16.1 %', '0 of 20', 'cost unknown'],
    ]);
    expect(text).toContain('The first is ahead of all others');
  });

  test('reports variants that the run cannot distinguish, and lists the cheaper of two equal variants first', () => {
    const text = shown([
      variant('dear', 19, 20, { cost_per_1000_calls: 9 }),
      variant('cheap', 19, 20, { cost_per_1000_calls: 1 }),
      variant('close', 17, 20),
    ]);
    expect(text).toContain(
      'On the same references, this run cannot distinguish 2 other variants from the first (paired test).',
    );
    expect(text.indexOf('cheap')).toBeLessThan(text.indexOf('dear'));
  });

  test("shows the suite's pass rate, even if references have different numbers of judged tries", () => {
    const references = [
      referenceOf('a', 'pass', { head: sideOf(answers(1, 1)) }),
      referenceOf('b', 'fail', { head: sideOf(answers(0, 3)) }),
    ];
    const unequal = (model: string) =>
      suiteOf('capitals', references, {
        variant: { model, parameters: {} },
        pass_rate: { base: null, head: 0.5, difference: null, low: null, high: null, p: null },
      });
    expect(shown([unequal('one'), unequal('other')])).toMatch(
      /1 +one +50\.0 % +15\.0 % to 85\.0 % +1 of 4/,
    );
  });

  test("uses head's answers in a comparison, and omits variants that only base has", () => {
    const rate = (head: number | null) => ({
      pass_rate: { base: 1, head, difference: null, low: null, high: null, p: null },
    });
    const two = [variant('a', 1, 9, rate(1 / 9)), variant('b', 9, 9, rate(1))];
    expect(shown(two, 'diff')).toContain('The first is ahead of all others: on the same');
    expect(shown([variant('a', 1, 9, rate(1 / 9)), variant('b', 0, 0, rate(null))], 'diff')).toBe(
      '',
    );
  });

  test('is shown only for prompts with several variants, and ignores skipped references', () => {
    expect(shown([variant('one', 1, 2)])).toBe('');
    const skipped = {
      references: [referenceOf('a', 'pass', { head: sideOf(answers(0, 5)), skip: true })],
    };
    expect(shown([variant('a', 1, 2, skipped), variant('b', 1, 2, skipped)])).toContain(
      'No try could be judged.',
    );
  });
});

describe('the cost of a thousand calls', () => {
  const target = { provider: 'openai', endpoint: null, model: 'm' };
  const run = (usages: ({ input_tokens: number; output_tokens: number } | null)[]) =>
    ({
      scoring: { answerer: null },
      runs: [
        {
          affected: {
            head: { kind: 'request', target, parameters: {}, messages: [], fingerprint: 'f' },
          },
          base: [],
          head: usages.map((usage) => ({ byHead: { parts: [], usage }, byBase: null })),
        },
      ],
    }) as unknown as Parameters<typeof costPer1000Calls>[0];
  const price = (_: unknown, { input_tokens }: { input_tokens: number }) => input_tokens / 1000;

  test('is a thousand times the mean cost of the answers', () =>
    expect(
      costPer1000Calls(
        run([
          { input_tokens: 1, output_tokens: 0 },
          { input_tokens: 3, output_tokens: 0 },
        ]),
        price,
      ),
    ).toBeCloseTo(2, 9));

  test('is unknown if a price or a token count is unknown', () => {
    expect(costPer1000Calls(run([{ input_tokens: 1, output_tokens: 0 }]), () => null)).toBeNull();
    expect(costPer1000Calls(run([{ input_tokens: 1, output_tokens: 0 }, null]), price)).toBeNull();
    expect(costPer1000Calls(run([]), price)).toBeNull();
  });
});
