import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { commandIn } from '../../../stand-ins/command-line.ts';
import type { Script } from '../../../stand-ins/models/server.ts';
import { temporaryFolder } from '../../../stand-ins/repository.ts';
import { openWorkbench, rowsOf, type OpenWorkbench } from '../../../stand-ins/workbench.ts';

const MODEL = 'provider: openai, endpoint: local, model: model-1, price: { input: 1, output: 1 }';

const ROWS =
  '{"question": "a", "ideal": "x", "labels": ["old"]}\n{"question": "b", "ideal": "y", "labels": []}\n';

const FILES = {
  '.gitignore': '.env\n',
  '.env': 'LOCAL_KEY=key-1\n',
  'evaldiff.yaml': `prompts: [prompts/*.yaml, other/*]\nn_tries: 1\nmodels:\n  m: { ${MODEL} }\n  "openai:gpt": { ${MODEL} }\n`,
  'prompts/mapped.yaml':
    'name: mapped\nmodel: m\ndefaults: [tests/mapped]\nvariables: [{ name: q }]\nmessages: [{ role: user, content: "Say {q}" }]\n',
  'prompts/tests/mapped.yaml':
    'metrics: [{ name: same, uses: exact_match }]\nreferences_from: { file: data/rows.jsonl, map: { input: { q: question }, expected: ideal, tags: labels } }\n',
  'data/rows.jsonl': ROWS,
  'prompts/keyed.yaml':
    'name: keyed\nmodel: m\nvariables: [{ name: q }]\nmessages: [{ role: user, content: "Say {q}" }]\ntests:\n  metrics: [{ name: same, uses: exact_match }]\n  references_from: [{ file: data/keyed.ndjson, map: { id: key } }, { file: data/table.csv }]\n',
  'data/keyed.ndjson': '{"key":"k1","q":"a","expected":"x"}\n',
  'data/table.csv': 'id,q,expected\nc1,a,x\n',
  'prompts/plain.yaml':
    'name: plain\nmodel: m\nvariables: [{ name: q }]\nmessages: [{ role: user, content: "Say {q}" }]\ntests:\n  metrics: [{ name: same, uses: exact_match }]\n  references:\n    - { input: { q: "one" }, expected: "1" }\n    - { input: { q: "two" }, expected: "2" }\n',
  'prompts/untested.yaml': 'name: untested\nmodel: m\nmessages: [{ role: user, content: Hi }]\n',
  'prompts/empty.yaml':
    'name: empty\nmodel: m\ndefaults: [tests/empty]\nvariables: [{ name: who }]\nmessages: [{ role: user, content: "Greet {who}" }]\n',
  'prompts/tests/empty.yaml': '# none yet\nmetrics: [{ name: has, uses: contains }]\n',
  'other/promptfooconfig.yaml':
    'prompts: ["Answer {{q}}"]\nproviders: [openai:gpt]\ntests:\n  - { description: theirs, vars: { q: "hi" }, assert: [{ type: equals, value: "hello" }] }\n',
};

/** Without the prompt in another tool's format. */
const OWN = { ...FILES, 'evaldiff.yaml': FILES['evaldiff.yaml'].replace(', other/*', '') };

const says: Script = () => ({ text: 'new answer' });

/** The first accept button in a row's details. */
function acceptIn(detail: string) {
  const [, cell = '', answer = ''] =
    /data-kind="accept" data-cell="([^"]*)" data-answer="([^"]*)"/.exec(detail) ?? [];
  return { kind: 'accept', cell, answer };
}

/** The generated id of a reference without one, found by a word in its row. */
async function idOf({ board }: OpenWorkbench, word: string) {
  const row = rowsOf(await board()).find(({ html }) => html.includes(word));
  return /"([0-9a-f]{10}(?:-\d+)?)"\]$/.exec(row?.key ?? '')?.[1] ?? '';
}

describe('the open workbench', () => {
  let bench: OpenWorkbench;
  beforeAll(async () => {
    bench = await openWorkbench({ files: FILES, answer: says, env: { LOCAL_KEY: undefined } });
    for (const name of ['mapped', 'keyed', 'plain'])
      bench.edit(`prompts/${name}.yaml`, 'Say', 'Tell');
    await settled((board) => rowsOf(board).some(({ status }) => status === 'unchanged'));
  });
  afterAll(async () => {
    await bench.close();
  });

  const settled = (is: (board: Awaited<ReturnType<OpenWorkbench['board']>>) => boolean) =>
    bench.boardWhen((board) => board.note === 'up to date' && !board.old && is(board));

  /** Runs an action, checks the file and undoes the action. */
  async function writes(
    path: string,
    wanted: string,
    action: Parameters<OpenWorkbench['act']>[0],
    id: string,
  ) {
    const before = bench.file(path);
    await bench.boardAfter(async () => {
      expect(await bench.act(action, id)).toEqual({
        said: expect.stringContaining(`, in ${path}`),
        bad: false,
      });
    });
    expect(bench.file(path)).toBe(wanted);
    await bench.boardAfter(async () => {
      expect(await bench.act({ kind: 'undo' })).toMatchObject({ bad: false });
    });
    expect(bench.file(path)).toBe(before);
  }

  test('edits a reference in its JSON line and keeps the key names that this line uses', async () => {
    const id = await idOf(bench, '>a<');
    const skipped = '["old"], "skip": true, "skip_reason": "it is old"';
    const actions: [string, Parameters<OpenWorkbench['act']>[0]][] = [
      [ROWS.replace('"x"', '"new answer"'), acceptIn(await bench.detail(id))],
      [ROWS.replace('["old"]', '["old", "odd"]'), { kind: 'tag', tag: 'odd' }],
      [ROWS.replace('["old"]', skipped), { kind: 'skip', reason: 'it is old' }],
      [
        `${ROWS}{"question": "c", "ideal": "z", "labels": []}\n`,
        { kind: 'add', 'input:q': 'c', expected: 'z' },
      ],
    ];
    for (const [wanted, action] of actions) await writes('data/rows.jsonl', wanted, action, id);
  });

  test.each([
    [
      'a line that needs more than an input',
      'k1',
      'data/keyed.ndjson',
      { kind: 'add', 'input:q': 'c' },
      'a new line with the same keys has no member "key"',
    ],
    ['a table', 'c1', 'data/table.csv', { kind: 'tag', tag: 'odd' }, 'only YAML and JSON Lines'],
    [
      "another tool's file",
      'theirs',
      'other/promptfooconfig.yaml',
      { kind: 'tag', tag: 'odd' },
      'it is a file of promptfoo, which evaldiff cannot edit',
    ],
    [
      "another tool's file, to which a reference would be added",
      'theirs',
      'other/promptfooconfig.yaml',
      { kind: 'add', 'input:q': 'c' },
      'evaldiff import',
    ],
  ])('does not change %s and gives the reason', async (_, id, path, action, why) => {
    const before = bench.file(path);
    const { said, bad } = await bench.act(action, id);
    expect([said, bad]).toEqual([expect.stringContaining(why), true]);
    expect(said).toMatch(/^\S+: .*; nothing was written$/);
    expect(bench.file(path)).toBe(before);
  });

  test('does not change a reference without an id if its position in the file now holds a different reference', async () => {
    const id = await idOf(bench, '>one<');
    const accept = acceptIn(await bench.detail(id));
    const before = bench.file('prompts/plain.yaml');
    const now = before.replace(
      '    - { input: { q: "one"',
      '    - { input: { q: "zero" }, expected: "0" }\n    - { input: { q: "one"',
    );
    writeFileSync(join(bench.directory, 'prompts/plain.yaml'), now);
    expect(await bench.act(accept, id)).toEqual({
      said: expect.stringContaining('changed since it was read'),
      bad: true,
    });
    expect(bench.file('prompts/plain.yaml')).toBe(now);
    await bench.boardAfter(() =>
      writeFileSync(join(bench.directory, 'prompts/plain.yaml'), before),
    );
  });

  test('does not accept an answer that differs from the one shown', async () => {
    const id = await idOf(bench, '>one<');
    const accept = acceptIn(await bench.detail(id));
    expect(await bench.act({ ...accept, answer: '0'.repeat(64) }, id)).toEqual({
      said: 'This answer no longer exists.',
      bad: true,
    });
  });

  test('runs actions on one reference in order, each on the result of the previous one', async () => {
    const id = await idOf(bench, '>two<');
    const before = bench.file('prompts/plain.yaml');
    const replies = await bench.boardAfter(async () => {
      const said = await Promise.all([
        bench.act({ kind: 'skip', reason: 'it is old' }, id),
        bench.act({ kind: 'tag', tag: 'odd' }, id),
        bench.act({ kind: 'tag', tag: 'even' }, id),
      ]);
      expect(said.map(({ bad }) => bad)).toEqual([false, false, false]);
    });
    expect(replies.undo).toBe(true);
    expect(bench.file('prompts/plain.yaml')).toBe(
      before
        .replace('    - { input: { q: "two"', '    # skipped: it is old\n    - { input: { q: "two"')
        .replace('expected: "2"', 'expected: "2", skip: true, tags: ["odd", "even"]'),
    );
    await bench.boardAfter(async () => {
      for (let n = 0; n < 3; n += 1)
        expect(await bench.act({ kind: 'undo' })).toMatchObject({ bad: false });
    });
    expect(bench.file('prompts/plain.yaml')).toBe(before);
  });

  test('creates the first reference of a prompt that has none', async () => {
    const { firsts } = await bench.board();
    const [, prompt = ''] = /data-kind="first" data-prompt="([^"]*)"/.exec(firsts) ?? [];
    const first = { kind: 'first', prompt: prompt.replaceAll('&quot;', '"') };
    expect(await bench.act(first)).toEqual({
      said: 'Enter an input for the new reference.',
      bad: true,
    });
    expect(await bench.act({ ...first, 'input:who': 'Ada', expected: 'Ada' })).toMatchObject({
      bad: false,
    });
    expect(bench.file('prompts/tests/empty.yaml')).toBe(
      `${FILES['prompts/tests/empty.yaml']}references: [{ input: { who: "Ada" }, expected: "Ada" }]\n`,
    );
    const after = await settled((board) =>
      rowsOf(board).some(({ html }) => html.includes('>Ada<')),
    );
    expect(after.firsts).not.toContain('data-kind="first"');
  });

  test('shows the same notices as a report', async () => {
    expect((await bench.board()).head).toMatch(
      /<details id="notices"><summary>\d+ notices?: .*the prompt &quot;untested&quot; has no tests/,
    );
  });
});

test('the workbench prints once, not after every change, which API keys it uses', async () => {
  const bench = await openWorkbench({ files: FILES, answer: says, env: { LOCAL_KEY: undefined } });
  await bench.boardAfter(() => bench.edit('prompts/plain.yaml', 'Say', 'Tell'));
  const { err } = await bench.stop();
  expect(err.match(/\.env: took LOCAL_KEY/g)).toHaveLength(1);
  await bench.close();
});

test('the workbench opens when no prompt has a reference yet, with or without git', async () => {
  const files = {
    'evaldiff.yaml': OWN['evaldiff.yaml'],
    'prompts/empty.yaml': FILES['prompts/empty.yaml'],
    'prompts/tests/empty.yaml': FILES['prompts/tests/empty.yaml'],
  };
  const bench = await openWorkbench({ files, answer: says, git: false });
  const { firsts, bad } = await bench.boardWhen(({ note }) => note === 'up to date');
  expect([firsts.includes('data-kind="first"'), bad]).toEqual([true, false]);
  await bench.close();
});

test('the workbench shows an error while data files are missing and continues once they exist again', async () => {
  const bench = await openWorkbench({ files: OWN, answer: says });
  await bench.boardWhen(({ note }) => note === 'up to date');
  rmSync(join(bench.directory, 'data'), { recursive: true });
  const { note } = await bench.boardWhen(({ bad }) => bad);
  expect(note).toContain('data/rows.jsonl');
  mkdirSync(join(bench.directory, 'data'));
  for (const path of ['data/rows.jsonl', 'data/keyed.ndjson', 'data/table.csv'] as const)
    await bench.boardWhen(({ old }) => {
      if (!old) writeFileSync(join(bench.directory, path), FILES[path]);
      return !old;
    });
  await bench.boardWhen((board) => board.note === 'up to date' && !board.bad);
  await bench.close();
});

test('the workbench raises its limits by their original amount on request', async () => {
  const bench = await openWorkbench({
    files: OWN,
    answer: says,
    args: ['--max-calls', '2', '--max-cost', '0.25'],
  });
  bench.edit('prompts/plain.yaml', 'Say', 'Tell');
  const refused = await bench.boardWhen(({ bad }) => bad);
  expect([refused.note, refused.head.includes('No verdict yet')]).toEqual([
    expect.stringContaining('Nothing was sent'),
    true,
  ]);
  expect(bench.server.requests).toHaveLength(0);
  expect(await bench.act({ kind: 'raise' })).toEqual({
    said: '$0.00 of $0.50 spent · 0 of 4 calls',
    bad: false,
  });
  const { head } = await bench.boardWhen(({ note }) => note === 'up to date');
  expect([head.includes('No verdict yet'), bench.server.requests.length]).toEqual([false, 4]);
  await bench.close();
});

test.each([
  [['--json'], '--json: the workbench prints no result'],
  [['--max-cost', 'x'], '--max-cost: must be a number of at least 0, not "x"'],
  [['--max-calls', '1.5'], '--max-calls: must be a whole number'],
  [['--port', 'x'], '--port: must be a whole number from 0 to 65535'],
])('the workbench does not start with the invalid options %j', async (args, why) => {
  const { code, out, err } = await commandIn(temporaryFolder('nothing'), ['dev', ...args]);
  expect([code, out, err]).toEqual([2, '', expect.stringContaining(why)]);
});
