import { describe, expect, test } from '@jest/globals';
import { fill, isVariableName, placeholders } from '../../../../src/kernel/suite/template.ts';
import fc from '../../../fuzz.ts';

describe('filling a template', () => {
  test.each<[string, string, Record<string, string | number | boolean>, string]>([
    ['replaces every occurrence', '{a} + {a} = {b}', { a: 1, b: 2 }, '1 + 1 = 2'],
    ['keeps zero and false as they are', '{zero} {no}', { zero: 0, no: false }, '0 false'],
    [
      'never expands inserted text again',
      'Q: {a} / {b}',
      { a: '{b}', b: 'secret' },
      'Q: {b} / secret',
    ],
    ['does not build a name out of inserted text', '{{a}b}', { a: 'a', ab: 'x', b: 'y' }, '{ab}'],
    ['takes dollar patterns as text', 'cost {a}!', { a: "$& $` $' $1 $$" }, "cost $& $` $' $1 $$!"],
    [
      'ignores what objects inherit',
      '{toString} {constructor} {__proto__}',
      { a: 1 },
      '{toString} {constructor} {__proto__}',
    ],
    [
      'leaves attribute access and format marks alone',
      '{a.b} {a[0]} {a!r} {0} { a } {}',
      { a: 'x' },
      '{a.b} {a[0]} {a!r} {0} { a } {}',
    ],
    [
      'leaves the braces of JSON alone',
      '{"k": "{a}", "l": {}, "m": {"n": 1}}',
      { a: 'v' },
      '{"k": "v", "l": {}, "m": {"n": 1}}',
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
    [
      'does not take letters outside of ASCII for a name',
      '{straße} {名}',
      { straße: 1, 名: 2 },
      '{straße} {名}',
    ],
  ])('%s', (_, template, values, expected) => expect(fill(template, values)).toBe(expected));

  test('uses an own key of a prototype name', () => {
    expect(
      fill(
        '{__proto__} {toString}',
        JSON.parse('{"__proto__":"x","toString":"y"}') as Record<string, string>,
      ),
    ).toBe('x y');
  });

  test('reads any text in one pass: a template without names is unchanged', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom('{', '}', ' ', '1', '"', '$', '\n') }),
        (text) => expect(fill(text, { a: 'never' })).toBe(text),
      ),
    );
  });

  test('inserts any value once and unchanged', () => {
    fc.assert(
      fc.property(fc.string(), (value) => {
        expect(fill('<{a}|{a}>', { a: value })).toBe(`<${value}|${value}>`);
      }),
    );
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
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('{', '}', 'a', 'b', ' ') }), (text) => {
        const names = new Set(placeholders(text).map(({ name }) => name));
        const values = Object.fromEntries([...names].map((name) => [name, '']));
        expect(fill(text, { ...values, zz: 'never' })).not.toContain('never');
        if (names.size === 0) expect(fill(text, { a: '!', b: '!', ab: '!' })).not.toContain('!');
        else
          expect(fill(text, Object.fromEntries([...names].map((name) => [name, '!'])))).toContain(
            '!',
          );
      }),
    );
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
