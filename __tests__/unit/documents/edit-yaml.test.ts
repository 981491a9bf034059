import { describe, expect, test } from '@jest/globals';
import { editJsonLine, editYaml, type YamlEdit } from '../../../src/documents/edit-yaml.ts';

const set = (line: number, key: string, value: never, remark: string | null = null): YamlEdit => ({
  kind: 'set',
  line,
  id: 'a',
  key,
  value,
  remark,
});

const FLOW =
  '# top\nreferences:\n  - { id: a, input: { q: "x" }, tags: [one] } # why\n  - { id: b }\n';

const BLOCK = `references:
  # about a
  - id: a
    input:
      q: |
        two
        lines
    expected: old   # from the shop
  - id: b
`;

describe('a file that is written back', () => {
  test.each<[string, string, YamlEdit, string]>([
    [
      'a new key in a flow map, its remark and comments kept',
      FLOW,
      set(3, 'expected', 'y "z"\n' as never),
      FLOW.replace('[one] }', '[one], expected: "y \\"z\\"\\n" }'),
    ],
    [
      'a list in place of another',
      FLOW,
      set(3, 'tags', ['one', 'two'] as never),
      FLOW.replace('[one]', '["one", "two"]'),
    ],
    [
      'a value in a block, its comment kept',
      BLOCK,
      set(3, 'expected', 'new' as never),
      BLOCK.replace('old ', '"new" '),
    ],
    [
      'a new key at the end of a block, and a remark above it',
      BLOCK,
      set(3, 'skip', true as never, 'skipped: the model\nis down'),
      BLOCK.replace('  - id: a', '  # skipped: the model is down\n  - id: a').replace(
        'shop\n',
        'shop\n    skip: true\n',
      ),
    ],
    [
      'a further reference',
      BLOCK,
      { kind: 'append', line: 3, value: { input: { q: 'new: #1' }, expected: 'e' } },
      `${BLOCK.trimEnd()}\n  - { input: { q: "new: #1" }, expected: "e" }\n`,
    ],
    [
      'a first example of a rubric',
      'polite:\n  prompt: x\n  choice_scores: { "Yes": 1 }\nother: 1\n',
      {
        kind: 'append-in',
        name: 'polite',
        key: 'examples',
        value: { content: 'c', expected: 'Yes' },
      },
      'polite:\n  prompt: x\n  choice_scores: { "Yes": 1 }\n  examples: [{ content: "c", expected: "Yes" }]\nother: 1\n',
    ],
    [
      'line ends of Windows',
      'references:\r\n  - id: a\r\n',
      set(2, 'expected', 'e' as never),
      'references:\r\n  - id: a\r\n    expected: "e"\r\n',
    ],
  ])('has %s', (_, text, edit, wanted) => {
    expect(editYaml(text, edit)).toEqual({ text: wanted });
  });

  test.each<[string, string, YamlEdit, RegExp]>([
    [
      'another reference is there now',
      FLOW.replace('id: a', 'id: c'),
      set(3, 'expected', 'y' as never),
      /another reference stands/,
    ],
    ['nothing is there any more', FLOW, set(1, 'expected', 'y' as never), /not at its place/],
    ['it is not YAML now', '{', set(1, 'expected', 'y' as never), /not valid YAML/],
    [
      'an anchor would change another reference too',
      'references:\n  - { id: a, expected: &e old }\n  - { id: b, expected: *e }\n',
      set(2, 'expected', 'new' as never),
      /cannot be written back/,
    ],
    [
      'a comment stands in the way',
      'references:\n  - { id: a # last\n    }\n',
      set(2, 'expected', 'y' as never),
      /cannot be written back/,
    ],
  ])('is refused where %s', (_, text, edit, why) => {
    expect(editYaml(text, edit)).toEqual({ refused: expect.stringMatching(why) });
  });

  test('is a line of JSON in its own spelling', () => {
    const text = '{"a": 1, "b": [1, 2]}\n{"a":1}\n{"a": 1.0}\n';
    expect(editJsonLine(text, 1, 'c', 'é')).toEqual({ text: text.replace('2]}', '2], "c": "é"}') });
    expect(editJsonLine(text, 2, 'a', 2)).toEqual({ text: text.replace('{"a":1}', '{"a":2}') });
    expect(editJsonLine(text, 3, 'a', 2)).toEqual({ refused: expect.stringContaining('spelt') });
    expect(editJsonLine(text, 9, 'a', 2)).toEqual({
      refused: expect.stringContaining('its place'),
    });
  });
});
