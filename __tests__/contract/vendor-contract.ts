import http from 'node:http';
import { vendors } from '../../src/edges/providers/vendors/index.ts';
import type { Target } from '../../src/types/model.ts';
import type { VendorName } from '../../src/types/vendors/names.ts';
import { perVendor } from '../../src/types/vendors.ts';
import { listen } from '../stand-ins/loopback.ts';
import { vendorUrls, type Script, type Scripted } from '../stand-ins/models/server.ts';
import {
  answerSchema,
  errorOf,
  KEY,
  reserveWhile,
  said,
  setUp,
  START,
  TIMEOUT_MS,
  until,
} from '../unit/edges/providers/providers-setting.ts';

const open: { close(): Promise<void> }[] = [];
const changedEnvironment = new Map<string, string | undefined>();

afterEach(async () => {
  for (const thing of open.splice(0)) await thing.close();
  for (const [name, value] of changedEnvironment) {
    if (value === undefined) delete process.env[name];
    else process.env[name] = value;
  }
  changedEnvironment.clear();
});

async function start(...given: Parameters<typeof setUp>) {
  const setting = await setUp(...given);
  open.push(setting);
  return setting;
}

/** Answers the first requests with these, in order, and everything after them with `ok`. */
function first(...answers: Scripted[]): Script {
  return ({ index }) => answers[index] ?? {};
}

const CHOSEN = { status: 'ok', ...said('{"choice":"B"}'), ended: 'stop' };

const graded = { purpose: 'grader', parameters: { temperature: 0 } } as const;

/** A server that records requests. No test may reach it. */
async function startTrap(): Promise<{ url: string; reached: string[] }> {
  const reached: string[] = [];
  const server = http.createServer((request, response) => {
    reached.push(`${request.method} ${request.url}`);
    response.end('{}');
  });
  server.on('connect', (request) => reached.push(`CONNECT ${request.url}`));
  const listening = await listen(server);
  open.push(listening);
  return { url: listening.url, reached };
}

function setEnvironment(variables: Record<string, string>) {
  for (const [name, value] of Object.entries(variables)) {
    changedEnvironment.set(name, process.env[name]);
    process.env[name] = value;
  }
}

/**
 * Defines the tests that every API must pass. Call it at the top of a test file, with any row of
 * the vendor table.
 */
export function vendorContract(vendor: VendorName): void {
  const {
    replyName,
    facts: { baseUrlVariable, keyHeader, keyInput, keyVariable, speaks },
  } = vendors[vendor];

  const failed = (kind: string, message: string) => ({ kind, message: `${vendor}: ${message}` });
  const keyIs = `the key comes from ${keyVariable} (in a workflow, the input ${keyInput})`;
  const html = { 'content-type': 'text/html' };
  const firewall: Scripted = { status: 403, body: '<html>no', headers: html };

  const usedUp = {
    openai: {
      'x-ratelimit-remaining-requests': '0',
      'x-ratelimit-reset-requests': '1m2s',
      'x-ratelimit-remaining-tokens': '50',
      'x-ratelimit-reset-tokens': '6m0s',
    },
    anthropic: {
      'anthropic-ratelimit-requests-remaining': '0',
      'anthropic-ratelimit-requests-reset': new Date(START + 62_000).toISOString(),
    },
  };

  test('returns the text, the usage, why the answer ended and the latency', async () => {
    const { ask } = await start(vendor, () => ({ text: 'four', usage: { input: 7, output: 3 } }));
    expect(await ask()).toEqual({
      status: 'ok',
      ...said('four'),
      ended: 'stop',
      steps: [],
      usage: { input_tokens: 7, output_tokens: 3 },
      latency_ms: expect.any(Number),
      reused: false,
      served: { model: 'model-1', fingerprint: null, at: expect.any(Number) },
    });
  });

  test('sends model, messages and parameters as written, zero and false included', async () => {
    const { ask, server } = await start(vendor, () => ({}));
    const parameters = { temperature: 0, top_p: 0.5, stream: false };
    const messages = (['system', 'user', 'user', 'assistant', 'user'] as const).map((role, at) => ({
      role,
      content: `message ${at}`,
    }));
    await ask({ model: 'model-7', parameters, messages });
    expect(server.refused).toEqual([]);
    expect(server.requests[0]?.body).toMatchObject({ model: 'model-7', ...parameters });
    expect(server.requests[0]?.messages).toEqual(messages);
  });

  test('sends only the headers that it needs, whatever the environment tells the SDK', async () => {
    setEnvironment({
      OPENAI_CUSTOM_HEADERS: 'x-spy: 1',
      ANTHROPIC_CUSTOM_HEADERS: 'x-spy: 1',
      OPENAI_ORG_ID: 'org-spy',
      OPENAI_PROJECT_ID: 'p',
      ANTHROPIC_AUTH_TOKEN: 'spy',
      ANTHROPIC_PROFILE: 'nobody',
    });
    const { ask, server } = await start(vendor, () => ({}), {}, KEY);
    expect((await ask()).status).toBe('ok');
    const usual = ['host', 'connection', 'content-length', 'anthropic-version'];
    const sent = Object.keys(server.requests[0]?.headers ?? {}).sort();
    expect(sent.filter((name) => !usual.includes(name))).toEqual(
      ['accept', 'accept-encoding', keyHeader, 'content-type', 'user-agent'].sort(),
    );
  });

  test("requests a schema in the vendor's form and returns the JSON", async () => {
    const { ask, server } = await start(vendor, ({ schema }) => ({
      text: schema === null ? 'no schema' : '{"choice":"B"}',
    }));
    expect(await ask({ schema: answerSchema })).toMatchObject(CHOSEN);
    expect(server.requests[0]?.schema?.json).toEqual(answerSchema.json);
  });

  test('reports unknown usage, not zero, for a reply without usage', async () => {
    const { ask } = await start(vendor, () => ({ usage: null }));
    expect(await ask()).toMatchObject({ status: 'ok', usage: null });
  });

  test('marks an answer that the token limit cut', async () => {
    const finish = speaks === 'openai' ? 'length' : 'max_tokens';
    const { ask } = await start(vendor, () => ({ text: 'half an ans', finish }));
    const cut = { status: 'ok', ...said('half an ans'), ended: 'length' };
    expect(await ask()).toMatchObject(cut);
  });

  test('reports a filtered answer as a separate error, and marks one that the filter cut short', async () => {
    const finish = speaks === 'openai' ? 'content_filter' : 'refusal';
    const { ask } = await start(vendor, first({ text: '', finish }, { text: 'I cannot', finish }));
    const withheld = failed('filtered', 'the answer was withheld by the content filter');
    expect(errorOf(await ask())).toEqual(withheld);
    const ended = expect.stringMatching(/^(filtered|refused)$/);
    const short = { status: 'ok', ...said('I cannot'), ended };
    expect(await ask()).toMatchObject(short);
  });

  test.each([
    ['seconds', { 'retry-after': '7' }, 7000],
    ['a date', { 'retry-after': new Date(START + 9000).toUTCString() }, 9000],
    ['milliseconds', { 'retry-after-ms': '1500', 'retry-after': '60' }, 1500],
    ['a rate limit that is used up', usedUp[speaks === 'anthropic' ? speaks : 'openai'], 62_000],
  ])('waits as long as the server asks after a rate limit, in %s', async (_form, headers, wait) => {
    const { ask, server, clock, log } = await start(
      vendor,
      first({ status: 429, headers: headers as Record<string, string> }),
    );
    expect(await ask()).toMatchObject({ status: 'ok' });
    expect(server.requests).toHaveLength(2);
    expect(clock.pauses).toEqual([wait]);
    expect(log).toEqual([
      `${vendor}: rate limited; waiting ${Math.ceil(wait / 1000)} s, then sending at most 2 requests at a time`,
    ]);
  });

  test.each<[string, Scripted]>([
    ['500', { status: 500 }],
    ['502', { status: 502, body: '<html>bad gateway</html>', headers: html }],
    ['503', { status: 503 }],
    ['529', { status: 529 }],
    ['408', { status: 408 }],
    ['409', { status: 409 }],
    ['a reset connection', { fault: 'reset' }],
    ['a reply cut in the middle', { fault: 'cut' }],
    ['a refusal that asks for it', { status: 400, headers: { 'x-should-retry': 'true' } }],
  ])('retries after %s', async (_what, answer) => {
    const { ask, server } = await start(vendor, first(answer, answer));
    expect(await ask()).toMatchObject({ status: 'ok', ...said('ok') });
    expect(server.requests).toHaveLength(3);
  });

  test('backs off longer each time and stops at the retry limit', async () => {
    const { ask, server, clock } = await start(
      vendor,
      () => ({ status: 500, error: { message: 'overheated' } }),
      { maxTries: 4 },
    );
    expect(errorOf(await ask())).toEqual(
      failed('server', '500, the server failed: overheated, after 4 tries'),
    );
    expect(server.requests).toHaveLength(4);
    expect(clock.pauses).toEqual([250, 500, 1000]);
  });

  test.each([400, 402, 404, 413, 422])(
    "does not retry after %i, and reports the server's words",
    async (status) => {
      const { ask, server } = await start(vendor, () => ({
        status,
        error: { message: 'no such\nmodel \u202e' },
      }));
      const what = status === 413 ? 'the request is too long' : 'the server rejected the request';
      const refused = `${vendor}: ${status}, ${what}: no such\\u{a}model \\u{202e}`;
      expect(errorOf(await ask())).toEqual({
        kind: status === 413 ? 'too-long' : 'request',
        message:
          status === 404 ? expect.stringMatching(/ If the model was retired, .*replaces/) : refused,
      });
      expect(server.requests).toHaveLength(1);
    },
  );

  test.each<[string, Scripted]>([
    ['no time', { status: 429, headers: { 'retry-after': '0' } }],
    ['a time that is over', { status: 429, headers: { 'retry-after': new Date(0).toUTCString() } }],
  ])('waits a minimum time if the server asks for %s', async (_, answer) => {
    const { ask, clock } = await start(vendor, first(answer));
    expect(await ask()).toMatchObject({ status: 'ok' });
    expect(clock.pauses).toHaveLength(1);
    expect(clock.pauses[0]).toBeGreaterThanOrEqual(2000);
  });

  test('does not retry if the server forbids it or asks for an hour', async () => {
    const { ask, server } = await start(
      vendor,
      first(
        { status: 500, headers: { 'x-should-retry': 'false' } },
        { status: 429, headers: { 'retry-after': '3600' } },
      ),
    );
    expect(errorOf(await ask()).message).toContain('500, the server failed');
    expect(errorOf(await ask()).message).toMatch(
      /429, rate limited: scripted 429; the server asks for a wait of 3600 s \(limit: 300 s\); run again later$/,
    );
    expect(server.requests).toHaveLength(2);
  });

  test('reports a refused key without the key, even if the server repeats it', async () => {
    const { ask, server } = await start(vendor, () => ({}), {}, 'another key');
    expect(errorOf(await ask())).toEqual(
      failed('key', `401, the server rejected the key; ${keyIs}`),
    );
    expect(server.requests).toHaveLength(0);
  });

  test('detects a refused key with one call, however many are planned', async () => {
    const { ask, server } = await start(vendor, () => ({}), {}, 'another key');
    const completions = await Promise.all(Array.from({ length: 50 }, () => ask()));
    expect(new Set(completions.map((completion) => errorOf(completion).kind))).toEqual(
      new Set(['key']),
    );
    expect(server.calls).toHaveLength(1);
  });

  test('detects a key without access to one model with one call, and still calls other models', async () => {
    const { ask, server } = await start(vendor, ({ model }) =>
      model === 'closed' ? { status: 403, error: { message: 'no access for you' } } : {},
    );
    const closed = await Promise.all(
      Array.from({ length: 20 }, (_, index) => ask({ model: 'closed', try: index })),
    );
    expect(new Set(closed.map((completion) => errorOf(completion).message))).toEqual(
      new Set([`${vendor}: 403, the key lacks permission: no access for you; ${keyIs}`]),
    );
    expect(await ask({ model: 'open' })).toMatchObject({ status: 'ok' });
    expect(server.calls).toHaveLength(2);
  });

  test.each<[string, Scripted]>([
    ['a page of a firewall', firewall],
    ['a word without a reason', { status: 403, error: { message: 'Forbidden' } }],
    ['what the key may not do', { status: 403, error: { message: 'no access' } }],
  ])('fails only one call if its reply is %s', async (_, refusal) => {
    const { ask } = await start(vendor, ({ messages }) =>
      messages.at(-1)?.content === 'q1' ? refusal : {},
    );
    const statuses: string[] = [];
    for (const question of ['q0', 'q1', 'q2'])
      statuses.push((await ask({ messages: [{ role: 'user', content: question }] })).status);
    expect(statuses).toEqual(['ok', 'error', 'ok']);
  });

  test("still sends the other questions if a firewall's page answers the first", async () => {
    const { ask } = await start(vendor, first(firewall));
    expect(errorOf(await ask()).message).toContain('403, the reply is a web page');
    expect(await ask({ try: 1 })).toMatchObject({ status: 'ok' });
  });

  test('discovers, with one request at a time, which grader parameters an unknown model refuses', async () => {
    const learned = new Map<string, unknown>();
    let attempts = 0;
    const { ask, server, log } = await start(
      vendor,
      ({ body }) => {
        const refused = (message: string): Scripted => ({ status: 400, error: { message } });
        if ('temperature' in body) return refused('`temperature` is deprecated for this model.');
        if ('response_format' in body || 'output_config' in body)
          return refused('Structured output is not supported for this model');
        if ('tool_choice' in body)
          return refused('tool_choice: type "tool" and "any" are not supported for this model.');
        return { text: '{"choice":"B"}' };
      },
      {
        reserve: reserveWhile(() => ++attempts > 0),
        onRefused: () => void attempts--,
        memory: {
          known: () => Promise.resolve(null),
          keep: (key, what) => learned.set(key, structuredClone(what)),
        },
      },
    );
    const completions = await Promise.all(
      Array.from({ length: 100 }, (_, index) =>
        ask({ ...graded, schema: answerSchema, try: index }),
      ),
    );
    for (const completion of completions)
      expect(completion).toMatchObject({ status: 'ok', ...said('{"choice":"B"}') });
    expect(server.requests).toHaveLength(103);
    expect(attempts).toBe(100);
    expect(completions[0]).toMatchObject({ refused: 3 });
    expect(log).toEqual(
      ['temperature', 'an answer schema', 'a tool that the model must call'].map(
        (what) => `${vendor}: model model-1 rejects ${what}; retrying without it`,
      ),
    );
    const [[key = '', kept] = []] = learned;
    expect(kept).toEqual({ parameters: { temperature: null }, forms: ['plain'] });
    expect(key).toMatch(/^http:.* model-1$/);
  });

  test('remembers from an earlier run what a model refuses', async () => {
    const { ask, server } = await start(vendor, () => ({ text: 'B' }), {
      memory: {
        known: () => Promise.resolve({ parameters: { temperature: null }, forms: ['plain'] }),
        keep: () => undefined,
      },
    });
    expect(await ask({ ...graded, schema: answerSchema })).toMatchObject(said('B'));
    expect(server.requests).toHaveLength(1);
    expect(server.requests[0]?.body).not.toHaveProperty('temperature');
    expect(server.requests[0]?.schema).toBeNull();
  });

  test('uses a forced tool as the answer if a server has no schemas', async () => {
    const { ask, server } = await start(vendor, ({ body }) =>
      'response_format' in body || 'output_config' in body
        ? { status: 400, error: { message: 'json_schema is not supported' } }
        : { text: '{"choice":"B"}' },
    );
    expect(await ask({ schema: answerSchema })).toMatchObject(CHOSEN);
    expect(server.requests[1]?.schema).toEqual(answerSchema);
  });

  test('removes the key from everything that a server says', async () => {
    const words = `header was ${KEY}, begins with ${KEY.slice(0, 8)}`;
    const { ask } = await start(vendor, () => ({ status: 400, error: { message: words } }));
    const { message } = errorOf(await ask());
    expect(message).toContain('header was ***');
    expect(message).not.toContain(KEY.slice(0, 8));
  });

  test('removes the key from an answer, unless it is a plain word', async () => {
    for (const [key, output] of [
      ['a-key-of-twenty-letters', 'you sent ***'],
      ['EMPTY', 'you sent EMPTY'],
    ] as const) {
      const keys = perVendor(() => key);
      const { ask } = await start(vendor, () => ({ text: `you sent ${key}` }), { keys }, key);
      expect(await ask()).toMatchObject(said(output));
    }
  });

  test('does not follow a redirect: the other address gets nothing', async () => {
    const trap = await startTrap();
    const headers = { location: `${trap.url}/stolen` };
    const { ask, server } = await start(vendor, () => ({ status: 307, headers }));
    expect(errorOf(await ask())).toEqual(
      failed('reply', 'the server redirects to another address, which evaldiff does not follow'),
    );
    expect(server.requests).toHaveLength(1);
    expect(trap.reached).toEqual([]);
  });

  test('ignores hosts and proxies of the environment, and says so once', async () => {
    const trap = await startTrap();
    const proxies = { HTTP_PROXY: trap.url, http_proxy: trap.url, ALL_PROXY: trap.url };
    setEnvironment({ [baseUrlVariable]: `${trap.url}/v1`, ...proxies, NODE_USE_ENV_PROXY: '1' });
    const { ask, log } = await start(vendor, () => ({}), { env: { ...process.env } });
    expect([(await ask()).status, (await ask()).status]).toEqual(['ok', 'ok']);
    expect(trap.reached).toEqual([]);
    expect(log).toEqual([
      `${vendor}: the environment variable ${baseUrlVariable} is ignored; define other servers in the input endpoints`,
    ]);
  });

  test.each<[string, Scripted, string]>([
    ['nothing', { body: '' }, 'application/json, 0 bytes)'],
    ['half a JSON text', { body: '{"choices": [' }, 'application/json, 13 bytes)'],
    [
      'no JSON',
      { body: 'hello', headers: { 'content-type': 'text/plain' } },
      'text/plain, 5 bytes)',
    ],
    [
      'a type with a trick in it',
      { body: 'x', headers: { 'content-type': '##[error]boo' } },
      '##[error]boo, 1 bytes)',
    ],
  ])('retries after %s, then reports the reply', async (_what, answer, seen) => {
    const { ask, server } = await start(vendor, () => answer);
    expect(errorOf(await ask())).toEqual(
      failed('reply', `the reply is not a ${replyName} (${seen}, after 5 tries`),
    );
    expect(server.requests).toHaveLength(5);
  });

  test.each(['text/html; charset=utf-8', 'application/json'])(
    'reports a web page of type %s after one request',
    async (type) => {
      const page = { body: '<html>::error::x</html>', headers: { 'content-type': type } };
      const { ask, server } = await start(vendor, () => page);
      expect(errorOf(await ask())).toEqual(
        failed(
          'reply',
          `the reply is not a ${replyName} (${type.split(';')[0]!}, 23 bytes): it is a web page. Check that it is the address of an API (most end in /v1) and that no login page comes first`,
        ),
      );
      expect(server.requests).toHaveLength(1);
    },
  );

  test('reports other JSON without a retry, because the server sent it on purpose', async () => {
    const { ask, server } = await start(vendor, () => ({ body: '{"answer":"a","content":[]}' }));
    expect(errorOf(await ask())).toEqual(
      failed('reply', `the reply is not a ${replyName} (application/json, 27 bytes)`),
    );
    expect(server.requests).toHaveLength(1);
  });

  test('keeps the message of an error in a list with one item', async () => {
    const { ask } = await start(vendor, () => ({
      status: 400,
      body: '[{"error":{"code":400,"message":"Unknown name \\"top_k\\"","status":"INVALID_ARGUMENT"}}]',
    }));
    expect(errorOf(await ask())).toEqual(
      failed('request', '400, the server rejected the request: Unknown name "top_k"'),
    );
  });

  test.each([
    [502, 'server', 5],
    [429, 'rate-limit', 5],
    [402, 'request', 1],
  ])(
    'treats the error %i in a reply of status 200 as %s, after %i requests',
    async (code, kind, times) => {
      const { ask, server } = await start(vendor, () => ({
        body: JSON.stringify({ error: { code, message: 'the words' } }),
      }));
      const found = errorOf(await ask());
      expect(found.kind).toBe(kind);
      if (code !== 429) expect(found.message).toContain(`${code}, the `);
      if (code !== 429) expect(found.message).toContain(': the words');
      expect(server.requests).toHaveLength(times);
    },
  );

  test('keeps the words of an error that is the whole reply of status 200', async () => {
    const error = { object: 'error', code: 404, message: 'the words', type: 'NotFound' };
    const { ask, server } = await start(vendor, () => ({ body: JSON.stringify(error) }));
    expect(errorOf(await ask())).toEqual(
      failed('request', '404, the server rejected the request: the words'),
    );
    expect(server.requests).toHaveLength(1);
  });

  test('does not retry an address that LM Studio does not know', async () => {
    const error = 'Unexpected endpoint or method. (POST /chat/completions)';
    const { ask, server } = await start(vendor, () => ({ body: JSON.stringify({ error }) }));
    expect(errorOf(await ask()).message).toContain(
      `404, the server rejected the request: ${error}. There is no API`,
    );
    expect(server.requests).toHaveLength(1);
  });

  test('does not treat an error instead of the only choice as an answer', async () => {
    const error = { code: 503, message: 'provider lost' };
    const choice = { finish_reason: 'error', message: { content: 'half' }, error };
    const { ask } = await start(vendor, () => ({ body: JSON.stringify({ choices: [choice] }) }));
    expect(errorOf(await ask()).message).toContain('503, the server failed: provider lost');
  });

  test.each<[string, Scripted, string]>([
    ['a body without end', { fault: 'endless' }, 'the reply is larger than 8 MiB'],
    ['a small gzip of 64 MiB', { fault: 'bomb' }, 'the reply is larger than 8 MiB'],
    [
      'a million brackets',
      { body: '['.repeat(1_000_000) + ']'.repeat(1_000_000) },
      'the reply is nested deeper than 200 levels',
    ],
    [
      'a broken gzip',
      { body: 'not gzip', headers: { 'content-encoding': 'gzip' } },
      'the reply has an invalid or unsupported content encoding (gzip)',
    ],
    [
      'an unknown packing',
      { body: '{}', headers: { 'content-encoding': 'x-own' } },
      'the reply has an invalid or unsupported content encoding (x-own)',
    ],
  ])('rejects %s', async (_what, answer, message) => {
    const { ask } = await start(vendor, () => answer);
    expect(errorOf(await ask())).toEqual(failed('reply', `${message}`));
  });

  test.each<Scripted>([{ fault: 'trickle' }, { fault: 'silent' }])(
    'ends an endless reply at the deadline: %j',
    async (answer) => {
      const { ask, clock, server } = await start(vendor, () => answer);
      const asked = ask();
      await until(() => server.requests.length === 1 && clock.open() === 1);
      clock.expire(TIMEOUT_MS);
      expect(errorOf(await asked)).toEqual(failed('timeout', 'no complete reply after 120 s'));
      expect(server.requests).toHaveLength(1);
    },
  );

  test('leaves no timer running after the answer', async () => {
    const { ask, clock } = await start(vendor, () => ({}));
    await ask();
    expect(clock.open()).toBe(0);
  });

  test.each([
    [
      'always limits the rate, within bounded calls and time',
      {},
      'still rate limited after 5 tries; 12 of 80 calls done (429, rate limited: scripted 429)',
      { calls: 79, ms: 10 * 60_000 },
    ],
    [
      'asks all calls to wait a day, at once',
      { 'retry-after': '86400' },
      '429, rate limited: scripted 429; the server asks for a wait of 86400 s (limit: 300 s); run again later',
      { calls: 39, ms: 0 },
    ],
  ])('stops calling a server that %s', async (_, headers, message, most) => {
    const { ask, server, clock } = await start(vendor, ({ index }) =>
      index < 12 ? {} : { status: 429, headers: { ...headers } },
    );
    const completions = await Promise.all(Array.from({ length: 80 }, () => ask()));
    expect(completions.filter(({ status }) => status === 'ok')).toHaveLength(12);
    expect(errorOf(completions[79]!)).toEqual(failed('rate-limit', message));
    expect(server.requests.length).toBeLessThanOrEqual(most.calls);
    expect(clock.now() - START).toBeLessThanOrEqual(most.ms);
  });

  test('fails only the call whose reply says to wait a day', async () => {
    const { ask, clock } = await start(vendor, ({ index }) =>
      index === 0 ? { status: 429, headers: { 'retry-after': '86400' } } : {},
    );
    const completions = await Promise.all(Array.from({ length: 80 }, () => ask()));
    expect(completions.filter(({ status }) => status === 'ok')).toHaveLength(79);
    expect(clock.now()).toBe(START);
  });

  test('logs a rate limit once, however many calls it stops', async () => {
    const { ask, log } = await start(vendor, ({ index }) =>
      index > 0 && index < 5 ? { status: 429, headers: { 'retry-after': '3' } } : {},
    );
    // The first call goes alone, to check the key.
    await ask();
    const completions = await Promise.all(Array.from({ length: 6 }, () => ask()));
    expect(completions.every(({ status }) => status === 'ok')).toBe(true);
    expect(log).toEqual([
      `${vendor}: rate limited; waiting 3 s, then sending at most 2 requests at a time`,
    ]);
  });

  test('stops calling an account whose quota is exhausted', async () => {
    const error = { message: 'Add credit.', code: 'insufficient_quota', type: 'billing_error' };
    const { ask, server } = await start(vendor, () => ({ status: 429, error }));
    expect(errorOf(await ask())).toEqual(
      failed('rate-limit', `429, the account's quota is used up: Add credit.`),
    );
    expect(server.requests).toHaveLength(1);
  });

  test('sends an unknown parameter to the vendor and shows its refusal', async () => {
    const { ask, server } = await start(vendor, () => ({}));
    const { kind, message } = errorOf(await ask({ parameters: { temprature: 0.7 } }));
    expect(kind).toBe('request');
    expect(message).toContain('temprature');
    expect(server.refused).toHaveLength(1);
  });

  test('rejects stream: true before any call', async () => {
    const { ask, server } = await start(vendor, () => ({}));
    expect(errorOf(await ask({ parameters: { stream: true } }))).toEqual(
      failed('request', 'the parameter stream cannot be true here; remove it'),
    );
    expect(server.requests).toHaveLength(0);
  });

  test("stops sending a grader's temperature that a model refuses, but keeps a prompt's", async () => {
    const message = 'Unsupported value: temperature does not support 0 with this model.';
    const refusal: Scripted = { status: 400, error: { message, param: 'temperature' } };
    const { ask, server, log } = await start(vendor, ({ body }) =>
      'temperature' in body ? refusal : {},
    );
    const parameters = { temperature: 0, top_p: 1 };
    expect(await ask({ parameters, purpose: 'grader' })).toMatchObject({ status: 'ok' });
    expect(await ask({ parameters, purpose: 'evaluator', try: 1 })).toMatchObject({ status: 'ok' });
    expect(errorOf(await ask({ parameters })).message).toContain('temperature does not support 0');
    expect(server.requests.map(({ body }) => [body['temperature'], body['top_p']])).toEqual([
      [0, 1],
      [undefined, 1],
      [undefined, 1],
      [0, 1],
    ]);
    expect(log).toEqual([`${vendor}: model model-1 rejects temperature; retrying without it`]);
  });

  test('counts every attempt first, and makes no request if one exceeds the cap', async () => {
    let left = 2;
    const { ask, server } = await start(vendor, () => ({ status: 500 }), {
      reserve: reserveWhile(() => left-- > 0),
    });
    expect(errorOf(await ask())).toEqual(
      failed(
        'budget',
        'this call was not made, because the limit of model calls is reached; before that: 500, the server failed: scripted 500',
      ),
    );
    expect(server.requests).toHaveLength(2);
  });

  test('aborts waiting and running calls on a signal', async () => {
    const stop = new AbortController();
    const script = first({}, { fault: 'silent' }, { fault: 'silent' });
    const { ask, server } = await start(vendor, script, {
      signal: stop.signal,
      concurrency: { start: 2, max: 2 },
    });
    // The first call goes alone, to check the key.
    await ask();
    const asked = Array.from({ length: 50 }, () => ask());
    await until(() => server.requests.length === 3);
    stop.abort();
    const completions = await Promise.all(asked);
    expect(new Set(completions.map((completion) => errorOf(completion).kind))).toEqual(
      new Set(['aborted']),
    );
    expect(errorOf(await ask()).kind).toBe('aborted');
    expect(server.requests).toHaveLength(3);
  });

  test('reports a missing key with the name of its input, and fails the call', async () => {
    const { providers, ask } = await start(vendor, () => ({}), {
      keys: { ...perVendor(() => KEY), [vendor]: '' },
    });
    const message = `No key for provider ${vendor}: set ${keyVariable} (in a workflow, the input ${keyInput}; in a terminal, the file .env works, too).`;
    const target: Target = { provider: vendor, endpoint: null, model: 'a' };
    expect(providers.missingKeys([target, { ...target, model: 'b' }])).toEqual([
      { place: null, message },
    ]);
    expect(errorOf(await ask())).toEqual({ kind: 'key', message });
  });

  test('gives each endpoint its own key and limiter, or no key', async () => {
    const elsewhere = await setUp(vendor, () => ({ text: 'elsewhere' }));
    open.push(elsewhere);
    const url = vendorUrls(elsewhere.server)[vendor];
    const { ask, server } = await start(vendor, () => ({}), {
      endpoints: new Map([
        ['local', { url, key: null }],
        ['other', { url: `${url}/`, key: 'other-key' }],
      ]),
    });
    for (const endpoint of ['local', 'other'])
      expect(await ask({ target: { provider: vendor, endpoint, model: 'm' } })).toMatchObject({
        ...said('elsewhere'),
      });
    expect(server.requests).toHaveLength(0);
    expect(elsewhere.server.requests.map(({ headers }) => headers[keyHeader])).toEqual([
      undefined,
      keyHeader === 'authorization' ? 'Bearer other-key' : 'other-key',
    ]);
  });
}
