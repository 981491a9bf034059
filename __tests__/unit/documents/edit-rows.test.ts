import { editRows, type RowEdit } from '../../../src/documents/edit-rows.ts';
import type { JsonMap } from '../../../src/types/plain.ts';

const set = (line: number, members: JsonMap): RowEdit => ({ kind: 'set', line, members });
const append = (line: number, value: JsonMap): RowEdit => ({ kind: 'append', line, value });

const LINES =
  '{"a": 1, "b": [1, 2]}\n{"a":1}\n{"w":1}\r\n{ "z" : 1.0, "n": {"z": "}"} , "s":"\\"," }\n{}\n';

describe('edit of a JSON Lines file', () => {
  test.each<[string, RowEdit, string, string]>([
    ['a line as Python writes it', set(1, { c: 'é' }), '2]}', '2], "c": "é"}'],
    ['a line as JavaScript writes it', set(2, { c: 'é' }), '{"a":1}', '{"a":1,"c":"é"}'],
    ['a Windows line ending', set(3, { c: 'é' }), '{"w":1}', '{"w":1,"c":"é"}'],
    ['white space and numbers of others', set(4, { s: 'new' }), '"\\","', '"new"'],
    ['a nested key of the same name', set(4, { z: 2 }), '1.0', '2'],
    ['an empty object', set(5, { a: 1 }), '{}', '{"a":1}'],
  ])('preserves %s', (_, edit, from, to) => {
    expect(editRows('a.jsonl', LINES, edit, LINES)).toEqual({
      text: LINES.replace(from, () => to),
    });
  });

  test.each([
    ['{"q": "a"}\n', '{"q": "a"}\n{"q": "new", "n": 1}\n'],
    ['{"q":"a"}', '{"q":"a"}\n{"q":"new","n":1}\n'],
    ['{"q":"a"}\r\n', '{"q":"a"}\r\n{"q":"new","n":1}\r\n'],
  ])('appends a line in the format of the others: %j', (text, wanted) => {
    expect(editRows('a.jsonl', text, append(1, { q: 'new', n: 1 }), text)).toEqual({
      text: wanted,
    });
  });
});

const TABLE = '\ufeffid, q ,"tags"\r\n1,"two\r\nlines, ""so""",x\r\n\r\n2,plain,\r\n';

describe('edit of a table', () => {
  test.each<[string, string, RowEdit, string, string]>([
    ['a cell beside quoted ones', 'a.csv', set(2, { tags: 'y' }), ',x', ',y'],
    ['the quotes of a cell', 'a.csv', set(2, { q: 'b' }), '"two\r\nlines, ""so"""', '"b"'],
    ['a cell that needs quotes', 'a.csv', set(5, { tags: 'a, "b"' }), 'plain,', 'plain,"a, ""b"""'],
    ['tabs', 'a.tsv', set(2, { q: 'a,b' }), '\tx', '\ta,b'],
  ])('preserves %s', (_, file, edit, from, to) => {
    const text = file.endsWith('.tsv') ? 'id\tq\n1\tx\n' : TABLE;
    expect(editRows(file, text, edit, text)).toEqual({ text: text.replace(from, () => to) });
  });

  test('appends a row in the order of the columns', () => {
    const edit = append(5, { tags: '', id: '3', q: 'x,y' });
    expect(editRows('a.csv', TABLE, edit, TABLE)).toEqual({
      text: TABLE.replace(/\r\n$/, '\r\n3,"x,y",\r\n'),
    });
  });

  test('names the column that is missing', () => {
    expect(editRows('a.csv', TABLE, set(5, { expected: 'x' }), TABLE)).toEqual({
      refused: 'it has no column "expected"; add one first',
    });
  });
});

test.each<[RowEdit, string, string]>([
  [set(9, { a: 2 }), LINES, 'no longer at this place'],
  [set(1, { a: 2 }), LINES.replace('1', '7'), 'changed since it was read'],
])('an edit of rows is rejected if the row moved or changed: %j', (edit, read, why) => {
  expect(editRows('a.jsonl', LINES, edit, read)).toEqual({
    refused: expect.stringContaining(why),
  });
});
