import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { answerKey } from '../../../../src/report/answers/text.ts';
import { suiteIdentity } from '../../../../src/report/sections/order.ts';
import { partsOf } from '../../../../src/types/answer.ts';
import { commandIn } from '../../../stand-ins/command-line.ts';
import type { Script } from '../../../stand-ins/models/server.ts';
import { temporaryFolder } from '../../../stand-ins/repository.ts';
import {
  openWorkbench,
  suitesOf,
  topOf,
  type OpenWorkbench,
  type Seen,
} from '../../../stand-ins/workbench.ts';

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

const accept = { kind: 'accept', answer: answerKey(partsOf('new answer')) };

/** The generated id of a test without one, found by its input. */
async function idOf({ seen }: OpenWorkbench, input: string) {
  const references = suitesOf(await seen()).flatMap((suite) => suite.references);
  const generated = references.filter(({ id }) => /^[0-9a-f]{10}/.test(id));
  return generated.find((each) => Object.values(each.input).includes(input))?.id ?? '';
}

describe('the open workbench', () => {
  let bench: OpenWorkbench;
  beforeAll(async () => {
    bench = await openWorkbench({ files: FILES, answer: says, env: { LOCAL_KEY: undefined } });
    for (const name of ['mapped', 'keyed', 'plain'])
      bench.edit(`prompts/${name}.yaml`, 'Say', 'Tell');
    await settled(({ view }) => view?.result.suites.length === 3);
  });
  afterAll(async () => {
    await bench.close();
  });

  const settled = (is: (seen: Seen) => boolean) =>
    bench.seenWhen((seen) => seen.note === 'up to date' && !seen.isOld && is(seen));

  /** Runs an action, checks the file and undoes the action. */
  async function writes(
    path: string,
    wanted: string,
    action: Parameters<OpenWorkbench['act']>[0],
    id: string,
  ) {
    const before = bench.file(path);
    await bench.seenAfter(async () => {
      expect(await bench.act(action, id)).toEqual({
        said: expect.stringContaining(`, in ${path}`),
        bad: false,
      });
    });
    expect(bench.file(path)).toBe(wanted);
    await bench.seenAfter(async () => {
      expect(await bench.act({ kind: 'undo' })).toMatchObject({ bad: false });
    });
    expect(bench.file(path)).toBe(before);
  }

  test('edits a reference in its JSON line and keeps the key names that this line uses', async () => {
    const id = await idOf(bench, 'a');
    const skipped = '["old"], "skip": true, "skip_reason": "it is old"';
    const actions: [string, Parameters<OpenWorkbench['act']>[0]][] = [
      [ROWS.replace('"x"', '"new answer"'), accept],
      [ROWS.replace('["old"]', '["old", "odd"]'), { kind: 'tag', tag: 'odd' }],
      [ROWS.replace('["old"]', skipped), { kind: 'skip', reason: 'it is old' }],
      [
        ROWS.replace('["old"]', '["old"], "comment": "ask Ada"'),
        { kind: 'comment', text: 'ask Ada' },
      ],
      [
        `${ROWS}{"question": "c", "ideal": "z", "labels": []}\n`,
        { kind: 'add', input: { q: 'c' }, expected: 'z' },
      ],
    ];
    for (const [wanted, action] of actions) await writes('data/rows.jsonl', wanted, action, id);
  });

  test('edits the cells of a table', async () => {
    const table = FILES['data/table.csv'];
    const actions: [string, Parameters<OpenWorkbench['act']>[0]][] = [
      [table.replace('a,x', 'a,new answer'), accept],
      [table.replace('a,x', 'a,"no, thanks"'), { ...accept, text: 'no, thanks' }],
    ];
    for (const [wanted, action] of actions) await writes('data/table.csv', wanted, action, 'c1');
  });

  test.each([
    [
      'a line that needs more than an input',
      'k1',
      'data/keyed.ndjson',
      { kind: 'add', input: { q: 'c' }, expected: '' },
      'a new line with the same keys has no member "key"',
    ],
    [
      'a table without the column',
      'c1',
      'data/table.csv',
      { kind: 'tag', tag: 'odd' },
      'it has no column "tags"; add one first',
    ],
    [
      'a table without a column for comments',
      'c1',
      'data/table.csv',
      { kind: 'comment', text: 'why' },
      'it has no column "comment"; add one first',
    ],
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
      { kind: 'add', input: { q: 'c' }, expected: '' },
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
    const id = await idOf(bench, 'one');
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
    await bench.seenAfter(() => writeFileSync(join(bench.directory, 'prompts/plain.yaml'), before));
  });

  test('does not accept an answer that differs from the one shown', async () => {
    const id = await idOf(bench, 'one');
    expect(await bench.act({ ...accept, answer: 'another' }, id)).toEqual({
      said: 'This answer no longer exists.',
      bad: true,
    });
  });

  test('runs actions on one reference in order, each on the result of the previous one', async () => {
    const id = await idOf(bench, 'two');
    const before = bench.file('prompts/plain.yaml');
    const replies = await bench.seenAfter(async () => {
      const said = await Promise.all([
        bench.act({ kind: 'skip', reason: 'it is old' }, id),
        bench.act({ kind: 'tag', tag: 'odd' }, id),
        bench.act({ kind: 'tag', tag: 'even' }, id),
      ]);
      expect(said.map(({ bad }) => bad)).toEqual([false, false, false]);
    });
    expect(replies.undo).toContain('tagged even');
    expect(bench.file('prompts/plain.yaml')).toBe(
      before
        .replace('    - { input: { q: "two"', '    # skipped: it is old\n    - { input: { q: "two"')
        .replace('expected: "2"', 'expected: "2", skip: true, tags: ["odd", "even"]'),
    );
    await bench.seenAfter(async () => {
      for (let n = 0; n < 3; n += 1)
        expect(await bench.act({ kind: 'undo' })).toMatchObject({ bad: false });
    });
    expect(bench.file('prompts/plain.yaml')).toBe(before);
  });

  test('creates the first reference of a prompt that has none', async () => {
    const emptyIn = ({ view }: Seen) => view?.live?.prompts.filter(({ isEmpty }) => isEmpty) ?? [];
    const [empty] = emptyIn(await bench.seen());
    const first = { kind: 'first', prompt: empty?.key, input: { who: '' }, expected: '' };
    expect(await bench.act(first)).toEqual({
      said: 'Enter an input for the new test.',
      bad: true,
    });
    const given = { ...first, input: { who: 'Ada' }, expected: 'Ada' };
    expect(await bench.act(given)).toMatchObject({ bad: false });
    expect(bench.file('prompts/tests/empty.yaml')).toBe(
      `${FILES['prompts/tests/empty.yaml']}references: [{ input: { who: "Ada" }, expected: "Ada" }]\n`,
    );
    const after = await settled((seen) => suitesOf(seen).some(({ name }) => name === 'empty'));
    expect(emptyIn(after)).toEqual([]);
  });

  test('shows the same notices as a report', async () => {
    const { view } = await bench.seen();
    expect(JSON.stringify(view?.blocks.more)).toContain('has no tests');
  });
});

test('the workbench prints once, not after every change, which API keys it uses', async () => {
  const bench = await openWorkbench({ files: FILES, answer: says, env: { LOCAL_KEY: undefined } });
  await bench.seenAfter(() => bench.edit('prompts/plain.yaml', 'Say', 'Tell'));
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
  const { view, isBad } = await bench.seenWhen(({ note }) => note === 'up to date');
  expect([view?.live?.prompts[0]?.isEmpty, isBad]).toEqual([true, false]);
  await bench.close();
});

test('the workbench keeps the last valid state while data files are missing, and shows the error', async () => {
  const bench = await openWorkbench({ files: OWN, answer: says });
  const { view } = await bench.seenWhen(({ note }) => note === 'up to date');
  rmSync(join(bench.directory, 'data'), { recursive: true });
  const broken = await bench.seenWhen(({ problems }) => problems.length > 0);
  expect(broken.problems.join()).toContain('data/rows.jsonl');
  expect([broken.isBad, suitesOf(broken).length]).toEqual([true, suitesOf({ view }).length]);
  mkdirSync(join(bench.directory, 'data'));
  for (const path of ['data/rows.jsonl', 'data/keyed.ndjson', 'data/table.csv'] as const)
    writeFileSync(join(bench.directory, path), FILES[path]);
  await bench.seenWhen((seen) => seen.note === 'up to date' && seen.problems.length === 0);
  await bench.close();
});

test('the workbench raises its limits by their original amount on request', async () => {
  const bench = await openWorkbench({
    files: OWN,
    answer: says,
    args: ['--max-calls', '2', '--max-cost', '0.25'],
  });
  bench.edit('prompts/plain.yaml', 'Say', 'Tell');
  const refused = await bench.seenWhen(({ isBad }) => isBad);
  expect([refused.note, topOf(refused).includes('No verdict yet')]).toEqual([
    expect.stringContaining('Nothing was sent'),
    true,
  ]);
  expect(bench.server.requests).toHaveLength(0);
  expect(await bench.act({ kind: 'raise' })).toEqual({
    said: '$0.00 of $0.50 spent · 0 of 4 calls',
    bad: false,
  });
  const raised = await bench.seenWhen(({ note }) => note === 'up to date');
  expect([topOf(raised).includes('No verdict yet'), bench.server.requests.length]).toEqual([
    false,
    4,
  ]);
  await bench.close();
});

test('the workbench runs one suite on request', async () => {
  const bench = await openWorkbench({ files: OWN, answer: says });
  const seen = await bench.seenWhen(({ note }) => note === 'up to date');
  const plain = suitesOf(seen).find(({ name }) => name === 'plain')!;
  const sides = (of: Seen) =>
    suitesOf(of)
      .filter(({ references }) => references.some(({ head }) => (head?.tries.length ?? 0) > 0))
      .map(({ name }) => name);
  expect(sides(seen)).toEqual([]);
  await bench.act({ kind: 'run-suite', suite: suiteIdentity(plain) });
  const after = await bench.seenWhen(({ note }) => note.startsWith('plain was run'));
  expect([sides(after), bench.server.requests.length]).toEqual([['plain'], 2]);
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
