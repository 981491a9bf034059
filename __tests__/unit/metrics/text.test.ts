import { decimalOf, decimalText } from '../../../src/metrics/measures/decimal.ts';
import { numbersIn } from '../../../src/metrics/measures/numbers.ts';
import type { Json } from '../../../src/types/plain.ts';
import fc, { forAll, forAllAsync, letters } from '../../fuzz.ts';
import { scoredFor, statusFor } from './samples.ts';

describe('exact_match', () => {
  test.each([
    ['8', '8', {}, 'pass'],
    ['8', 8, {}, 'pass'], // a YAML number
    ['true', true, {}, 'pass'],
    [' Paris \n', 'Paris', {}, 'pass'],
    [' Paris', 'Paris', { trim: false }, 'fail'],
    ['paris', 'Paris', {}, 'fail'],
    ['paris', 'Paris', { ignore_case: true }, 'pass'],
    ['Paris!', 'Paris', { ignore_punctuation: true }, 'pass'],
    ['well - known', 'well known', { ignore_punctuation: true }, 'pass'],
    ['C#', 'C++', { ignore_punctuation: true }, 'fail'],
    ['?', '!', { ignore_punctuation: true }, 'fail'],
    ['STRASSE', 'Straße', { ignore_case: true }, 'pass'],
    ['{"e\u0301": "e\u0301"}', { é: 'é' }, {}, 'pass'],
    ['Paris', ['London', 'Paris'], {}, 'pass'],
    ['Rome', ['London', 'Paris'], {}, 'fail'],
    ['Paris', 'Paris', { negate: true }, 'fail'],
    ['', '', {}, 'pass'],
    ['', 'Paris', {}, 'fail'],
    ['e\u0301', '\u00e9', {}, 'pass'], // decomposed and composed form
    ['{"b": 2, "a": 1}', { a: 1, b: 2 }, {}, 'pass'],
    ['{"a": 1}', { a: 1, b: 2 }, {}, 'fail'],
    ['not JSON', { a: 1 }, {}, 'fail'],
    ['Paris', 'Rome', { value: 'Paris' }, 'pass'],
  ])('of %j (expected %j, options %j) is %s', async (output, expected, given, wanted) => {
    expect(await statusFor('exact_match', output, expected, given)).toBe(wanted);
  });

  test("with a fixed value does not need the reference's expected value", async () =>
    expect(await statusFor('exact_match', 'Paris', undefined, { value: 'Paris' })).toBe('pass'));

  test('matches any text to itself, but not to a longer one', async () => {
    await forAllAsync([fc.string()], async (text) => {
      expect(await statusFor('exact_match', text, text)).toBe('pass');
      expect(await statusFor('exact_match', text, `${text}x`)).toBe('fail');
    });
  });
});

describe('contains, starts_with, ends_with', () => {
  test.each([
    ['contains', 'a b c', 'b', {}, 'pass'],
    ['contains', 'a b c', ['x', 'c'], {}, 'pass'],
    ['contains', 'a b c', ['x', 'c'], { mode: 'all' }, 'fail'],
    ['contains', 'a b c', ['a', 'c'], { mode: 'all' }, 'pass'],
    ['contains', 'ABC', 'abc', {}, 'fail'],
    ['contains', 'total 42 items', 42, {}, 'pass'],
    ['contains', 'abc', 'x', { negate: true }, 'pass'],
    ['starts_with', 'abc', 'ab', {}, 'pass'],
    ['starts_with', 'abc', 'bc', {}, 'fail'],
    ['ends_with', 'abc\n', 'bc', {}, 'pass'],
    ['ends_with', 'abc', ['ab', 'c'], {}, 'pass'],
    ['starts_with', '10.5 kg', '105', { ignore_punctuation: true }, 'fail'],
    ['starts_with', '10.5 kg', '10.5', { ignore_punctuation: true }, 'pass'],
    ['contains', 'It is 150.', '$1.50', { ignore_punctuation: true }, 'fail'],
    ['contains', 'Paris', '!', { ignore_punctuation: true }, 'fail'],
    ['contains', 'Paris!', '!', { ignore_punctuation: true }, 'pass'],
    ['contains', 'Paris', ' ', {}, 'fail'],
    ['ends_with', 'Hallo ΟΔΟΣ', 'οδος', { ignore_case: true }, 'pass'],
    ['contains', 'ΟΔΟΣΑ', 'οδος', { ignore_case: true }, 'pass'],
  ])('%s of %j (expected %j, options %j) is %s', async (uses, output, expected, given, wanted) => {
    expect(await statusFor(uses, output, expected, given)).toBe(wanted);
  });

  test.each([
    ['contains', ''],
    ['contains', ['Paris', '']],
    ['starts_with', ''],
    ['ends_with', ''],
    ['match', ''],
  ])('%s is an error for an empty expected text: %j', async (name, expected) => {
    expect(await statusFor(name, 'anything', expected, {})).toBe('error');
  });

  test('find the parts of any text', async () => {
    const part = fc.string({ minLength: 1 });
    await forAllAsync([part, part, part], async (before, middle, after) => {
      const options = { trim: false };
      expect(await statusFor('contains', before + middle + after, middle, options)).toBe('pass');
      expect(await statusFor('starts_with', before + after, before, options)).toBe('pass');
      expect(await statusFor('ends_with', before + after, after, options)).toBe('pass');
    });
  });
});

describe('match', () => {
  test.each<[Json, Record<string, Json>, string, ...string[]]>([
    ['b', {}, 'pass', 'The answer is B.'],
    ['B', {}, 'fail', 'B is the answer'],
    ['B', { location: 'begin' }, 'pass', 'B is the answer'],
    ['B', { location: 'any' }, 'pass', 'It is B indeed'],
    ['B', { location: 'exact' }, 'pass', 'B!'],
    ['1.5', {}, 'fail', 'It weighs 15 kg: 15'],
    [1.5, {}, 'fail', 'It weighs 15 kg: 15'],
    [5, {}, 'fail', 'So it is 25', 'It is -5', 'It is -$5', 'It is -US$5', 'It is .5', 'It is 1e5'],
    [5, {}, 'pass', 'So it is 5.', 'So it is **5**'],
    ['$1.50', {}, 'fail', 'It costs $150'],
    [1024, {}, 'pass', 'It costs $1,024.'],
    [50, {}, 'pass', 'It costs US$50'],
    ['-5', {}, 'fail', 'It is 5', 'From 3-5'],
    ['-5', {}, 'pass', 'It is −5', 'It is \u20115'],
    [5, { ignore_punctuation: false }, 'fail', 'It is -US$5'],
    ['05', {}, 'fail', 'It is 12:05'],
    [4, {}, 'fail', 'It is 3/4'],
    [234, {}, 'fail', 'It is 1\u202f234'],
    [1, { location: 'begin' }, 'fail', '1,5 kg'],
    [5, { location: 'begin' }, 'pass', '5 kg'],
    [5, { location: 'any' }, 'fail', '25 or 52'],
    [5, { location: 'any' }, 'pass', '25 or 5 or 52'],
    ['C++', {}, 'fail', 'Use C#'],
    ['c++', {}, 'pass', 'Use C++.'],
    ['A', {}, 'fail', 'My grade: A-'],
    ['wont', {}, 'pass', 'You said won\u2019t'],
    ['hello world', {}, 'pass', 'So hello, world!'],
    ['5', {}, 'fail', 'It is 3·5', 'It is \u20115'],
    ['5', { ignore_punctuation: false }, 'fail', 'It is 3·5'],
    ['3.14', {}, 'pass', 'So (3.14)'],
    ['!', {}, 'fail', 'What?'],
    ['!', {}, 'pass', 'What!'],
    [1234.5, { numeric: true }, 'pass', 'It costs €1,234.50 in all'],
    [5, { numeric: true }, 'pass', 'Between 3-5 it is 5', 'Pi ist 3,14, e ist 5'],
    [3, { numeric: true, location: 'begin' }, 'pass', 'first 3 then 4'],
    [3, { numeric: true }, 'fail', 'first 3 then 4'],
    [3, { numeric: true, location: 'any' }, 'pass', 'first 3 then 4'],
    [4, { numeric: true, location: 'exact' }, 'fail', 'first 3 then 4'],
    [4, { numeric: true }, 'fail', 'no number'],
    ['four', { numeric: true }, 'error', '4'],
    [3.14, { numeric: true, decimal: 'comma' }, 'pass', 'Pi ist 3,14'],
    [14, { numeric: true, negate: true }, 'error', 'Pi ist 3,14'],
    ['3,14', { numeric: true }, 'error', '3,14'],
    ['2512292042121000000', { numeric: true }, 'fail', '2512292042121000001'],
    [5, { numeric: true }, 'fail', '5 in 25', '-5'],
    [60, { numeric: true }, 'pass', '60%'],
    [0.6, { numeric: true }, 'fail', '60%'],
  ])('expecting %j (options %j) gives %s for %j', async (expected, given, wanted, ...answers) => {
    for (const answer of answers)
      expect([answer, await statusFor('match', answer, expected, given)]).toEqual([answer, wanted]);
  });

  test.each(['\u2010', '\u2011', '\u2012', '–', '−', '－'])(
    'does not find 5 after the sign %j',
    async (sign) => {
      const given = { ignore_punctuation: false };
      expect(await statusFor('match', `It is ${sign}5`, '5', given)).toBe('fail');
      expect(await statusFor('match', `It is ${sign}$5`, '$5', given)).toBe('fail');
    },
  );
});

describe('numbers in a text', () => {
  const readings = (text: string, mark?: 'point' | 'comma') =>
    numbersIn(text, mark).map(({ text: written, value }) =>
      value === null ? `? ${written}` : decimalText(value),
    );

  test.each([
    ['1,234,567.5', ['1234567.5']],
    ['1,0000', ['? 1,0000']],
    ['1, 2, 3 or 1,2,3', ['1', '2', '3', '1', '2', '3']],
    ['1, 2,3', ['1', '? 2,3']],
    ['1,-2,+3', ['1', '-2', '3']],
    ['12.5,13.5', ['12.5', '13.5']],
    ['3-5 and -5', ['3', '5', '-5']],
    ['10–20, 10%-20%, $10-$20', ['10', '20', '10', '20', '10', '20']],
    ['v1.2.3', ['? 1.2.3']],
    ['.5 or -.5 is...5', ['0.5', '-0.5', '5']],
    ['1e3 2E-2', ['1000', '0.02']],
    ['1e999', ['1e999']],
    ['−7 °C', ['-7']],
    ['none', []],
  ])('in %j are %j', (text, wanted) => expect(readings(text)).toEqual(wanted));

  test.each([
    ['minus before $', '-$50', '−$50', '–$50', '\u2010$50', '\u2012$50', '-\\$50'],
    ['no-break hyphen before $', '\u2011$50'],
    [
      'minus before another currency',
      '-US$50',
      '-€50',
      '-€ 50',
      '-R$\u00a050',
      '-USD 50',
      '-Rs. 50',
    ],
    ['minus after a currency', '$-50', 'US$-50', '€-50', 'EUR-50', 'EUR −50'],
    ['minus beside the number', '-\u202f50', '-50.00 EUR'],
  ])('include -50 for a %s', (_, ...texts) => {
    for (const text of texts) expect([text, ...readings(`It is ${text}.`)]).toEqual([text, '-50']);
  });

  test.each([
    ['another sign', '+$50', '($50)', '- 50', '- $50', 'USD 50'],
    ['a hyphen in a word', 'GPT-50', 'TOP-50', 'Model A-50', '60-%50'],
  ])('include 50 without a sign for %s', (_, ...texts) => {
    for (const text of texts) expect([text, readings(text).at(-1)]).toEqual([text, '50']);
  });

  test.each([
    ['12,34,567', '1234567'],
    ['1,00,000', '100000'],
    ['1,024', '1024'],
    ['1,024.50', '1024.5'],
    ['1.024,50', '1024.5'],
    ['1.234.567', '1234567'],
    ['1\u202f234\u202f567,5', '1234567.5'],
    ['1\u00a0234', '1234'],
    ['1\u2009234.5', '1234.5'],
    ['1’234.50', '1234.5'],
    ["1'234'567", '1234567'],
    ['1_000', '1000'],
  ])('in %j are read as one number, %s', (text, wanted) => {
    expect(readings(`It costs ${text} EUR`)).toEqual([wanted]);
  });

  test.each([
    ['ambiguous separators', '3,14', '0,5', '1,0000,0000', '1,234,56', '10 000', '1 234,5'],
    ['an adjacent number or exponent', '±5', '2½', '2 ½', '10²', '10^6', '10^{-6}'],
    ['an unusual separator', '3·14', '1٬234٫5', '1´000', '1\u200a000', '1\u2060000'],
  ])('are ambiguous with %s', (_, ...texts) => {
    for (const text of texts) expect(readings(text)).toEqual([`? ${text}`]);
  });

  test.each(['02.01.2024', '192.168.0.1', "5'10", '４２', '٤٢'])('are ambiguous in %j', (text) => {
    expect(readings(text)).toEqual([`? ${text}`]);
  });

  test.each<['point' | 'comma', string, string[]]>([
    ['comma', '3,14', ['3.14']],
    ['comma', '1.024', ['1024']],
    ['comma', '1,024', ['1.024']],
    ['comma', '-1.234,5', ['-1234.5']],
    ['comma', '10 000', ['10000']],
    ['comma', '1,2,3', ['1', '2', '3']],
    ['comma', '3.14', ['? 3.14']],
    ['point', '1,024', ['1024']],
    ['point', '10 000.5', ['10000.5']],
    ['point', '3,14', ['3', '14']],
    ['point', '1.024,50', ['? 1.024,50']],
  ])('with the setting decimal: %s are, in %j, %j', (mark, text, wanted) => {
    expect(readings(text, mark)).toEqual(wanted);
  });

  const digits = fc.array(fc.nat(9), { minLength: 1, maxLength: 40 }).map((all) => {
    const text = all.join('').replace(/^0+/, '');
    return text === '' ? '7' : text;
  });
  const amount = fc.record({
    digits,
    decimals: fc.option(fc.nat(999).map(String)),
    style: fc.constantFrom([',', '.'], ['’', '.'], ["'", ','], ['\u00a0', ','], ['\u202f', '.']),
    sign: fc.constantFrom('', '-', '−'),
    currency: fc.constantFrom('_', '$_', 'US$_', '€ _', 'USD _', '_ kr'),
  });

  test('are read in any grouping, sign and currency', () => {
    forAll([amount], ({ digits: whole, decimals, style: [group, mark], sign, currency }) => {
      const grouped = whole.replace(/\B(?=(\d{3})+$)/g, group ?? '');
      // Without a group separator, a comma before the decimals is ambiguous.
      const fraction = decimals === null ? '' : `${grouped === whole ? '.' : mark}${decimals}`;
      const text = `It is ${sign}${currency.replace('_', `${grouped}${fraction}`)}.`;
      const plain = `${sign === '' ? '' : '-'}${whole}.${decimals ?? '0'}`;
      const wanted = decimalOf(plain);
      expect(numbersIn(text).map(({ value }) => value)).toEqual([wanted]);
    });
  });

  test('have another value if a digit or the sign is removed', async () => {
    await forAllAsync([amount, fc.nat()], async ({ digits: whole, decimals, sign }, at) => {
      const given = `${sign}${whole}${decimals === null ? '' : `.${decimals}`}`;
      const place = at % given.length;
      const cut = given.slice(0, place) + given.slice(place + 1);
      fc.pre(/\d/.test(cut) && !equal(given, cut));
      for (const [uses, with_] of [
        ['match', { numeric: true }],
        ['numeric_diff', {}],
        ['json_match', {}],
        ['set_f1', {}],
      ] as const) {
        const [answer, expected] =
          uses === 'set_f1' ? [`[${json(given)}]`, [cut]] : [json(given), cut];
        expect(await statusFor(uses, answer, expected, with_)).not.toBe('pass');
      }
    });

    /** Equal except for leading and trailing zeros, and the sign of 0. */
    function equal(one: string, other: string) {
      const [a, b] = [numbersIn(one)[0]?.value, numbersIn(other)[0]?.value];
      return a?.digits === b?.digits && a?.exponent === b?.exponent;
    }

    function json(text: string) {
      return text.replace('−', '-');
    }
  });

  test('are found quickly in long texts of digits and separators', () => {
    for (const piece of ['1', '1,', '1.', '1 ', "1'", '-$', 'EUR-', '1e', '000,', '0', '1 000']) {
      expect(() => numbersIn(piece.repeat(letters(200_000)))).not.toThrow();
    }
    expect(readings('1e999999999 -1e-999999999')).toHaveLength(2);
  });
});

describe('regex', () => {
  test.each([
    ['order 66', undefined, { pattern: '\\d+' }, 'pass'],
    ['order', undefined, { pattern: '\\d+' }, 'fail'],
    ['order 66', '^order', {}, 'pass'],
    ['order 66', ['x', '6{2}'], {}, 'pass'],
    ['Order', undefined, { pattern: 'order', ignore_case: true }, 'pass'],
    ['a\nb', undefined, { pattern: 'a.b' }, 'fail'],
    ['a\nb', undefined, { pattern: 'a.b', dot_all: true }, 'pass'],
    ['a\nb', undefined, { pattern: '^b$' }, 'fail'],
    ['a\nb', undefined, { pattern: '^b$', multiline: true }, 'pass'],
    ['abc', undefined, { pattern: 'b', full_match: true }, 'fail'],
    ['abc', undefined, { pattern: 'a.c', full_match: true }, 'pass'],
    ['Answer: 42', 42, { pattern: 'Answer: (\\d+)', group: 1 }, 'pass'],
    ['Answer: 43', 42, { pattern: 'Answer: (\\d+)', group: 1 }, 'fail'],
    ['none', 42, { pattern: 'Answer: (\\d+)', group: 1 }, 'fail'],
    ['x', '(', {}, 'error'],
    ['cafe\u0301', '^caf\u00e9$', {}, 'pass'],
    ['caf\u00e9', undefined, { pattern: 'cafe\u0301', full_match: true }, 'pass'],
  ])('of %j (expected %j, options %j) is %s', async (output, expected, given, wanted) => {
    expect(await statusFor('regex', output, expected, given)).toBe(wanted);
  });

  test('quickly matches a pattern that makes backtracking engines hang', async () => {
    expect(await statusFor('regex', `${'a'.repeat(40)}!`, undefined, { pattern: '(a+)+$' })).toBe(
      'fail',
    );
  });
});

describe('numeric_diff', () => {
  test.each([
    ['10', 10, {}, 'pass', 1],
    ['0', 0, {}, 'pass', 1],
    ['about 9.5', 10, { abs_tol: 0.5 }, 'pass', 1 - 0.5 / 19.5],
    ['about 9.5', 10, { rel_tol: 0.05 }, 'pass', 1 - 0.5 / 19.5],
    ['-10', 10, {}, 'fail', 0],
    ['none', 10, {}, 'fail', 0],
    ['1 and 2', 1, { number: 'only' }, 'fail', 0],
    ['1 and 2', 1, { number: 'first' }, 'pass', 1],
    ['5', 'many', {}, 'error', null],
    ['2512292042121000001', '2512292042121000000', {}, 'fail', 1],
    ['0.8', 0.7, { abs_tol: 0.1 }, 'pass', 1 - 0.1 / 1.5],
    ['0', 5, {}, 'fail', 0],
    ['1e999', 5, {}, 'fail', 0],
    ['1e999', '1e999', {}, 'pass', 1],
  ])('of %j (expected %j, options %j) is %s', async (output, expected, given, wanted, value) => {
    const found = await scoredFor('numeric_diff', output, expected, given);
    expect(found.status).toBe(wanted);
    expect(found.value).toEqual(value === null ? null : expect.closeTo(value, 12));
  });
});

test.each([
  ['numeric_diff', 'It is -$50.00', 50, '-$50.00 differs from 50 by 100'],
  ['numeric_diff', '0.30', 0.1, '0.30 differs from 0.1 by 0.2'],
  [
    'numeric_diff',
    '2512292042121000001',
    '2512292042121000000',
    '2512292042121000001 differs from 2512292042121000000 by 1',
  ],
  [
    'numeric_diff',
    'Pi ist 3,14',
    14,
    '"3,14" is an ambiguous number; set `decimal` to the decimal mark',
  ],
  ['set_f1', '[2512292042121000001]', ['1'], 'lacks "1"; has "2512292042121000001" besides'],
])(
  'the reason of %s for %j shows the number as written',
  async (uses, output, expected, reason) => {
    expect((await scoredFor(uses, output, expected)).reason).toBe(reason);
  },
);

describe('length and word_count', () => {
  test.each([
    ['héé👍', {}, 4],
    ['héé👍', { unit: 'bytes' }, 9],
    ['a b\n c', { unit: 'words' }, 3],
    ['', { unit: 'words' }, 0],
    ['', { unit: 'lines' }, 0],
    ['a\nb\n', { unit: 'lines' }, 2],
    ['a\nb', { unit: 'lines' }, 2],
  ])('give the length of %j with the options %j as %d', async (output, given, wanted) => {
    expect((await scoredFor('length', output, undefined, given)).value).toBe(wanted);
  });

  test.each([
    [{ min: 3 }, 'pass'],
    [{ min: 4 }, 'fail'],
    [{ max: 3 }, 'pass'],
    [{ max: 2 }, 'fail'],
    [{ min: 3, max: 3 }, 'pass'],
    [{}, 'pass'],
  ])('judge a three-word answer, with the word_count options %j, as %s', async (given, wanted) => {
    expect(await statusFor('word_count', 'one two three', undefined, given)).toBe(wanted);
  });
});
