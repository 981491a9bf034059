import {
  combineWords,
  nextQuestion,
  isSatisfiedBy,
  turnsTo,
} from '../../../../src/features/conversations/conversation.ts';
import type {
  ConversationTurn,
  Criterion,
  CriterionWord,
  EvaluatorVerdict,
} from '../../../../src/features/conversations/result.ts';
import fc from '../../../fuzz.ts';

const says = (
  evaluator: string,
  words: Record<string, CriterionWord>,
  follow_up: string | null = null,
): EvaluatorVerdict => ({ evaluator, words, analysis: null, follow_up });

describe('verdicts of several evaluators', () => {
  test.each<[Criterion['combine'], (CriterionWord | null)[], boolean | null]>([
    ['all', ['yes', null], null],
    ['all', [null, 'no'], false],
    ['all', ['unknown', null], false],
    ['any', ['yes', null], true],
    ['any', ['no', null], null],
    ['any', [null], null],
    ['majority', ['yes', 'yes', null], true],
    ['majority', ['yes', 'no', null], null],
    ['majority', ['no', 'no', null], false],
    ['majority', ['no', null], false],
    ['majority', [null, null, 'yes'], null],
    ['all', ['yes', 'yes'], true],
    ['all', ['yes', 'no'], false],
    ['all', ['yes', 'unknown'], false],
    ['all', [], false],
    ['any', ['no', 'yes'], true],
    ['any', ['no', 'unknown'], false],
    ['any', [], false],
    ['majority', ['yes', 'yes', 'no'], true],
    ['majority', ['yes', 'no'], false],
    ['majority', ['yes', 'unknown', 'unknown'], false],
    ['majority', ['yes'], true],
  ])('combined by the rule %s from %j satisfy the criterion: %p', (rule, words, met) => {
    expect(combineWords(rule, words)).toBe(met);
  });

  test('satisfy "majority" whenever they satisfy "all", and "any" whenever they satisfy "majority"', () => {
    const words = fc.array(fc.constantFrom<CriterionWord | null>('yes', 'no', 'unknown', null), {
      minLength: 1,
      maxLength: 7,
    });
    fc.assert(
      fc.property(words, (list) => {
        const rules = ['all', 'any', 'majority'] as const;
        for (const rule of rules) {
          const found = combineWords(rule, list);
          const read = (word: CriterionWord) =>
            combineWords(
              rule,
              list.map((own) => own ?? word),
            );
          expect([read('yes'), read('no')]).toEqual(
            found === null ? [true, false] : [found, found],
          );
        }
        if (combineWords('all', list)) expect(combineWords('majority', list)).toBe(true);
        if (combineWords('majority', list)) expect(combineWords('any', list)).toBe(true);
      }),
    );
  });

  test('are combined per criterion', () => {
    const criteria: Criterion[] = [
      { name: 'a', combine: 'all' },
      { name: 'b', combine: 'any' },
    ];
    const whole = [says('x', { a: 'yes', b: 'no' }), says('y', { a: 'unknown', b: 'yes' })];
    expect(isSatisfiedBy(criteria, whole, 2)).toEqual({ a: false, b: true });
  });

  const [x, none] = [says('x', { a: 'yes', b: 'yes' }), says('y', {})];
  const onlyAny: Criterion[] = [{ name: 'b', combine: 'any' }];
  test.each<[string, Criterion[], EvaluatorVerdict[], number, object | null]>([
    ['is missing from one evaluator', [{ name: 'a', combine: 'all' }], [x, none], 2, null],
    ['is missing because an evaluator failed', [{ name: 'a', combine: 'all' }], [x], 2, null],
    ['is met by another evaluator', onlyAny, [none, x], 2, { b: true }],
    ['is met, but another one is open', [...onlyAny, { name: 'c', combine: 'any' }], [x], 1, null],
    ['has no evaluator', onlyAny, [], 0, null],
  ])('are null as a whole if a criterion is open: one %s', (_, criteria, verdicts, of, met) => {
    expect(isSatisfiedBy(criteria, verdicts, of)).toEqual(met);
  });
});

describe('next question', () => {
  test('comes from the first unsatisfied evaluator that wrote one', () => {
    const verdicts = [
      says('a', { c: 'no' }),
      says('b', { c: 'yes' }, 'Ignored, for b is satisfied'),
      says('c', { c: 'unknown' }, 'Third'),
      says('d', { c: 'no' }, 'Fourth'),
    ];
    expect(nextQuestion(verdicts)).toEqual({ question: 'Third', asked_by: 'c' });
  });

  test('is null if no unsatisfied evaluator wrote one', () => {
    expect(nextQuestion([says('a', { c: 'no' }), says('b', { c: 'yes' }, 'More?')])).toBeNull();
  });
});

describe('number of turns until a criterion is met', () => {
  const turns = (...letters: string[]): ConversationTurn[] =>
    letters.map((word) => ({
      question: 'q',
      asked_by: null,
      answer: 'a',
      verdicts: [],
      satisfied: word === 'e' ? null : { c: word === 'y' },
    }));
  const first = (...letters: string[]) =>
    turnsTo([{ name: 'c', combine: 'all' }], turns(...letters))['c'];

  test.each([
    ['y', 1],
    ['n', null],
    ['ny', 2],
    ['yn', null],
    ['yny', 3],
    ['nyy', 2],
    ['yyy', 1],
    ['ynn', null],
    ['nnnny', 5],
    ['ye', 1],
    ['ne', null],
    ['e', null],
  ])('for the verdicts %s is %p', (letters, turn) => {
    expect(first(...letters)).toBe(turn);
  });
});
