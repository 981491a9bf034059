import { connect } from 'node:net';
import { describe, expect, test } from '@jest/globals';
import { ANTHROPIC, CHAT, GEMINI, RESPONSES, eventText } from '../../../stand-ins/agents/wires.ts';
import { KEY } from '../../../unit/edges/providers/providers-setting.ts';
import {
  ask,
  askStream,
  memoryStore,
  numbered,
  sendTo,
  startGateway,
  startVendor,
  termsFor,
  unlimited,
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

describe('attacks on the gateway', () => {
  test('with a wrong token, no token or the token of an ended run reach no model', async () => {
    const vendor = await startVendor(numbered(ANTHROPIC));
    const gateway = await startGateway(vendor);
    const ended = gateway.open(termsFor(ANTHROPIC));
    const open = gateway.open(termsFor(ANTHROPIC));
    ended.end();
    for (const token of ['', 'x', KEY, ended.token, open.token.toUpperCase(), `${open.token}x`]) {
      const got = await ask(gateway, ANTHROPIC, { token });
      expect(got.status).toBe(401);
      expect(JSON.parse(got.text)).toMatchObject({ error: { type: 'authentication_error' } });
    }
    // A request with the tokens of two runs is rejected.
    const other = gateway.open(termsFor(ANTHROPIC));
    const both = { headers: { authorization: `Bearer ${other.token}` } };
    expect((await ask(gateway, ANTHROPIC, open, 'x', both)).status).toBe(401);
    expect(vendor.requests).toEqual([]);
    expect(open.end().calls + other.end().calls).toBe(0);
  });

  test.each([
    ['POST', '/v1/files'],
    ['GET', '/v1/messages'],
    ['DELETE', '/v1/responses/resp_1'],
    ['POST', '/v1/messages/batches'],
    ['POST', '/v1/../v1/messages'],
    ['POST', '/v1/messages/../organizations/api_keys'],
    ['POST', '/v1//messages'],
    ['POST', '/v1/messages/'],
    ['POST', '/v1/%6dessages'],
    ['POST', '/v1/messages%2f..%2ffiles'],
    ['POST', '//evil.example/v1/messages'],
    ['POST', 'http://evil.example/v1/messages'],
    ['POST', '/v1beta/models/../files:generateContent'],
    ['POST', '/v1beta/models/..:generateContent'],
    ['POST', '/v1beta/models/m-1:batchGenerateContent'],
    ['POST', '/v1/messages\\'],
  ])('that send the request %s %s are refused and reported', async (method, path) => {
    const vendor = await startVendor(numbered(ANTHROPIC));
    const gateway = await startGateway(vendor);
    const ticket = gateway.open(termsFor(ANTHROPIC, { wires: ['anthropic', 'openai', 'gemini'] }));
    const got = await ask(gateway, ANTHROPIC, ticket, 'x', { method, path });
    expect(got.status).toBe(404);
    expect(ticket.end().refused).toEqual([
      { why: 'path', message: 'an agent may not send this request' },
    ]);
    expect(vendor.requests).toEqual([]);
  });

  test("that use another vendor's protocol are refused", async () => {
    const vendor = await startVendor(numbered(CHAT));
    const gateway = await startGateway(vendor);
    const ticket = gateway.open(termsFor(ANTHROPIC));
    expect((await ask(gateway, CHAT, ticket)).status).toBe(404);
    expect(vendor.requests).toEqual([]);
  });

  test('cannot send their own headers, queries or keys to the vendor', async () => {
    const vendor = await startVendor(numbered(GEMINI));
    const gateway = await startGateway(vendor);
    const ticket = gateway.open(termsFor(GEMINI));
    const got = await ask(gateway, GEMINI, { token: 'x' }, 'hello', {
      path: `${GEMINI.path}?key=${ticket.token}&alt=sse&alt=json&x=1`,
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
    const [request] = vendor.requests;
    expect(request?.path).toBe(`${GEMINI.path}?alt=sse`);
    expect(Object.keys(request?.headers ?? {}).sort()).toEqual(
      [
        ...['accept-encoding', 'connection', 'content-length', 'content-type', 'host'],
        ...['user-agent', 'x-goog-api-key'],
      ].sort(),
    );
    expect(request?.headers['x-goog-api-key']).toBe(KEY);
  });

  test.each([
    [
      'two lengths',
      (token: string) =>
        `POST /v1/messages HTTP/1.1\r\nhost: x\r\nx-api-key: ${token}\r\n` +
        'content-length: 2\r\ncontent-length: 60\r\n\r\n{}',
    ],
    [
      'a length beside chunks',
      (token: string) =>
        `POST /v1/messages HTTP/1.1\r\nhost: x\r\nx-api-key: ${token}\r\ncontent-length: 4\r\n` +
        'transfer-encoding: chunked\r\n\r\n0\r\n\r\nPOST /v1/files HTTP/1.1\r\nhost: x\r\n\r\n',
    ],
    [
      'a line break in a header',
      (token: string) =>
        `POST /v1/messages HTTP/1.1\r\nhost: x\r\nx-api-key: ${token}\r\n` +
        'anthropic-beta: a\rx-api-key: b\r\ncontent-length: 2\r\n\r\n{}',
    ],
  ])('that smuggle a request by %s reach no model', async (_, request) => {
    const vendor = await startVendor(numbered(ANTHROPIC));
    const gateway = await startGateway(vendor);
    const ticket = gateway.open(termsFor(ANTHROPIC));
    const got = await sendRaw(gateway.address, request(ticket.token));
    expect(got).toMatch(/^HTTP\/1\.1 400 /);
    expect(vendor.requests).toEqual([]);
  });

  test.each([
    ['text', 'hello', 'the request is not a JSON object'],
    ['a list', '[1]', 'the request is not a JSON object'],
    ['no model', '{"messages":[]}', 'the request does not name a model'],
    ['deep nesting', `{"model":"m-1","a":${'['.repeat(1e6)}${']'.repeat(1e6)}}`, 'deeper than 200'],
  ])('with %s as a body are refused', async (_, body, said) => {
    const vendor = await startVendor(numbered(CHAT));
    const gateway = await startGateway(vendor);
    const ticket = gateway.open(termsFor(CHAT));
    const headers = CHAT.auth(ticket.token);
    const got = await sendTo(gateway.address, { path: CHAT.path, headers, body });
    expect(got.status).toBe(400);
    expect(got.text).toContain(said);
    expect(ticket.end().refused).toMatchObject([{ why: 'request' }]);
    expect(vendor.requests).toEqual([]);
  });

  test('with a compressed body or one above 20 MiB are refused', async () => {
    const vendor = await startVendor(numbered(CHAT));
    const gateway = await startGateway(vendor);
    const ticket = gateway.open(termsFor(CHAT));
    const huge = await ask(gateway, CHAT, ticket, 'x'.repeat(21 * 1024 * 1024));
    expect(huge.status).toBe(413);
    const packed = await ask(gateway, CHAT, ticket, 'x', {
      headers: { 'content-encoding': 'gzip' },
    });
    expect(packed.status).toBe(415);
    expect((await ask(gateway, CHAT, ticket)).status).toBe(200);
    expect(vendor.requests).toHaveLength(1);
  });

  test('with more than 64 open requests are refused until others end', async () => {
    const full = Promise.withResolvers<void>();
    const answered = numbered(CHAT);
    const vendor = await startVendor(async (request, response) => {
      await full.promise;
      return answered(request, response);
    });
    const gateway = await startGateway(vendor);
    const ticket = gateway.open(termsFor(CHAT, { limits: { turns: 100, usd: 9 } }));
    const asked = Array.from({ length: 70 }, async (_, index) => {
      const { status } = await ask(gateway, CHAT, ticket, String(index));
      if (status !== 200) full.resolve();
      return status;
    });
    expect(new Set(await Promise.all(asked))).toEqual(new Set([200, 429]));
    expect((await ask(gateway, CHAT, ticket)).status).toBe(200);
  });

  test('with more than 64 MiB in open requests are refused until others end', async () => {
    const vendor = await startVendor(numbered(CHAT));
    const gateway = await startGateway(vendor);
    const ticket = gateway.open(termsFor(CHAT));
    const headers = CHAT.auth(ticket.token);
    const body = 'a'.repeat(19 * 1024 * 1024);
    const asked = Array.from({ length: 8 }, () =>
      sendTo(gateway.address, { path: CHAT.path, headers, body }),
    );
    expect((await Promise.all(asked)).map(({ status }) => status)).toContain(413);
    expect((await ask(gateway, CHAT, ticket)).status).toBe(200);
  });

  test('that make the vendor send 50 MB end in an error, and the run continues', async () => {
    let isLarge = true;
    const answered = numbered(CHAT);
    const vendor = await startVendor((request, response) => {
      if (!isLarge) return answered(request, response);
      response.setHeader('content-type', 'application/json');
      return response.end(JSON.stringify(CHAT.reply('a'.repeat(50e6), 'm')));
    });
    const gateway = await startGateway(vendor);
    const ticket = gateway.open(termsFor(CHAT));
    expect((await ask(gateway, CHAT, ticket)).isCut).toBe(true);
    isLarge = false;
    expect((await ask(gateway, CHAT, ticket)).status).toBe(200);
    const message = 'the reply is too large';
    expect(ticket.end().refused).toEqual([{ why: 'upstream', kind: 'reply', message }]);
  });

  test('that name two models reach only the one whose cost is counted', async () => {
    const vendor = await startVendor(numbered(CHAT));
    const bodies: string[] = [];
    const gateway = await startGateway(vendor, {
      ledger: unlimited(({ model }) => {
        bodies.push(model);
        return 0;
      }),
    });
    const ticket = gateway.open(termsFor(CHAT));
    const body = '{"model":"expensive","messages":[],"model":"m-1"}';
    await sendTo(gateway.address, { path: CHAT.path, headers: CHAT.auth(ticket.token), body });
    expect(new Set(bodies)).toEqual(new Set(['m-1']));
    expect(vendor.requests.map((request) => request.body)).toEqual([
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
    const vendor = await startVendor(async ({ body }, response) => {
      response.setHeader('content-type', body['stream'] ? 'text/event-stream' : 'application/json');
      // The form is not escaped again.
      const filled = (text: string): string => text.replace('FORM', form);
      if (body['stream'] !== true)
        return response.end(filled(JSON.stringify(RESPONSES.reply('it is FORM', 'm'))));
      const [first = '', second = ''] = eventText(RESPONSES.events('it is FORM', 'm')).map(filled);
      const at = second.indexOf(form) + half;
      response.write(first + second.slice(0, at));
      // The agent received all lines before the key.
      await arrived.promise;
      return response.end(second.slice(at));
    });
    const stored = memoryStore();
    const gateway = await startGateway(vendor, { stored });
    const ticket = gateway.open(termsFor(RESPONSES));
    const got = [
      await ask(gateway, RESPONSES, ticket),
      await askStream(gateway, RESPONSES, ticket, 'hello', {
        onPiece: (text) => (text.includes('it is ') ? arrived.resolve() : undefined),
      }),
    ];
    for (const { isCut, text } of got) {
      expect(isCut).toBe(true);
      expect(text).not.toContain(form.slice(0, half));
    }
    const message = 'the reply contained the API key';
    const refused = { why: 'upstream', kind: 'reply', message } as const;
    expect(ticket.end().refused).toEqual([refused, refused]);
    expect(stored.kept.size).toBe(0);
  });

  test("that send the fake key from the agent's environment are refused and reported", async () => {
    const vendor = await startVendor(numbered(CHAT));
    const gateway = await startGateway(vendor);
    const canary = 'sk-canary-0123456789';
    const ticket = gateway.open(termsFor(CHAT, { canary }));
    expect((await ask(gateway, CHAT, ticket, `I found ${canary}`)).status).toBe(400);
    expect(ticket.end()).toMatchObject({ isCanarySeen: true, refused: [{ why: 'canary' }] });
    expect(vendor.requests).toEqual([]);
  });

  test('that request the token count of a prompt too often are refused', async () => {
    const vendor = await startVendor(numbered(ANTHROPIC));
    const gateway = await startGateway(vendor);
    const ticket = gateway.open(termsFor(ANTHROPIC, { limits: { turns: 1, usd: 1 } }));
    const count = { path: '/v1/messages/count_tokens' };
    const got = await Promise.all(
      Array.from({ length: 30 }, () => ask(gateway, ANTHROPIC, ticket, 'x', count)),
    );
    expect(got.filter(({ status }) => status === 200)).toHaveLength(20);
    expect(ticket.end().calls).toBe(0);
  });

  test('that make the vendor redirect a request send no key to the other address', async () => {
    const elsewhere = await startVendor(numbered(CHAT));
    const vendor = await startVendor((_, response) =>
      response.writeHead(307, { location: `${elsewhere.url}/v1/chat/completions` }).end(),
    );
    const gateway = await startGateway(vendor);
    const ticket = gateway.open(termsFor(CHAT));
    expect((await ask(gateway, CHAT, ticket)).status).toBe(502);
    expect(elsewhere.requests).toEqual([]);
  });
});
