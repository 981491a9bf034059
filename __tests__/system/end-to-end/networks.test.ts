import https from 'node:https';
import { type AddressInfo, type Server, type Socket } from 'node:net';
import { ofOwnAuthority, type KeyPair } from '../../stand-ins/certificate.ts';
import { createRepository, fixtureEnvironment } from '../../stand-ins/repository.ts';
import { tunnelProxy } from '../../stand-ins/tunnel-proxy.ts';
import { startBundle } from './runner.ts';

let pair: KeyPair & { authority: string };
beforeAll(() => {
  pair = ofOwnAuthority();
});

const open: (() => void)[] = [];
afterEach(() => {
  for (const close of open.splice(0).reverse()) close();
});

async function listening(server: Server) {
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => void sockets.add(socket));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  open.push(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  return String((server.address() as AddressInfo).port);
}

interface Company {
  gate: string;
  proxy: string;
  /** Keys that the gateway received, and the hosts requested from the proxy. */
  keys: (string | undefined)[];
  tunnels: (string | undefined)[];
}

/**
 * A model gateway with a certificate from the company's own authority, and the proxy in front of
 * it.
 */
async function company(): Promise<Company> {
  const keys: Company['keys'] = [];
  const tunnels: Company['tunnels'] = [];
  const gate = https.createServer(pair, (request, response) => {
    request.resume();
    keys.push(request.headers.authorization);
    const message = { role: 'assistant', content: 'hi' };
    response
      .writeHead(200, { 'content-type': 'application/json' })
      .end(JSON.stringify({ choices: [{ finish_reason: 'stop', message }] }));
  });
  const proxy = tunnelProxy(({ url }) => {
    tunnels.push(url);
    return 200;
  }, open);
  return { gate: await listening(gate), proxy: await listening(proxy), keys, tunnels };
}

/** Runs the shipped command line in a project that sends one question to the gateway. */
async function run({ gate }: Company, env: NodeJS.ProcessEnv, ...argv: string[]) {
  const repository = createRepository();
  repository.commit('Begin', {
    'evaldiff.yaml': 'n_tries: 1\nmodels: { m: { provider: openai, endpoint: gate } }\n',
    'prompts/p.yaml':
      'name: p\nmodel: m\ndefaults: [tests/p]\nvariables: [q]\nmessages: [{ role: user, content: "Say {q}" }]\n',
    'prompts/tests/p.yaml':
      'metrics: [{ name: says, uses: contains }]\nreferences: [{ id: one, input: { q: hi }, expected: hi }]\n',
  });
  const { code, stdout, stderr } = await startBundle(
    'cli/index.js',
    ['run', '--endpoint', `gate=https://localhost:${gate}/v1 key=GATE_KEY`, ...argv],
    fixtureEnvironment({ GATE_KEY: 'key-of-the-gate', ...env }),
    repository.directory,
  );
  // The terminal wraps lines.
  return { code, text: (stdout + stderr).replaceAll(/\s+/g, ' ') };
}

describe("a company's network", () => {
  test('with its own certificate authority is trusted through NODE_EXTRA_CA_CERTS', async () => {
    const at = await company();
    const { code, text } = await run(at, { NODE_EXTRA_CA_CERTS: pair.authority });
    expect(text).toContain('100.0 %');
    expect([code, at.keys, at.tunnels]).toEqual([0, ['Bearer key-of-the-gate'], []]);
  });

  test('is reached through the configured proxy, but the proxy does not see the key', async () => {
    const at = await company();
    const { code, text } = await run(
      at,
      { NODE_EXTRA_CA_CERTS: pair.authority },
      '--proxy',
      `http://127.0.0.1:${at.proxy}`,
    );
    expect(text).toContain('100.0 %');
    expect([code, at.keys]).toEqual([0, ['Bearer key-of-the-gate']]);
    expect(at.tunnels).toEqual([`localhost:${at.gate}`]);
  });

  test('with an unknown certificate authority gets no key; the message names the setting to add', async () => {
    const at = await company();
    const { code, text } = await run(at, {});
    expect(code).not.toBe(0);
    expect(text).toMatch(
      /no connection \(UNABLE_TO_\w+\); for your own certificate authority, set NODE_EXTRA_CA_CERTS to its file/,
    );
    expect(at.keys).toEqual([]);
  });
});
