import { LONGEST_REASON, overrideReason, withOverride } from '../../../../src/app/action/job.ts';
import { createEmptyResult } from '../../../../src/app/run/not-judged.ts';
import type { OutcomeOf, RunOutcome } from '../../../../src/kernel/result/outcome.ts';
import type { Result } from '../../../../src/kernel/result/result.ts';
import { outcomeFields } from '../../../../src/wording/outcomes.ts';
import { reasonsInWords } from '../../../../src/wording/reasons.ts';
import { FEATURES } from '../../../stand-ins/features.ts';
import { gate, suiteResult } from '../../app/run/builders.ts';

const LABEL = 'evaldiff: accept';
const labelled = (description: string | null = null) => [
  { name: 'bug', description: 'Something is wrong' },
  { name: LABEL, description },
];
const REGRESSED: OutcomeOf<'regressed'> = { kind: 'regressed', fails: true };
const suites = [
  suiteResult({
    name: 'quiz',
    verdict: 'regressed',
    pass_rate: { base: 1, head: 0.5, difference: -0.5, low: -0.6, high: -0.1, p: 0.001 },
  }),
];
const red = (changes: Partial<Result> = {}): Result => ({
  ...createEmptyResult({
    mode: 'diff',
    base: null,
    head: { commit: 'h' },
    trust: 'member',
    gate: gate(),
    n_tries: 3,
    features: FEATURES,
  }),
  ...outcomeFields(REGRESSED, { suites }),
  suites,
  reasons: [{ code: 'words', text: 'quiz regressed: fell.' }],
  ...changes,
});

describe('the reason of an override', () => {
  test.each([
    [
      "a line of the pull request's text",
      'By a maintainer',
      `Friendlier.\r\n\r\n  Evaldiff: Accept: shorter answers are wanted, see the plan \r\nMore.`,
    ],
    [
      "the label's description if the text is empty",
      'shorter answers are wanted, see the plan',
      '',
    ],
    ...[`${LABEL}:   \n`, `about ${LABEL}: no`].map((body): [string, string, string] => [
      `the label's description if the text has no such line: ${JSON.stringify(body)}`,
      'shorter answers are wanted, see the plan',
      body,
    ]),
  ])('is %s', (_what, description, body) => {
    const reason = 'shorter answers are wanted, see the plan';
    expect(overrideReason({ labels: labelled(description), body }, LABEL)).toBe(reason);
  });

  test.each([null, '', '  '])('is empty with the description %j', (description) => {
    expect(overrideReason({ labels: labelled(description), body: 'Hello' }, LABEL)).toBe('');
  });

  test('is null if the pull request lacks the label, whatever its text says', () => {
    expect(overrideReason({ labels: [], body: `${LABEL}: because` }, LABEL)).toBeNull();
  });

  test('is shortened if it is very long', () => {
    const body = `${LABEL}: ${'x'.repeat(5000)}`;
    expect(overrideReason({ labels: labelled(), body }, LABEL)).toHaveLength(LONGEST_REASON);
  });
});

describe('an override of the verdict', () => {
  test('turns a red result neutral and becomes its first reason', () => {
    const override = { label: LABEL, by: 'ada (admin)', reason: 'wanted' };
    const overridden = withOverride(red(), override);
    expect(overridden).toMatchObject({
      conclusion: 'neutral',
      outcome: { kind: 'overridden', by: REGRESSED },
      title: 'Overridden: Regressed: quiz 100 → 50 %',
      override,
    });
    expect(reasonsInWords(overridden)).toEqual([
      `Not red, because ada (admin) overrides the gate with the label "${LABEL}": wanted`,
      'quiz regressed: fell.',
    ]);
  });

  test.each<[string, RunOutcome]>([
    ['success', { kind: 'nothing-to-run', rubrics: 0 }],
    ['neutral', { ...REGRESSED, fails: false }],
    ['error', { kind: 'not-judged' }],
  ])('does not change a result that is %s', (_conclusion, outcome) => {
    const result = red(outcomeFields(outcome));
    expect(withOverride(result, { label: LABEL, by: 'ada', reason: 'wanted' })).toBe(result);
  });

  test("keeps the title within GitHub's limit", () => {
    expect(
      withOverride(
        red(
          outcomeFields(
            { kind: 'failed', fails: true },
            { reasons: [{ code: 'words', text: 'x'.repeat(255) }] },
          ),
        ),
        { label: LABEL, by: 'ada', reason: 'r' },
      ).title,
    ).toHaveLength(255);
  });
});
