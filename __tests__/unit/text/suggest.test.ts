import { nearest, didYouMean } from '../../../src/text/suggest.ts';

describe('nearest', () => {
  test.each([
    ['mesages', ['messages', 'model'], 'messages'],
    ['ntries', ['n_tries', 'seed'], 'n_tries'],
    ['max-calls', ['max_calls'], 'max_calls'],
    ['Model', ['model'], 'model'],
    ['alhpa', ['alpha', 'gate'], 'alpha'],
    ['banana', ['alpha', 'gate'], null],
    ['x', ['y'], null],
    ['ab', ['n'], null],
    ['', ['a'], null],
    ['m'.repeat(100_000), ['model'], null],
  ])('for %.20s among %j returns %j', (word, known, expected) =>
    expect(nearest(word, known)).toBe(expected),
  );

  test('requires a closer match in strict mode', () => {
    expect(nearest('steps', ['stop'])).toBe('stop');
    expect(nearest('steps', ['stop'], 'strict')).toBeNull();
    for (const word of ['modle', 'omdel', 'moedl'])
      expect(nearest(word, ['model'], 'strict')).toBe('model');
  });

  const many = Array.from({ length: 31 }, (_, index) => `known${index}`);
  test.each([
    ['gat', ['gate', 'seed'], '; did you mean "gate"?'],
    ['zzz', ['gate', 'seed'], '; known are gate, seed'],
    ['zzz', [], ''],
    ['zzz', many, `; known are ${many.slice(0, 30).join(', ')}, …`],
  ])('is used by didYouMean, which for %s names one or all known words', (word, known, text) => {
    expect(didYouMean(word, known)).toBe(text);
  });
});
