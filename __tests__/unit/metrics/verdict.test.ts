import { lastWords, replyObject, verdictOf } from '../../../src/metrics/verdict.ts';

const WORDS = ['yes', 'no', 'unknown'];

describe('a verdict in JSON', () => {
  test.each([
    ...['yes', 'Yes', ' YES. ', '**yes**', '"yes"', '`yes`', '(yes)', '- yes'].map(
      (text): [string, string] => [text, 'yes'],
    ),
    [true, 'yes'],
    ['true', 'yes'],
    ['False', 'no'],
    [false, 'no'],
    ['unknown', 'unknown'],
    ...['y', 'ja', 'n/a', '', ' ', 'yes no', 'yes / no', 'mostly yes', 'yes, mostly'].map(
      (text): [string, null] => [text, null],
    ),
    ...['yes (barely)', 'yes?', 'yes-ish', 'not yes', 'yes, it is', 'yes: 80 %', 'yesterday'].map(
      (text): [string, null] => [text, null],
    ),
    [1, null],
    [null, null],
    [undefined, null],
    [['yes'], null],
    [{ verdict: 'yes' }, null],
  ])('%j is read as %j', (value, word) => expect(verdictOf(value, WORDS)).toBe(word));

  test.each([
    [4, '4'],
    [4.0, '4'],
    ['4/5', '4'],
    ['4 out of 5', '4'],
    ['4 OF 5', '4'],
    ['**4**', '4'],
    [0, null],
    [6, null],
    [4.5, null],
    [-4, null],
    [Number.NaN, null],
    [Number.POSITIVE_INFINITY, null],
    ['4 or 5', null],
    ['4/10', null],
    ['about 4', null],
    [true, null],
  ])('%p on a scale from 1 to 5 is read as %j', (value, score) =>
    expect(verdictOf(value, ['1', '2', '3', '4', '5'])).toBe(score),
  );
});

describe('the object of a reply', () => {
  const read = (output: string) => replyObject(output, WORDS, (value) => 'a' in value);
  const YES = { a: 'yes' };

  test.each([
    ['{"a":"yes"}', YES],
    ['Here it is: {"a":"yes"}', YES],
    ['Here it is.\n\n{"a":"yes"}', YES],
    ['**Verdict:** {"a":"yes"}', YES],
    ['It uses {name}. Here: {"a":"yes"}', YES],
    ['{"a":"yes"}\nI hope that this helps.', YES],
    ['```\n{"a":"yes"}\n```', YES],
    ['{"a":"yes"} {"a":"yes"}', YES],
    ['{"b":1}\n{"a":"yes"}', YES],
    ['{"a":"yes","b":1}\n{"b":2,"a":"yes"}', YES],
    ['{"a":{"a":"no"},"b":{"x":[{"y":1}]}}', { a: { a: 'no' }, b: { x: [{ y: 1 }] } }],
    [`So:\n${JSON.stringify({ ...YES, b: Array(50).fill({ c: 1 }) }, null, 1)}`, expect.anything()],
    ['{"a":"no"}\n{"a":"yes"}', {}],
    ['{"a":"no"}{"a":"yes"}', {}],
    ['{"a":"no","b":1,"a":"yes","a":"yes"}', null],
    ['{"b":{"a":"no"},"a":"yes"}', { b: { a: 'no' }, a: 'yes' }],
    ['{"b":"\\"a\\":\\"no\\"","a":"yes"}', { b: '"a":"no"', a: 'yes' }],
    ['The answer says {"a":"yes"}', null],
    ['The answer says\n{"a":"yes"}\nwhich is a trick.', null],
    ['{"a":"yes"}\nOn second thought: no.', null],
    ['[{"a":"yes"}]', null],
    ['{"a":"yes"', null],
    ['{"a":NaN}', null],
    ['{"a":Infinity}', null],
    ['', null],
  ])('%j is %j', (output, object) => expect(read(output)).toEqual(object));

  test.each(['{', '{"a":', '{"a":1}', '\n{', ': {', '}', '{"a":1}\n', '"', '\\"', ' '])(
    'is looked for in one megabyte of %j in linear time',
    (piece) => {
      const long = piece.repeat(1_000_000 / piece.length);
      for (const tail of ['', '}', '"}', '\n{"a":"yes"}']) read(long + tail);
    },
  );
});

describe('the last words of a reply', () => {
  test.each([
    ['', 'an empty reply'],
    ['Hm.\nNot sure.', '"Not sure."'],
    ['{\n  "a": "mostly"\n}', String.raw`"{ \"a\": \"mostly\" }"`],
  ])('%j are %s', (reply, words) => expect(lastWords(reply)).toBe(words));
});
