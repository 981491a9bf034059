import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setImmediate } from 'node:timers/promises';
import type { Clock } from '../../../../src/edges/providers/clock.ts';
import type { Result } from '../../../../src/kernel/result/result.ts';
import { partsOf } from '../../../../src/types/answer.ts';
import { clock } from '../../../stand-ins/clock.ts';
import { beginIn, localEndpoint } from '../../../stand-ins/command-line.ts';
import { storeOf } from '../../../stand-ins/kept.ts';
import type { FixtureRepository } from '../../../stand-ins/repository.ts';
import { promptSaying, openShop } from '../../../unit/app/commands/shop.ts';

const has = ({ directory }: FixtureRepository, path: string) => existsSync(join(directory, path));
const read = ({ directory }: FixtureRepository, path: string) =>
  readFileSync(join(directory, path), 'utf8');
const passesOf = ([suite]: Result['suites']) =>
  (suite?.references ?? []).reduce((sum, { head }) => sum + (head?.passes ?? 0), 0);
const db = (file: string, sql: string) => {
  const opened = new DatabaseSync(file);
  opened.exec(sql);
  opened.close();
};

describe('answers of earlier runs', () => {
  test('are reused: the second run makes no calls and reports the savings', async () => {
    const { result, server, repository } = await openShop();
    const first = await result('run');
    expect(first.usage).toMatchObject({ calls: 8, reused: 0, cost_usd: 0.12, saved_usd: 0 });
    const second = await result('run');
    expect(second.usage).toMatchObject({ calls: 0, reused: 8, cost_usd: 0, saved_usd: 0.12 });
    expect(second.suites[0]?.references[0]?.head?.tries[0]).toMatchObject({
      parts: partsOf('Yes, 5'),
      reused: true,
      usage: { input_tokens: 10, output_tokens: 5 },
    });
    expect(server.requests).toHaveLength(8);
    expect(existsSync(storeOf(repository.directory).file)).toBe(true);
    expect(has(repository, '.evaldiff')).toBe(false);
    expect(repository.git('status', '--short')).toBe('');
  });

  test("count as saved at full price even if the vendor's cache had made them cheaper", async () => {
    const { evaldiff, result, server } = await openShop({
      answer: () => ({ text: 'Yes, 5', usage: { input: 2000, output: 5, read: 1024 } }),
    });
    expect((await evaldiff('run')).out).toContain(
      "16,000 tokens in (8,192 from the vendor's cache), 40 out",
    );
    const { usage } = await result('run');
    expect(usage).toMatchObject({ calls: 0, reused: 8, saved_usd: expect.closeTo(16.04, 6) });
    expect(usage).not.toHaveProperty('cached_tokens');
    expect(server.requests).toHaveLength(8);
  });

  test('include grades, which are counted separately from answers', async () => {
    const { result, server } = await openShop({
      rubric: true,
      references: 2,
      answer: ({ schema }) => ({
        text:
          schema === null
            ? 'Yes, 5'
            : JSON.stringify({ reasons: 'kind', label: 'Yes', choice: 'Yes', answer: 'Yes' }),
      }),
    });
    const first = await result('run');
    expect(first.usage.by_purpose).toMatchObject({
      prompt: { calls: 4, cost_usd: 0.06 },
      grader: { cost_usd: expect.any(Number) },
    });
    const made = server.requests.length;
    const { usage } = await result('run');
    expect(usage.calls).toBe(0);
    // Two references with the same answer already shared a grade in the first run.
    const { cost_usd: paid, saved_usd: shared } = first.usage.by_purpose.grader ?? {};
    expect([paid, shared]).toEqual([0.03, 0.03]);
    expect(usage.by_purpose.grader).toMatchObject({ cost_usd: 0, saved_usd: 0.06 });
    expect(server.requests).toHaveLength(made);
  });

  test('are reused by both sides, later runs and other commands, and paid for only once', async () => {
    const { result, server, repository } = await openShop();
    await result('run');
    repository.commit('change', promptSaying('Please answer: {q}'));
    const { usage, suites } = await result('diff', '--base', 'HEAD~1');
    expect(suites[0]?.references).toHaveLength(4);
    expect(usage).toMatchObject({ calls: 8, reused: 8 });
    expect(server.requests).toHaveLength(16);
  });

  test('are not used or stored with --no-store; --store and EVALDIFF_STORE set the file', async () => {
    const { result, server, repository } = await openShop({
      env: { EVALDIFF_STORE: 'by-env.sqlite' },
    });
    await result('run', '--no-store');
    await result('run', '--no-store');
    expect(server.requests).toHaveLength(16);
    expect(has(repository, 'by-env.sqlite')).toBe(false);
    await result('run', '--store', 'mine.sqlite');
    await result('run');
    expect(server.requests).toHaveLength(32);
    expect(
      ['mine.sqlite', 'by-env.sqlite', '.evaldiff'].map((name) => has(repository, name)),
    ).toEqual([true, true, false]);
  });

  test('are included in a recording', async () => {
    const { result, repository } = await openShop({ references: 2 });
    await result('run');
    await result('run', '--record', 'all.jsonl');
    expect(read(repository, 'all.jsonl').trim().split('\n')).toHaveLength(4);
  });

  test('are not reused for a server of the same name at another address', async () => {
    const one = await openShop();
    await one.result('run', '--store', 'shared.sqlite');
    const other = await openShop();
    const endpoint = `other=${other.server.openaiUrl} key=LOCAL_KEY`;
    await one.result('run', '--store', 'shared.sqlite', '--endpoint', endpoint);
    expect(one.server.requests).toHaveLength(8);
    await other.result('run', '--store', join(one.repository.directory, 'shared.sqlite'));
    expect(other.server.requests).toHaveLength(8);
  });

  test('are judged without an API key if no call is needed', async () => {
    const one = await openShop();
    const store = ['--store', join(one.repository.directory, 'shared.sqlite')];
    await one.result('run', ...store);
    const { evaldiff, result, repository } = await openShop({
      server: one.server,
      env: { LOCAL_KEY: '' },
    });
    expect(await result('run', ...store)).toMatchObject({
      suites: [{ pass_rate: { head: 1 } }],
      usage: { calls: 0, reused: 8 },
      notices: expect.arrayContaining([
        expect.objectContaining({
          message: expect.stringMatching(
            /^Only stored answers are judged\. Endpoint local: the environment variable LOCAL_KEY/,
          ),
        }),
      ]),
    });
    repository.write(promptSaying('Please: {q}'));
    const { code, out } = await evaldiff('run', ...store);
    expect([code, one.server.requests.length]).toEqual([2, 8]);
    expect(out).toContain('the environment variable LOCAL_KEY is not set');
  });
});

describe('the cost of a run', () => {
  test('is listed in the plan by model, excluding stored answers', async () => {
    const { evaldiff, server, repository } = await openShop();
    repository.write(promptSaying('Please: {q}'));
    const before = await evaldiff('plan', '--base', 'HEAD', 'budget.max_cost_usd=100');
    expect(before.out).toMatch(
      /about \$4\.9\d, with tokens estimated: model-1 \(local\) 16 answers, \d+ tokens in, 4800 out/,
    );
    expect(server.requests).toHaveLength(0);
    await evaldiff('run');
    expect((await evaldiff('plan', '--base', 'HEAD', 'budget.max_cost_usd=100')).out).toMatch(
      /model-1 \(local\) 8 answers, .*; 8 answers stored already/,
    );
  });

  test('is unknown, never zero, without a price', async () => {
    const { evaldiff, result } = await openShop({ price: '' });
    expect((await evaldiff('run')).err).toContain(
      'cost unknown (no price for model-1 (local)), with tokens estimated: model-1 (local) 8 answers',
    );
    expect((await result('run', '--no-store')).usage).toMatchObject({ calls: 8, cost_usd: null });
  });

  test('stops the run before any call if it would certainly exceed the cap', async () => {
    const { evaldiff, server } = await openShop();
    const { code, out } = await evaldiff('run', '--max-cost', '0.5');
    expect(code).toBe(2);
    expect(out).toMatch(
      /This run would cost about \$2\.\d\d for its first answers and grades; the limit is \$0\.5 \(--max-cost\)\. Nothing was sent\./,
    );
    expect(server.requests).toHaveLength(0);
  });

  const counts = (limit: string, calls: number) =>
    `No price is known for "model-1 (local)". evaldiff assumes $0.05 per call, so the limit of ${limit} allows at most ${calls} such calls. Give the price in dollars per million tokens in the settings file: models: { NAME: { provider: …, price: { input: …, output: … } } }`;

  test.each([
    [['--max-cost', '5'], '$5 (--max-cost)', 100],
    [['budget.max_cost_usd=0.4'], '$0.4 (the override budget.max_cost_usd)', 8],
  ])(
    'is estimated at $0.05 per call, with a notice, if a cap applies to a model without a price (%j)',
    async (argv, limit, n) => {
      const { result, server } = await openShop({ price: '' });
      const { conclusion, notices, usage } = await result('run', ...argv);
      const messages = notices.flatMap(({ kind, message }) => (kind === 'capped' ? [message] : []));
      expect([conclusion, messages, usage.cost_usd]).toEqual(['success', [counts(limit, n)], null]);
      expect(server.requests).toHaveLength(8);
    },
  );

  test("stops the run before any call if the estimate exceeds base's cap, unless a price or max-cost is given", async () => {
    const { evaldiff, result, server, repository } = await openShop({
      price: '',
      settings: 'budget: { max_cost_usd: 0.2 }\n',
    });
    repository.commit('change', promptSaying('Please answer: {q}'));
    const { code, out } = await evaldiff('diff', '--base', 'HEAD~1');
    expect([code, server.requests.length]).toEqual([2, 0]);
    const words = out.replace(/\s+/g, ' ');
    const limit = 'budget.max_cost_usd in evaldiff.yaml:4 of base; --max-cost overrides it';
    expect(words).toContain(
      `This run would cost about $0.80 for its first answers and grades; the limit is $0.2 (${limit}).`,
    );
    expect(words).toContain(counts(`$0.2 (${limit})`, 4));
    expect((await result('diff', '--base', 'HEAD~1', '--max-cost', '1')).usage.calls).toBe(16);
    repository.commit('price', {
      'evaldiff.yaml':
        'n_tries: 2\nmodels:\n  m: { provider: openai, endpoint: local, model: model-1, price: { input: 1, output: 1 } }\n',
    });
    const priced = await result('diff', '--base', 'HEAD~2');
    expect([priced.conclusion, priced.usage.reused]).toEqual(['success', 16]);
    expect((await result('diff', '--base', 'HEAD~2', '--no-store')).usage.cost_usd).not.toBeNull();
  });

  test.each([
    ['gpt-5.4-minni', 'gpt-5.4-mini'],
    ['claude-sonet-4-5', 'claude-sonnet-4-5'],
  ])(
    'is not estimated for an unknown model (%s): an error at its line suggests a name',
    async (model, near) => {
      const { evaldiff, repository } = await openShop();
      repository.write({
        'prompts/ask.yaml': promptSaying('{q}')['prompts/ask.yaml'].replace(
          ': m\n',
          `: ${model}\n`,
        ),
      });
      const { code, out } = await evaldiff('run', '--max-cost', '5');
      expect(code).toBe(2);
      expect(out.replace(/\s+/g, ' ')).toContain(
        `prompts/ask.yaml:2: the model "${model}" is not known; did you mean "${near}"?`,
      );
    },
  );

  test.each([
    ['gpt-6-lunna', '; did you mean "gpt-6-luna"? If'],
    ['mistral-smal-latest', '; did you mean "mistral-small-latest"? If'],
    ['deepseek-nothing-like-it', '. If'],
  ])('is not estimated if models.m.is names no model: %s', async (is, words) => {
    const { evaldiff, repository } = await openShop();
    repository.write({ 'evaldiff.yaml': `models: { m: { endpoint: local, is: ${is} } }\n` });
    const { code, out } = await evaldiff('run');
    expect(code).toBe(2);
    expect(out.replace(/\s+/g, ' ')).toContain(`models.m.is: "${is}" is not known${words}`);
  });

  test.each(['gpt-5.9-mini', 'gpt-5.4-plus', 'claude-haiku-9-5'])(
    'of a new model (%s) does not cause an error about a misspelt name',
    async (model) => {
      const { evaldiff, repository } = await openShop();
      repository.write({
        'prompts/ask.yaml': promptSaying('{q}')['prompts/ask.yaml'].replace(
          ': m\n',
          `: ${model}\n`,
        ),
      });
      const { out } = await evaldiff('plan', '--max-cost', '5');
      expect(out.replace(/\s+/g, ' ')).toContain(
        `No price is known for "${model}". evaldiff assumes`,
      );
      expect(out).not.toContain('did you mean');
    },
  );

  test('causes a notice if it exceeds half of the cap', async () => {
    const { result } = await openShop();
    const capped = async (calls: string, cost: string) =>
      (await result('run', '--no-store', '--max-calls', calls, '--max-cost', cost)).notices.flatMap(
        ({ kind, message }) => (kind === 'capped' ? [message] : []),
      );
    expect(await capped('20', '10')).toEqual([]);
    expect(await capped('15', '4')).toEqual([
      'the first answers and grades take up to 8 calls; the limit is 15 (--max-calls)',
      expect.stringMatching(
        /^the first answers and grades cost about \$2\.\d\d; the limit is \$4 \(--max-cost\)$/,
      ),
    ]);
  });
});

describe('a cap reached during a run', () => {
  test('on calls stops the run after exactly that number, with a partial report', async () => {
    const { result, server } = await openShop({
      answer: ({ index }) =>
        index % 2 === 0 ? { status: 500, error: { message: 'down' } } : { text: 'Yes, 5' },
    });
    const { conclusion, title, reasons, suites, usage } = await result('run', '--max-calls', '8');
    expect(server.requests.length + server.refused.length).toBe(8);
    expect(conclusion).toBe('error');
    expect(title).toMatch(
      /^Budget reached: the limit of 8 model calls \(--max-calls\) is reached \(the last error: openai \(local\): 500, the server failed: down\); \d of 8 tries were made$/,
    );
    expect(reasons[0]).toMatchObject({ code: 'ended', effect: 'too-few' });
    expect(passesOf(suites)).toBeGreaterThan(0);
    expect(usage.calls).toBeLessThanOrEqual(8);
  });

  test('on calls excludes stored answers, so several runs can complete a large suite', async () => {
    const { evaldiff, result, repository, server } = await openShop({ references: 4 });
    expect((await result('run', '--max-calls', '8')).usage.calls).toBe(8);
    const tests = read(repository, 'prompts/tests/ask.yaml');
    const more = '  - { id: more, input: { q: "one more" }, expected: "5" }\n';
    repository.write({ 'prompts/tests/ask.yaml': `${tests}${more}` });
    const refused = await evaldiff('run', '--max-calls', '1');
    expect(refused.code).toBe(2);
    expect(refused.out).toMatch(
      /This run would make 2 model calls \(10 answers for 5 references of 1 prompt \+ 0 grader calls, without 8 answers stored already\); the limit is 1 \(--max-calls\)/,
    );
    expect((await result('run', '--max-calls', '8')).usage).toMatchObject({ calls: 2, reused: 8 });
    expect(server.requests).toHaveLength(10);
  });

  test('on cost stops the run before its cost exceeds the cap, and the next run continues from there', async () => {
    const { result, server } = await openShop({
      references: 20,
      answer: () => ({ text: 'Yes, 5', usage: { input: 10, output: 400 } }),
    });
    const first = await result('run', '--max-cost', '13');
    expect(first).toMatchObject({
      conclusion: 'error',
      title: expect.stringMatching(
        /^Budget reached: another call could cost \$1\.61\d+ and exceed the cost cap of \$13 \(--max-cost\); \$11\.48\d+ is spent; 28 of 40 tries were made$/,
      ),
    });
    expect(first.usage.cost_usd).toBeLessThanOrEqual(13);
    expect(server.requests).toHaveLength(28);
    const second = await result('run', '--max-cost', '13');
    expect(second.conclusion).toBe('success');
    expect(second.usage).toMatchObject({ calls: 12, reused: 28 });
  });
});

describe('the time limit of the whole run', () => {
  test('ends the run with a partial result', async () => {
    const shown = (answers: number) => running.said(`${answers} of 8 answers`);
    const { server, repository } = await openShop({
      async answer({ index }) {
        if (index >= 3) return { fault: 'silent' };
        if (index > 0) await shown(index);
        // Longer than the interval at which the progress is drawn.
        return { text: 'Yes, 5', delayMs: 150 };
      },
    });
    const testClock: Clock = {
      ...clock,
      async sleep(ms, signal, what) {
        await (ms === 3_600_000
          ? setImmediate().then(() => shown(3))
          : clock.sleep(ms, signal, what));
      },
    };
    const running = beginIn(repository.directory, ['run', '--timeout', '60', '--json'], {
      env: localEndpoint(server),
      isTerminal: true,
      testOverrides: { clock: testClock },
    });
    const { conclusion, title, suites } = JSON.parse((await running.ended).out) as Result;
    expect(conclusion).toBe('error');
    expect(title).toBe(
      'Time is up: the run took longer than 60 minutes (timeout); 3 of 8 tries were made',
    );
    expect(passesOf(suites)).toBe(3);
    expect(server.requests.length).toBeGreaterThanOrEqual(4);
  });
});

describe('evaldiff cache', () => {
  test('lists the stored answers and removes them on request', async () => {
    const { evaldiff, server } = await openShop();
    expect((await evaldiff('cache')).out).toMatch(/answers\.sqlite: the store is empty\n$/);
    await evaldiff('run');
    const { out, code } = await evaldiff('cache');
    expect(code).toBe(0);
    expect(out).toMatch(
      /^.*answers\.sqlite: 8 answers, \d\.\d kB, last used \d{4}-\d\d-\d\d\n {2}openai \(local\) model-1: 8 answers, \d\.\d kB\n$/,
    );
    expect((await evaldiff('cache', '--clear')).out).toMatch(/: 0 answers, 0\.0 kB\n$/);
    await evaldiff('run');
    expect(server.requests).toHaveLength(16);
  });

  test('does not change a file of another program', async () => {
    const { evaldiff, repository } = await openShop();
    writeFileSync(join(repository.directory, 'notes.txt'), 'not a database');
    expect((await evaldiff('cache', '--store', 'notes.txt')).err).toContain(
      'is not a database; it is not used',
    );
    db(join(repository.directory, 'other.sqlite'), 'CREATE TABLE accounts (id)');
    expect(await evaldiff('cache', '--store', 'other.sqlite', '--clear')).toMatchObject({
      code: 2,
      err: expect.stringContaining('is a database of another program, and was not changed'),
    });
  });
});
