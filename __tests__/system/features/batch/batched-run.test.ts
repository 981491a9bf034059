import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import type { Clock } from '../../../../src/edges/providers/clock.ts';
import type { Result } from '../../../../src/kernel/result/result.ts';
import { partsOf } from '../../../../src/types/answer.ts';
import { reasonsInWords } from '../../../../src/wording/reasons.ts';
import { storeOf } from '../../../stand-ins/kept.ts';
import { fixtureEnvironment } from '../../../stand-ins/repository.ts';
import { BATCH_KEY, MODELS, openBatchProject, type BatchProject } from './batch-project.ts';

const RUN = fileURLToPath(new URL('../../../unit/features/batch/batch-run.ts', import.meta.url));

const pending = ({ repository }: BatchProject): unknown[] => {
  const db = new DatabaseSync(storeOf(repository.directory).file, { readOnly: true });
  const rows = db.prepare('SELECT id FROM batches').all();
  db.close();
  return rows.map((row) => row['id']);
};
const sizesOf = ({ batches }: BatchProject['server']) =>
  batches.map(({ requests }) => requests.length);

describe('a run of all references with transport: batch', () => {
  test('sends one batch per model and reports half the price everywhere', async () => {
    const batched = await openBatchProject();
    const plan = await batched.evaldiff('run', 'model=gpt-4o,claude-x', '--max-calls', '0');
    expect(plan.code).toBe(2);
    const { result, code, err } = await batched.result('run', 'model=gpt-4o,claude-x');
    expect([code, result.conclusion]).toEqual([0, 'success']);
    const { batches, requests, refused } = batched.server;
    expect(batches.map(({ vendor, requests }) => `${vendor} ${requests.length}`).sort()).toEqual([
      'anthropic 8',
      'openai 8',
    ]);
    expect([requests, refused]).toEqual([[], []]);
    // 16 answers with 10 input and 5 output tokens, at half of $1 per thousand tokens.
    const cents = expect.closeTo(0.12, 9) as unknown as number;
    expect(result.usage).toMatchObject({ calls: 16, reused: 0, cost_usd: cents, saved_usd: 0 });
    expect(err).toMatch(/gpt-4o \(batch\) 8 answers, \d+ tokens in, 2400 out, \$1\.\d\d/);
    expect(err).toMatch(/openai: batch batch_\d+: sent 8 requests for gpt-4o/);
    const fifteen = expect.closeTo(15, 9);
    expect(result.suites.map((suite) => suite.cost_per_1000_calls)).toEqual([fifteen, fifteen]);
    const [first] = result.suites[0]?.references[0]?.head?.tries ?? [];
    expect(first).toMatchObject({ latency_ms: null, parts: partsOf('Yes, 5') });
    expect(pending(batched)).toEqual([]);
    expect(`${err}${JSON.stringify(result)}`).not.toContain(BATCH_KEY);

    const again = await batched.result('run', 'model=gpt-4o,claude-x');
    const reused = { calls: 0, reused: 16, cost_usd: 0, saved_usd: cents };
    expect(again.result.usage).toMatchObject(reused);
    expect(batches).toHaveLength(2);
  });

  test("sends the answers' batch, then a batch of grading requests, and never deadlocks", async () => {
    const { result: ask, server } = await openBatchProject({
      settings: `${MODELS}grader: { model: claude-x, temperature: 0, max_tokens: 150 }\n`,
      answer: ({ schema }) => {
        const choice = JSON.stringify(schema?.json ?? '').includes('PASS') ? 'PASS' : 'Yes';
        return { text: schema === null ? 'Yes, 5' : JSON.stringify({ reasons: 'kind', choice }) };
      },
      metrics:
        '  - { name: polite, rubric: polite, threshold: 1 }\n  - { name: meets, uses: llm_rubric, with: { criteria: It is kind } }\n  - { name: short, code: "metric = len(actual)\\nresult = metric < 40" }',
    });
    const { result, code } = await ask('run');
    expect([code, result.conclusion]).toEqual([0, 'success']);
    // The grades of both metrics are in one batch.
    expect(server.batches.map(({ vendor }) => vendor)).toEqual(['openai', 'anthropic']);
    expect(result.usage.by_purpose).toMatchObject({
      prompt: { calls: 8 },
      grader: { calls: expect.any(Number) },
    });
  });

  test('rates attributes with direct calls, because each batch would have to wait for the previous one', async () => {
    const { result: ask, server } = await openBatchProject({
      references: 20,
      settings: `${MODELS}grader: { model: claude-x, max_tokens: 150 }\nqualeval: on\n`,
      metrics: '  - { name: polite, rubric: polite, threshold: 1 }',
    });
    const { result } = await ask('run', '--max-cost', '1000');
    expect(server.batches.map(({ vendor }) => vendor)).toEqual(['openai', 'anthropic']);
    expect(result.usage.by_purpose.qualeval?.calls).toBeGreaterThan(0);
    expect(server.requests).toHaveLength(result.usage.by_purpose.qualeval?.calls ?? 0);
  });

  test('uses a different transport for one run if the command line says so', async () => {
    const { result: ask, server } = await openBatchProject();
    await ask('run', 'transport=direct');
    expect([server.batches.length, server.requests.length]).toEqual([0, 8]);
    const plain = await openBatchProject({ settings: '' });
    await plain.result('run', 'transport=batch');
    expect([plain.server.batches.length, plain.server.requests.length]).toEqual([1, 0]);
  });

  test('checks its caps before it sends anything', async () => {
    const { evaldiff, server, result: ask } = await openBatchProject();
    for (const [cap = '', limit = ''] of [
      ['--max-calls=7', '7'],
      ['--max-cost=1', '$1'],
    ])
      expect(await evaldiff('run', cap)).toMatchObject({
        code: 2,
        out: expect.stringContaining(`the limit is ${limit}`),
      });
    expect(server.calls).toEqual([]);
    // A direct run of the same plan would exceed this cap.
    expect((await ask('run', '--max-cost', '1.5')).result.conclusion).toBe('success');
  });

  test('sends no further batch after the answers of the first have used up the budget', async () => {
    const { result: ask, server } = await openBatchProject({
      settings: `${MODELS}grader: { model: claude-x, max_tokens: 150 }\n`,
      metrics: '  - { name: polite, rubric: polite, threshold: 1 }',
      limit: 'max_tokens: 1900\n',
      answer: () => ({ text: 'Yes, 5', usage: { input: 10, output: 1900 } }),
    });
    const { result, code } = await ask('run', '--max-cost', '8');
    expect([code, result.conclusion]).toEqual([2, 'error']);
    expect(result.title).toMatch(
      /^Budget reached: another call could cost \$0\.\d+ and exceed the cost cap of \$8 \(--max-cost\)/,
    );
    expect(server.batches.map(({ vendor }) => vendor)).toEqual(['openai']);
  });

  test('sends the first answer alone if the prompt sets no limit, then as many as the cap allows', async () => {
    const { result: ask, server } = await openBatchProject({
      limit: '',
      answer: () => ({ text: 'Yes, 5', usage: { input: 10, output: 300 } }),
    });
    const { result } = await ask('run', '--max-cost', '100');
    expect(sizesOf(server)).toEqual([1, 7]);
    expect(result.conclusion).toBe('success');
    // Near the cap, because the model's longest answer costs $8, requests go one at a time.
    const few = await ask('run', '--max-cost', '1.6', '--no-store');
    expect([few.code, few.result.conclusion]).toEqual([2, 'error']);
    expect(sizesOf(server).slice(2)).toEqual([1, 1, 1, 1, 1, 1, 1]);
    expect(few.result.usage.cost_usd).toBeLessThanOrEqual(1.6);
  });

  test('stops after one long answer that passes the cap', async () => {
    const { result: ask, server } = await openBatchProject({
      limit: '',
      answer: () => ({ text: 'Yes, 5', usage: { input: 10, output: 20_000 } }),
    });
    const { result, code } = await ask('run', '--max-cost', '2');
    expect(code).toBe(2);
    expect(sizesOf(server)).toEqual([1]);
    expect(result.title).toContain('was passed by $8.0050');
  });
});

test('a comparison calls models directly, and one notice says that only runs without a base use batches', async () => {
  const { result: ask, server, repository } = await openBatchProject();
  repository.commit('change', {
    'prompts/ask.yaml':
      'name: ask\nmodel: gpt-4o\ndefaults: [tests/ask]\nvariables: [{ name: q }]\nmessages: [{ role: user, content: "Please: {q}" }]\n',
  });
  const { result } = await ask('diff', '--base', 'HEAD~1');
  expect([server.batches.length, server.requests.length]).toEqual([0, 16]);
  expect(result.notices.filter(({ message }) => message.includes('batch'))).toEqual([
    {
      kind: 'settings',
      place: { file: 'evaldiff.yaml', line: 0 },
      message:
        'transport: batch is for full sweeps: calls of gpt-4o are direct here, because a batch may take a day',
    },
  ]);
  expect(result.usage.cost_usd).toBeCloseTo(0.24, 9);
});

test('a batched run without a store warns that no later run can resume the batch', async () => {
  const { evaldiff } = await openBatchProject();
  expect((await evaldiff('run', '--no-store')).err).toContain(
    'it could not be stored, so no later run can fetch its results',
  );
});

/** Starts a sweep in its own process and resolves once its batch is on record. */
async function started(
  { repository, server }: BatchProject,
  argv: string[],
  when: (child: ReturnType<typeof spawn>) => void,
): Promise<{ code: number | null; signal: string | null; out: string; err: string }> {
  const child = spawn(process.execPath, [RUN, server.url, ...argv], {
    cwd: repository.directory,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: fixtureEnvironment({ OPENAI_API_KEY: BATCH_KEY, ANTHROPIC_API_KEY: BATCH_KEY }),
  });
  let [out, err, told] = ['', '', false];
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    out += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    err += text;
    if (!told && err.includes(': sent ')) {
      told = true;
      when(child);
    }
  });
  return await new Promise((resolve) =>
    child.once('close', (code, signal) => resolve({ code, signal, out, err })),
  );
}

describe('a run that ends during its batch', () => {
  test('is resumed after a kill by the next run, which pays nothing twice', async () => {
    const killed = await openBatchProject();
    expect(
      await started(killed, ['run', '--json'], (child) => child.kill('SIGKILL')),
    ).toMatchObject({ signal: 'SIGKILL', out: '' });
    expect(pending(killed)).toEqual([killed.server.batches[0]?.id]);
    expect((await killed.evaldiff('cache')).out).toMatch(
      /\n {2}batch batch_\d+ at openai: 8 requests for gpt-4o since \d{4}-\d\d-\d\dT\d\d:\d\dZ; the next sweep that needs their answers collects them\n$/,
    );
    const { result, err } = await killed.result('run');
    expect(result.conclusion).toBe('success');
    expect(killed.server.batches).toHaveLength(1);
    // The batch was paid for once and counts in the run that received its answers.
    expect(result.usage).toMatchObject({ calls: 8, reused: 0, cost_usd: 0.06 });
    expect(err).toMatch(/openai: batch batch_\d+: picked up, 8 requests for gpt-4o sent \d{4}-/);
    expect(pending(killed)).toEqual([]);
  });

  test('is neutral after a signal, reports partial results and says that another run can resume', async () => {
    const stopped = await openBatchProject();
    const { code, out, err } = await started(stopped, ['run', '--json'], (child) =>
      child.kill('SIGTERM'),
    );
    const result = JSON.parse(out) as Result;
    const { id } = stopped.server.batches[0]!;
    expect([code, result.conclusion, result.title]).toEqual([
      0,
      'neutral',
      'Waiting for a batch; run again to pick it up. Interrupted: it was cancelled, or stopped by hand (SIGTERM); 0 of 8 tries were made',
    ]);
    expect(reasonsInWords(result)[1]).toBe(
      `8 requests are with the vendor in ${id}: paid for once, and picked up by the next run.`,
    );
    expect(err).not.toContain(BATCH_KEY);
    expect((await stopped.result('run')).result.usage).toMatchObject({ calls: 8, reused: 0 });
    expect(stopped.server.batches).toHaveLength(1);
  });

  test('is neutral after its time limit, and answers that arrive later are stored even if not needed', async () => {
    const late = await openBatchProject();
    // An hour passes after the batch is sent.
    const clock: Clock = {
      ...late.clock,
      async sleep(ms, signal, what) {
        if (what === 'pause' && late.server.batches.length > 0) late.clock.expire(3_600_000);
        await new Promise(setImmediate);
        await late.clock.sleep(ms, signal, what);
      },
    };
    const { code, out } = await late.at(clock, 'run', '--json', '--timeout', '60');
    const result = JSON.parse(out) as Result;
    expect([code, result.conclusion]).toEqual([0, 'neutral']);
    expect(result.title).toMatch(/^Waiting for a batch; run again to pick it up\. Time is up: /);
    // Removes one reference. Its answers are still in the batch and are returned with it.
    const tests = readFileSync(join(late.repository.directory, 'prompts/tests/ask.yaml'), 'utf8');
    late.repository.write({ 'prompts/tests/ask.yaml': tests.replace(/ {2}- \{ id: r3.*\n/, '') });
    expect((await late.result('run')).result.usage).toMatchObject({ calls: 6, reused: 0 });
    late.repository.write({ 'prompts/tests/ask.yaml': tests });
    expect((await late.result('run')).result.usage).toMatchObject({ calls: 0, reused: 8 });
    expect(late.server.batches).toHaveLength(1);
  });
});
