import { editJsonLines, type JsonLinesEdit } from '../../../src/documents/edit-json-lines.ts';

const set = (line: number, members: Record<string, string | number>): JsonLinesEdit => ({
  kind: 'set',
  line,
  members,
});

describe('edit of a JSON Lines file', () => {
  test.each([
    ['as Python writes it', 1, '"b": [1, 2]}', '"b": [1, 2], "c": "é"}'],
    ['as JavaScript writes it', 2, '{"a":1}', '{"a":1,"c":"é"}'],
    ['with a Windows line ending', 3, '{"w":1}\r', '{"w":1,"c":"é"}\r'],
  ])('preserves the format of a line %s', (_, line, from, to) => {
    const text = '{"a": 1, "b": [1, 2]}\n{"a":1}\n{"w":1}\r\n{"z": 1.0}\n';
    expect(editJsonLines(text, set(line, { c: 'é' }), text)).toEqual({
      text: text.replace(from, to),
    });
  });

  test('is rejected if the line is formatted differently, missing, or changed', () => {
    const text = '{"a":1}\n{"a": 1.0}\n';
    const refused = (edit: JsonLinesEdit, read = text): unknown => editJsonLines(text, edit, read);
    expect(refused(set(2, { a: 2 }))).toEqual({
      refused: expect.stringContaining('the formatting of this line'),
    });
    expect(refused(set(9, { a: 2 }))).toEqual({
      refused: expect.stringContaining('no longer at this place'),
    });
    expect(refused(set(1, { a: 2 }), '{"a":7}\n{"a":1}\n')).toEqual({
      refused: expect.stringContaining('changed since it was read'),
    });
  });

  test.each([
    ['{"q": "a"}\n', '{"q": "a"}\n{"q": "new", "n": 1}\n'],
    ['{"q":"a"}', '{"q":"a"}\n{"q":"new","n":1}\n'],
    ['{"q":"a"}\r\n', '{"q":"a"}\r\n{"q":"new","n":1}\r\n'],
  ])('appends a line in the format of the others: %j', (text, wanted) => {
    const edit: JsonLinesEdit = { kind: 'append', line: 1, value: { q: 'new', n: 1 } };
    expect(editJsonLines(text, edit, text)).toEqual({ text: wanted });
  });
});
