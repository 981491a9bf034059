import http from 'node:http';
import https from 'node:https';
import type { Server } from 'node:net';
import { createProviders } from '../../../../src/edges/providers/index.ts';
import type { ProviderOptions } from '../../../../src/edges/providers/index.ts';
import type { Completion } from '../../../../src/types/model.ts';
import { afterThisTest } from '../../../stand-ins/after-test.ts';
import { selfSigned } from '../../../stand-ins/certificate.ts';
import {
  errorOf,
  KEY,
  options,
  requestTo,
  says,
} from '../../../unit/edges/providers/providers-setting.ts';
import { listen } from './started.ts';

const REPLY = JSON.stringify({
  choices: [{ finish_reason: 'stop', message: { content: 'there' } }],
});

function asking(url: string, more: Partial<ProviderOptions> = {}) {
  const providers = createProviders(
    options({ endpoints: new Map([['far', { url, key: KEY }]]), ...more }),
  );
  afterThisTest(providers.close);
  const target = { provider: 'openai', endpoint: 'far', model: 'm' } as const;
  return (questions: number) =>
    Promise.all(
      Array.from({ length: questions }, (_, i) =>
        providers.complete(requestTo('openai', { target, messages: says(`question ${i}`) })),
      ),
    );
}

const messages = (completions: readonly Completion[]) =>
  new Set(completions.map((completion) => errorOf(completion).message));

const callsMade = (completions: readonly Completion[]) =>
  completions.reduce((sum, completion) => {
    const { attempts } = completion;
    const isUnsent = completion.status === 'error' && completion.unsent === true;
    return sum + (attempts ?? (isUnsent ? 0 : 1));
  }, 0);

async function closedPort() {
  const server = http.createServer();
  const { port } = await listen(server);
  await new Promise((resolve) => server.close(resolve));
  return port;
}

async function counted(server: Server): Promise<{ port: string; connections(): number }> {
  let made = 0;
  server.on('connection', () => void made++);
  const { port } = await listen(server);
  return { port, connections: () => made };
}

const AFTER =
  'openai (far): 3 connections in a row failed, so no further requests were sent: no connection';

test('a server that refuses three connections in a row is not called again', async () => {
  const ask = asking(`http://127.0.0.1:${await closedPort()}/v1`);
  const told = `${AFTER} (ECONNREFUSED); check the network, the proxy and the server's address`;
  const first = await ask(40);
  expect([messages(first), callsMade(first)]).toEqual([new Set([told]), 3]);
  const later = await ask(10);
  expect([messages(later), callsMade(later)]).toEqual([new Set([told]), 0]);
});

test('an unknown host name ends the calls after three attempts', async () => {
  const completions = await asking('https://no-such-host.invalid/v1')(40);
  const [told, ...others] = messages(completions);
  expect(told).toMatch(
    /^openai \(far\): 3 connections in a row failed, so no further requests were sent: no connection \((ENOTFOUND|EAI_AGAIN)\); the host name is not found/,
  );
  expect([others, callsMade(completions)]).toEqual([[], 3]);
});

test('an untrusted certificate ends the calls after three attempts', async () => {
  const { port, connections } = await counted(https.createServer(selfSigned()));
  const completions = await asking(`https://localhost:${port}/v1`)(40);
  const [told, ...others] = messages(completions);
  expect(told).toContain(
    `${AFTER} (DEPTH_ZERO_SELF_SIGNED_CERT); for your own certificate authority`,
  );
  expect([others, connections()]).toEqual([[], 3]);
});

test('if a proxy is down or cannot reach the server, evaldiff stops after three attempts', async () => {
  const down = new URL(`http://127.0.0.1:${await closedPort()}`);
  const completions = await asking('https://far.example/v1', { proxy: down })(40);
  expect(messages(completions)).toEqual(
    new Set([
      `${AFTER} through the proxy (ECONNREFUSED); check the address of the proxy (input proxy, or --proxy in a terminal)`,
    ]),
  );
  expect(callsMade(completions)).toBe(3);
  const proxy = http.createServer();
  let asked = 0;
  proxy.on('connect', (_, socket) => {
    asked++;
    socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n');
  });
  const refused = await asking('https://far.example/v1', { proxy: await listen(proxy) })(40);
  expect([...messages(refused)].join('\n')).toContain('it answered 502');
  expect([messages(refused).size, asked]).toEqual([1, 3]);
});

test('evaldiff keeps calling a server that sometimes answers or is only overloaded', async () => {
  let requests = 0;
  const proxy = http.createServer();
  const statuses = [502, 502, 200, 502, 502, 200];
  proxy.on('connect', (_, socket) => {
    const status = statuses[requests++] ?? 200;
    if (status === 200) socket.end('HTTP/1.1 200 OK\r\n\r\n');
    else socket.end(`HTTP/1.1 ${status} Bad Gateway\r\n\r\n`);
  });
  const ask = asking('https://far.example/v1', { proxy: await listen(proxy), maxTries: 8 });
  expect([...messages(await ask(1))].join('\n')).not.toContain('in a row');
  expect(requests).toBe(8);

  const replies = [429, 503, 503, 429, 200];
  const busy = http.createServer((request, response) => {
    request.resume();
    const status = replies.shift() ?? 200;
    response.writeHead(status, { 'content-type': 'application/json', 'retry-after': '1' });
    response.end(status === 200 ? REPLY : '{"error":{"message":"busy"}}');
  });
  const { origin } = await listen(busy);
  const [completion] = await asking(`${origin}/v1`)(1);
  expect(completion).toMatchObject({ status: 'ok', attempts: 5 });
});
