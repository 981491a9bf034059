import { connect } from 'node:net';
import { ANTHROPIC, CHAT, GEMINI, replyOf, RESPONSES } from '../../../stand-ins/agents/wires.ts';
import { KEY } from '../../../unit/edges/providers/providers-setting.ts';
import {
  memoryStore,
  numbered,
  openRun,
  questions,
  startRun,
  startVendor,
  unlimited,
  type Sent,
} from './gateway-setting.ts';

function sendRaw(address: string, text: string): Promise<string> {
  const { port } = new URL(address);
  return new Promise((resolve) => {
    let got = '';
    const socket = connect(Number(port), '127.0.0.1', () => socket.end(text));
    socket.on('data', (chunk) => (got += chunk.toString()));
    socket.on('close', () => resolve(got));
    socket.on('error', () => resolve(got));
  });
}

const CANARY = 'sk-canary-0123456789';
const DEEP = `{"model":"m-1","a":${'['.repeat(1e6)}${']'.repeat(1e6)}}`;
const escaped = (text: string) =>
  [...text].map((own) => `\\u00${own.charCodeAt(0).toString(16)}`).join('');
const notJson = { why: 'request', message: 'the request is not a JSON object' };
const saying = (message: string) => ({ message: expect.stringContaining(message) });

describe('attacks on the gateway', () => {
  test('with a wrong token, no token or the token of an ended run reach no model', async () => {
    const ended = await startRun(ANTHROPIC);
    const { gateway, requests } = ended;
    const open = openRun(gateway, ANTHROPIC);
    ended.end();
    for (const token of ['', 'x', KEY, ended.token, open.token.toUpperCase(), `${open.token}x`]) {
      const got = await questions(gateway, ANTHROPIC, token).ask();
      expect(got.status).toBe(401);
      expect(JSON.parse(got.text)).toMatchObject({ error: { type: 'authentication_error' } });
    }
    // A request with the tokens of two runs is rejected.
    const other = openRun(gateway, ANTHROPIC);
    const both = { headers: { authorization: `Bearer ${other.token}` } };
    expect((await open.ask('x', both)).status).toBe(401);
    expect(requests).toEqual([]);
    expect(open.end().calls + other.end().calls).toBe(0);
  });

  test.each<[string, number, object[], Sent]>([
    ...[
      'POST /v1/files',
      'GET /v1/messages',
      'DELETE /v1/responses/resp_1',
      'POST /v1/messages/batches',
      'POST /v1/../v1/messages',
      'POST /v1/messages/../organizations/api_keys',
      'POST /v1//messages',
      'POST /v1/messages/',
      'POST /v1/%6dessages',
      'POST /v1/messages%2f..%2ffiles',
      'POST //evil.example/v1/messages',
      'POST http://evil.example/v1/messages',
      'POST /v1beta/models/../files:generateContent',
      'POST /v1beta/models/..:generateContent',
      'POST /v1beta/models/m-1:batchGenerateContent',
      'POST /v1/messages\\',
    ].map((line): [string, number, object[], Sent] => {
      const [method = '', path = ''] = line.split(' ');
      const refused = { why: 'path', message: 'an agent may not send this request' };
      return [line, 404, [refused], { method, path }];
    }),
    ['text', 400, [notJson], { body: 'hello' }],
    ['a list', 400, [notJson], { body: '[1]' }],
    ['no model', 400, [saying('does not name a model')], { body: '{"messages":[]}' }],
    ['deep nesting', 400, [saying('deeper than 200')], { body: DEEP }],
    ['more than 20 MiB', 413, [{}], { body: 'x'.repeat(21 * 1024 * 1024) }],
    ['a compressed body', 415, [{}], { headers: { 'content-encoding': 'gzip' } }],
    ...[
      JSON.stringify({ system: `I found ${CANARY}` }),
      `{"model":"m-1","system":"${escaped(CANARY)}"}`,
      `{"model":"m-1","\\u0073ystem":"s${escaped(CANARY.slice(1))}"}`,
      `{"${escaped(CANARY)}":1`,
    ].map((body): [string, number, object[], Sent] => [
      'the fake API key',
      400,
      [{ why: 'canary' }],
      { body },
    ]),
  ])('that send %s are refused with %s and reported', async (what, status, refused, sent) => {
    const terms = { wires: ['anthropic', 'openai', 'gemini'], canary: CANARY } as const;
    const run = await startRun(ANTHROPIC, { terms });
    const got = await run.ask('x', sent);
    expect(got.status).toBe(status);
    expect((await run.ask()).status).toBe(200);
    const record = run.end();
    expect(record).toMatchObject({ refused, isCanarySeen: what === 'the fake API key' });
    expect(run.requests).toHaveLength(1);
  });

  test("that use another vendor's protocol are refused", async () => {
    const { gateway, token, requests } = await startRun(ANTHROPIC);
    expect((await questions(gateway, CHAT, token).ask()).status).toBe(404);
    expect(requests).toEqual([]);
  });

  test('cannot send their own headers, queries or keys to the vendor', async () => {
    const { gateway, token, requests } = await startRun(GEMINI);
    const got = await questions(gateway, GEMINI, 'x').ask('hello', {
      path: `${GEMINI.path}?key=${token}&alt=sse&alt=json&x=1`,
      headers: {
        host: 'evil.example',
        authorization: 'Bearer sk-of-the-agent',
        'x-forwarded-host': 'evil.example',
        'x-http-method-override': 'DELETE',
        'anthropic-beta': 'files-api',
        cookie: 'a=b',
        connection: 'x-goog-api-key',
      },
    });
    expect(got.status).toBe(200);
    const [request] = requests;
    expect(request?.path).toBe(`${GEMINI.path}?alt=sse`);
    expect(Object.keys(request?.headers ?? {}).sort()).toEqual([
      ...['accept-encoding', 'connection', 'content-length', 'content-type', 'host'],
      ...['user-agent', 'x-goog-api-key'],
    ]);
    expect(request?.headers['x-goog-api-key']).toBe(KEY);
  });

  test.each([
    ['two lengths', 'content-length: 2\r\ncontent-length: 60\r\n\r\n{}'],
    [
      'a length beside chunks',
      'content-length: 4\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n' +
        'POST /v1/files HTTP/1.1\r\nhost: x\r\n\r\n',
    ],
    ['a line break in a header', 'anthropic-beta: a\rx-api-key: b\r\ncontent-length: 2\r\n\r\n{}'],
  ])('that smuggle a request by %s reach no model', async (_, rest) => {
    const { gateway, token, requests } = await startRun(ANTHROPIC);
    const start = `POST /v1/messages HTTP/1.1\r\nhost: x\r\nx-api-key: ${token}\r\n`;
    expect(await sendRaw(gateway.address, start + rest)).toMatch(/^HTTP\/1\.1 400 /);
    expect(requests).toEqual([]);
  });

  test('with more than 64 open requests are refused until others end', async () => {
    const full = Promise.withResolvers<void>();
    const answered = numbered(CHAT);
    const { ask } = await startRun(CHAT, {
      async vendor(request, response) {
        await full.promise;
        return answered(request, response);
      },
      terms: { limits: { turns: 100, usd: 9 } },
    });
    const asked = Array.from({ length: 70 }, async (_, index) => {
      const { status } = await ask(String(index));
      if (status !== 200) full.resolve();
      return status;
    });
    expect(new Set(await Promise.all(asked))).toEqual(new Set([200, 429]));
    expect((await ask()).status).toBe(200);
  });

  test('with more than 64 MiB in open requests are refused until others end', async () => {
    const { ask } = await startRun(CHAT);
    const body = 'a'.repeat(19 * 1024 * 1024);
    const got = await Promise.all(Array.from({ length: 8 }, () => ask('', { body })));
    expect(got.map(({ status }) => status)).toContain(413);
    expect((await ask()).status).toBe(200);
  });

  test('that make the vendor send 50 MB end in an error, and the run continues', async () => {
    const vendor = numbered(CHAT, (count) => (count === 1 ? 'a'.repeat(50e6) : 'short'));
    const { ask, end } = await startRun(CHAT, { vendor });
    expect((await ask()).isCut).toBe(true);
    expect((await ask()).status).toBe(200);
    const message = 'the reply is too large';
    expect(end().refused).toEqual([{ why: 'upstream', kind: 'reply', message }]);
  });

  test('that name two models reach only the one whose cost is counted', async () => {
    const models = new Set<string>();
    const ledger = unlimited(({ model }) => {
      models.add(model);
      return 0;
    });
    const { ask, requests } = await startRun(CHAT, { ledger });
    await ask('', { body: '{"model":"expensive","messages":[],"model":"m-1"}' });
    expect([...models]).toEqual(['m-1']);
    expect(requests.map(({ body }) => body)).toEqual([
      { model: 'm-1', messages: [], max_completion_tokens: 32_768 },
    ]);
  });

  test.each([
    ['plain', KEY],
    ['in upper case', KEY.toUpperCase()],
    ['in base64', Buffer.from(`Bearer ${KEY}`).toString('base64')],
    ['in hex', Buffer.from(KEY).toString('hex').toUpperCase()],
    ['with percent signs', KEY.replaceAll('-', '%2d').replace('e', '%2565')],
    ['with JSON escapes', KEY.replaceAll('-', '\\u002D').replace('l', '\\\\u006c')],
    ['with HTML escapes', KEY.replaceAll('-', '&#45;').replace('v', '&amp;#x76;')],
  ])('that make a reply repeat the API key %s do not get it, even in pieces', async (_, form) => {
    const half = form.length / 2;
    const arrived = Promise.withResolvers<void>();
    const reply = replyOf(RESPONSES, 'it is FORM');
    // The form is not escaped again.
    const filled = (text: string) => text.replaceAll('FORM', form);
    const stored = memoryStore();
    const { ask, stream, end } = await startRun(RESPONSES, {
      stored,
      async vendor({ body }, response) {
        const isStreamed = body['stream'] === true;
        response.setHeader('content-type', isStreamed ? 'text/event-stream' : 'application/json');
        if (!isStreamed) return response.end(filled(reply.json));
        const whole = filled(reply.events.join(''));
        const at = whole.indexOf(form) + half;
        response.write(whole.slice(0, at));
        // The agent received all lines before the key.
        await arrived.promise;
        return response.end(whole.slice(at));
      },
    });
    const got = [
      await ask(),
      await stream('hello', {
        onPiece: (text) => (text.includes('output_text.delta') ? arrived.resolve() : undefined),
      }),
    ];
    for (const { isCut, text } of got) {
      expect(isCut).toBe(true);
      expect(text).not.toContain(form.slice(0, half));
    }
    const message = 'the reply contained the API key';
    const refused = { why: 'upstream', kind: 'reply', message } as const;
    expect(end().refused).toEqual([refused, refused]);
    expect(stored.kept.size).toBe(0);
  });

  test('that make the vendor redirect a request send no key to the other address', async () => {
    const elsewhere = await startVendor(numbered(CHAT));
    const { ask } = await startRun(CHAT, {
      vendor: (_, response) =>
        response.writeHead(307, { location: `${elsewhere.url}/v1/chat/completions` }).end(),
    });
    expect((await ask()).status).toBe(502);
    expect(elsewhere.requests).toEqual([]);
  });
});
