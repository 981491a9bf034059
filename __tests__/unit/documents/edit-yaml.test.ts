import { describe, expect, test } from '@jest/globals';
import { editYaml, type YamlEdit } from '../../../src/documents/edit-yaml.ts';

const set = (line: number, key: string, value: never, remark: string | null = null): YamlEdit => ({
  kind: 'set',
  line,
  id: 'b',
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

const TAGS = `references:
  - id: a
    tags:
      - critical # never drop
      # a reason between
      - billing
`;

const FLOW_TAGS = `references:
  - id: a
    tags: [
      a, # why a
      b # why b
    ]
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
      'a new key beside numbers that print differently, which stay as they are written',
      'references:\n  - { id: 01, input: { a: 12.50, b: True } }\n  - { id: 02, input: { a: 1e3 } }\n',
      set(2, 'expected', 'y' as never),
      'references:\n  - { id: 01, input: { a: 12.50, b: True }, expected: "y" }\n  - { id: 02, input: { a: 1e3 } }\n',
    ],
    [
      'a list in place of another',
      FLOW,
      set(3, 'tags', ['two'] as never),
      FLOW.replace('[one]', '["two"]'),
    ],
    [
      'one tag more in a block, the comments of the others kept',
      TAGS,
      set(2, 'tags', ['critical', 'billing', 'odd'] as never),
      TAGS.replace('- billing\n', '- billing\n      - "odd"\n'),
    ],
    [
      'one tag more in a flow, the comments of the others kept',
      FLOW_TAGS,
      set(2, 'tags', ['a', 'b', 'odd'] as never),
      FLOW_TAGS.replace('b # why b', 'b, # why b\n      "odd"'),
    ],
    [
      'a new key in a flow map whose last one has a comment',
      'references:\n  - { id: a # last\n    }\n',
      set(2, 'expected', 'y' as never),
      'references:\n  - { id: a, # last\n      expected: "y"\n    }\n',
    ],
    [
      'a text in place of a block, whose lines are not comments',
      'references:\n  - id: a\n    expected: |\n      # old\n  # about b\n  - id: b\n',
      set(2, 'expected', 'new' as never),
      'references:\n  - id: a\n    expected: "new"\n  # about b\n  - id: b\n',
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
      'a key of the right one of several references on a line, beside which metrics stand',
      'tests: { metrics: [{ uses: x }], references: [{ id: a }, { id: b }] }\n',
      set(1, 'skip', true as never),
      'tests: { metrics: [{ uses: x }], references: [{ id: a }, { id: b, skip: true }] }\n',
    ],
    [
      'a remark above a reference with an anchor',
      'references:\n  - &a { id: a }\n',
      set(2, 'skip', true as never, 'skipped: down'),
      'references:\n  # skipped: down\n  - &a { id: a, skip: true }\n',
    ],
    [
      'a further reference',
      BLOCK,
      { kind: 'append', line: 3, id: 'a', value: { input: { q: 'new: #1' }, expected: 'e' } },
      `${BLOCK.trimEnd()}\n  - { input: { q: "new: #1" }, expected: "e" }\n`,
    ],
    [
      'a first example of a rubric',
      'polite:\n  prompt: x\n  choice_scores: { "Yes": 1 }\nother: 1\n',
      { kind: 'append-in', path: ['polite', 'examples'], value: { content: 'c', expected: 'Yes' } },
      'polite:\n  prompt: x\n  choice_scores: { "Yes": 1 }\n  examples: [{ content: "c", expected: "Yes" }]\nother: 1\n',
    ],
    [
      'a first example of the one rubric of a file',
      '# ours\nprompt: |\n  Is it polite? {completion}\n# labels\nchoice_scores: { "Yes": 1 } # best\n\n# end\n',
      { kind: 'append-in', path: ['examples'], value: { content: 'c', expected: 'Yes' } },
      '# ours\nprompt: |\n  Is it polite? {completion}\n# labels\nchoice_scores: { "Yes": 1 } # best\nexamples: [{ content: "c", expected: "Yes" }]\n\n# end\n',
    ],
    [
      'an example of a rubric whose name is a number',
      '4711:\n  prompt: x\n',
      { kind: 'append-in', path: ['4711', 'examples'], value: 'c' },
      '4711:\n  prompt: x\n  examples: ["c"]\n',
    ],
    [
      'line ends of Windows',
      'references:\r\n  - id: a\r\n',
      set(2, 'expected', 'e' as never),
      'references:\r\n  - id: a\r\n    expected: "e"\r\n',
    ],
  ])('has %s', (_, text, edit, wanted) => {
    expect(editYaml(text, edit, text)).toEqual({ text: wanted });
  });

  test.each<[string, string, YamlEdit, RegExp]>([
    ['the reference is gone', FLOW, set(1, 'expected', 'y' as never), /not at its place/],
    [
      'several references without an id are on one line',
      'references: [{ input: { q: one } }, { input: { q: two } }]\n',
      set(1, 'skip', true as never),
      /several references are on line 1; give each its own line, or an id/,
    ],
    [
      'several references on one line have the same id',
      'references: [{ id: b }, { id: b }]\n',
      set(1, 'skip', true as never),
      /several references are on line 1; give each its own line, or an id/,
    ],
    [
      'a reason has no line above the reference',
      'references: [{ id: a }]\n',
      set(1, 'skip', true as never, 'skipped: down'),
      /give the reference lines of its own/,
    ],
    ['the file is no longer YAML', '{', set(1, 'expected', 'y' as never), /not valid YAML/],
    [
      'an anchor would change another reference too',
      'references:\n  - { id: a, expected: &e old }\n  - { id: b, expected: *e }\n',
      set(2, 'expected', 'new' as never),
      /cannot be written back/,
    ],
    [
      'an anchor shares the whole reference',
      'references:\n  - &a { id: a, expected: old }\nothers: [*a]\n',
      set(2, 'expected', 'new' as never),
      /cannot be written back/,
    ],
    [
      'an anchor shares the rubric with another',
      'polite: &p\n  prompt: x\nkind: *p\n',
      { kind: 'append-in', path: ['polite', 'examples'], value: 'c' },
      /cannot be written back/,
    ],
    [
      'the rubric is an alias',
      'polite: &p\n  prompt: x\nkind: *p\n',
      { kind: 'append-in', path: ['kind', 'examples'], value: 'c' },
      /"kind" is not written out as a map there/,
    ],
    [
      'the rubric is gone',
      'polite:\n  prompt: x\n',
      { kind: 'append-in', path: ['kind', 'examples'], value: 'c' },
      /there is no "kind" in it any more/,
    ],
    [
      'a comment is in the way',
      'references:\n  - id: a\n    tags: [ # none yet\n    ]\n',
      set(2, 'tags', ['odd'] as never),
      /cannot be written back/,
    ],
    [
      'a comment of a list would be lost',
      TAGS,
      set(2, 'tags', ['odd'] as never),
      /a comment .* would be lost/,
    ],
    [
      'a comment of a list in flow style would be lost',
      FLOW_TAGS,
      set(2, 'tags', ['odd'] as never),
      /a comment .* would be lost/,
    ],
    [
      'the comment at the head of a block would be lost',
      'references:\n  - id: a\n    expected: | # from the shop\n      old\n',
      set(2, 'expected', 'new' as never),
      /a comment .* would be lost/,
    ],
    [
      'a comment would be lost, although an equal one remains',
      'references: # why\n  - id: a\n    expected: | # why\n      old\n',
      set(2, 'expected', 'new' as never),
      /a comment .* would be lost/,
    ],
    [
      'the value is not a list',
      'polite: { examples: none }\n',
      { kind: 'append-in', path: ['polite', 'examples'], value: 'x' },
      /"polite.examples" is not written out as a list there/,
    ],
  ])('is rejected if %s', (_, text, edit, why) => {
    expect(editYaml(text, edit, text)).toEqual({ refused: expect.stringMatching(why) });
  });

  const ROWS = 'references:\n  - { input: { q: one }, expected: 1 }\n  - { input: { q: two } }\n';

  test.each([
    ['another took its place', ROWS.replace('{ q: one }, expected: 1', '{ q: zero }')],
    ['one was inserted above it', ROWS.replace('  -', '  - { input: { q: zero } }\n  -')],
    ['its content changed', ROWS.replace('expected: 1', 'expected: 2')],
  ])('is rejected for a reference without id when %s', (_, now) => {
    expect(editYaml(now, set(2, 'expected', 'y' as never), ROWS)).toEqual({
      refused: expect.stringContaining('changed since it was read'),
    });
  });

  test('accepts a change elsewhere in the file', () => {
    const now = `# why\n${ROWS}`.replace('# why\n', '').replace('two', 'more');
    expect(editYaml(now, set(2, 'skip', true as never), ROWS)).toEqual({
      text: now.replace('expected: 1 }', 'expected: 1, skip: true }'),
    });
  });

  test.each([
    ['metrics: []\n', 'metrics: []\nreferences: [{ input: { q: "x" } }]\n'],
    ['references:\nmetrics: []\n', 'references: [{ input: { q: "x" } }]\nmetrics: []\n'],
    ['references: [] # none yet\n', 'references: [ { input: { q: "x" } }] # none yet\n'],
  ])('begins a list: %j', (text, wanted) => {
    const edit: YamlEdit = {
      kind: 'append-in',
      path: ['references'],
      value: { input: { q: 'x' } },
    };
    expect(editYaml(text, edit, text)).toEqual({ text: wanted });
  });
});
