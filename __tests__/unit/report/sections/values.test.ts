import type { MetricResult, MetricValues } from '../../../../src/kernel/result/metric-result.ts';
import type { Result } from '../../../../src/kernel/result/result.ts';
import type { SuiteResult } from '../../../../src/kernel/result/suite-result.ts';
import { readResult } from '../../../stand-ins/features.ts';
import { inTerminal } from '../../../stand-ins/reports.ts';
import { passed, referenceOf, resultOf, suiteOf } from '../results.ts';

const values: MetricValues = {
  base: 812,
  head: 1020,
  difference: 208,
  low: 150,
  high: 260,
  p: 0.001,
  references: 20,
  gate: 'warn',
  moved: null,
};
const metricOf = (own: Partial<MetricValues>, better: MetricResult['better']): MetricResult => ({
  name: 'tokens',
  base: 1,
  head: 1,
  judged_base: 40,
  judged_head: 40,
  gates: true,
  better,
  values: { ...values, ...own },
});
const mails = (own: Partial<SuiteResult>) => {
  const reference = referenceOf('a', 'unchanged', { base: passed('a'), head: passed('b') });
  return resultOf({ suites: [suiteOf('mails', [reference], own)] });
};
const resultWith = (metric: MetricResult) => mails({ metrics: [metric] });
const expectReadBack = (result: Result) =>
  expect(readResult('result.json', JSON.parse(JSON.stringify(result)))).toEqual({
    result,
    problems: [],
  });

test('preferences between answers are shown on a separate line', () => {
  const share = { difference: -0.375, low: -0.7, high: -0.05, p: 0.046 };
  const preference = { metric: 'better', head: 3, base: 9, ties: 4, gates: false, ...share };
  const result = mails({ preference });
  expect(inTerminal(result, 200)).toContain(
    "mails, better: of 16 comparisons head's answer is preferred in 3 and base's in 9, 4 are ties (",
  );
  expectReadBack(result);
});

describe('the values of a metric in a report', () => {
  test('are reported as changed, not worse, if neither direction is better', () => {
    const moved = metricOf({ moved: 'higher', way: 'rose', by: 'mean' }, 'none');
    const shown = inTerminal(resultWith(moved), 200);
    expect(shown).toContain('higher; neither direction is better');
    const worse = metricOf({ moved: 'worse', way: 'rose', by: 'ranks' }, 'lower');
    expect(inTerminal(resultWith(worse), 200)).toContain('Metric values: 1 worse');
  });

  test('are the share that passes if a rubric only has the scores 0 and 1', () => {
    const labels = [{ label: 'YES', base: 40, head: 30 }];
    const { values: _, ...rubric } = { ...metricOf({}, 'higher'), labels };
    const shown = inTerminal(resultWith({ ...rubric, head: 0.75 }), 200);
    expect(shown).toMatch(/tokens +100 → 75 % +−25\.0 points +YES 40 → 30/);
  });

  test('list references whose value moved far more than all others, even if nothing else moved', () => {
    const exploded = [{ reference: 'r3', base: 103, head: 97_000 }];
    const result = resultWith(metricOf({ exploded }, 'lower'));
    expect(inTerminal(result, 200)).toContain('r3: 103 → 97,000');
    expectReadBack(result);
  });
});
