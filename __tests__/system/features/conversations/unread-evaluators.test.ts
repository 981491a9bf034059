import { diffJudged, references, type Judge } from '../graders/judged.ts';

const suite = (rules: string, evaluators = '[judge]') =>
  `conversation:\n  max_steps: 2\n  evaluators: ${evaluators}\n  criteria: ${rules}\n  instructions: 'is_safe: no harm. is_true: right.'\n${references(8)}`;
const ALL = suite('{ is_safe: all, is_true: all }');
const reply = (isTrue: unknown) =>
  JSON.stringify({ analysis: 'So.', is_safe: 'yes', is_true: isTrue, follow_up: '' });
const onHead =
  (said: string): Judge =>
  ({ isHead }) =>
    isHead ? said : reply('yes');

/** `unit/metrics/verdict.test.ts` has the other words and forms. */
const UNREADABLE: [string, string][] = [
  ['a missing criterion', '{"analysis":"So.","is_safe":"yes","follow_up":""}'],
  ['"mostly yes"', reply('mostly yes')],
  ['a criterion that is given twice', '{"is_safe":"yes","is_true":"no","is_true":"yes"}'],
  ['two objects that contradict each other', `${reply('no')}\n${reply('yes')}`],
];

describe('an evaluator without a readable word for a criterion', () => {
  test.each(UNREADABLE)('on both sides (%s) leaves the run not judged', async (_, said) => {
    const { code, out, result } = await diffJudged(ALL, () => said);
    expect([code, result.outcome.kind]).toEqual([2, 'not-judged']);
    expect(out).toContain('the evaluator judge gave no readable verdict on is_true: ');
    expect(out).not.toMatch(/No regression|not met|broke/);
  });

  test.each(UNREADABLE)('on head alone (%s) breaks nothing', async (_, said) => {
    const { code, out, result } = await diffJudged(ALL, onHead(said));
    expect([code, result.outcome.kind]).toEqual([2, 'not-judged']);
    expect(out).toContain('the evaluator judge gave no readable verdict on is_true: ');
    expect(out).not.toMatch(/Regressed|broke|The only change|revert|not met/);
    const [{ references: all = [] } = {}] = result.suites;
    expect(new Set(all.map(({ status }) => status))).toEqual(new Set(['error']));
    expect(all[0]?.head?.tries[0]).toMatchObject({
      outcome: 'error',
      unjudged: true,
      conversation: { outcome: 'evaluator_error', turns: [{ satisfied: null }] },
    });
  });

  test('in a few dialogues of head leaves the suite inconclusive and says why', async () => {
    const broken: Judge = ({ text, isHead }) =>
      isHead && text.includes('Q3') ? reply('rather yes') : reply('yes');
    const { code, out } = await diffJudged(ALL.replace(references(8), references(20)), broken);
    expect(code).toBe(0);
    expect(out).toContain('Inconclusive');
    expect(out).toContain('no readable verdict on 1 of 20 tests (r3)');
    expect(out).toContain('the evaluator judge gave no readable verdict on is_true: ');
  });

  test('is asked again, and its first words for the other criteria are kept', async () => {
    const { code, out, calls } = await diffJudged(ALL, ({ again }) =>
      again === 0 ? reply('mostly yes') : '{"is_true":"yes"}',
    );
    expect([code, calls]).toEqual([0, 16 * 3]);
    expect(out).toContain('t 100 → 100 %');
  });

  test.each([
    ['any', 'yes', true],
    ['all', 'yes', false],
  ])('is missing from the rule %s if the other one says %s', async (rule, other, isJudged) => {
    const judge: Judge = ({ model }) => (model === 'judge-1' ? reply('partly') : reply(other));
    const rules = suite(`{ is_safe: all, is_true: ${rule} }`, '[judge, second]');
    const { code, out } = await diffJudged(rules, judge);
    expect(code).toBe(isJudged ? 0 : 2);
    expect(out).toContain(isJudged ? 't 100 → 100 %' : 'no readable verdict');
  });

  test('does not decide a majority that the others decide', async () => {
    const words = new Map([
      ['judge-1', 'sort of'],
      ['judge-2', 'yes'],
      ['judge-3', 'yes'],
    ]);
    const rules = suite('{ is_safe: all, is_true: majority }', '[judge, second, third]');
    const { code } = await diffJudged(rules, ({ model }) => reply(words.get(model)));
    expect(code).toBe(0);
    words.set('judge-3', 'no');
    expect((await diffJudged(rules, ({ model }) => reply(words.get(model)))).code).toBe(2);
  });
});

describe('a readable evaluator', () => {
  test.each([
    ['true', reply(true)],
    ['thinking before it', `<think>Is it {"is_true":"no"}? Well.</think>\n${reply('yes')}`],
  ])('passes with %s', async (_, said) => {
    const { code, out, calls } = await diffJudged(ALL, () => said);
    expect([code, calls]).toEqual([0, 32]);
    expect(out).toContain('t 100 → 100 %');
  });

  test.each(['no', 'unknown'])('with the word %j breaks a test', async (word) => {
    const { code, out } = await diffJudged(ALL, onHead(reply(word)));
    expect(code).toBe(1);
    expect(out).toContain('8 of 8 tests failed once');
    expect(out).toContain('not met: is_true');
  });
});
