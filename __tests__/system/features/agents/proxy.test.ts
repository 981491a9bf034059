import { mkdtempSync, rmSync } from 'node:fs';
import http from 'node:http';
import { createServer } from 'node:net';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { openProxy } from '../../../../src/features/agents/workspace/run.ts';
import { afterThisTest, untilTestEnds } from '../../../stand-ins/after-test.ts';
import { listen } from '../../../stand-ins/loopback.ts';

type Reach = Parameters<typeof openProxy>[2];

/** Asks a proxy for `network: hosts` for a tunnel, and returns the status and what the host says. */
async function tunnelTo(host: string, hosts: readonly string[], reach?: Reach): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'evaldiff-proxy-'));
  afterThisTest(() => rmSync(folder, { recursive: true }));
  const socketPath = join(folder, 'proxy');
  afterThisTest((await openProxy(hosts, socketPath, reach)).close);
  return new Promise((resolve, reject) => {
    const request = http.request({ socketPath, method: 'CONNECT', path: host });
    request.on('connect', ({ statusCode }, socket, head) => {
      let said = `${String(statusCode)}${head.toString()}`;
      socket.on('data', (piece: Buffer) => (said += piece.toString()));
      socket.on('close', () => resolve(said)).end();
    });
    request.on('error', reject).end();
  });
}

/** A service of this machine. */
async function greeter() {
  const server = createServer((socket) => socket.on('error', () => undefined).end('hello'));
  const { url } = await untilTestEnds(listen(server));
  return new URL(url).port;
}

describe('the proxy of network', () => {
  test.each(['127.0.0.1', 'localhost', '2130706433', '0x7f000001', '017700000001', '127.1', '0'])(
    'does not reach this machine as %s',
    async (host) => {
      const at = `${host}:${await greeter()}`;
      expect(await tunnelTo(at, [at])).toBe('403');
    },
  );

  test("does not reach this machine at the network's addresses", async () => {
    const own = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
    for (const { address } of own.filter(({ family }) => family === 'IPv4')) {
      const at = `${address}:${await greeter()}`;
      expect(await tunnelTo(at, [at])).toBe('403');
    }
  });

  test.each([[['10.0.0.1']], [['::ffff:127.0.0.1', 'fe80::1']], [[]]])(
    'does not reach a name that resolves to %j',
    async (addresses) => {
      const { isPublicAddress: isAllowed } =
        await import('../../../../src/features/agents/suite/network.ts');
      const addressesOf = () => Promise.resolve(addresses);
      expect(await tunnelTo('a.example:443', ['a.example'], { addressesOf, isAllowed })).toBe(
        '403',
      );
    },
  );

  test('resolves a public host once, and connects to the address that it checked', async () => {
    const at = `a.example:${await greeter()}`;
    const resolved: string[] = [];
    const reach: Reach = {
      addressesOf: (host) =>
        Promise.resolve(resolved.push(host) === 1 ? ['10.0.0.1', '127.0.0.1'] : []),
      isAllowed: (address) => address === '127.0.0.1',
    };
    expect(await tunnelTo(at, [at], reach)).toBe('200hello');
    expect(resolved).toEqual(['a.example']);
  });

  test('refuses hosts that the suite does not name, without resolving them', async () => {
    const reach: Reach = {
      addressesOf: () => Promise.reject(new Error('resolved')),
      isAllowed: () => true,
    };
    for (const host of ['b.example:443', 'a.example:80', 'a.example.:443', 'xa.example:443'])
      expect(await tunnelTo(host, ['a.example'], reach)).toBe('403');
  });
});
