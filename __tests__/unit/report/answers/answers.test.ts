import { expectedFrom, expectedParts } from '../../../../src/report/answers/accept.ts';
import { answerRuns, argumentChanges } from '../../../../src/report/answers/difference.ts';
import { answerKey, argumentText, textOfParts } from '../../../../src/report/answers/text.ts';
import { partsOf, type Part } from '../../../../src/types/answer.ts';
import type { Json } from '../../../../src/types/plain.ts';
import { processorSeconds } from '../../../stand-ins/processor-time.ts';

const call = (name: string, given: Json | string): Part => ({
  type: 'tool_call',
  name,
  arguments: typeof given === 'string' ? given : JSON.stringify(given),
});
const image: Part = {
  type: 'image',
  media_type: 'image/png',
  digest: '0123456789abcdef'.repeat(4),
  bytes: 12,
  data: null,
};
const file: Part = { type: 'file', path: 'a.ts', diff: '+1' };
const unknown: Part = { type: 'unknown', kind: 'audio', json: '{"id":1}' };

describe('an answer as text', () => {
  test.each<[string, Part[]]>([
    ['', []],
    ['Yes.', partsOf('Yes.')],
    ['order(item: "vase", amount: 3)', [call('order', { item: 'vase', amount: 3 })]],
    ['order()', [call('order', '')]],
    ['order({"item": )', [call('order', '{"item": ')]],
    ['order([1])', [call('order', '[1]')]],
    ['order(id: 12345678901234567890)', [call('order', '{"id": 12345678901234567890}')]],
    [
      'Wait.\nfind(q: "a")\npay()',
      [...partsOf('Wait.'), call('find', { q: 'a' }), call('pay', {})],
    ],
    ['{"a":1}', [{ type: 'json', value: { a: 1 } }]],
    ['image (image/png, 12 bytes, 01234567)', [image]],
    ['a.ts\n+1', [file]],
    ['unknown part "audio": {"id":1}', [unknown]],
  ])('is %j', (words, parts) => {
    expect(textOfParts(parts)).toBe(words);
  });
});

describe('the comparison key of an answer', () => {
  test.each<[string, Part, Part, boolean]>([
    [
      'ignores the order of arguments',
      call('f', '{"a":1,"b":2}'),
      call('f', '{ "b": 2, "a": 1.0 }'),
      true,
    ],
    ['depends on an argument', call('f', { a: 1 }), call('f', { a: 2 }), false],
    [
      'depends on the last digits of long numbers',
      call('f', '{"a":12345678901234567890}'),
      call('f', '{"a":12345678901234567891}'),
      false,
    ],
    ['depends on the name of the call', call('f', {}), call('g', {}), false],
    [
      'ignores the key order of JSON',
      { type: 'json', value: { a: 1, b: 2 } },
      { type: 'json', value: { b: 2, a: 1 } },
      true,
    ],
    ['depends on the image', image, { ...image, digest: 'f'.repeat(64) }, false],
    ['depends on a file', file, { ...file, diff: '+2' }, false],
    ['depends on the kind of part', { type: 'text', text: 'pay()' }, call('pay', {}), false],
  ])('changes only if the answer does: it %s', (_, one, other, equal) => {
    expect(answerKey([one]) === answerKey([other])).toBe(equal);
  });
});

describe('two different answers', () => {
  /** Both texts, with changed parts in brackets. */
  const marked = (base: Part[], head: Part[]): [string, string] => {
    const side = (own: 'base' | 'head') =>
      answerRuns(base, head)
        .map((run) => (run.changed && run[own] !== '' ? `[${run[own]}]` : run[own]))
        .join('');
    return [side('base'), side('head')];
  };
  const order = (given: Json): Part => call('order', given);

  test.each<[string, Part[], Part[], [string, string]]>([
    [
      'a renamed argument',
      [order({ item: 'vase', quantity: 3 })],
      [order({ item: 'vase', amount: 3 })],
      ['order(item: "vase", [quantity: 3])', 'order(item: "vase", [amount: 3])'],
    ],
    [
      'a word in an argument',
      [order({ note: 'send it by post' })],
      [order({ note: 'send it by mail' })],
      ['order(note: "send it by [post]")', 'order(note: "send it by [mail]")'],
    ],
    [
      'an argument that one side lacks',
      [order({ a: 1, b: 2 })],
      [order({ b: 2 })],
      ['order([a: 1], b: 2)', 'order(b: 2)'],
    ],
    [
      'a call that one side lacks, in the order of each side',
      [call('find', {}), order({})],
      [order({}), call('pay', {})],
      ['[find()]\norder()', 'order()\n[pay()]'],
    ],
    [
      'a text instead of a call',
      [order({})],
      partsOf('Which vase?'),
      ['[order()]', '[Which vase?]'],
    ],
    ['broken arguments', [order({ a: 1 })], [call('order', '{')], ['[order(a: 1)]', '[order({)]']],
    ['words', partsOf('It is red.'), partsOf('It is blue.'), ['It is [red].', 'It is [blue].']],
    ['nothing in texts without a common word', partsOf('ab'), partsOf('cd'), ['ab', 'cd']],
    [
      'a line of a file',
      [{ ...file, diff: '+one\n+two' }],
      [{ ...file, diff: '+one\n+too' }],
      ['a.ts\n+one\n+[two]', 'a.ts\n+one\n+[too]'],
    ],
  ])('are shown with %s marked', (_, base, head, shown) => {
    expect(marked(base, head)).toEqual(shown);
  });

  test('are also described by a list of changed arguments', () => {
    const changes = argumentChanges(
      [order({ item: 'vase', quantity: 3, note: 'x', b: 1 })],
      [order({ item: 'bowl', amount: 3, b: 1 })],
    );
    const words = (given: (typeof changes)[number]['base']) => given && argumentText(given);
    expect(changes.map(({ base, head }) => [words(base), words(head)])).toEqual([
      ['item: "vase"', 'item: "bowl"'],
      ['quantity: 3', 'amount: 3'],
      ['note: "x"', null],
    ]);
  });
});

describe('the expected value made from an accepted answer', () => {
  test.each<[string, Part[], unknown]>([
    ['text', partsOf('Yes.'), { value: 'Yes.' }],
    ['an empty answer', [], { value: '' }],
    [
      'calls, even beside text',
      [...partsOf('Wait.'), call('order', { item: 'vase' })],
      { value: [{ name: 'order', arguments: { item: 'vase' } }] },
    ],
    ['JSON', [{ type: 'json', value: [1] }], { value: [1] }],
    ['files', [...partsOf('Done.'), file], { value: [{ path: 'a.ts', content: '+1' }] }],
    ['an image', [image], { value: [{ image: '0123456789abcdef'.repeat(4) }] }],
    ['a file and calls', [call('write', {}), file], { value: [{ path: 'a.ts', content: '+1' }] }],
    ['an unknown part', [unknown], { refused: expect.stringContaining('cannot be accepted') }],
    ['broken arguments', [call('f', '{')], { refused: expect.stringContaining('not a JSON map') }],
    [
      'long numbers',
      [call('f', '{"a":[12345678901234567890]}')],
      { refused: expect.stringContaining('too many digits') },
    ],
  ])('is correct for %s', (_, parts, expected) => {
    expect(expectedFrom(parts, null)).toEqual(expected);
  });

  test('has only the calls if the reference expects calls', () => {
    expect(expectedFrom([call('write', {}), file], [{ name: 'write' }])).toEqual({
      value: [{ name: 'write', arguments: {} }],
    });
  });
});

describe('expected values converted to the form of an answer', () => {
  test.each<[string, Json, Part[] | null]>([
    ['calls', [{ name: 'order', arguments: { item: 'vase' } }], [call('order', '{"item":"vase"}')]],
    ['files', [{ path: 'a.md', content: 'A\n' }], [{ type: 'file', path: 'a.md', diff: 'A\n' }]],
    ['a text', 'Yes.', null],
    ['no calls', [], null],
    ['names alone', ['order'], null],
    ['other maps', [{ name: 'Ada', age: 36 }], null],
    ['a call by schema', [{ name: 'order', schema: {} }], null],
  ])('are correct for %s', (_, expected, parts) => {
    expect(expectedParts(expected)).toEqual(parts);
  });
});

describe('hostile answers', () => {
  test('are read as text if their arguments are deeply nested', () => {
    const deep = `{"a":${'['.repeat(20_000)}${']'.repeat(20_000)}}`;
    const parts = [call('f', deep)];
    expect(textOfParts(parts) === `f(${deep})`).toBe(true);
    expect(answerKey(parts) === answerKey([call('f', `${deep} `)])).toBe(false);
    expect(argumentChanges(parts, [call('f', { a: 1 })])).toEqual([]);
  });

  test('are compared in less than two seconds of processor time even if a call has 8,000 arguments', async () => {
    const numbered = (name: string, values: readonly number[]): Part[] => [
      call('f', Object.fromEntries(values.map((value) => [`${name}${value}`, value]))),
    ];
    const values = Array.from({ length: 8000 }, (_, i) => i);
    let changes: ReturnType<typeof argumentChanges> = [];
    const seconds = await processorSeconds(() => {
      changes = argumentChanges(numbered('a', values), numbered('b', values.toReversed()));
    });
    expect(seconds).toBeLessThan(2);
    expect(changes).toHaveLength(8000);
    expect(changes.every(({ base, head }) => base?.value === head?.value)).toBe(true);
  });

  test('are compared up to their 200th call, and all further calls are still shown', () => {
    const calls = (from: number): Part[] =>
      Array.from({ length: 300 }, (_, i) => call(`f${i + from}`, {}));
    expect(argumentChanges(calls(0), calls(0))).toEqual([]);
    const words = answerRuns(calls(0), calls(1)) ?? [];
    expect(words.map(({ base }) => base).join('')).toContain('f299()');
    expect(words.map(({ head }) => head).join('')).toContain('f300()');
  });
});
