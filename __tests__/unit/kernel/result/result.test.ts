import { createEmptyResult } from '../../../../src/app/run/not-judged.ts';
import { formatProblem } from '../../../../src/errors.ts';
import { DEFAULT_GATE } from '../../../../src/kernel/suite/gate-settings.ts';
import { readResult, FEATURES } from '../../../stand-ins/features.ts';
import { suiteResult } from '../../app/run/builders.ts';

const whole = {
  ...createEmptyResult({
    mode: 'diff',
    base: { commit: 'b'.repeat(40) },
    head: { commit: 'a'.repeat(40) },
    trust: 'member',
    gate: DEFAULT_GATE,
    n_tries: 3,
    features: FEATURES,
  }),
  conclusion: 'success',
  suites: [suiteResult()],
};
const refused = (value: unknown) =>
  readResult('result.json', JSON.parse(JSON.stringify(value))).problems.map(formatProblem);

describe('saved result', () => {
  test('is read back unchanged', () => {
    expect(readResult('result.json', JSON.parse(JSON.stringify(whole)))).toEqual({
      result: whole,
      problems: [],
    });
  });

  test.each<[string, unknown, RegExp]>([
    ['an unknown conclusion', { ...whole, conclusion: 'approved' }, /\(field conclusion: /],
    [
      'a rate over 1',
      { ...whole, suites: [suiteResult({ pass_rate: { ...suiteResult().pass_rate, head: 2 } })] },
      /\(field suites\.0\.pass_rate\.head: /,
    ],
    [
      'a text for a number',
      { ...whole, suites: [{ ...suiteResult(), compared: { references: '1', tries: 1 } }] },
      /\(field suites\.0\.compared\.references: /,
    ],
    ['an object with unknown fields', { ...whole, pull_request: 7 }, /pull_request/],
  ])('that is %s is rejected with its file and field', (_, value, message) => {
    const [first, ...more] = refused(value);
    expect(more).toEqual([]);
    expect(first).toMatch(message);
  });

  test('with fifty megabytes of the wrong type is rejected with a short message', () => {
    expect(refused({ ...whole, suites: 'x'.repeat(50 * 1024 * 1024) })).toEqual([
      expect.stringMatching(
        /^result\.json: is not a result of evaldiff \(field suites: .{1,100}\)$/,
      ),
    ]);
  });
});
