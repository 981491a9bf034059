import { editYaml, type YamlEdit } from '../../../src/documents/edit-yaml.ts';
import type { Json } from '../../../src/types/plain.ts';

const set = (line: number, key: string, value: Json, remark: string | null = null): YamlEdit => ({
  kind: 'set',
  line,
  id: 'b',
  values: { [key]: value as Json },
  remark,
});
const appendIn = (path: string[], value: Json): YamlEdit => ({ kind: 'append-in', path, value });
const skip = (line: number, remark?: string) => set(line, 'skip', true, remark);
const expects = (line: number, value = 'new') => set(line, 'expected', value);

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

const RUBRIC =
  '# ours\nprompt: |\n  Is it polite? {completion}\n# labels\nchoice_scores: { "Yes": 1 } # best\n';
const NUMBERS =
  'references:\n  - { id: 01, input: { a: 12.50, b: True } }\n  - { id: 02, input: { a: 1e3 } }\n';
const MANY = 'tests: { metrics: [{ uses: x }], references: [{ id: a }, { id: b }] }\n';
const POLITE = 'polite:\n  prompt: x\n  choice_scores: { "Yes": 1 }\n';
const ALIAS = 'polite: &p\n  prompt: x\nkind: *p\n';
const example = { content: 'c', expected: 'Yes' };

describe('edit of a YAML file', () => {
  test.each<[string, string, YamlEdit, string]>([
    [
      'a new key in a flow map and keeps its comments',
      FLOW,
      expects(3, 'y "z"\n'),
      FLOW.replace('[one] }', '[one], expected: "y \\"z\\"\\n" }'),
    ],
    [
      'a new key and does not reformat numbers',
      NUMBERS,
      expects(2),
      NUMBERS.replace('True } }', 'True }, expected: "new" }'),
    ],
    [
      'a list over an existing list',
      FLOW,
      set(3, 'tags', ['two']),
      FLOW.replace('[one]', '["two"]'),
    ],
    [
      'an added tag in a block and keeps the comments of other tags',
      TAGS,
      set(2, 'tags', ['critical', 'billing', 'odd']),
      TAGS.replace('- billing\n', '- billing\n      - "odd"\n'),
    ],
    [
      'a text over a block whose lines look like comments',
      'references:\n  - id: a\n    expected: |\n      # old\n  # about b\n  - id: b\n',
      expects(2),
      'references:\n  - id: a\n    expected: "new"\n  # about b\n  - id: b\n',
    ],
    [
      'a value in a block and keeps its comment',
      BLOCK,
      expects(3),
      BLOCK.replace('old ', '"new" '),
    ],
    [
      'a new key at the end of a block, and a remark above it',
      BLOCK,
      skip(3, 'skipped: the model\nis down'),
      BLOCK.replace('  - id: a', '  # skipped: the model is down\n  - id: a').replace(
        'shop\n',
        'shop\n    skip: true\n',
      ),
    ],
    [
      'a key of the correct reference among several on one line',
      MANY,
      skip(1),
      MANY.replace('id: b', 'id: b, skip: true'),
    ],
    [
      'a remark above a reference with an anchor',
      'references:\n  - &a { id: a }\n',
      skip(2, 'skipped: down'),
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
      `${POLITE}other: 1\n`,
      appendIn(['polite', 'examples'], example),
      `${POLITE}  examples: [{ content: "c", expected: "Yes" }]\nother: 1\n`,
    ],
    [
      'a first example of the one rubric of a file',
      `${RUBRIC}\n# end\n`,
      appendIn(['examples'], example),
      `${RUBRIC}examples: [{ content: "c", expected: "Yes" }]\n\n# end\n`,
    ],
    [
      'an example of a rubric whose name is a number',
      '4711:\n  prompt: x\n',
      appendIn(['4711', 'examples'], 'c'),
      '4711:\n  prompt: x\n  examples: ["c"]\n',
    ],
    [
      'Windows line endings',
      'references:\r\n  - id: a\r\n',
      expects(2),
      'references:\r\n  - id: a\r\n    expected: "new"\r\n',
    ],
  ])('writes %s', (_, text, edit, wanted) => {
    expect(editYaml(text, edit, text)).toEqual({ text: wanted });
  });

  test.each([
    ['metrics: []\n', 'metrics: []\nreferences: [{ input: { q: "x" } }]\n'],
    ['references:\nmetrics: []\n', 'references: [{ input: { q: "x" } }]\nmetrics: []\n'],
    ['references: [] # none yet\n', 'references: [ { input: { q: "x" } }] # none yet\n'],
  ])('adds the first reference to %j', (from, text) => {
    expect(editYaml(from, appendIn(['references'], { input: { q: 'x' } }), from)).toEqual({ text });
  });

  const SEVERAL = /several references are on line 1; give each its own line, or an id/;
  const COMMENT = /contains a comment, which would be lost/;
  const CANNOT = /the file's layout cannot be kept/;

  test.each([
    ['the reference is gone', FLOW, expects(1), /no longer at this place/],
    [
      'several references without an id are on one line',
      'references: [{ input: { q: one } }, { input: { q: two } }]\n',
      skip(1),
      SEVERAL,
    ],
    [
      'several references on one line have the same id',
      'references: [{ id: b }, { id: b }]\n',
      skip(1),
      SEVERAL,
    ],
    [
      'there is no line above the reference for a reason',
      'references: [{ id: a }]\n',
      skip(1, 'skipped: down'),
      /write the reference on several lines/,
    ],
    ['the file is no longer YAML', '{', expects(1), /no longer valid YAML/],
    [
      'an anchor would change another reference too',
      'references:\n  - { id: a, expected: &e old }\n  - { id: b, expected: *e }\n',
      expects(2),
      CANNOT,
    ],
    [
      'an anchor shares the whole reference',
      'references:\n  - &a { id: a, expected: old }\nothers: [*a]\n',
      expects(2),
      CANNOT,
    ],
    ['an anchor shares the rubric', ALIAS, appendIn(['polite', 'examples'], 'c'), CANNOT],
    [
      'the rubric is an alias',
      ALIAS,
      appendIn(['kind', 'examples'], 'c'),
      /"kind" is not a plain map in the file/,
    ],
    [
      'the rubric is gone',
      POLITE,
      appendIn(['kind', 'examples'], 'c'),
      /there is no "kind" in it$/,
    ],
    [
      'the last member of a flow list has a comment',
      FLOW_TAGS,
      set(2, 'tags', ['a', 'b', 'odd']),
      CANNOT,
    ],
    [
      'the last member of a flow map has a comment',
      'references:\n  - { id: a # last\n    }\n',
      expects(2),
      CANNOT,
    ],
    [
      'a comment makes the edit impossible',
      'references:\n  - id: a\n    tags: [ # none yet\n    ]\n',
      set(2, 'tags', ['odd']),
      CANNOT,
    ],
    ['a comment of a list would be lost', TAGS, set(2, 'tags', ['odd']), COMMENT],
    ['a comment of a flow list would be lost', FLOW_TAGS, set(2, 'tags', ['odd']), COMMENT],
    [
      'the comment at the head of a block would be lost',
      'references:\n  - id: a\n    expected: | # from the shop\n      old\n',
      expects(2),
      COMMENT,
    ],
    [
      'a comment would be lost, although an equal one remains',
      'references: # why\n  - id: a\n    expected: | # why\n      old\n',
      expects(2),
      COMMENT,
    ],
    [
      'the value is not a list',
      'polite: { examples: none }\n',
      appendIn(['polite', 'examples'], 'x'),
      /"polite.examples" is not a plain list in the file/,
    ],
  ])('is rejected if %s', (_, text, edit, why) => {
    expect(editYaml(text, edit, text)).toEqual({ refused: expect.stringMatching(why) });
  });

  const ROWS = 'references:\n  - { input: { q: one }, expected: 1 }\n  - { input: { q: two } }\n';

  test.each([
    ['another reference is on its line', ROWS.replace('{ q: one }, expected: 1', '{ q: zero }')],
    ['one was inserted above it', ROWS.replace('  -', '  - { input: { q: zero } }\n  -')],
    ['its content changed', ROWS.replace('expected: 1', 'expected: 2')],
  ])('is rejected for a reference without id if %s', (_, now) => {
    const refused = expect.stringContaining('changed since it was read');
    expect(editYaml(now, expects(2), ROWS)).toEqual({ refused });
  });

  test('is accepted if a different part of the file changed', () => {
    const now = ROWS.replace('two', 'more');
    const text = now.replace('expected: 1 }', 'expected: 1, skip: true }');
    expect(editYaml(now, skip(2), ROWS)).toEqual({ text });
  });
});
