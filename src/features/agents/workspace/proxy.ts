import { lookup } from 'node:dns/promises';
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { networkInterfaces } from 'node:os';
import type { Duplex } from 'node:stream';
import { isPublicAddress } from '../suite/network.ts';

interface Reach {
  addressesOf(host: string): Promise<readonly string[]>;
  isAllowed(address: string): boolean;
}

const PUBLIC: Reach = {
  addressesOf: async (host) => (await lookup(host, { all: true })).map(({ address }) => address),
  isAllowed: (address) => {
    const own = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
    return isPublicAddress(address) && !own.some((each) => each.address === address);
  },
};

/**
 * Opens a CONNECT proxy that reaches only the hosts of `network`, by default on port 443, and only
 * at public addresses.
 */
export async function openProxy(
  hosts: readonly string[],
  socket: string,
  { addressesOf, isAllowed }: Reach = PUBLIC,
): Promise<{ close(): void }> {
  const allowed = new Set(hosts.map(withPort));
  const tunnels = new Set<Duplex>();
  const server = createServer((_, response) => {
    response.writeHead(403).end('Only CONNECT to the hosts of `network` is allowed.\n');
  });
  const open = async (url: string, near: Duplex, head: Buffer): Promise<void> => {
    const { hostname, port } = new URL(`tcp://${withPort(url)}`);
    const found = allowed.has(withPort(url)) ? await addressesOf(hostname).catch(() => []) : [];
    const host = found.find(isAllowed);
    if (host === undefined) {
      near.end('HTTP/1.1 403 Forbidden\r\n\r\n');
      return;
    }
    // Connects to the checked address, because the name may resolve differently now.
    const far = connect({ host, port: Number(port) }, () => {
      near.write('HTTP/1.1 200 Connection Established\r\n\r\n');
      far.write(head);
      far.pipe(near).pipe(far);
    });
    tunnels.add(far);
    far.on('error', () => near.destroy());
    near.on('close', () => far.destroy());
  };
  server.on('connect', ({ url = '' }: IncomingMessage, near: Duplex, head: Buffer) => {
    tunnels.add(near.on('error', () => near.destroy()));
    void open(url, near, head).catch(() => near.destroy());
  });
  await once(server.listen(socket), 'listening');
  server.on('error', () => undefined);
  return {
    close: () => {
      server.close();
      for (const tunnel of tunnels) tunnel.destroy();
    },
  };
}

const withPort = (host: string): string =>
  (/:\d+$/.test(host) ? host : `${host}:443`).toLowerCase();
