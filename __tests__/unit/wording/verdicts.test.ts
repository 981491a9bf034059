import { COMPARED_RULES, UNCOMPARED_RULES } from '../../../src/kernel/judge/suite-rules.ts';
import type { SuiteResult, VerdictReason } from '../../../src/kernel/result/suite-result.ts';
import { suiteSentence } from '../../../src/wording/verdicts.ts';
import { plainWords } from '../../../src/wording/words.ts';
import { failed, passed, referenceOf, suiteOf } from '../report/results.ts';

type By = VerdictReason['by'];

const SIX = ['x', 'x', 'x', 'x', 'x', 'x'];
const broken = (id: string) =>
  referenceOf(id, 'regressed', { base: passed(...SIX), head: failed(...SIX) });
const steady = (id: string) =>
  referenceOf(id, 'unchanged', { base: passed(...SIX), head: passed(...SIX) });

const of =
  (changes: Partial<SuiteResult> & { low?: number }, isOnly = true) =>
  (by: By, why: Partial<VerdictReason> = {}) => {
    const { low = -0.1, ...rest } = changes;
    const references = rest.references ?? [steady('c')];
    const suite = suiteOf('s', references, { verdict: verdictOf(by), ...rest });
    const shown = {
      ...suite,
      pass_rate: { ...suite.pass_rate, low },
      reason: { by, p: null, references: [], metrics: [], tolerance: 0.1, ...why },
    };
    return plainWords(suiteSentence(shown, { isOnly }));
  };

function verdictOf(by: By) {
  return COMPARED_RULES.find((rule) => rule.by === by)!.verdict;
}

const rated = (base: number, head: number, tests: number): Partial<SuiteResult> => ({
  pass_rate: { base, head, difference: head - base, low: 0, high: 0.1, p: 0.01 },
  compared: { references: tests, tries: 3 },
});
const metric = (name: string, base: number, head: number): SuiteResult['metrics'][number] => ({
  name,
  base,
  head,
  judged_base: 60,
  judged_head: 60,
  gates: true,
  better: 'higher',
});
const valued = (
  values: Partial<NonNullable<SuiteResult['metrics'][number]['values']>>,
): Partial<SuiteResult> => ({
  unit: 'values',
  pass_rate: { base: null, head: null, difference: null, low: null, high: null, p: null },
  compared: { references: 48, tries: 2 },
  metrics: [
    {
      ...metric('rouge', 1, 1),
      base: null,
      head: null,
      values: {
        base: 0.71,
        head: 0.63,
        difference: -0.08,
        low: -0.1,
        high: -0.05,
        p: 0.0004,
        references: 48,
        fell: 8,
        rose: 2,
        gate: 'fail',
        decides: true,
        moved: null,
        ...values,
      },
    },
  ],
});
const confirmation = (
  status: 'model' | 'unconfirmed',
): NonNullable<SuiteResult['confirmation']> => ({
  rests_on: 'stored',
  status,
  by: null,
  limit: status === 'model' ? null : 'max_calls',
  drift: status === 'model' ? { stored: 1, today: 0.5, p: 0.01 } : null,
  suspects: [],
  all: null,
  stored: { tries: 3, oldest: null },
});
const cut = referenceOf('a', 'unchanged', {
  base: passed('x'),
  head: { ...failed('x'), tries: [{ ...failed('x').tries[0]!, ended: 'length' }] },
});
const two = [broken('a'), broken('b'), ...['c', 'd', 'e', 'f'].map(steady)];

/** For each deciding rule, the sentence as shown and as expected. */
const SENTENCES: Readonly<Record<By, readonly (readonly [shown: string, sentence: string])[]>> = {
  values: [
    [
      of({ ...valued({ way: 'fell' }), verdict: 'regressed' })('values', {
        p: 0.0004,
        metrics: ['rouge'],
      }),
      'rouge 0.71 → 0.63, lower in 8 of 48 tests: clearly worse (under 0.1 % likely by chance)',
    ],
    [
      of({ ...valued({ way: 'rose', base: 2, head: 3, rose: 40 }), verdict: 'improved' })(
        'values',
        {
          metrics: ['rouge'],
        },
      ),
      'rouge 2.00 → 3.00, higher in 40 of 48 tests: clearly better',
    ],
  ],
  fall: [
    [
      of(rated(1, 0.7, 20))('fall', { p: 0.0004 }),
      '100 → 70 %: clearly worse (under 0.1 % likely by chance)',
    ],
    [
      of(rated(1, 0.7, 20))('fall', { p: 0.031 }),
      '100 → 70 %: clearly worse (3.1 % likely by chance)',
    ],
    [of({ references: two })('fall'), '100 → 67 %: 2 of 6 tests broke'],
    [
      of({
        ...rated(0.8, 0.82, 20),
        metrics: [metric('correct', 0.8, 0.97), metric('format', 1, 0.85)],
      })('fall', { metrics: ['format'] }),
      'format 100 → 85 %, although correct rose 80 → 97 %: clearly worse',
    ],
    [
      of({
        ...rated(0.9, 0.6, 20),
        unit: 'references',
        rollups: { policy: 'majority', base: null, head: null },
      })('fall'),
      '90 → 60 % by majority: clearly worse',
    ],
    [
      of({
        preference: {
          metric: 'better',
          head: 2,
          base: 9,
          ties: 1,
          difference: -0.6,
          low: -0.9,
          high: -0.2,
          p: 0.01,
          gates: true,
        },
      })('fall'),
      "head's answer preferred in 2 of 12 comparisons, base's in 9: clearly worse",
    ],
  ],
  references: [
    [
      of({ references: two })('references', { references: ['a', 'b'] }),
      '2 of 6 tests broke: a 6 of 6 → 0 of 6, b 6 of 6 → 0 of 6',
    ],
    [
      of({ references: two, ...rated(0.8, 0.88, 6) })('references', { references: ['a'] }),
      '2 of 6 tests broke: a 6 of 6 → 0 of 6, although the rate rose 80 → 88 %',
    ],
    [
      of({ references: two }, false)('references', { references: ['a', 'b'] }),
      '100 → 67 %: 2 of 6 tests broke',
    ],
    [of(rated(1, 0.9, 30))('references'), '100 → 90 %: several tests pass less often'],
  ],
  unanswered: [
    [
      of({ references: [{ ...broken('a'), head: null }, steady('b')] })('unanswered', {
        references: ['a'],
      }),
      'head does not answer 1 of 2 tests that base answers (a)',
    ],
    [
      of({ references: two })('unanswered', { references: ['a', 'b'] }),
      'head answers less often in 2 of 6 tests that base answers (a, b)',
    ],
  ],
  rise: [
    [
      of(rated(0.8, 0.97, 30))('rise', { p: 0.0001 }),
      '80 → 97 %: clearly better (under 0.1 % likely by chance)',
    ],
  ],
  bound: [
    [
      of({ ...rated(0.95, 0.95, 400), low: -0.0375 })('bound'),
      '95 → 95 %. A drop of 4 points or less could go unnoticed.',
    ],
    [
      of({ ...rated(0.95, 0.95, 4000), low: -0.01 })('bound'),
      '95 → 95 %. A drop of 1 point or less could go unnoticed.',
    ],
    [of({ ...rated(0.9, 0.95, 400), low: 0.001 })('bound'), '90 → 95 %'],
  ],
  'not-lower': [
    [
      of({ ...rated(1, 1, 3), low: -0.3 })('not-lower'),
      '100 → 100 %. 3 tests are too few: even a 30-point drop could go unnoticed.',
    ],
    [
      of({ ...rated(1, 1, 3), low: -0.83 })('not-lower'),
      '100 → 100 %. 3 tests are too few: even an 83-point drop could go unnoticed.',
    ],
    [
      of({ ...rated(1, 1, 1), low: -1 })('not-lower'),
      '100 → 100 %. 1 test is too few: even a large drop could go unnoticed.',
    ],
    [
      of({ ...rated(0, 0, 3), low: -0.3 })('not-lower'),
      '0 → 0 %. Nothing passes on base, so nothing could break.',
    ],
  ],
  run: [
    [
      of({ ...rated(0.95, 0.94, 20), low: -0.12 })('run'),
      '95 → 94 %. A drop of 12 points or less could go unnoticed.',
    ],
  ],
  suspicious: [
    [
      of({ references: two })('suspicious', { references: ['a'] }),
      'a 6 of 6 → 0 of 6: perhaps worse, too few answers to tell',
    ],
  ],
  named: [
    [
      of({ references: two })('named', { references: ['a'] }),
      'a 6 of 6 → 0 of 6: worse, but not enough to call the suite regressed',
    ],
  ],
  metric: [
    [
      of({ metrics: [metric('format', 1, 0.9)] })('metric', { metrics: ['format'] }),
      'format 100 → 90 %: perhaps worse, too few answers to tell',
    ],
  ],
  unsettled: [
    [
      of(rated(1, 0.92, 8))('unsettled'),
      '100 → 92 %: 8 tests are too few to tell whether it got worse',
    ],
    [
      of(rated(1, 0.92, 1))('unsettled'),
      '100 → 92 %: 1 test is too few to tell whether it got worse',
    ],
  ],
  uncompared: [
    [
      of({ references: two })('uncompared', { references: ['a', 'b'] }),
      'no answer to compare in 2 of 6 tests (a, b)',
    ],
  ],
  endings: [
    [
      of({ references: [cut] })('endings'),
      'answers cut at a limit of tokens: base 0 of 1, head 1 of 1',
    ],
  ],
  scoring: [
    [
      of({})('scoring', { under_base: { base: 1, head: 0, excused: false } }),
      "under base's scoring 100 → 0 %; the scoring changed too",
    ],
  ],
  model: [
    [
      of({ confirmation: confirmation('model') })('model'),
      'base also drops when re-run today (100 → 50 %)',
    ],
  ],
  unconfirmed: [
    [
      of({ confirmation: confirmation('unconfirmed') })('unconfirmed'),
      'fell against stored answers, and max_calls left too few calls to run it again',
    ],
  ],
};

/** Statistical terms that a reader need not know. */
const UNKNOWN_WORDS =
  /interval|power|tolerance|McNemar|κ|macro-F1|rule[sd]? out|detects|judged tries|told apart|\btr(y|ies)\b|references? |fell with/;

describe('the sentence of a verdict', () => {
  test.each(Object.entries(SENTENCES))(
    'states the reason if the verdict comes from the rule %s',
    (_, sentences) => {
      for (const [shown, sentence] of sentences) expect(shown).toBe(sentence);
    },
  );

  test.each(COMPARED_RULES)('is not empty for the rule "$words"', ({ by }) => {
    expect(SENTENCES[by].length).toBeGreaterThan(0);
    for (const [shown] of SENTENCES[by]) expect(shown).not.toMatch(UNKNOWN_WORDS);
  });

  test.each(UNCOMPARED_RULES)(
    'is not empty for a suite without a comparison: "$words"',
    ({ verdict }) => {
      const suite = suiteOf('s', [referenceOf('a', 'added', { head: passed('x') })], { verdict });
      const shown = plainWords(suiteSentence({ ...suite, reason: null }, { isOnly: true }));
      expect(shown).not.toBe('');
      expect(shown).not.toMatch(UNKNOWN_WORDS);
    },
  );

  test('names at most three tests and counts the others', () =>
    expect(
      of({ references: ['a', 'b', 'c', 'd', 'e'].map(broken) })('references', {
        references: ['a', 'b', 'c', 'd', 'e'],
      }),
    ).toBe(
      '5 of 5 tests broke: a 6 of 6 → 0 of 6, b 6 of 6 → 0 of 6, c 6 of 6 → 0 of 6 and 2 more',
    ));
});
