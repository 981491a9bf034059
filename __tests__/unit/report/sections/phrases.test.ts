import {
  runCost,
  differenceWords,
  passWords,
  rates,
  shortSha,
  shownNumber,
} from '../../../../src/report/sections/phrases.ts';
import { andMore, cost, counted } from '../../../../src/text/amounts.ts';
import { variantChanges, variantWords } from '../../../../src/wording/variants.ts';
import { sideOf } from '../results.ts';

describe('formatted numbers', () => {
  test.each([
    [null, 'cost unknown'],
    [0, '$0.00'],
    [0.004123, '$0.0041'],
    [0.0000012, '$0.0000012'],
    [0.42, '$0.42'],
    [1234.5, '$1,234.50'],
  ])('show a cost of %p as %s', (dollars, words) => expect(cost(dollars)).toBe(words));

  test.each([
    [0.1 + 0.2, '0.3'],
    [{ flesch: 63.41666666666667, words: 12345678 }, '{"flesch":63.4167,"words":12345678}'],
    ['0.30000000000000004', '0.30000000000000004'],
    [false, 'false'],
  ])("show a metric's value %p as %s", (value, words) => expect(shownNumber(value)).toBe(words));

  test('show a difference with its sign and its interval', () => {
    expect(
      differenceWords({ base: 0.84, head: 0.78, difference: -0.06, low: -0.104, high: -0.016 }),
    ).toBe('−6.0 points, 90 % interval −10.4 to −1.6');
    expect(
      differenceWords({ base: 0.84, head: 0.8404, difference: 0.0004, low: null, high: null }),
    ).toBe('0.0 points');
    expect(
      differenceWords({ base: null, head: null, difference: null, low: null, high: null }),
    ).toBeNull();
  });

  test('show only one rate if the other side is missing', () => {
    expect(rates(0.84, 0.78)).toBe('84.0 % → 78.0 %');
    expect(rates(null, 0.78)).toBe('78.0 %');
    expect(rates(0.84, null)).toBe('84.0 % → –');
  });

  test('show counts with thousands separators and a plural', () => {
    expect(counted(1, 'reference')).toBe('1 reference');
    expect(counted(12_345, 'reference')).toBe('12,345 references');
    expect(andMore(10, 10)).toBe('');
    expect(andMore(10_000, 1)).toBe(' and 9,999 more');
  });

  test('count tries that could not be judged separately', () => {
    expect(
      passWords(
        sideOf([
          { outcome: 'pass', actual: 'a' },
          { outcome: 'error', actual: '' },
          { outcome: 'fail', actual: 'b' },
        ]),
      ),
    ).toBe('1 of 2 passed, 1 not judged');
    expect(passWords(sideOf([]))).toBe('not run');
    expect(passWords(null)).toBe('not run');
  });

  test('shorten commit ids, and name the working tree', () => {
    expect(shortSha('1f6a9c0d3b5e7a9182736455463728190abcdef0')).toBe('1f6a9c0');
    expect(shortSha('worktree')).toBe('working tree');
  });

  test('show the cost of programs alone as "no priced calls", not as zero or unknown', () => {
    expect(runCost({ cost_usd: null, unpriced: 'programs' })).toBe('no priced calls');
    expect([runCost({ cost_usd: null }), runCost({ cost_usd: 0.42 })]).toEqual([
      'cost unknown',
      '$0.42',
    ]);
  });

  test('describe variants by what differs', () => {
    expect(variantWords({ model: 'gpt-4o', parameters: { temperature: 0, stop: ['x'] } })).toBe(
      'gpt-4o, temperature 0, stop ["x"]',
    );
    expect(
      variantChanges(
        { model: 'a', parameters: { temperature: 0, top_p: 1 } },
        { model: 'b', parameters: { temperature: 0, seed: 7 } },
      ),
    ).toBe('model a → b, top_p 1 → none, seed none → 7');
  });
});
