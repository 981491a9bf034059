import { randomBytes, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { userError } from '../../errors.ts';
import { livePage } from '../../report/html.ts';
import { actionSchema, type Action } from './changes.ts';

export interface ActionReply {
  said: string;
  bad: boolean;
}

export function done(said: string): ActionReply {
  return { said, bad: false };
}

export function refused(said: string): ActionReply {
  return { said, bad: true };
}

interface PageHandlers {
  /** What the page shows, as JSON. */
  view(): string;
  /** A test's prompts as sent, as JSON. Null if the test is unknown. */
  sent(test: string): string | null;
  act(action: Action): Promise<ActionReply>;
}

export interface Workbench {
  /** The page's address, which contains the access token. */
  url: string;
  tell(event: 'view' | 'state', data: object): void;
  close(): Promise<void>;
}

/** In bytes. An action can contain an answer. */
const LONGEST_BODY = 16_000_000;

/**
 * Serves on loopback, with a token in the URL. The `Host` header must be loopback (against DNS
 * rebinding), and actions must come from the page itself. Port 0 means any free port.
 * @throws UserError if the port is in use.
 */
export async function serveWorkbench(port: number, shown: PageHandlers): Promise<Workbench> {
  const token = randomBytes(24).toString('base64url');
  const windows = new Set<ServerResponse>();
  const server = createServer((request, response) => {
    handleRequest(request, response, { token, shown, windows, port: listeningPort(server) }).catch(
      () => {
        if (!response.headersSent) response.writeHead(500);
        response.end();
      },
    );
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      reject(
        error.code === 'EADDRINUSE' || error.code === 'EACCES'
          ? userError(
              null,
              `--port: ${port} is in use or not allowed; choose ` +
                `another, or omit it for any free port`,
            )
          : error,
      );
    });
    server.listen(port, '127.0.0.1', resolve);
  });
  return {
    url: `http://127.0.0.1:${String(listeningPort(server))}/${token}/`,
    tell(event, data) {
      for (const response of windows)
        response.write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
    },
    close() {
      for (const response of windows) response.end();
      server.closeAllConnections();
      return new Promise((resolve) => {
        server.close(() => {
          resolve();
        });
      });
    },
  };
}

function listeningPort(server: Server): number {
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

interface Serving {
  token: string;
  port: number;
  shown: PageHandlers;
  windows: Set<ServerResponse>;
}

async function handleRequest(
  request: IncomingMessage,
  response: ServerResponse,
  serving: Serving,
): Promise<void> {
  const { token, port } = serving;
  const own = [`127.0.0.1:${port}`, `localhost:${port}`];
  const { host = '' } = request.headers;
  const url = new URL(request.url ?? '/', 'http://127.0.0.1');
  const [, given = '', ...rest] = url.pathname.split('/');
  if (!own.includes(host) || !equal(given, token)) response.writeHead(404).end();
  else if (request.method === 'GET')
    read(request, response, { url, path: rest.join('/') }, serving);
  else if (request.method === 'POST' && rest.join('/') === 'act' && fromPage(request, host)) {
    const action = await actionOf(request);
    const reply: ActionReply =
      action === null
        ? refused('Unknown action. Reload the page.')
        : await serving.shown.act(action);
    send(response, 'application/json', JSON.stringify(reply));
  } else response.writeHead(403).end();
}

function read(
  request: IncomingMessage,
  response: ServerResponse,
  { url, path }: { url: URL; path: string },
  { shown, windows }: Serving,
): void {
  if (path === '') page(response);
  else if (path === 'view') send(response, 'application/json', shown.view());
  else if (path === 'events') listen(request, response, windows);
  else {
    const sent = path === 'sent' ? shown.sent(url.searchParams.get('test') ?? '') : null;
    if (sent === null) response.writeHead(404).end();
    else send(response, 'application/json', sent);
  }
}

function equal(given: string, token: string): boolean {
  const left = Buffer.from(given);
  const right = Buffer.from(token);
  return left.length === right.length && timingSafeEqual(left, right);
}

function fromPage({ headers }: IncomingMessage, host: string): boolean {
  return (
    headers.origin === `http://${host}` &&
    (headers['content-type'] ?? '').startsWith('application/json')
  );
}

const CLOSED = {
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'cross-origin-resource-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
} as const;

function page(response: ServerResponse): void {
  const { html, policy } = livePage();
  response.setHeader('content-security-policy', policy);
  send(response, 'text/html; charset=utf-8', html);
}

function send(response: ServerResponse, type: string, body: string): void {
  response.writeHead(200, { ...CLOSED, 'content-type': type }).end(body);
}

function listen(
  request: IncomingMessage,
  response: ServerResponse,
  windows: Set<ServerResponse>,
): void {
  response.writeHead(200, { ...CLOSED, 'content-type': 'text/event-stream' });
  response.write('retry: 1000\n\n');
  windows.add(response);
  request.on('close', () => {
    windows.delete(response);
  });
}

async function actionOf(request: IncomingMessage): Promise<Action | null> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of request as AsyncIterable<Buffer>) {
    size += part.length;
    if (size > LONGEST_BODY) return null;
    parts.push(part);
  }
  try {
    const value: unknown = JSON.parse(Buffer.concat(parts).toString('utf8'));
    return actionSchema.safeParse(value).data ?? null;
  } catch {
    return null;
  }
}
