import { readYaml } from '../../../src/documents/yaml.ts';
import { formatProblem } from '../../../src/errors.ts';
import fc, { anyCharacter, draws, forAll } from '../../fuzz.ts';
import { CASES } from '../config/yaml-cases.ts';

describe('strict YAML reader', () => {
  test.each(CASES)('accepts or rejects %s as expected', (_, content, expected) => {
    const reading = readYaml('p.yaml', content);
    if ('problems' in expected)
      expect(
        reading.ok
          ? []
          : reading.problems.map(formatProblem).slice(0, Math.max(expected.problems.length, 1)),
      ).toEqual(expected.problems);
    else expect(reading.ok ? reading.value.value : reading.problems).toEqual(expected.value);
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });

  test('returns maps without a prototype', () => {
    const reading = readYaml('p.yaml', 'a: { b: [{ c: 1 }] }');
    const seen: unknown[] = [];
    const visit = (value: unknown) => {
      if (typeof value !== 'object' || value === null) return;
      if (!Array.isArray(value)) seen.push(Object.getPrototypeOf(value));
      Object.values(value).forEach(visit);
    };
    visit(reading.ok ? reading.value.value : null);
    expect(seen).toEqual([null, null, null]);
  });

  const list = (item: string, length: number) => `[${Array(length).fill(item).join(', ')}]`;
  // 199,399 values, because each alias counts as 1,002.
  const aliases = `a: &a ${list('1', 1000)}\nb: ${list('*a', 198)}\nc: `;
  const tooLong = 'is 1048577 bytes; the limit is 1048576';

  test.each([
    [aliases + list('1', 600), null],
    [aliases + list('1', 601), 'expands to more than 200000 values'],
    [`a: ${'x'.repeat(2 ** 20 - 3)}`, null],
    [`a: ${'x'.repeat(2 ** 20 - 2)}`, tooLong],
    [`a: ${'é'.repeat(2 ** 19 - 1)}`, tooLong],
  ])('enforces its limits on values and bytes (%#)', (text, message) => {
    expect(readYaml('p.yaml', text)).toMatchObject(
      message === null ? { ok: true } : { problems: [{ message }] },
    );
  });

  test('reports at most twenty problems per file', () => {
    const lines = Array.from({ length: 50 }, (_, index) => `k${index}: .nan`);
    const reading = readYaml('p.yaml', lines.join('\n'));
    expect(reading.ok ? 0 : reading.problems.length).toBe(20);
  });
});

describe('line numbers in a YAML file', () => {
  const text = [
    'name: p', // 1
    'list:', // 2
    '  - a: 1', // 3
    '    b: { c: 2,', // 4
    '         d: 3 }', // 5
    '  - 7', // 6
    'block: |', // 7
    '  first {x}', // 8
    '  second {y} {x}', // 9
    'folded: >', // 10
    '  one', // 11
    '  two {x}', // 12
    'quoted: "a {x}', // 13
    '  b {y}"', // 14
    'anchor: &n', // 15
    '  deep: 1', // 16
    'alias: *n', // 17
  ].join('\n');
  const reading = readYaml('p.yaml', text);
  if (!reading.ok) throw new Error('unreadable');
  const document = reading.value;

  test.each([
    [[], 1],
    [['name'], 1],
    [['list'], 2],
    [['list', 0], 3],
    [['list', 0, 'b'], 4],
    [['list', 0, 'b', 'd'], 5],
    [['list', 1], 6],
    [['block'], 7],
    [['alias'], 17],
    [['alias', 'deep'], 16],
    [['list', 0, 'missing'], 3],
    [['missing', 'too'], 1],
    [['list', 9], 2],
  ])('path %j is on line %i', (path, line) => {
    expect(document.placeOf(path)).toEqual({ file: 'p.yaml', line });
  });

  test.each([
    ['block', '{x}', 0, 8],
    ['block', '{x}', 1, 9],
    ['block', '{y}', 0, 9],
    ['folded', '{x}', 0, 12],
    ['quoted', '{x}', 0, 13],
    ['quoted', '{y}', 0, 14],
    ['block', '{z}', 0, 7],
    ['block', '{x}', 5, 7],
    ['missing', '{x}', 0, 1],
  ])('in %s, text %s (occurrence %i) is on line %i', (key, needle, occurrence, line) => {
    expect(document.placeOfText([key], needle, occurrence).line).toBe(line);
  });
});

describe('YAML reader with any input', () => {
  const pieces = fc.oneof(
    fc.constantFrom('a', '1', '\n', '\n  ', '\r\n', '\t', ': ', 'b: ', ', ', '- ', '? ', '#'),
    fc.constantFrom('[', ']', '{', '}', '"', "'", '|', '>', '\\', '`', '@', '~', '.nan'),
    fc.constantFrom('&x ', '*x', '!t ', '!!str ', '<<: ', '---\n', '...\n', '%Y\n'),
    fc.constantFrom('__proto__: ', 'constructor: ', '\u0000', '\u202e', '${oc.env:X}'),
  );

  test('returns a value or problems with valid lines, without prototype pollution', () => {
    forAll(
      [
        fc.oneof(
          fc.array(pieces, { maxLength: 60 }).map((parts) => parts.join('')),
          fc.string({ unit: anyCharacter }),
        ),
      ],
      (text) => {
        const reading = readYaml('p.yaml', text);
        if (reading.ok) {
          JSON.stringify(reading.value.value, (key, value: unknown) => {
            expect(['__proto__', 'constructor', 'prototype']).not.toContain(key);
            return value;
          });
          reading.value.placeOf(['a', 0, 'b']);
        } else {
          expect(reading.problems.length).toBeGreaterThan(0);
          for (const { place, message } of reading.problems) {
            expect(message).not.toContain('\n');
            expect(place?.line).toBeLessThanOrEqual(text.split('\n').length);
          }
        }
        expect(Object.keys(Object.prototype)).toEqual([]);
      },
      { numRuns: draws(1500) },
    );
  });

  test('returns a value or problems for any bytes', () => {
    forAll([fc.uint8Array({ maxLength: 200 })], (bytes) => {
      const reading = readYaml('p.yaml', bytes);
      expect(reading.ok || reading.problems.length > 0).toBe(true);
    });
  });

  test('reads back any plain value that JSON can write', () => {
    forAll([fc.jsonValue({ maxDepth: 4 })], (value) => {
      const json = JSON.stringify(value);
      const reading = readYaml('p.yaml', json);
      // Rejected by design: control characters, forbidden keys, numbers that lose digits, and a
      // bare null.
      if (reading.ok)
        expect(JSON.parse(JSON.stringify(reading.value.value))).toEqual(JSON.parse(json));
      else
        expect(reading.problems[0]?.message).toMatch(
          /control|surrogate|not allowed|too large|finite|is empty|1024/,
        );
    });
  });
});
