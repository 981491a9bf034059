import { fill, isVariableName, placeholders } from '../../../../src/kernel/suite/template.ts';
import fc, { forAll } from '../../../fuzz.ts';

describe('fill', () => {
  test.each([
    ['replaces every occurrence', '{a} + {a} = {b}', { a: 1, b: 2 }, '1 + 1 = 2'],
    ['keeps zero and false as they are', '{zero} {no}', { zero: 0, no: false }, '0 false'],
    ['never expands inserted text again', 'Q: {a} / {b}', { a: '{b}', b: 's' }, 'Q: {b} / s'],
    ['does not build a name from inserted text', '{{a}b}', { a: 'a', ab: 'x', b: 'y' }, '{ab}'],
    [
      'inserts dollar patterns literally',
      'cost {a}!',
      { a: "$& $` $' $1 $$" },
      "cost $& $` $' $1 $$!",
    ],
    [
      'leaves the braces of JSON alone',
      '{"k": "{a}", "l": {"n": 1}}',
      { a: 'v' },
      '{"k": "v", "l": {"n": 1}}',
    ],
    ['inserts a value directly into JSON', '{"k":{a}}', { a: 5 }, '{"k":5}'],
    ['keeps a name that has no value', '{a} {missing}', { a: 1 }, '1 {missing}'],
    ['writes a doubled name as the literal name', 'use {{a}} for {a}', { a: 1 }, 'use {a} for 1'],
    ['does the same for a doubled name without a value', '{{missing}}', {}, '{missing}'],
    [
      'puts braces around the value of a tripled name',
      '\\frac{{{a}}}{2}',
      { a: 7 },
      '\\frac{7}{2}',
    ],
    ['keeps uneven braces', '{{a} {a}} {{{a}} {{a}}}', { a: 1 }, '{1 1} {{a} {a}}'],
    ['keeps additional braces around three', '{{{{a}}}}', { a: 1 }, '{{1}}'],
    ['keeps an open brace at the end', 'x {a} {', { a: 1 }, 'x 1 {'],
  ])('renders as expected: it %s', (_, template, values, expected) =>
    expect(fill(template, values)).toBe(expected),
  );

  test.each([
    ['inherited object members', '{toString} {constructor} {__proto__}'],
    ['attribute access and format specifiers', '{a.b} {a[0]} {a!r} {0} { a } {}'],
    ['names with non-ASCII letters', '{straße} {名}'],
  ])('ignores %s', (_, template) => {
    expect(fill(template, { a: 'x', straße: 1, 名: 2 })).toBe(template);
  });

  test('uses a variable whose name is also a member of Object.prototype', () => {
    const values = JSON.parse('{"__proto__":"x","toString":"y"}') as Record<string, string>;
    expect(fill('{__proto__} {toString}', values)).toBe('x y');
  });

  test('leaves any text without placeholders unchanged', () => {
    const unit = fc.constantFrom('{', '}', ' ', '1', '"', '$', '\n');
    forAll([fc.string({ unit })], (text) => expect(fill(text, { a: 'never' })).toBe(text));
  });

  test('inserts any value once and unchanged', () => {
    forAll([fc.string()], (value) => {
      expect(fill('<{a}|{a}>', { a: value })).toBe(`<${value}|${value}>`);
    });
  });

  test('handles a megabyte of braces or letters', () => {
    const size = 1 << 20;
    for (const piece of ['{', '}', '{a', '{{a}', '{a}}', 'a', '{ ']) {
      const text = piece.repeat(Math.floor(size / piece.length));
      expect(fill(text, {})).toHaveLength(text.length);
    }
  });
});

describe('placeholders', () => {
  test('returns every name with the index of its inner brace', () => {
    const template = 'x {a} {{b}} {{{c}}} {"d": {e}} {a}';
    const found = placeholders(template);
    expect(found.map(({ name }) => name)).toEqual(['a', 'c', 'e', 'a']);
    for (const { name, offset } of found)
      expect(template.slice(offset, offset + name.length + 2)).toBe(`{${name}}`);
  });

  test('returns exactly the names that fill replaces', () => {
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
  ])('may have the name "%s": %s', (name, expected) => {
    expect(isVariableName(name)).toBe(expected);
  });
});
