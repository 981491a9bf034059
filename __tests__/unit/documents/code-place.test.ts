import { codePlaceOf, Field, valueAt } from '../../../src/documents/document.ts';
import { readYaml } from '../../../src/documents/yaml.ts';

function placeOf(text: string) {
  const read = readYaml('tests/a.yaml', text);
  if (!read.ok) throw new Error('not YAML');
  const code = valueAt(read.value.value, ['code']);
  return codePlaceOf(new Field(read.value, [], ['code']), String(code));
}

const AS_TWO_LINES = 'name: x\ncode: "a = 1\\nb = 2"\n';

test.each([
  ['a block', 'name: x\ncode: |\n  a = 1\n  b = 2\n', 3, true],
  ['a block that begins with an empty line', 'code: |\n\n  a = 1\n  b = 2\n', 2, true],
  ['a block after a comment', 'code: | # why\n  a = 1\n\n  a = 1\n', 2, true],
  ['one line after its key', 'name: x\ncode: a = 1\n', 2, true],
  ['one line in quotes', 'name: x\ncode: "a = 1"\n', 2, true],
  // Here the lines of the value differ from the lines of the file:
  ['quotes with escaped line breaks', AS_TWO_LINES, 2, false],
  ['quotes over several lines', 'name: x\ncode: "a = 1\n\n  b = 2"\n', 2, false],
  ['a folded block', 'name: x\ncode: >\n  a = [1,\n  2]\n\n  b = 2\n', 2, false],
])('codePlaceOf finds the first line of code in %s', (_, text, line, linewise) => {
  expect(placeOf(text)).toEqual({ file: 'tests/a.yaml', line, linewise });
});
