import { describe, expect, test } from '@jest/globals';
import { stringify } from 'yaml';
import { yamlText } from '../../../src/report/llmeval.ts';
import type { Json } from '../../../src/types/plain.ts';
import fc, { draws } from '../../fuzz.ts';

describe("the text of llmeval's files", () => {
  const telling = fc.constantFrom(
    ...['true', 'Null', 'no', '~', '-5', '007', '1e5', '2020-01-01', 'a: b', 'a:b', 'a #b', 'a#b'],
    ...[
      'a:',
      'a ',
      '',
      '\n',
      'a\n',
      'a\n\nb',
      '  a\nb',
      '- x',
      '? x',
      '"q"',
      "it's",
      'a\tb',
      '{a}',
    ],
    ...[
      '&x',
      '|',
      '#',
      'é: ü',
      '日本',
      '\u2028',
      '\u{1F600}',
      'x\u0000 and more\nthan forty letters',
    ],
  );
  const text = fc.oneof(
    telling,
    fc.string(),
    fc.array(telling).map((parts) => parts.join(' ')),
    fc.array(telling).map((parts) => parts.join('\n')),
  );
  const name = text.filter((key) => key !== '__proto__' && !/^(---|\.\.\.)/m.test(key));
  const { value } = fc.letrec<{ value: Json }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 5 },
      fc.constantFrom(null, true, false, -0),
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      text,
      fc.array(tie('value'), { maxLength: 4 }),
      fc.dictionary(name, tie('value'), { maxKeys: 4 }),
    ),
  }));

  test('is what yaml writes of the same values', () => {
    fc.assert(
      fc.property(fc.dictionary(name, value, { maxKeys: 4 }), (map) =>
        expect(yamlText(map)).toBe(stringify(map, { aliasDuplicateObjects: false, lineWidth: 0 })),
      ),
      { numRuns: draws(5000) },
    );
  });

  test('leaves out what is not there, as yaml does', () =>
    expect(yamlText({ kept: 'x', left: undefined as unknown as Json })).toBe('kept: x\n'));
});
