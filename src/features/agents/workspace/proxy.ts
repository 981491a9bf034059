import { createServer, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import type { Duplex } from 'node:stream';

/** Opens a CONNECT proxy that reaches only the hosts of `network`, by default on port 443. */
export async function openProxy(
  hosts: readonly string[],
  socket: string,
): Promise<{ close(): void }> {
  const allowed = new Set(hosts.map(withPort));
  const tunnels = new Set<Duplex>();
  const server = createServer((_, response) => {
    response.writeHead(403).end('Only CONNECT to the hosts of `network` is allowed.\n');
  });
  server.on('connect', ({ url = '' }: IncomingMessage, near: Duplex, head: Buffer) => {
    if (!allowed.has(withPort(url))) {
      near.on('error', () => undefined).end('HTTP/1.1 403 Forbidden\r\n\r\n');
      return;
    }
    const { hostname, port } = new URL(`tcp://${withPort(url)}`);
    const far = connect({ host: hostname, port: Number(port) }, () => {
      near.write('HTTP/1.1 200 Connection Established\r\n\r\n');
      far.write(head);
      far.pipe(near).pipe(far);
    });
    tunnels.add(near).add(far);
    far.on('error', () => near.destroy());
    near.on('error', () => far.destroy());
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(socket, resolve);
  });
  return {
    close: () => {
      server.close();
      for (const tunnel of tunnels) tunnel.destroy();
    },
  };
}

const withPort = (host: string): string =>
  (/:\d+$/.test(host) ? host : `${host}:443`).toLowerCase();
