import { readResult } from '../../../stand-ins/features.ts';
import { inTerminal } from '../../../stand-ins/reports.ts';
import { passed, referenceOf, resultOf, suiteOf } from '../results.ts';

const result = resultOf({
  suites: [
    suiteOf('mails', [referenceOf('a', 'unchanged', { base: passed('a'), head: passed('b') })], {
      preference: {
        metric: 'better',
        head: 3,
        base: 9,
        ties: 4,
        gates: false,
        difference: -0.375,
        low: -0.7,
        high: -0.05,
        p: 0.046,
      },
    }),
  ],
});

test('preferences between answers are shown on a separate line', () =>
  expect(inTerminal(result, 200)).toContain(
    "mails, better: of 16 comparisons head's answer is preferred in 3 and base's in 9, 4 are ties (",
  ));

test('preferences are read back from result.json', () =>
  expect(readResult('result.json', JSON.parse(JSON.stringify(result)))).toEqual({
    result,
    problems: [],
  }));
