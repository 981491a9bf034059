import { copyFileSync, readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import type { Manifest } from '../../../../src/features/shards/manifest.ts';
import { mergeWords, shardWords } from '../../../../src/features/shards/words.ts';
import type { Result } from '../../../../src/kernel/result/result.ts';
import { answerText } from '../../../../src/report/answers/text.ts';
import { textOf } from '../../../../src/types/answer.ts';
import type { Script } from '../../../stand-ins/models/server.ts';
import { openSharded, PROJECT, TWIN } from './sharded.ts';

// Each test makes a dozen runs.

const BUSY = { status: 503, error: { message: 'busy' } };

describe('a sharded sweep', () => {
  test('writes the same result.json, byte for byte, as one machine with the same answers', async () => {
    const { evaldiff, report, shards, server, repository } = await openSharded({
      files: { '.gitignore': '*.sqlite\nreport-*\n' },
    });
    expect((await evaldiff('run', '--store', 'one.sqlite')).code).not.toBe(2);
    const whole = await report('run', '--store', 'one.sqlite');
    for (const shard of [1, 2, 3])
      copyFileSync(
        join(repository.directory, 'one.sqlite'),
        join(repository.directory, `store-of-part-${shard}.sqlite`),
      );
    const folders = await shards(3);
    const asked = server.requests.length;
    const merged = await report('merge', ...folders, '--store', 'merged.sqlite');
    expect(merged).toBe(whole);
    expect(server.requests).toHaveLength(asked);
    const { suites, causes } = JSON.parse(whole) as Result;
    // Most answers are wrong, but a sweep compares nothing, so it has no causes.
    expect(causes).toBeUndefined();
    // Five suites in two variants: nothing is missing.
    expect(suites.map(({ name, references }) => [name, references.length])).toEqual(
      [
        ['app', 3],
        ['ask', 12],
        ['talk', 3],
        ['taped', 2],
        ['twin', 6],
      ].flatMap((entry) => [entry, entry]),
    );
    expect(
      suites.flatMap(({ references }) =>
        references.filter(({ status }) => status === 'error').map(({ id }) => id),
      ),
    ).toEqual(['no', 'no']);
  });

  test('names its commit in the result if the only uncommitted files are shard folders', async () => {
    const { evaldiff, report, shards, repository } = await openSharded({
      files: { ...TWIN, '.gitignore': '*.sqlite\nreport-*\n' },
    });
    const folders = await shards(2);
    const { out } = await evaldiff('merge', ...folders, '--store', 'merged.sqlite', '--json');
    expect((JSON.parse(out) as Result).head.sha).toBe(repository.git('rev-parse', 'HEAD').trim());
    const moved = folders.map((folder) => `report-of-${folder}`);
    const at = (folder: string) => join(repository.directory, folder);
    for (const folder of folders) renameSync(at(folder), at(`report-of-${folder}`));
    const merged = await report('merge', ...moved, '--store', 'merged.sqlite');
    expect((JSON.parse(merged) as Result).head.sha).toMatch(/^[0-9a-f]{40}$/);
    expect(await report('run', '--store', 'merged.sqlite')).toBe(merged);
  });

  test('pays for each prompt once, even if two suites share it', async () => {
    const { report, shards, server } = await openSharded();
    const folders = await shards(4);
    const first = server.requests.filter(
      ({ messages }) =>
        messages.length === 1 && /^Answer: question [0-8]$/.test(messages[0]!.content),
    );
    // Nine questions of three suites, with two tries in each of two variants.
    expect(first).toHaveLength(9 * 2 * 2);
    const paid = server.requests.length;
    const merged = await report('merge', ...[...folders].reverse(), '--store', 'merged.sqlite');
    expect(server.requests).toHaveLength(paid);
    const again = await report('run', '--store', 'merged.sqlite');
    expect(again).toBe(merged);
    // Calls that no store keeps count as in any run: four refusals. Four recordings are counted
    // separately.
    expect((JSON.parse(merged) as Result).usage).toMatchObject({
      calls: 4,
      replayed: 4,
      cost_usd: 0,
    });
  });

  test('can have more shards than prompts, and reports the empty shards', async () => {
    const { evaldiff, shards, report, repository } = await openSharded();
    repository.commit('few', {
      'prompts/ask.yaml': null,
      'prompts/tests/ask.yaml': null,
      'prompts/talk.yaml': null,
      'prompts/app.yaml': null,
      'prompts/taped.yaml': null,
      'prompts/tests/twin.yaml':
        'metrics: [{ name: exact, uses: exact_match }]\nreferences: [{ id: only, input: { q: "question 1" }, expected: "answer to 1" }]\n',
    });
    const { out } = await evaldiff('run', '--shard', '4/5', '--shard-to', 'empty');
    expect(out).toContain('Shard 4/5: nothing to do: the sweep has 2 references');
    expect(out).toContain('0 model calls made');
    const result = JSON.parse(await report('merge', ...(await shards(5)))) as Result;
    expect(
      result.suites.map(({ references }) => references.map(({ id, status }) => [id, status])),
    ).toEqual([[['only', 'pass']], [['only', 'pass']]]);
  });

  test('merges empty answers, filtered answers and answers of programs without requesting them again', async () => {
    const answer: Script = ({ messages }) => {
      const n = Number(/\d+/.exec(messages[0]?.content ?? '')?.[0]);
      return n === 0
        ? { text: '' }
        : n === 1
          ? { text: 'half', finish: 'content_filter' }
          : { text: `answer to ${n}` };
    };
    const bare = `'const r = require("node:readline").createInterface({ input: process.stdin }); r.on("line", (l) => { const { id } = JSON.parse(l); require("node:fs").appendFileSync("/dev/null", ""); process.stdout.write(JSON.stringify({ id, output: String(process.pid) }) + "\\n"); });'`;
    const { report, shards, server, repository } = await openSharded({ answer });
    repository.commit('odd', {
      'evaldiff.yaml': `models:\n  m: { provider: openai, endpoint: local, model: model-1 }\n  bare: { provider: program, command: [node, -e, ${bare}] }\n`,
      'prompts/ask.yaml': null,
      'prompts/tests/ask.yaml': null,
      'prompts/talk.yaml': null,
      'prompts/taped.yaml': null,
      'prompts/app.yaml':
        'name: app\nmodel: bare\ndefaults: [tests/app]\nvariables: [q]\nmessages: [{ role: user, content: "Answer: {q}" }]\n',
    });
    const folders = await shards(3);
    const asked = server.requests.length;
    const result = JSON.parse(await report('merge', ...folders)) as Result;
    expect(server.requests).toHaveLength(asked);
    const tries = (name: string) =>
      result.suites
        .find((suite) => suite.name === name)!
        .references.map(({ head }) => head!.tries.map(answerText));
    // Only the shards' processes wrote these: the merge started none.
    const written = folders.flatMap((folder) =>
      readLines(join(repository.directory, folder, 'others.jsonl')),
    );
    const outputs = written.map(({ completion }) => textOf({ parts: [], ...completion }));
    for (const actual of tries('app').flat()) expect(outputs).toContain(actual);
    expect(tries('twin').slice(0, 2)).toEqual([
      [null, null],
      ['half', 'half'],
    ]);
    expect(result.usage.by_purpose.prompt).toMatchObject({ reused: 8 });
  });

  test('makes the calls that need all answers only once, in the merge, and not in each shard', async () => {
    const question = (n: string) =>
      `  - { id: r${n}, input: { q: "question ${n}" }, expected: "answer to ${n}" }\n`;
    const questions = Array.from({ length: 24 }, (_, at) => question(String(at))).join('');
    const { shards, report, server, read } = await openSharded({
      files: {
        ...TWIN,
        'evaldiff.yaml': `${String(PROJECT['evaldiff.yaml'])}qualeval: { enabled: on }\n`,
        'prompts/tests/twin.yaml': `metrics: [{ name: exact, uses: exact_match }]\nreferences:\n${questions}`,
      },
    });
    const folders = await shards(2, 'prompts=twin', 'temperature=0', '--max-cost', '1000');
    // Two tries of each question, and no attribute calls.
    expect(server.requests).toHaveLength(24 * 2);
    const manifests = folders.map(
      (folder) => JSON.parse(read(`${folder}/manifest.json`)) as Manifest,
    );
    expect(manifests.map(({ usage }) => usage.calls)).toEqual([24, 24]);
    const overrides = ['prompts=twin', 'temperature=0', '--max-cost=1000'];
    const first = JSON.parse(await report('merge', ...folders, ...overrides)) as Result;
    const asked = server.requests.length - 24 * 2;
    expect(asked).toBeGreaterThan(0);
    expect(first.usage).toMatchObject({
      calls: asked,
      by_purpose: { prompt: { calls: 0, reused: 48 }, qualeval: { calls: asked } },
    });
  });

  test('divides its limits on calls among the shards and leaves unused calls to the merge', async () => {
    const { evaldiff, shards, report, server } = await openSharded({
      answer: () => ({ ...BUSY, headers: { 'retry-after-ms': '1' } }),
      files: TWIN,
    });
    const refused = await evaldiff('run', '--shard', '1/3', '--max-calls', '10', 'prompts=twin');
    expect(refused).toMatchObject({ code: 2 });
    expect(refused.err).toContain('This run would make 24 model calls');
    // Every call is retried several times. 24 calls are allowed for 24 questions.
    const folders = await shards(3, '--max-calls', '24', 'prompts=twin');
    expect(server.requests).toHaveLength(24);
    const merged = JSON.parse(
      await report('merge', ...folders, '--max-calls', '24', 'prompts=twin'),
    ) as Result;
    expect(server.requests).toHaveLength(24);
    expect(merged).toMatchObject({
      conclusion: 'error',
      title: expect.stringMatching(
        /^Budget reached: shard [123]\/3: the limit of 8 model calls \(this shard's part of 24; --max-calls\) is reached \(the last error: openai \(local\): 503, the server failed: busy, after 5 tries\); /,
      ),
    });
  });
});

test("input tokens that a vendor served from its cache are counted in each shard's result and shown by shard and merge", async () => {
  const { shards, read } = await openSharded({
    answer: () => ({ text: 'answer to 1', usage: { input: 2000, output: 5, read: 1024 } }),
    files: TWIN,
  });
  const folders = await shards(2, 'prompts=twin', 'temperature=0');
  const manifests = folders.map(
    (folder) => JSON.parse(read(`${folder}/manifest.json`)) as Manifest,
  );
  const calls = manifests.reduce((sum, { usage }) => sum + usage.calls, 0);
  expect(calls).toBe(12);
  expect(manifests.map(({ usage }) => usage.cached_tokens)).toEqual(
    manifests.map(({ usage }) => usage.calls * 1024),
  );
  expect(shardWords(manifests[0]!)).toContain("tokens in from the vendors' caches, $");
  expect(mergeWords(manifests)).toContain(
    ", 12,288 of 24,000 tokens in from the vendors' caches, $",
  );
});

interface Line {
  key: string;
  completion: Record<string, unknown>;
}
function readLines(file: string) {
  return readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Line);
}
