import { chmodSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { withRepository } from '../../../../src/app/session/opened-repository.ts';
import { readInputs } from '../../../../src/config/inputs.ts';
import { readYaml } from '../../../../src/documents/yaml.ts';
import {
  actionSchema,
  newReference,
  wishOf,
  type TestAction,
} from '../../../../src/features/workbench/changes.ts';
import type { RubricChoice } from '../../../../src/features/workbench/evaluate.ts';
import {
  takeBack,
  writeBack,
  type WrittenEdit,
} from '../../../../src/features/workbench/write-back.ts';
import type { ReferenceResult } from '../../../../src/kernel/result/reference-result.ts';
import { answerKey } from '../../../../src/report/answers/text.ts';
import { partsOf, type Part } from '../../../../src/types/answer.ts';
import { OWN_SETTINGS } from '../../../stand-ins/features.ts';
import { fixtureEnvironment, temporaryFolder } from '../../../stand-ins/repository.ts';
import { referenceResult, sideResult, tryResult } from '../../../unit/app/run/builders.ts';

const FILES = {
  'evaldiff.yaml': 'prompts: [p.yaml, rows-p.yaml]\nrubrics: [rubrics.yaml, kind.yaml]\n',
  'p.yaml':
    'name: p\nmodel: openai:gpt-4o-mini\nvariables: [{ name: q }]\nmessages: [{ role: user, content: "{q}" }]\ndefaults: [tests/p]\n',
  'rows-p.yaml':
    'name: rows\nmodel: openai:gpt-4o-mini\nvariables: [{ name: q }]\nmessages: [{ role: user, content: "{q}" }]\ntests:\n  metrics: [{ uses: exact_match }]\n  references_from: { file: rows.jsonl }\n',
  'kind.yaml': `# how kind we are
prompt: |
  Is it kind? {completion}
choice_scores: { kind: 1, not: 0 } # the first passes
# of people
`,
  'tests/p.yaml':
    'metrics: [{ uses: exact_match }]\nreferences:\n  - { id: a, input: { q: "x" }, expected: "30 days" }\n',
  'rows.jsonl': '{"id": "a", "q": "x", "expected": "y"}\n',
  'rubrics.yaml': `polite:
  prompt: "Is it polite? {completion}"
  choice_scores: { "Yes": 1, "No": 0 }
right:
  prompt: "Is {completion} as right as {expected}?"
  choice_scores: { good: 1, bad: 0 }
`,
};

const choice = (name: string, file: string, labels: string[], showsExpected = false) => ({
  ...{ name, file, labels, showsExpected, examples: [] },
});
const KIND: RubricChoice = choice('kind', 'kind.yaml', ['kind', 'not']);

const CHOICES: RubricChoice[] = [
  choice('polite', 'rubrics.yaml', ['Yes', 'No']),
  choice('right', 'rubrics.yaml', ['good', 'bad'], true),
];

interface Action {
  kind: string;
  [part: string]: unknown;
}
const ODD: Action = { kind: 'tag', tag: 'odd' };

describe('a workbench action', () => {
  let root: string;
  let undo: WrittenEdit[];
  beforeEach(() => {
    root = temporaryFolder('write-back');
    undo = [];
    mkdirSync(join(root, 'tests'));
    for (const [path, text] of Object.entries(FILES)) writeFileSync(join(root, path), text);
  });

  const file = (path: string) => readFileSync(join(root, path), 'utf8');

  /** Applies an action to a reference of a file with this model answer. */
  async function act(
    action: Action,
    {
      path = 'tests/p.yaml',
      said = 'fine',
      parts = partsOf(said),
      ...changes
    }: Partial<ReferenceResult> & { path?: string; said?: string; parts?: Part[] } = {},
    rubrics = CHOICES,
  ) {
    const head = {
      ...sideResult(['pass']),
      tries: [{ ...tryResult('pass', 0), parts }],
    };
    const reference = referenceResult('a', {
      file: path,
      line: path === 'tests/p.yaml' ? 3 : 1,
      input: { q: 'x' },
      head,
      ...changes,
    });
    const prompt = {
      ...{ name: 'p', path: 'p.yaml', variables: ['q'], tests: 'tests/p.yaml', tool: null },
      ...{ references: 1, columns: new Map(), rubrics, spans: [] },
    };
    const texts = new Map(Object.entries(FILES));
    const given = { project: project(), texts, prompt };
    const read = actionSchema.parse({ test: 'a', side: 'head', ...action }) as TestAction;
    const wish = wishOf(read, reference, prompt);
    if (typeof wish === 'string') return { said: wish, bad: true };
    return writeBack(wish, given, undo);
  }

  const project = (): Parameters<typeof writeBack>[1]['project'] => ({
    root,
    read: {
      ...readInputs({}, OWN_SETTINGS).inputs.read,
      formats: {},
    },
    documents: new Map(),
    withFiles: (work) =>
      withRepository(
        { directory: root, env: fixtureEnvironment(), temporary: tmpdir() },
        async (repository) => work(await repository.worktree('')),
      ),
  });

  const nameOf = (said: string) => answerKey(partsOf(said));
  const accept = (said: string) => ({ kind: 'accept', answer: nameOf(said) });
  const TURNED = 'safe \u202e txt.exe\u2066';

  const call = (given: string): Part => ({ type: 'tool_call', name: 'order', arguments: given });

  test.each(['tests/p.yaml', 'rows.jsonl'])(
    "accepts an answer's tool calls as expected calls in %s",
    async (path) => {
      const parts = [...partsOf('Wait.'), call('{"item": "vase", "sizes": [3]}')];
      const accepted = { kind: 'accept', answer: answerKey(parts) };
      expect(await act(accepted, { path, parts })).toEqual({
        said: `a: its answer is now the expected answer, in ${path}`,
        bad: false,
      });
      expect(file(path)).toContain(
        path === 'rows.jsonl'
          ? '"expected": [{"name": "order", "arguments": {"item": "vase", "sizes": [3]}}]'
          : 'expected: [{ name: "order", arguments: { item: "vase", sizes: [3] } }]',
      );
    },
  );

  test('accepts a part of the text, or some of the calls', async () => {
    expect(
      await act({ ...accept('It takes 31 days.'), text: '31 days' }, { said: 'It takes 31 days.' }),
    ).toMatchObject({ bad: false });
    expect(file('tests/p.yaml')).toBe(FILES['tests/p.yaml'].replace('30 days', '31 days'));
    await takeBack(root, undo);
    const parts = [call('{"item": "vase"}'), call('{"item": "cup"}')];
    const accepted = { kind: 'accept', answer: answerKey(parts), calls: [1] };
    expect(await act(accepted, { parts })).toMatchObject({ bad: false });
    expect(file('tests/p.yaml')).toContain(
      'expected: [{ name: "order", arguments: { item: "cup" } }]',
    );
  });

  test('writes a comment above the test', async () => {
    expect(await act({ kind: 'comment', text: 'ask Ada' })).toEqual({
      said: 'a: commented, in tests/p.yaml',
      bad: false,
    });
    expect(file('tests/p.yaml')).toContain('references:\n  # ask Ada\n  - { id: a');
  });

  test('rejects calls whose arguments are not JSON', async () => {
    const parts = [call('{')];
    const accepted = { kind: 'accept', answer: answerKey(parts) };
    expect(await act(accepted, { parts })).toEqual({
      said: expect.stringContaining('not a JSON map'),
      bad: true,
    });
  });

  test.each([
    ['an answer', 'tests/p.yaml', accept(TURNED), '"safe \\u202e txt.exe\\u2066"'],
    ['a tag', 'tests/p.yaml', { kind: 'tag', tag: TURNED }, '["safe \\u202e txt.exe\\u2066"]'],
    ['a reason', 'tests/p.yaml', { kind: 'skip', reason: TURNED }, '# skipped: safe   txt.exe\n'],
    [
      'a new reference',
      'tests/p.yaml',
      { kind: 'add', input: { q: TURNED }, expected: '' },
      '\\u202e',
    ],
    ['an answer in a line', 'rows.jsonl', accept(TURNED), '"safe \\u202e txt.exe\\u2066"'],
    [
      'a further line',
      'rows.jsonl',
      { kind: 'add', input: { q: TURNED }, expected: '' },
      '\\u202e',
    ],
  ])(
    'writes a readable file although %s contains text-direction characters',
    async (_, path, action, wanted) => {
      expect(await act(action, { path, said: TURNED })).toMatchObject({ bad: false });
      expect(file(path)).toContain(wanted);
      expect(file(path)).not.toMatch(/\p{Bidi_Control}/u);
      const rows = (): unknown[] =>
        file(path)
          .trim()
          .split('\n')
          .map((row) => JSON.parse(row));
      const values = path === 'rows.jsonl' ? rows() : readYaml(path, file(path));
      expect(JSON.stringify(values)).toContain(action.kind === 'skip' ? 'skip' : TURNED);
    },
  );

  test.each([
    ['the control character U+001B', 'tests/p.yaml', 'a\u001b[2Jb'],
    ['the control character U+001B', 'rows.jsonl', 'a\u001b[2Jb'],
    ['the control character U+007F', 'rows.jsonl', 'a\u007fb'],
    ['half of a character', 'tests/p.yaml', 'a\ud800b'],
    ['${oc.env:...}', 'tests/p.yaml', 'a ${oc.env:HOME}'],
  ])('is rejected if the text contains %s, in %s', async (why, path, said) => {
    for (const action of [
      accept(said),
      { kind: 'tag', tag: said },
      { kind: 'add', input: { q: said }, expected: '' },
    ]) {
      const reply = await act(action, { path, said });
      expect(reply).toMatchObject({
        said: expect.stringMatching(/the changed file would be invalid: .*; nothing was written$/),
        bad: true,
      });
      expect(reply.said).toContain(why);
    }
    expect(file(path)).toBe(FILES[path as keyof typeof FILES]);
  });

  test('keeps bytes that are not UTF-8 and the byte order mark of a file', async () => {
    const latin = Buffer.concat([Buffer.from(`# caf`), Buffer.from([0xe9]), Buffer.from('\n')]);
    const path = join(root, 'tests/p.yaml');
    const wrong = Buffer.concat([Buffer.from(FILES['tests/p.yaml']), latin]);
    writeFileSync(path, wrong);
    expect(await act(ODD)).toEqual({
      said: 'tests/p.yaml: it is not UTF-8 text; nothing was written',
      bad: true,
    });
    expect(readFileSync(path).equals(wrong)).toBe(true);
    writeFileSync(path, `\ufeff${FILES['tests/p.yaml']}`);
    expect(await act(ODD)).toMatchObject({ bad: false });
    const now = `\ufeff${FILES['tests/p.yaml']}`.replace('days" }', 'days", tags: ["odd"] }');
    expect(file('tests/p.yaml')).toBe(now);
    writeFileSync(path, Buffer.concat([Buffer.from(now), latin]));
    expect(await takeBack(root, undo)).toMatchObject({
      said: expect.stringContaining('another program changed it'),
    });
  });

  test('keeps the permissions of a file', async () => {
    const path = join(root, 'tests/p.yaml');
    for (const mode of [0o600, 0o664]) {
      chmodSync(path, mode);
      expect(await act(ODD)).toMatchObject({ bad: false });
      expect(statSync(path).mode & 0o777).toBe(mode);
      await takeBack(root, undo);
      expect(statSync(path).mode & 0o777).toBe(mode);
    }
  });

  const label = (rubric: string, as: string, said = 'fine') => ({
    kind: 'rate',
    rubric,
    label: as,
    answer: nameOf(said),
  });

  test("accepts only labels that the rubric defines, and needs an expected value if the rubric's prompt includes it", async () => {
    expect(await act(label('polite', 'good'))).toEqual({
      said: 'polite has no label good, but Yes, No.',
      bad: true,
    });
    expect(await act(label('right', 'good'), { expected: null })).toEqual({
      said: expect.stringContaining('this test has none; add one first'),
      bad: true,
    });
    expect(file('rubrics.yaml')).toBe(FILES['rubrics.yaml']);
    expect(await act(label('right', 'good'), { expected: ['30 days', 'a month'] })).toMatchObject({
      bad: false,
    });
    expect(file('rubrics.yaml')).toBe(
      `${FILES['rubrics.yaml']}  examples: [{ content: "fine", ideal: "30 days\\na month", expected: "good" }]\n`,
    );
    await takeBack(root, undo);
    expect(await act(label('polite', 'No'))).toMatchObject({ bad: false });
    expect(file('rubrics.yaml')).toContain('examples: [{ content: "fine", expected: "No" }]');
  });

  test('does not label the same answer twice, because the labels could contradict each other', async () => {
    const place = { file: 'rubrics.yaml', line: 4 };
    const examples = [{ content: 'fine', context: null, ideal: null, expected: 'Yes', place }];
    const labelled = CHOICES.map((choice) =>
      choice.name === 'polite' ? { ...choice, examples } : choice,
    );
    expect(await act(label('polite', 'No'), {}, labelled)).toEqual({
      said: 'This answer is already an example of polite, labelled Yes.',
      bad: true,
    });
    expect(await act(label('polite', 'No', 'well'), { said: 'well' }, labelled)).toMatchObject({
      bad: false,
    });
  });

  test.each([
    ['', ''],
    ['tests:\n', '  '],
  ])(
    'adds the first reference at the same level as the metrics of a single-file suite: %j',
    async (above, in_) => {
      const suite = `model: openai:gpt-4o-mini\nprompt: "{q}"\n${above}${in_}metrics: [{ uses: exact_match }]\n`;
      writeFileSync(join(root, 'p.yaml'), suite);
      const prompt = {
        ...{ name: 'p', path: 'p.yaml', variables: ['q'], tests: 'p.yaml', tool: null },
        ...{ references: 0, columns: new Map(), rubrics: [], spans: [] },
      };
      const texts = new Map([['p.yaml', suite]]);
      const change = {
        kind: 'first' as const,
        ...newReference({ input: { q: 'x' }, expected: 'y' })!,
      };
      const wish = { ...{ file: 'p.yaml', line: 0, id: '', columns: {}, what: 'added' }, change };
      const given = { project: project(), texts, prompt };
      expect(await writeBack(wish, given, undo)).toMatchObject({ bad: false });
      expect(file('p.yaml')).toBe(
        `${suite}${in_}references: [{ input: { q: "x" }, expected: "y" }]\n`,
      );
    },
  );

  test('adds a labelled example to a file that consists of one rubric, and keeps all comments', async () => {
    const example = { ...label('kind', 'not'), rubric: 'kind' };
    expect(await act(example, {}, [KIND])).toEqual({
      said: 'an example of kind is labelled not, in kind.yaml',
      bad: false,
    });
    const added = 'passes\nexamples: [{ content: "fine", expected: "not" }]\n';
    expect(file('kind.yaml')).toBe(FILES['kind.yaml'].replace('passes\n', added));
    await takeBack(root, undo);
    expect(file('kind.yaml')).toBe(FILES['kind.yaml']);
    const renamed = FILES['kind.yaml'].replace('# how', 'name: other # how');
    writeFileSync(join(root, 'kind.yaml'), renamed);
    expect(await act(example, {}, [KIND])).toEqual({
      said: 'kind.yaml: there is no rubric "kind" in it; nothing was written',
      bad: true,
    });
  });

  test.each([
    [
      'more references than a file may have',
      'tests/p.yaml',
      `${FILES['tests/p.yaml']}${'  - { input: { q: "y" } }\n'.repeat(4999)}`,
      { kind: 'add', input: { q: 'z' }, expected: '' },
      'has 5001 references; the limit is 5000',
    ],
    [
      'a file longer than it may be',
      'tests/p.yaml',
      `${FILES['tests/p.yaml']}# ${'x'.repeat((1 << 20) - FILES['tests/p.yaml'].length - 3)}\n`,
      { kind: 'tag', tag: 'odd' },
      'the limit is 1048576',
    ],
  ])('is refused if it would result in %s', async (_, path, text, action, why) => {
    writeFileSync(join(root, path), text);
    const { said, bad } = await act(action, { path });
    expect(said).toMatch(
      /^tests\/p\.yaml: the changed file would be invalid: .*; nothing was written$/,
    );
    expect(said).toContain(why);
    expect(bad).toBe(true);
    expect(file(path)).toBe(text);
    expect(undo).toEqual([]);
  });

  test('reports file and line of an invalid file and writes nothing', async () => {
    writeFileSync(join(root, 'evaldiff.yaml'), 'prompts: [p.yaml\n');
    expect((await act(ODD)).said).toMatch(
      /the changed file would be invalid: evaldiff\.yaml:\d+: .*; nothing was written$/,
    );
  });

  test('fails in a read-only file, and so does undo until the file is writable', async () => {
    const path = join(root, 'tests/p.yaml');
    await act(ODD);
    const now = file('tests/p.yaml');
    chmodSync(path, 0o444);
    for (const reply of [await act({ kind: 'tag', tag: 'even' }), await takeBack(root, undo)]) {
      expect(reply.bad).toBe(true);
      expect(reply.said).toMatch(/^tests\/p\.yaml: .*; nothing was (?:written|undone)$/);
    }
    expect(file('tests/p.yaml')).toBe(now);
    chmodSync(path, 0o644);
    expect(await takeBack(root, undo)).toMatchObject({ bad: false });
    expect(file('tests/p.yaml')).toBe(FILES['tests/p.yaml']);
  });

  test('can be undone even if the file that a later action changed was deleted', async () => {
    await act(ODD);
    await act(accept('fine'), { path: 'rows.jsonl' });
    rmSync(join(root, 'rows.jsonl'));
    expect(await takeBack(root, undo)).toEqual({
      said: 'rows.jsonl: it no longer exists; nothing was undone',
      bad: true,
    });
    expect(await takeBack(root, undo)).toEqual({ said: 'undone: a: tagged odd', bad: false });
    expect(file('tests/p.yaml')).toBe(FILES['tests/p.yaml']);
    expect(await act(accept('fine'), { path: 'rows.jsonl' })).toEqual({
      said: 'rows.jsonl: it no longer exists; nothing was written',
      bad: true,
    });
  });
});
