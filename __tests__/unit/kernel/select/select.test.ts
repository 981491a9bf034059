import { describe, expect, test } from '@jest/globals';
import { sweepCombinations } from '../../../../src/kernel/select/select.ts';

describe('sweep combinations', () => {
  test('are the product of the swept values in the order they are written', () => {
    expect(sweepCombinations({ model: ['a', 'b'], temperature: [0, 0.7] })).toEqual([
      { model: 'a', temperature: 0 },
      { model: 'a', temperature: 0.7 },
      { model: 'b', temperature: 0 },
      { model: 'b', temperature: 0.7 },
    ]);
  });

  test('are one empty combination when nothing is swept', () => {
    expect(sweepCombinations({})).toEqual([{}]);
  });
});
