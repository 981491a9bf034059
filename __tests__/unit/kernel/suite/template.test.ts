import { describe, expect, test } from '@jest/globals';
import { fill, isVariableName, placeholders } from '../../../../src/kernel/suite/template.ts';
import fc, { forAll } from '../../../fuzz.ts';

type Values = Record<string, string | number | boolean>;

describe('filling a template', () => {
  test.each<[string, string, Values, string]>([
    ['replaces every occurrence', '{a} + {a} = {b}', { a: 1, b: 2 }, '1 + 1 = 2'],
    ['keeps zero and false as they are', '{zero} {no}', { zero: 0, no: false }, '0 false'],
    ['never expands inserted text again', 'Q: {a} / {b}', { a: '{b}', b: 's' }, 'Q: {b} / s'],
    ['does not build a name out of inserted text', '{{a}b}', { a: 'a', ab: 'x', b: 'y' }, '{ab}'],
    ['takes dollar patterns as text', 'cost {a}!', { a: "$& $` $' $1 $$" }, "cost $& $` $' $1 $$!"],
    [
      'leaves the braces of JSON alone',
      '{"k": "{a}", "l": {"n": 1}}',
      { a: 'v' },
      '{"k": "v", "l": {"n": 1}}',
    ],
    ['puts a value straight into JSON', '{"k":{a}}', { a: 5 }, '{"k":5}'],
    ['keeps a name that has no value', '{a} {missing}', { a: 1 }, '1 {missing}'],
    ['writes a doubled name as the literal name', 'use {{a}} for {a}', { a: 1 }, 'use {a} for 1'],
    ['writes a doubled name that has no value the same way', '{{missing}}', {}, '{missing}'],
    [
      'puts braces around the value of a tripled name',
      '\\frac{{{a}}}{2}',
      { a: 7 },
      '\\frac{7}{2}',
    ],
    ['keeps uneven braces', '{{a} {a}} {{{a}} {{a}}}', { a: 1 }, '{1 1} {{a} {a}}'],
    ['keeps further braces outside of three', '{{{{a}}}}', { a: 1 }, '{{1}}'],
    ['keeps an open brace at the end', 'x {a} {', { a: 1 }, 'x 1 {'],
  ])('%s', (_, template, values, expected) => expect(fill(template, values)).toBe(expected));

  test.each([
    ['what objects inherit', '{toString} {constructor} {__proto__}'],
    ['attribute access and format marks', '{a.b} {a[0]} {a!r} {0} { a } {}'],
    ['names with letters outside of ASCII', '{straße} {名}'],
  ])('ignores %s', (_, template) => {
    expect(fill(template, { a: 'x', straße: 1, 名: 2 })).toBe(template);
  });

  test('uses an own key of a prototype name', () => {
    const values = JSON.parse('{"__proto__":"x","toString":"y"}') as Record<string, string>;
    expect(fill('{__proto__} {toString}', values)).toBe('x y');
  });

  test('reads any text in one pass: a template without names is unchanged', () => {
    const unit = fc.constantFrom('{', '}', ' ', '1', '"', '$', '\n');
    forAll([fc.string({ unit })], (text) => expect(fill(text, { a: 'never' })).toBe(text));
  });

  test('inserts any value once and unchanged', () => {
    forAll([fc.string()], (value) => {
      expect(fill('<{a}|{a}>', { a: value })).toBe(`<${value}|${value}>`);
    });
  });

  test('handles a megabyte of braces and of letters', () => {
    const size = 1 << 20;
    for (const piece of ['{', '}', '{a', '{{a}', '{a}}', 'a', '{ ']) {
      const text = piece.repeat(Math.floor(size / piece.length));
      expect(fill(text, {})).toHaveLength(text.length);
    }
  });
});

describe('listing placeholders', () => {
  test('returns every name with the index of its own brace', () => {
    const template = 'x {a} {{b}} {{{c}}} {"d": {e}} {a}';
    const found = placeholders(template);
    expect(found.map(({ name }) => name)).toEqual(['a', 'c', 'e', 'a']);
    for (const { name, offset } of found)
      expect(template.slice(offset, offset + name.length + 2)).toBe(`{${name}}`);
  });

  test('lists exactly the names that filling replaces', () => {
    forAll([fc.string({ unit: fc.constantFrom('{', '}', 'a', 'b', ' ') })], (text) => {
      const names = new Set(placeholders(text).map(({ name }) => name));
      const withAll = (value: string) =>
        Object.fromEntries([...names].map((name) => [name, value]));
      expect(fill(text, { ...withAll(''), zz: 'never' })).not.toContain('never');
      const filled = fill(text, names.size === 0 ? { a: '!', b: '!', ab: '!' } : withAll('!'));
      expect(filled.includes('!')).toBe(names.size > 0);
    });
  });

  test.each([
    ['a', true],
    ['_x9', true],
    ['', false],
    ['9a', false],
    ['a-b', false],
    ['a.b', false],
    ['a b', false],
    ['ä', false],
  ])('the name "%s" can be written in braces: %s', (name, expected) => {
    expect(isVariableName(name)).toBe(expected);
  });
});
