import { describe, expect, test } from '@jest/globals';
import { looseRatings } from '../../../../src/features/attributes/read-ratings.ts';
import { processorSeconds } from '../../../stand-ins/processor-time.ts';

describe('ratings outside JSON', () => {
  test('are read one per line', () => {
    const reply = '- rivers: 4\n1. "shoes" = 4/5,\n* **boats**: 3';
    expect(looseRatings(reply)).toEqual([
      { id: 'rivers', score: '4', evidence: '' },
      { id: 'shoes', score: '4/5', evidence: '' },
      { id: 'boats', score: '3', evidence: '' },
    ]);
  });

  test.each([
    '*'.repeat(20_000),
    '[ ,'.repeat(20_000),
    `[a${' '.repeat(20_000)}Score: 4`,
    `[a, Score:${' '.repeat(20_000)}`,
  ])(
    'are read in less than two seconds of processor time even if the model repeats itself endlessly',
    async (reply) => {
      expect(await processorSeconds(() => looseRatings(reply))).toBeLessThan(2);
    },
  );
});
