/**
 * A part of the GitHub API on loopback: what a run that publishes talks to when there is no GitHub.
 * It needs nothing but node. The tests start it through `index.ts`, with GitHub's own description
 * as judge of every exchange.
 */
import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ROUTES, error } from './routes.ts';
import type { Call, List, Reply, Route } from './routes.ts';
import { createState } from './state.ts';
import type { Exchange, State, Token } from './state.ts';

/**
 * An answer that takes the place of the usual one; the words are what a network does to answers.
 */
export type Instead = Reply | 'reset' | 'cut' | 'html' | 'hang';
/**
 * Sees a request before it is handled. May change the state (another run was faster), and may
 * answer instead.
 */
export type Interceptor = (seen: {
  method: string;
  path: string;
  body: unknown;
  count: number;
}) => Instead | undefined;

/**
 * Judges one exchange; the texts name what is wrong with it. `request` is judged before it is
 * handled.
 */
export interface Judge {
  request(exchange: Exchange): string[];
  reply(exchange: Exchange): string[];
}

export interface GitHubOptions {
  repository: string;
  tokens: Record<string, Token>;
  now?: () => Date;
  judge?: Judge;
}

export interface GitHubStandIn {
  state: State;
  /** For `GITHUB_API_URL` and `GITHUB_GRAPHQL_URL`, laid out as on an Enterprise Server. */
  apiUrl: string;
  graphqlUrl: string;
  intercept(method: string, path: RegExp, act: Interceptor): void;
  close(): Promise<void>;
}

export const SECONDARY_LIMIT = (seconds: number): Reply => ({
  ...error(403, 'You have exceeded a secondary rate limit. Please wait before you try again.'),
  headers: { 'retry-after': String(seconds) },
});
export const PRIMARY_LIMIT = (seconds: number, now: Date): Reply => ({
  ...error(403, 'API rate limit exceeded for installation.'),
  headers: {
    'x-ratelimit-remaining': '0',
    'x-ratelimit-reset': String(Math.floor(now.getTime() / 1000) + seconds),
  },
});

interface Server {
  state: State;
  judge: Judge | undefined;
  interceptors: { method: string; path: RegExp; act: Interceptor; count: number }[];
  apiUrl: string;
}

export async function startGitHub({
  repository,
  tokens,
  now = () => new Date(),
  judge,
}: GitHubOptions): Promise<GitHubStandIn> {
  const server: Server = {
    state: createState(repository, tokens, now),
    judge,
    interceptors: [],
    apiUrl: '',
  };
  const http = createServer((request, response) => {
    receive(server, request, response).catch((fault: unknown) => {
      server.state.violations.push(`the stand-in failed: ${String(fault)}`);
      send(response, error(500, 'the stand-in failed'));
    });
  });
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
  server.apiUrl = `${origin}/api/v3`;
  return {
    state: server.state,
    apiUrl: server.apiUrl,
    graphqlUrl: `${origin}/api/graphql`,
    intercept: (method, path, act) =>
      void server.interceptors.push({ method, path, act, count: 0 }),
    close: () =>
      new Promise((resolve) => {
        http.close(() => resolve());
        http.closeAllConnections();
      }),
  };
}

async function receive(
  server: Server,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const url = new URL(request.url ?? '/', server.apiUrl);
  const method = request.method ?? 'GET';
  const text = await readAll(request);
  const token = /^(?:token|bearer) (.+)$/i.exec(request.headers.authorization ?? '')?.[1] ?? null;
  const exchange: Exchange = {
    method,
    path: url.pathname.replace(/^\/api(\/v3)?/, ''),
    query: Object.fromEntries(url.searchParams),
    body: undefined,
    token,
    operation: null,
    status: 0,
    reply: undefined,
  };
  server.state.exchanges.push(exchange);
  const body = parseBody(text);
  if (body === null) return send(response, error(400, 'Problems parsing JSON'));
  exchange.body = text === '' ? undefined : body;
  const instead = intercepted(server, exchange);
  if (typeof instead === 'string') return misbehave(response, instead);
  const reply =
    instead ??
    (request.headers['user-agent'] === undefined
      ? error(403, 'Request forbidden by administrative rules.')
      : answer(server, exchange, body));
  Object.assign(exchange, { status: reply.status, reply: reply.body });
  if (instead === undefined && server.judge !== undefined)
    server.state.violations.push(...server.judge.reply(exchange));
  send(response, reply);
}

function intercepted(server: Server, { method, path, body }: Exchange): Instead | undefined {
  for (const interceptor of server.interceptors) {
    if (interceptor.method !== method || !interceptor.path.test(path)) continue;
    interceptor.count += 1;
    const instead = interceptor.act({ method, path, body, count: interceptor.count });
    if (instead !== undefined) return instead;
  }
  return undefined;
}

function answer(server: Server, exchange: Exchange, body: Record<string, unknown>): Reply {
  const { state } = server;
  const token = exchange.token === null ? undefined : state.tokens.get(exchange.token);
  if (token === undefined)
    return error(401, exchange.token === null ? 'Requires authentication' : 'Bad credentials');
  if (exchange.path === '/graphql' && exchange.method === 'POST') return graphql(token, body);
  const found = match(exchange);
  if (found === null) {
    state.violations.push(
      `${exchange.method} ${exchange.path} is not an operation of this stand-in`,
    );
    return error(404, 'Not Found');
  }
  const { route, params } = found;
  exchange.operation = route.operation;
  if (
    `${params['owner'] ?? ''}/${params['repo'] ?? ''}`.toLowerCase() !==
    state.repository.toLowerCase()
  )
    return error(404, 'Not Found');
  const faults = server.judge?.request(exchange) ?? [];
  state.violations.push(...faults);
  if (!isAllowed(state, token, route)) return error(403, 'Resource not accessible by integration');
  if (faults.length > 0) return error(422, `Invalid request. ${faults.join(' ')}`);
  const call: Call = { state, api: server.apiUrl, params, query: exchange.query, body, token };
  const result = route.answer(call);
  return 'items' in result ? page(server.apiUrl, exchange, result) : result;
}

/** Anybody reads a public repository. */
function isAllowed(state: State, token: Token, route: Route): boolean {
  return route.needs.some(
    ([scope, access]) =>
      (access === 'read' && !state.private) ||
      token.permissions[scope] === 'write' ||
      token.permissions[scope] === access,
  );
}

function match({
  method,
  path,
}: Exchange): { route: Route; params: Record<string, string> } | null {
  const parts = path.split('/');
  for (const route of ROUTES) {
    const pattern = route.path.split('/');
    if (route.method !== method || pattern.length !== parts.length) continue;
    const isMatch = pattern.every((part, index) => part.startsWith('{') || part === parts[index]);
    const params = Object.fromEntries(
      pattern.flatMap((part, index) =>
        part.startsWith('{') ? [[part.slice(1, -1), decodeURIComponent(parts[index] ?? '')]] : [],
      ),
    );
    if (isMatch) return { route, params };
  }
  return null;
}

function page(
  api: string,
  { path, query }: Exchange,
  { items, wrap = (list) => list }: List,
): Reply {
  const size = Math.min(Math.max(Number(query['per_page'] ?? 30) || 30, 1), 100);
  const number = Math.max(Number(query['page'] ?? 1) || 1, 1);
  const last = Math.max(Math.ceil(items.length / size), 1);
  const link = (target: number, rel: string) =>
    `<${api}${path}?${new URLSearchParams({ ...query, page: String(target) }).toString()}>; rel="${rel}"`;
  const links = [
    ...(number > 1 ? [link(number - 1, 'prev'), link(1, 'first')] : []),
    ...(number < last ? [link(number + 1, 'next'), link(last, 'last')] : []),
  ];
  return {
    status: 200,
    body: wrap(items.slice((number - 1) * size, number * size)),
    ...(links.length > 0 ? { headers: { link: links.join(', ') } } : {}),
  };
}

/** Knows one question: who am I? */
function graphql(token: Token, body: Record<string, unknown>): Reply {
  const fields = /^\s*(?:query\s*)?\{\s*viewer\s*\{([\w\s]+)\}\s*\}\s*$/
    .exec(String(body['query'] ?? ''))?.[1]
    ?.trim()
    .split(/\s+/);
  const known: Record<string, unknown> = {
    login: token.account.login,
    databaseId: token.account.id,
    id: `U_${token.account.id}`,
  };
  const unknown = fields?.find((field) => !(field in known));
  if (fields === undefined || unknown !== undefined)
    return {
      status: 200,
      body: {
        errors: [{ type: 'undefinedField', message: `Field '${unknown ?? '?'}' doesn't exist` }],
      },
    };
  return {
    status: 200,
    body: { data: { viewer: Object.fromEntries(fields.map((field) => [field, known[field]])) } },
  };
}

function parseBody(text: string): Record<string, unknown> | null {
  if (text === '') return {};
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : null;
  } catch {
    return null;
  }
}

async function readAll(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}

function send(response: ServerResponse, { status, body, headers = {} }: Reply): void {
  response.writeHead(status, {
    ...(body === undefined ? {} : { 'content-type': 'application/json; charset=utf-8' }),
    ...headers,
  });
  response.end(body === undefined ? undefined : JSON.stringify(body));
}

/** What networks and proxies do. */
function misbehave(response: ServerResponse, how: Exclude<Instead, Reply>): void {
  if (how === 'reset') response.destroy();
  if (how === 'html')
    response
      .writeHead(200, { 'content-type': 'text/html' })
      .end('<html><body>Please log in to the proxy</body></html>');
  if (how === 'cut') {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' });
    response.write('[{"id": 1,');
    setImmediate(() => response.destroy());
  }
}
