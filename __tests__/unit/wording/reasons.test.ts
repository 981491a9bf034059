import type { Reason, ReasonOf } from '../../../src/kernel/result/reason.ts';
import type { SuiteResult } from '../../../src/kernel/result/suite-result.ts';
import { outcomeFields } from '../../../src/wording/outcomes.ts';
import { reasonWords } from '../../../src/wording/reasons.ts';
import { namedIds, plainWords } from '../../../src/wording/words.ts';
import { referenceResult, sideResult, suiteResult } from '../app/run/builders.ts';
import { keyOf } from '../report/results.ts';

const fell = (name: string, changes: Partial<SuiteResult> = {}) =>
  suiteResult({
    name,
    path: name,
    verdict: 'regressed',
    pass_rate: { base: 1, head: 0.5, difference: -0.5, low: -0.6, high: -0.4, p: 0.001 },
    ...changes,
  });
const ended = (effect: ReasonOf<'ended'>['effect'], halt: ReasonOf<'ended'>['halt'] = 'budget') =>
  ({ code: 'ended', halt, why: 'it is full', made: 14, planned: 20, effect }) as const;
const REACHED = 'Budget reached: it is full; 14 of 20 tries were made';
const moved: ReasonOf<'scoring-moved'> = {
  code: 'scoring-moved',
  suite: 'p',
  base: 0.5,
  head: 0.38,
  unit: 'answers',
  judged: 20,
  pass_fail: 0,
  fail_pass: 4,
  fails: true,
};
const key = keyOf(fell('math'));

describe('reasons', () => {
  test.each<[Reason, string]>([
    [{ code: 'regressed', ...key }, 'math regressed: 100 → 50 %'],
    [{ code: 'inconclusive', ...key }, 'math: inconclusive. 100 → 50 %'],
    [
      { code: 'pool', base: 0.9, head: 0.85 },
      'the pass rate fell over all suites together 90 → 85 %',
    ],
    [
      { code: 'recorded', suite: 'p', ids: ['r1'] },
      "p: base's answers to 1 test (r1) come from a model, head's from a recording: this says nothing about that model, so it is not a success",
    ],
    [
      { code: 'unused-changes' },
      'Some changes of this pull request are not used, because an outside contributor made them; the notices list them.',
    ],
    [
      { code: 'no-grades', ungraded: 1, of: 2 },
      '1 of 2 tries have no readable grade and no other was judged, so there is no verdict.',
    ],
    [{ code: 'ungraded', suite: 'p', tries: 1, of: 3 }, 'p: 1 of 3 tries have no readable grade'],
    [{ code: 'failed', suite: 'p', ids: ['a'] }, 'p: 1 test failed on head: a'],
    [
      { code: 'removed', named: ['p: a', 'p: b'], fails: false },
      '2 tests removed, newly skipped or quarantined: p: a, p: b',
    ],
    [
      { code: 'new-failed', named: ['p: a'] },
      '1 new test failed on head, and gate.new is fail: p: a',
    ],
    [moved, 'p: 4 of 20 answers now pass under the new scoring; gate.scoring is fail'],
    [{ code: 'held', held: 1, others: false }, 'Not failed, because fail_on is never.'],
    [
      { code: 'held', held: 1, others: true },
      'The last of these does not count, because fail_on is never for them.',
    ],
    [ended('too-few'), `${REACHED}, which is not enough for a verdict.`],
    [ended('enough'), `${REACHED}, which is enough for this verdict.`],
    [ended('waiting'), `${REACHED}.`],
    [
      { code: 'waiting', requests: 1200, batches: ['b1', 'b2'] },
      '1,200 requests are with the vendor in b1, b2: paid for once, and picked up by the next run.',
    ],
    [
      { code: 'waiting', requests: 1, batches: ['b0', 'b1', 'b2', 'b3', 'b4', 'b5'] },
      '1 request is with the vendor in b0, b1, b2, b3, b4, …: paid for once, and picked up by the next run.',
    ],
  ])('are sentences: %j', (reason, words) => {
    expect(reasonWords(reason, [fell('math')])).toBe(words);
  });
});

describe('the title', () => {
  const RED = { kind: 'regressed', fails: true } as const;
  const titleOf = (...suites: SuiteResult[]) => outcomeFields(RED, { suites }).title;
  const of = (model: string, name: string, verdict: SuiteResult['verdict']) =>
    fell(name, { verdict, variant: { model, parameters: { temperature: 0 } } });

  test('names the variant only if a suite has several variants', () => {
    const [large, other] = [of('large', 'math', 'regressed'), of('small', 'chat', 'regressed')];
    expect([
      titleOf(of('small', 'math', 'unchanged'), large, other),
      titleOf(large, other),
    ]).toEqual([
      'Regressed: chat 100 → 50 %; math (large, temperature 0) 100 → 50 %',
      'Regressed: chat 100 → 50 %; math 100 → 50 %',
    ]);
  });

  test("keeps its end if it exceeds GitHub's limit", () => {
    const ungraded = sideResult(['fail', 'ungraded']);
    const replaced = ['a', 'b', 'c'].map((suite) => ({ suite, by: 'recordings' as const }));
    const { title } = outcomeFields(RED, {
      suites: [
        fell('long '.repeat(100), { references: [referenceResult('a', { head: ungraded })] }),
      ],
      replaced,
    });
    expect(title).toHaveLength(255);
    expect(title).toMatch(
      /^Regressed: long .*…; recordings in place of a model in a, b and 1 more; 1 of 3 answers have no readable grade$/,
    );
  });

  test('says that all suites fell together', () => {
    const pool = { base: 0.9, head: 0.85 };
    expect(outcomeFields({ ...RED, pool }, { suites: [suiteResult()] }).title).toBe(
      'Regressed: all suites together 90 → 85 %: clearly worse',
    );
  });

  test('names nothing in a list without names', () => {
    expect(namedIds([])).toEqual([]);
    expect(plainWords(namedIds(['a', 'b', 'c', 'd', 'e']))).toBe('a, b, c and 2 more');
  });
});
