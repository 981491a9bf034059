import http, { type IncomingMessage } from 'node:http';
import { connect } from 'node:net';

/** A proxy that tunnels every CONNECT to the same port of this machine, for any host. */
export function tunnelProxy(
  admit: (request: IncomingMessage) => number,
  closing: (() => void)[],
): http.Server {
  const proxy = http.createServer();
  proxy.on('connect', (request: IncomingMessage, client, head) => {
    const status = admit(request);
    if (status !== 200) return void client.end(`HTTP/1.1 ${status} No\r\n\r\n`);
    const server = connect(Number(request.url?.split(':')[1]), '127.0.0.1', () => {
      client.write('HTTP/1.1 200 Established\r\n\r\n');
      server.write(head);
      server.pipe(client).pipe(server);
    });
    for (const socket of [client, server]) {
      socket.on('error', () => undefined);
      closing.push(() => void socket.destroy());
    }
  });
  return proxy;
}
