import { jest } from '@jest/globals';
import type { Clock } from '../../../../src/edges/providers/clock.ts';
import type { ProviderOptions } from '../../../../src/edges/providers/index.ts';
import {
  ANTHROPIC_BATCH,
  anthropicBatches,
} from '../../../../src/edges/providers/vendors/anthropic-batch.ts';
import { openaiBatches } from '../../../../src/edges/providers/vendors/openai-batch.ts';
import type { BatchApi } from '../../../../src/edges/providers/vendors/vendor.ts';
import { createLedger } from '../../../../src/money/ledger.ts';
import { textOf } from '../../../../src/types/answer.ts';
import type { Completion, Request } from '../../../../src/types/model.ts';
import type { VendorName } from '../../../../src/types/vendors/names.ts';
import { factsOf, vendorNames } from '../../../../src/types/vendors.ts';
import { afterThisTest, untilTestEnds } from '../../../stand-ins/after-test.ts';
import type { ServerOptions } from '../../../stand-ins/models/server.ts';
import { png } from '../../../stand-ins/pictures.ts';
import {
  answerSchema,
  errorOf,
  KEY,
  requestTo,
  reserveWhile,
  said,
  says,
  START,
  until,
} from '../../../unit/edges/providers/providers-setting.ts';
import { keyOf, setUpBatches, turn, type BatchSetting } from '../../edges/providers/setting.ts';
import { SPEAKERS, transcript } from '../../edges/providers/vendors/transcript-setting.ts';

const BATCHING = vendorNames().filter((vendor) => factsOf(vendor).batchShare !== null);

async function start(
  vendor: VendorName,
  served: ServerOptions = {},
  overrides: Partial<ProviderOptions> = {},
) {
  return untilTestEnds(setUpBatches(vendor, served, overrides));
}
/** Opens the next run. The test ends the first one. */
function next(setting: BatchSetting, overrides: Partial<ProviderOptions> = {}) {
  const again = setting.again(overrides);
  afterThisTest(again.close);
  return again;
}
const echo: ServerOptions['answer'] = ({ messages, schema }) => ({
  text: schema === null ? `re ${messages.at(-1)?.content ?? ''}` : '{"choice":"B"}',
});
const wordsOf = (completion: Completion) =>
  completion.status === 'ok' ? textOf(completion) : completion.kind;
const inFull = (completion: Completion) =>
  completion.status === 'ok' ? textOf(completion) : `${completion.kind}: ${completion.message}`;
const sizes = ({ batches }: BatchSetting['server']) =>
  batches.map(({ requests }) => requests.length);
const recorded = ({ ledger }: BatchSetting, count = 1) =>
  until(() => ledger.records.size === count);
/** Ends a run as soon as its batch is on record and returns what the callers received. */
async function halted<T>(setting: BatchSetting, asked: Promise<T>, count = 1) {
  await recorded(setting, count);
  setting.halt.abort();
  const told = await asked;
  await setting.providers.close();
  return told;
}
const texts = (count: number) => Array.from({ length: count }, (_, index) => `question ${index}`);
const never: NonNullable<ServerOptions['batches']> = { look: () => 'working' };

describe('a batch', () => {
  const script: ServerOptions['answer'] = ({ messages, body }) =>
    messages.some(({ content }) => /tool_result|_output|41/.test(content))
      ? { text: 'There are 41.' }
      : {
          ...(('thinking' in body || 'reasoning' in body) && { thought: 'Hm.' }),
          calls: ['1', '2'].map((crate) => ({
            ...{ name: 'stock', arguments: `{"crate":${crate}}` },
          })),
        };

  test.each(SPEAKERS.filter(({ vendor }) => BATCHING.includes(vendor)))(
    'continues a dialogue with tool calls: $what',
    async ({ vendor, model, parameters }) => {
      const { ask, server } = await start(vendor, { answer: script });
      const { messages, add } = transcript('How many?');
      add(await ask('', { model, parameters, messages: [...messages] }));
      expect(messages).toHaveLength(4);
      const last = await ask('', { model, parameters, messages: [...messages] });
      expect(last).toMatchObject({ status: 'ok', ...said('There are 41.') });
      expect(server.refused).toEqual([]);
      const isThinking = 'thinking' in parameters || 'reasoning_effort' in parameters;
      expect('opaque' in messages[1]!).toBe(isThinking);
      if (isThinking) expect(messages[1]).toMatchObject({ opaque: { model } });
    },
  );
});

describe('batches of the Responses API', () => {
  test('are separate from batches of chat completions and have their own reply format', async () => {
    const { ask, server } = await start('openai', { answer: echo });
    const tools = [{ type: 'web_search' }];
    const completions = await Promise.all([
      ask('one'),
      ask('two', { parameters: { tools } }),
      ask('three', { parameters: { tools } }),
    ]);
    expect(completions.map(wordsOf)).toEqual(['re one', 're two', 're three']);
    expect(server.refused).toEqual([]);
    expect(sizes(server).sort()).toEqual([1, 2]);
    const bodies = server.batches.flatMap(({ requests }) => requests.map(({ body }) => body));
    expect(bodies.map((body) => 'input' in body)).toEqual([false, true, true]);
  });
});

describe.each(BATCHING)('batches of %s', (vendor) => {
  test('carry images and PDFs as data', async () => {
    const photo = png();
    const image = { type: 'image', path: 'a.png', media_type: 'image/png', id: 'a1' } as const;
    const parts = [
      { type: 'text' as const, text: 'What is it?' },
      { ...image, bytes: photo.length },
    ];
    const readFile = () => Promise.resolve(photo);
    const { ask, server } = await start(vendor, { answer: echo }, { readFile });
    const messages = [{ role: 'user' as const, content: 'What is it?', parts }];
    expect((await ask('', { messages })).status).toBe('ok');
    expect(server.refused).toEqual([]);
    const sent = JSON.stringify(server.batches[0]?.requests[0]?.body);
    expect(sent).toContain(Buffer.from(photo).toString('base64'));
  });

  test('contain all requests of a round and match answers that arrive in any order', async () => {
    const { ask, request, server, ledger, log } = await start(vendor, { answer: echo });
    const completions = await Promise.all(
      texts(25).map((text) => ask(text, { parameters: { temperature: 0.5 } })),
    );
    expect(completions).toEqual(
      texts(25).map((text) => ({
        status: 'ok',
        ...said(`re ${text}`),
        ended: 'stop',
        steps: [],
        usage: { input_tokens: 10, output_tokens: 5 },
        latency_ms: null,
        reused: false,
        served: { model: 'model-1', fingerprint: null, at: expect.any(Number) },
      })),
    );
    expect(server.refused).toEqual([]);
    expect(server.requests).toHaveLength(0);
    expect(server.batches.map(({ customIds }) => customIds)).toEqual([
      texts(25).map((text) => keyOf(request(text, { parameters: { temperature: 0.5 } }))),
    ]);
    await until(() => ledger.records.size === 0);
    const { id } = server.batches[0]!;
    expect(ledger.events).toEqual([`submitted ${id} of 25`, `ended ${id}`]);
    const endings = [
      'sent 25 requests for model-1',
      '0 of 25 done',
      'ended, 25 of 25 requests with a result',
    ];
    expect(log).toEqual(endings.map((words) => `${vendor}: batch ${id}: ${words}`));
  });

  test('send and read the same content as a direct call', async () => {
    const { ask, providers, server } = await start(vendor, {
      answer: ({ schema }) => ({ text: schema === null ? 'plain' : '{"choice":"B"}', usage: null }),
    });
    const messages = [
      { role: 'system' as const, content: 'Be kind.' },
      ...says('naïve “quotes” \u2028 and\nlines'),
    ];
    const changes = { messages, parameters: { temperature: 0, top_p: 0.5 } };
    const [plain, graded] = await Promise.all([
      ask('', changes),
      ask('', { ...changes, schema: answerSchema }),
    ]);
    const direct = await providers.complete(requestTo(vendor, changes));
    const directGraded = await providers.complete(
      requestTo(vendor, { ...changes, schema: answerSchema }),
    );
    expect(server.batches[0]?.requests.map(({ body }) => body)).toEqual(
      server.requests.map(({ body }) => body),
    );
    expect([plain, graded]).toEqual(
      [direct, directGraded].map((completion) => ({
        ...completion,
        latency_ms: null,
        served: { model: 'model-1', fingerprint: null, at: expect.any(Number) },
      })),
    );
    expect(graded).toMatchObject({ ...said('{"choice":"B"}'), usage: null });
  });

  test('send the key only to their own server, never to an address that a server names', async () => {
    const { ask, server, log } = await start(vendor, {
      answer: ({ headers }) => ({
        status: 400,
        error: { message: `bad ${KEY} ${String(headers['x-api-key'])}` },
      }),
    });
    const completion = await ask('a');
    expect(errorOf(completion).message).not.toContain(KEY);
    expect(JSON.stringify(log)).not.toContain(KEY);
    expect(server.calls.every((call) => /^(GET|POST) \/v1\//.test(call))).toBe(true);
  });

  test('contain equal requests of several callers only once', async () => {
    const { ask, server } = await start(vendor, { answer: echo });
    const completions = await Promise.all([ask('a'), ask('b'), ask('a'), ask('a', { try: 1 })]);
    expect(completions.map(wordsOf)).toEqual(['re a', 're b', 're a', 're a']);
    expect(sizes(server)).toEqual([3]);
  });

  test('contain one model each and are sent in parallel', async () => {
    const { ask, server } = await start(vendor, { answer: ({ model }) => ({ text: model }) });
    const completions = await Promise.all(
      ['x', 'y', 'x'].map((model, index) => ask(String(index), { model })),
    );
    expect(completions.map(wordsOf)).toEqual(['x', 'y', 'x']);
    expect(server.batches.map(({ requests }) => requests.map(({ model }) => model))).toEqual([
      ['x', 'x'],
      ['y'],
    ]);
  });

  test('are recorded before the run waits for them', async () => {
    const { ask, ledger, server, request } = await start(vendor, {
      answer: echo,
      batches: { look: ({ id }) => (ledger.records.has(id) ? 'ended' : 'failed') },
    });
    expect(
      await ask('a', { schema: answerSchema, purpose: 'grader' }).then(({ status }) => status),
    ).toBe('ok');
    expect(ledger.events[0]).toBe(`submitted ${server.batches[0]!.id} of 1`);
    expect(keyOf(request('a', { schema: answerSchema }))).toBe(server.batches[0]!.customIds[0]);
  });

  test('are polled at growing intervals', async () => {
    const { ask, clock } = await start(vendor, {
      batches: { look: ({ looks }) => (looks < 5 ? 'working' : 'ended') },
    });
    await ask('a');
    expect(clock.pauses).toEqual([10_000, 15_000, 22_500, 33_750, 50_625, 75_937.5]);
  });

  test('are sent only when no pending work can add requests', async () => {
    const { ask, activity, server } = await start(vendor, { answer: echo });
    const { promise, resolve: end } = Promise.withResolvers<void>();
    const busy = activity.during(() => promise);
    const early = ask('early');
    for (let index = 0; index < 50; index += 1) await turn();
    expect(server.batches).toHaveLength(0);
    const late = busy.then(() => ask('late'));
    end();
    await Promise.all([early, late]);
    expect(sizes(server)).toEqual([2]);
  });

  test('do not deadlock if direct calls depend on their results', async () => {
    const { ask, providers, server } = await start(vendor, { answer: echo });
    const judged = await Promise.all(
      texts(6).map(async (text, index) => {
        const answer = await ask(text);
        // Some answers trigger a direct call to another model in between.
        if (index % 2 === 0)
          await providers.complete(requestTo(vendor, { model: 'direct', messages: says(text) }));
        return wordsOf(await ask(`grade ${wordsOf(answer)}`, { purpose: 'grader' }));
      }),
    );
    expect(judged).toEqual(texts(6).map((text) => `re grade re ${text}`));
    expect(sizes(server)).toEqual([6, 6]);
  });
});

describe.each(BATCHING)('requests in a batch of %s', (vendor) => {
  test.each([400, 403, 404, 429, 500, 529])(
    'with status %i have the same error as direct calls',
    async (status) => {
      const { ask, providers } = await start(
        vendor,
        { answer: () => ({ status, error: { message: 'The model says no' } }) },
        { maxTries: 1 },
      );
      const direct = errorOf(await providers.complete(requestTo(vendor)));
      const batched = errorOf(await ask('a'));
      expect(batched.kind).toBe(direct.kind);
      // A batch error does not mention the number of tries.
      const words =
        status === 429
          ? `${vendor}: 429, rate limited: The model says no`
          : direct.message.replace(/, after 1 try$|; the key comes from .*$/, '');
      expect(batched.message).toBe(words);
    },
  );

  test('are filtered if the content filter stops them, as in a direct call', async () => {
    const filtered =
      vendor === 'openai'
        ? { status: 400, error: { message: 'no', code: 'content_filter' } }
        : { text: '', finish: 'refusal' };
    const { ask, providers } = await start(vendor, { answer: () => filtered });
    expect(await ask('a')).toEqual(await providers.complete(requestTo(vendor)));
    expect(errorOf(await ask('b')).kind).toBe('filtered');
  });

  test('have their own error if refused, expired, canceled, filtered, unreadable or missing', async () => {
    const { ask, ledger } = await start(vendor, {
      answer: ({ messages }) =>
        messages[0]?.content === 'garbage'
          ? { body: '{"neither":"this"}' }
          : messages[0]?.content === 'refused'
            ? { status: 400, error: { message: 'no' } }
            : { text: 'fine' },
      batches: {
        line: ({ messages }) =>
          (['expired', 'canceled', 'missing'] as const).find(
            (ending) => ending === messages[0]?.content,
          ) ?? null,
      },
    });
    const names = ['fine', 'refused', 'expired', 'canceled', 'garbage', 'missing'];
    const completions = await Promise.all(names.map((name) => ask(name)));
    expect(completions.map(inFull)).toEqual([
      'fine',
      `request: ${vendor}: 400, the server rejected the request: no`,
      `timeout: ${vendor}: the batch expired before this request was answered; run again to send it again`,
      `server: ${vendor}: the batch was canceled before this request was answered; run again to send it again`,
      `reply: ${vendor}: the reply in the batch is not a ${vendor === 'openai' ? 'chat completion' : 'message'}`,
      `reply: ${vendor}: the batch has no result for this request`,
    ]);
    await until(() => ledger.records.size === 0);
  });

  test('count if they were answered before the batch expired; the others can be sent again', async () => {
    const { ask, server } = await start(vendor, {
      answer: echo,
      batches: {
        look: () => (vendor === 'openai' ? 'expired' : 'ended'),
        line: ({ messages }) => (messages[0]?.content === 'late' ? 'expired' : null),
      },
    });
    if (vendor === 'openai') server.batches.length = 0;
    const [, late] = await Promise.all([ask('in time'), ask('late')]);
    expect(errorOf(late!)).toMatchObject({ kind: 'timeout' });
  });

  test('are matched only by valid result lines; others are ignored with a notice', async () => {
    const foreign = (id: string) =>
      JSON.stringify({
        custom_id: id,
        result: { type: 'canceled' },
        response: null,
        error: { code: 'batch_cancelled', message: '' },
      });
    const { ask, log } = await start(vendor, {
      answer: echo,
      batches: {
        lines: (lines) =>
          lines.length === 0
            ? []
            : [
                foreign('f'.repeat(64)),
                '',
                'no json',
                '[]',
                '{"custom_id":7}',
                ...lines.slice(0, 1),
                ...lines,
                foreign(JSON.parse(lines[0] ?? foreign('')).custom_id as string),
                '['.repeat(5000),
              ],
      },
    });
    const completions = await Promise.all(texts(3).map((text) => ask(text)));
    expect(completions.map(wordsOf)).toEqual(texts(3).map((text) => `re ${text}`));
    await until(() => log.some((line) => line.includes(': ended')));
    expect(log.find((line) => line.includes('ignored'))).toMatch(
      /: 5 result lines are unreadable or match no request; they were ignored$/,
    );
  });

  test("are sent again in one batch without a temperature or schema that the grader's model rejects", async () => {
    const { ask, server, log } = await start(vendor, {
      answer: ({ body }) =>
        'temperature' in body
          ? { status: 400, error: { message: 'temperature is not supported with this model' } }
          : { text: 'graded' },
    });
    const completions = await Promise.all(
      texts(4).map((text) => ask(text, { purpose: 'grader', parameters: { temperature: 0 } })),
    );
    expect(completions.map(wordsOf)).toEqual(Array(4).fill('graded'));
    expect(sizes(server)).toEqual([4, 4]);
    expect(log.filter((line) => line.includes('rejects'))).toEqual([
      `${vendor}: model model-1 rejects temperature; retrying without it`,
    ]);
  });

  test('are not sent if a parameter cannot be used in a batch or the budget is used up', async () => {
    let left = 2;
    const { ask, server } = await start(
      vendor,
      { answer: echo },
      { reserve: reserveWhile(() => (left -= 1) >= 0) },
    );
    const completions = await Promise.all([
      ask('streamed', { parameters: { stream: true } }),
      ...texts(4).map((text) => ask(text)),
    ]);
    expect(completions.map(wordsOf)).toEqual([
      'request',
      're question 0',
      're question 1',
      'budget',
      'budget',
    ]);
    expect(sizes(server)).toEqual([2]);
  });
});

describe.each(BATCHING)('a failing batch of %s', (vendor) => {
  test("gives each of its requests the vendor's message", async () => {
    const { ask, ledger } = await start(
      vendor,
      vendor === 'openai'
        ? { batches: { look: () => 'failed' } }
        : { batches: { create: () => ({ status: 400 }) } },
    );
    const completions = await Promise.all(texts(3).map((text) => ask(text)));
    const words =
      vendor === 'openai'
        ? /^openai: the batch was refused/
        : /^anthropic: 400, the server rejected the request: scripted$/;
    for (const completion of completions)
      expect(errorOf(completion)).toEqual({
        kind: 'request',
        message: expect.stringMatching(words),
      });
    await until(() => ledger.records.size === 0);
  });

  test('is not created twice: after a rate limit, only the creation is retried', async () => {
    const { ask, server, clock } = await start(vendor, {
      answer: echo,
      batches: {
        create: (nth) => (nth < 2 ? { status: 429, headers: { 'retry-after': '7' } } : null),
      },
    });
    expect(await ask('a')).toMatchObject(said('re a'));
    expect(server.batches).toHaveLength(1);
    expect(clock.pauses.filter((ms) => ms === 7000)).toHaveLength(2);
    expect(server.calls.filter((call) => call === 'POST /v1/files').length).toBe(
      vendor === 'openai' ? 1 : 0,
    );
  });

  test('is not created twice if the first attempt may have succeeded', async () => {
    const { ask, server } = await start(vendor, {
      answer: echo,
      batches: { create: () => 'created-reset' },
    });
    expect(errorOf(await ask('a'))).toEqual({
      kind: 'network',
      message: expect.stringMatching(/the batch may or may not have started$/),
    });
    expect(server.batches).toHaveLength(1);
  });

  test('reports that the key was refused, without the key', async () => {
    const { ask, ledger } = await start(vendor, { key: 'another key' });
    expect(errorOf(await ask('a'))).toEqual({
      kind: 'key',
      message: `${vendor}: 401, the server rejected the key`,
    });
    expect(ledger.events).toEqual([]);
  });

  test('survives failed polls, and its results are downloaded again if the download breaks', async () => {
    const { ask, server, ledger } = await start(vendor, {
      answer: echo,
      batches: {
        look: ({ looks }) => (looks < 7 ? { status: 500 } : 'ended'),
        results: (nth) => (nth === 0 ? 'cut' : null),
      },
    });
    const completions = await Promise.all(texts(8).map((text) => ask(text)));
    expect(completions.map(wordsOf)).toEqual(texts(8).map((text) => `re ${text}`));
    expect(server.batches).toHaveLength(1);
    await until(() => ledger.records.size === 0);
  });

  test('stays on record when its results are unavailable, for the next run to resume', async () => {
    let broken = true;
    const first = await start(
      vendor,
      { answer: echo, batches: { results: () => (broken ? { status: 500 } : null) } },
      { maxTries: 2 },
    );
    expect(errorOf(await first.ask('a'))).toEqual({
      kind: 'server',
      message: expect.stringMatching(/; batch \w+ is recorded; run again to fetch its results$/),
    });
    expect(first.ledger.records.size).toBe(1);
    broken = false;
    const second = next(first);
    expect(await second.ask('a')).toMatchObject(said('re a'));
    expect(first.server.batches).toHaveLength(1);
    await recorded(first, 0);
  });

  test('stays on record when polling fails too often or is not allowed', async () => {
    const setting = await start(vendor, { batches: { look: () => ({ status: 403 }) } });
    expect(errorOf(await setting.ask('a'))).toMatchObject({ kind: 'key' });
    expect(setting.ledger.records.size).toBe(1);
  });
});

describe.each(BATCHING)('a run that ends before its batch of %s', (vendor) => {
  test('stops waiting, reports the open batch, and the next run resumes it for free', async () => {
    let done = false;
    const first = await start(vendor, {
      answer: echo,
      batches: { look: () => (done ? 'ended' : 'working') },
    });
    const asked = texts(5).map((text) =>
      first.ask(text, text === 'question 3' ? { schema: answerSchema } : {}),
    );
    await recorded(first);
    first.halt.abort();
    expect((await Promise.all(asked)).map((completion) => errorOf(completion).kind)).toEqual(
      Array(5).fill('aborted'),
    );
    expect(first.providers.waiting()).toEqual({ ids: [first.server.batches[0]!.id], requests: 5 });
    expect(errorOf(await first.ask('question 9')).kind).toBe('aborted');
    await first.providers.close();
    done = true;

    const second = next(first);
    const completions = await Promise.all(
      ['question 1', 'question 4', 'question 7'].map((text) => second.ask(text)),
    );
    expect(completions.map(wordsOf)).toEqual(['re question 1', 're question 4', 're question 7']);
    // The second run sends only what the first batch lacks, and stores unneeded answers too.
    expect(sizes(second.server)).toEqual([5, 1]);
    await recorded(second, 0);
    expect([...second.ledger.kept.values()].map(wordsOf).sort()).toEqual(
      ['re question 0', 're question 2', '{"choice":"B"}'].sort(),
    );
    expect(second.providers.waiting()).toBeNull();
    expect(second.log[0]).toMatch(/: picked up, 5 requests for model-1 sent 2026-01-02T/);
  });

  test('waits for the id of a batch that is being created, so that the next run can resume it', async () => {
    const first = await start(vendor, { answer: echo, batches: never });
    const asked = first.ask('a');
    const { batches, calls } = first.server;
    await until(() => batches.length === 1 || calls.some((call) => call.endsWith('batches')));
    first.halt.abort();
    expect(errorOf(await asked).kind).toBe('aborted');
    await first.providers.close();
    expect(first.ledger.records.size).toBe(1);
  });

  test('makes no calls for batches whose answers it does not need', async () => {
    const clock: Clock = {
      now: () => START,
      sleep: (_, signal) =>
        new Promise((resolve) => signal.addEventListener('abort', () => resolve())),
    };
    const first = await start(vendor, { answer: echo, batches: never }, { clock });
    await halted(first, first.ask('a'));
    const second = next(first, {});
    await halted(second, second.ask('other'), 2);
    expect(first.server.calls.filter((call) => call.startsWith('GET'))).toEqual([]);
  });

  test('is an error of its requests if the vendor no longer knows the batch', async () => {
    let known = true;
    const first = await start(vendor, {
      answer: echo,
      batches: { look: () => (known ? 'working' : 'unknown') },
    });
    const asked = first.ask('a');
    await recorded(first);
    first.halt.abort();
    await asked;
    known = false;
    const second = next(first);
    expect(errorOf(await second.ask('a')).message).toMatch(/does not know batch .*; run again/);
    await recorded(second, 0);
  });
});

describe.each(BATCHING)('a run that ends while a batch of %s waits for money', (vendor) => {
  test.each([1, 2, 5])(
    'returns the money of %i requests, so that no other call waits',
    async (count) => {
      const max_tokens = 1000;
      const ledger = createLedger(
        { maxCalls: null, maxCost: { limit: 1, from: '--max-cost', isDefault: false } },
        (_, { output_tokens }) => output_tokens / 1000,
      );
      const wanted = (request: Request) => [ledger.outgoing(request)];
      const { ask, halt, providers, server } = await start(
        vendor,
        { answer: echo },
        { reserve: (requests) => ledger.reserve(requests.map(ledger.outgoing)) },
      );
      const parameters = { max_tokens };
      const one = requestTo(vendor, { parameters });
      const [open] = await ledger.reserve(wanted(one));
      const reserve = jest.spyOn(ledger, 'reserve');
      const batched = texts(count).map((text) => ask(text, { parameters }));
      await until(() => reserve.mock.calls.length === 1);
      const direct = providers.complete(one);
      await until(() => reserve.mock.calls.length === 2);
      const other = ledger.reserve(wanted(one));
      halt.abort();
      open?.settle('nothing');
      expect((await Promise.all([...batched, direct])).map(wordsOf)).toEqual(
        Array(count + 1).fill('aborted'),
      );
      expect(await other).toHaveLength(1);
      expect(server.calls).toEqual([]);
    },
  );
});

test('a batch whose results expired long ago is not polled', async () => {
  const setting = await start('openai', { answer: echo });
  setting.ledger.records.set('batch_old', {
    id: 'batch_old',
    vendor: 'openai',
    model: 'model-1',
    submitted_at: setting.clock.now() - 30 * 86_400_000,
    requests: [{ key: keyOf(setting.request('a')), schema: null }],
  });
  expect(await setting.ask('a')).toMatchObject(said('re a'));
  expect(setting.ledger.events[0]).toBe('ended batch_old');
  expect(setting.server.calls.some((call) => call.includes('batch_old'))).toBe(false);
});

test.each<[VendorName, BatchApi, number]>([
  ['openai', openaiBatches, 0],
  ['anthropic', anthropicBatches, ANTHROPIC_BATCH.bytes - anthropicBatches.limits.bytes - 1],
])(
  'the size of a batch of %s is counted in the bytes that are sent',
  async (vendor, api, around) => {
    const { ask, server } = await start(vendor, { answer: echo });
    await Promise.all(
      ['plain', 'naïve “quotes” 😀 \u2028', 'long '.repeat(1000)].map((text) =>
        ask(text, { schema: answerSchema }),
      ),
    );
    const [batch] = server.batches;
    const sum = batch!.requests.reduce(
      (total, { body }, index) =>
        total + api.bytes(batch!.customIds[index] ?? '', JSON.stringify(body)),
      0,
    );
    expect(batch!.bytes).toBe(sum + around);
  },
);

describe.each(BATCHING)('results of %s that arrive in pieces', (vendor) => {
  /** Resolved after each test, so that a failed test does not hang. */
  let gate = Promise.withResolvers<undefined>();
  beforeEach(() => void (gate = Promise.withResolvers()));
  afterEach(() => gate.resolve(undefined));

  test('must all arrive before dependent requests, such as grades, are sent', async () => {
    const after = gate.promise;
    const { ask, server } = await start(vendor, {
      answer: echo,
      batches: { results: (nth) => (nth === 0 ? { after } : null) },
    });
    let first = 0;
    const judged = texts(6).map(async (text) => {
      const answer = await ask(text);
      first += 1;
      return await ask(`grade ${answer.status}`, { try: Number(text.at(-1)), purpose: 'grader' });
    });
    await until(() => first === 3);
    for (let index = 0; index < 50; index += 1) await turn();
    expect(server.batches).toHaveLength(1);
    gate.resolve(undefined);
    expect((await Promise.all(judged)).every(({ status }) => status === 'ok')).toBe(true);
    expect(sizes(server)).toEqual([6, 6]);
  });

  test('are read to the end even if the run already has its answers', async () => {
    const after = gate.promise;
    let done = false;
    const first = await start(vendor, {
      answer: echo,
      batches: { look: () => (done ? 'ended' : 'working'), results: () => ({ after }) },
    });
    await halted(first, Promise.all(texts(4).map((text) => first.ask(text))));
    done = true;
    const second = next(first);
    expect(await second.ask('question 3')).toMatchObject(said('re question 3'));
    const closing = second.providers.close();
    for (let index = 0; index < 20; index += 1) await turn();
    gate.resolve(undefined);
    await closing;
    expect([...second.ledger.kept.values()].map(wordsOf).sort()).toEqual([
      're question 0',
      're question 1',
      're question 2',
    ]);
    expect(second.ledger.records.size).toBe(0);
  });

  test('are removed from the record only after callers have used them', async () => {
    const { ask, ledger } = await start(vendor, { answer: echo });
    const events = ledger.events;
    await Promise.all(
      texts(3).map(async (text) => {
        await ask(text);
        for (let index = 0; index < 1000; index += 1) await Promise.resolve();
        events.push('stored');
      }),
    );
    await until(() => ledger.records.size === 0);
    expect(events.slice(1)).toEqual([
      'stored',
      'stored',
      'stored',
      expect.stringMatching(/^ended /),
    ]);
  });
});
