import { describe, expect, test } from '@jest/globals';
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
  test.each<[Criterion['combine'], CriterionWord[], boolean]>([
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
    const words = fc.array(fc.constantFrom<CriterionWord>('yes', 'no', 'unknown'), {
      minLength: 1,
      maxLength: 7,
    });
    fc.assert(
      fc.property(words, (list) => {
        if (combineWords('all', list)) expect(combineWords('majority', list)).toBe(true);
        if (combineWords('majority', list)) expect(combineWords('any', list)).toBe(true);
      }),
    );
  });

  test('are combined per criterion, and a missing verdict counts as unknown', () => {
    const criteria: Criterion[] = [
      { name: 'a', combine: 'all' },
      { name: 'b', combine: 'any' },
    ];
    expect(
      isSatisfiedBy(criteria, [says('x', { a: 'yes', b: 'no' }), says('y', { b: 'yes' })]),
    ).toEqual({ a: false, b: true });
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

  test.each<[string, number | null]>([
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
