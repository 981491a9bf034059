import { readFixture } from '../../stand-ins/fixture.ts';
import { read, suiteFiles } from './tree.ts';

const METRICS = 'metrics: [{ name: m, uses: llm_rubric, with: { criteria: c } }]\n';

/** Reads a suite whose prompt has these variables and whose tests are the rows of a file. */
async function rowsOf(file: string, text: string, variables: readonly string[], map = '') {
  const prompt = `name: p\nmodel: gpt-4o\nprompt: 'Say ${variables.map((name) => `{${name}}`).join(' ')}'\n`;
  const { project, problems, notices } = await read({
    'evaldiff.yaml': 'grader: gpt-4o\n',
    ...suiteFiles(prompt, `${METRICS}references_from: { file: ${file}${map} }\n`),
    [file]: text,
  });
  const references = project.suites[0]?.tests.references ?? [];
  return { references, problems, notices };
}

interface Row {
  tool: string;
  variables: string[];
  map?: string;
  row: object;
  reference: object;
}

const lines = (...rows: object[]) => rows.map((row) => `${JSON.stringify(row)}\n`).join('');

describe('rows of another tool', () => {
  test.each(readFixture('rows.yaml') as Row[])('are read if they are of $tool', async (each) => {
    const { variables, row, reference } = each;
    const map = each.map === undefined ? '' : `, map: ${each.map}`;
    for (const [file, text] of [
      ['c.jsonl', lines(row, { ...row, id: 'two' })],
      ['c.json', JSON.stringify([row, { ...row, id: 'two' }], null, 2)],
      ['c.json', JSON.stringify({ meta: {}, data: [row, { ...row, id: 'two' }] })],
    ] as const) {
      const { references, problems, notices } = await rowsOf(file, text, variables, map);
      expect([problems, notices]).toEqual([[], []]);
      expect(references).toHaveLength(2);
      expect(references[0]).toMatchObject({ ...reference, problem: null });
    }
  });

  test('are dialogues that the model continues if their input is a list of messages', async () => {
    const input = [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'Why?' },
    ];
    for (const row of [
      { input, ideal: ['b', 'c'] },
      { inputs: { messages: input }, outputs: { output: ['b', 'c'] } },
    ]) {
      const { references, problems } = await rowsOf('c.jsonl', lines(row), []);
      expect(problems).toEqual([]);
      expect(references).toMatchObject([{ thread: input, expected: ['b', 'c'] }]);
    }
  });

  test('fill a variable with a transcript if map names a list of messages in them', async () => {
    const row = {
      a: {
        talk: [
          { role: 'user', content: 'Why?' },
          { role: 'assistant', content: 'No.' },
        ],
      },
    };
    const { references } = await rowsOf(
      'c.jsonl',
      lines(row),
      ['q'],
      ', map: { input: { q: a.talk } }',
    );
    expect(references).toMatchObject([{ input: { q: 'user: Why?\nassistant: No.' } }]);
  });

  test("keep the user's own column of expected values beside a tool's", async () => {
    const row = lines({ input: 'a', target: 'b', expected: 'own' });
    expect((await rowsOf('c.jsonl', row, ['q'])).references).toMatchObject([{ expected: 'own' }]);
  });

  test('keep columns that are variables of the prompt as variables', async () => {
    const { references } = await rowsOf('c.jsonl', lines({ input: 'a', target: 'fr' }), [
      'input',
      'target',
    ]);
    expect(references).toMatchObject([
      { input: { input: 'a', target: 'fr' }, expected: undefined },
    ]);
  });

  test('are left out if the tool does not run them, and what is not read of them is reported', async () => {
    const archived = lines(
      { input: 'a', expectedOutput: 'b', status: 'ARCHIVED' },
      { input: 'c', expectedOutput: 'd', status: 'ACTIVE' },
    );
    expect((await rowsOf('c.jsonl', archived, ['q'])).references).toHaveLength(1);
    const { notices } = await rowsOf(
      'c.jsonl',
      lines({ input: 'a', target: 'b' }, { input: 'c', target: 'd', files: { x: 'y' } }),
      ['q'],
    );
    expect(notices).toEqual(['c.jsonl:2: files of Inspect is not read (1 row)']);
  });

  test.each([
    [
      'a page of several',
      'c.json',
      '{"data": [], "has_more": true}',
      'c.json:1: is one page of several (has_more); write the rows of all pages into one list',
    ],
    [
      'two formats',
      'c.jsonl',
      lines({ input: 'a', target: 'b' }, { user_input: 'a', reference: 'b' }),
      'c.jsonl:2: is a row of Ragas, but rows before it are of Inspect; write two files',
    ],
    [
      'a row without input',
      'c.json',
      '[\n {"item": {"q": "a"}},\n {"sample": {}}\n]',
      'c.json:3: has no member "item"; known are sample',
    ],
    ['broken JSON', 'c.json', '[\n {"q": \n]', 'c.json:2: is not valid YAML'],
    [
      'another value than rows',
      'c.json',
      '[\n {"q": "a"},\n 7]',
      'c.json:3: must be a JSON object',
    ],
    ['one key twice', 'c.json', '[{"q": "a", "q": "b"}]', 'c.json:1: '],
    [
      'too much JSON',
      'c.json',
      `["${'x'.repeat(1 << 20)}"]`,
      'c.json: is 1048580 bytes; the limit is 1048576',
    ],
  ])('are errors at their line if they have %s', async (_, file, text, message) => {
    const { problems } = await rowsOf(file, text, ['q']);
    expect(problems[0]).toContain(message);
  });
});
