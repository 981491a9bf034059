import { describe, expect, test } from '@jest/globals';
import { codePlaceOf, valueAt } from '../../../src/documents/document.ts';
import { readYaml } from '../../../src/documents/yaml.ts';

function placeOf(text: string) {
  const read = readYaml('tests/a.yaml', text);
  if (!read.ok) throw new Error('not YAML');
  const code = valueAt(read.value.value, ['code']);
  return codePlaceOf(read.value, ['code'], String(code));
}

describe('the place of code', () => {
  test.each([
    ['a block', 'name: x\ncode: |\n  a = 1\n  b = 2\n', 3],
    ['a block that begins with an empty line', 'code: |\n\n  a = 1\n  b = 2\n', 2],
    ['a block behind a comment', 'code: | # why\n  a = 1\n\n  a = 1\n', 2],
    ['one line beside its key', 'name: x\ncode: a = 1\n', 2],
    ['one line in quotes', 'name: x\ncode: "a = 1"\n', 2],
  ])('is its first line in %s', (_, text, line) => {
    expect(placeOf(text)).toEqual({ file: 'tests/a.yaml', line, linewise: true });
  });

  test.each([
    ['quotes with line ends in them', 'name: x\ncode: "a = 1\\nb = 2"\n'],
    ['quotes over several lines', 'name: x\ncode: "a = 1\n\n  b = 2"\n'],
    ['a folded block', 'name: x\ncode: >\n  a = [1,\n  2]\n\n  b = 2\n'],
  ])("is the whole value in %s, whose lines are not the file's", (_, text) => {
    expect(placeOf(text)).toEqual({ file: 'tests/a.yaml', line: 2, linewise: false });
  });
});
