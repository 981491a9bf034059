import { execFileSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { beginIn, commandIn, localEndpoint } from '../stand-ins/command-line.ts';
import type { Script } from '../stand-ins/models/server.ts';
import { temporaryFolder } from '../stand-ins/repository.ts';
import {
  openWorkbench,
  seenAt,
  suitesOf,
  topOf,
  type OpenWorkbench,
  type Seen,
} from '../stand-ins/workbench.ts';

const MODEL = 'provider: openai, endpoint: local, price: { input: 1, output: 1 }';

const ASK =
  'model: m\nvariables: [{ name: q }]\nmessages: [{ role: user, content: "Answer: {q}" }]\n';

const FILES = {
  'evaldiff.yaml': `n_tries: 1\ngrader: { model: m }\nmodels:\n  m: { model: model-1, ${MODEL} }\n  other: { model: model-2, ${MODEL} }\n`,
  'prompts/ask.yaml': `name: ask\ndefaults: [tests/ask]\n${ASK}`,
  'prompts/tests/ask.yaml':
    'metrics: [{ name: same, uses: exact_match }, { name: polite, rubric: polite, threshold: 1 }]\nreferences:\n  - { id: returns, input: { q: "How long?" }, expected: "30 days" }\n  - { id: carrier, input: { q: "Who?" }, expected: Northmail }\n',
  'rubrics/polite.yaml':
    'polite:\n  prompt: "Is it polite? {completion}"\n  choice_scores: { "Yes": 1, "No": 0 }\n',
  'prompts/rows.yaml': `name: rows\n${ASK}tests:\n  metrics: [{ name: same, uses: exact_match }]\n  references_from: { file: data/rows.jsonl }\n`,
  'data/rows.jsonl':
    '{"id":"r1","q":"How far?","expected":"30 days"}\n{"id":"r2","q":"Who else?","expected":"Northmail"}\n',
};

/** The model answers correctly unless the prompt says how to answer. A rubric can be stern. */
const answers: Script = ({ messages }) => {
  const text = JSON.stringify(messages);
  if (text.includes('Is it')) return { text: text.includes('polite') ? 'Yes' : 'No' };
  return {
    text: text.includes('Reply') ? 'no idea' : text.includes('Who') ? 'Northmail' : '30 days',
  };
};

let bench: OpenWorkbench;
let store: string;

beforeEach(async () => {
  store = join(temporaryFolder('answers'), 'store.sqlite');
  bench = await openWorkbench({ files: FILES, answer: answers, args: ['--store', store] });
  await bench.seenWhen(({ note }) => note === 'up to date');
});
afterEach(() => bench.close());

const OF_RUN = /^(?:latency_ms|usage|reused|stored|served|cost_per_1000_calls)$/;

/** Without what depends on the run that made an answer. */
const drawn = (seen: Seen): unknown =>
  JSON.parse(
    JSON.stringify(
      { top: seen.view?.blocks.top, live: seen.view?.live?.prompts, suites: suitesOf(seen) },
      (key, value: unknown) => (OF_RUN.test(key) ? undefined : value),
    ),
  );

async function shownAnew() {
  const fresh = beginIn(bench.directory, ['dev', '--store', store], {
    env: localEndpoint(bench.server),
  });
  const url = /http:\S+/.exec(await fresh.said('workbench: http'))?.[0] ?? '';
  const board = await seenAt(
    url,
    ({ note }) => note !== 'reading the files' && !note.startsWith('asking'),
  );
  await fresh.stop();
  return drawn(board);
}

const write = (path: string, text: string) => writeFileSync(join(bench.directory, path), text);

const commit = () => {
  for (const args of [
    ['add', '--all'],
    ['-c', 'user.name=a', '-c', 'user.email=a@b.invalid', 'commit', '--quiet', '-m', 'more'],
  ])
    execFileSync('git', args, { cwd: bench.directory });
};

/** Runs an action and expects a changed board that equals a new workbench's. */
async function showsAfter(work: () => void) {
  const before = drawn(await bench.seen());
  work();
  const after = drawn(
    await bench.seenWhen(
      (seen) =>
        seen.note === 'up to date' && !seen.isOld && !isDeepStrictEqual(drawn(seen), before),
    ),
  );
  expect(after).toEqual(await shownAnew());
}

test('after any change, the workbench shows the same as a newly started one', async () => {
  const edit = (path: keyof typeof FILES, from: string, to: string) => () =>
    bench.edit(path, from, to);
  const prompt = edit('prompts/ask.yaml', 'Answer:', 'Reply:');
  await showsAfter(prompt);
  await showsAfter(edit('prompts/tests/ask.yaml', '"30 days"', 'no idea'));
  await showsAfter(edit('rubrics/polite.yaml', 'polite?', 'stern?'));
  await showsAfter(edit('evaldiff.yaml', 'n_tries: 1', 'n_tries: 2'));
  await showsAfter(edit('evaldiff.yaml', 'model: model-1', 'model: model-3'));
  await showsAfter(edit('data/rows.jsonl', '"Northmail"', '"no one"'));
  await showsAfter(edit('prompts/rows.yaml', 'Answer:', 'Reply:'));
  // Base is now another commit with the same files.
  await showsAfter(() => {
    commit();
    edit('prompts/rows.yaml', 'name: rows', 'name: rows ')();
  });
  await showsAfter(edit('prompts/ask.yaml', 'Reply:', 'Answer:'));
  for (const [path, text] of Object.entries(FILES)) write(path, text);
  await showsAfter(edit('prompts/rows.yaml', 'Answer:', 'Say'));
});

test('the workbench updates its comparison after a commit, although no file has changed', async () => {
  await showsAfter(() => bench.edit('prompts/ask.yaml', 'Answer:', 'Reply:'));
  await showsAfter(commit);
});

test('the workbench reads a file again after it was unreadable, deleted or replaced', async () => {
  const path = 'prompts/tests/ask.yaml';
  const before = drawn(await bench.seen());
  const problem = async (words: string) => {
    const { problems } = await bench.seenWhen((seen) => seen.problems.length > 0);
    expect(problems.join()).toContain(words);
  };
  write(path, 'metrics: [');
  await problem('is not valid YAML');
  write(path, FILES[path]);
  await bench.seenWhen(({ isBad, note }) => !isBad && note === 'up to date');
  rmSync(join(bench.directory, path));
  await problem('does not exist');
  write(path, FILES[path]);
  expect(drawn(await bench.seenWhen(({ isBad, note }) => !isBad && note === 'up to date'))).toEqual(
    before,
  );
});

test('the workbench shows answers that another process stored in the meantime', async () => {
  await bench.close();
  bench = await openWorkbench({
    files: FILES,
    answer: answers,
    args: ['--store', store, '--max-calls', '0'],
  });
  bench.edit('prompts/ask.yaml', 'Answer:', 'Reply:');
  await bench.seenWhen((seen) => seen.isBad && topOf(seen).includes('No verdict yet'));
  const { code } = await commandIn(
    bench.directory,
    ['diff', '--head', 'worktree', '--store', store],
    { env: localEndpoint(bench.server) },
  );
  expect(code).toBe(0);
  await showsAfter(() => bench.edit('prompts/ask.yaml', 'name: ask', 'name: ask # the same'));
});

test('the workbench counts spending as answers arrive, and does not count calls with a rejected key', async () => {
  await bench.close();
  let refuses = true;
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  bench = await openWorkbench({
    files: FILES,
    args: ['--store', store],
    answer: (request) => {
      if (refuses) return { status: 401 };
      const slow = JSON.stringify(request.messages).includes('Who?');
      const answer = answers(request);
      return slow ? released.then(() => answer) : answer;
    },
  });
  bench.edit('prompts/ask.yaml', 'Answer:', 'Reply:');
  const refused = await bench.seenWhen(({ isBad }) => isBad);
  expect([refused.note, refused.spend]).toEqual([
    expect.stringMatching(/^openai.*: 401, the server rejected the key/),
    '$0.00 of $1.00 spent · 0 of 500 calls',
  ]);
  expect(bench.server.requests.length).toBeGreaterThan(0);
  refuses = false;
  bench.edit('prompts/ask.yaml', 'Reply:', 'Say:');
  // Both answers of one reference have arrived; the others are pending.
  await bench.seenWhen(({ note, spend }) => note.includes('of 4') && spend.includes('2 of 500'));
  release();
  const { spend } = await bench.seenWhen(({ note }) => note === 'up to date');
  expect(spend).toMatch(/^\$0\.0\d+ of \$1\.00 spent · \d of 500 calls$/);
});
