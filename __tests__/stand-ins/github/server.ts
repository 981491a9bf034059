/**
 * Part of the GitHub API on loopback. Every exchange is checked against GitHub's own description.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { bodyOf, listen } from '../loopback.ts';
import { ROUTES, error, type Call, type List, type Reply, type Route } from './routes.ts';
import { createState, type Exchange, type State, type Token } from './state.ts';
import { replyFaults, requestFaults } from './validate.ts';

/** Replaces the usual answer; the words name network faults. */
export type Instead = Reply | 'reset' | 'cut' | 'html' | 'hang';
/**
 * Sees a request before it is handled. It may change the state (as if another run was faster) or
 * answer instead.
 */
type Interceptor = (seen: {
  method: string;
  path: string;
  body: unknown;
  count: number;
}) => Instead | undefined;

interface GitHubOptions {
  repository: string;
  tokens: Record<string, Token>;
  now?: () => Date;
}

export interface GitHubStandIn {
  state: State;
  /** For `GITHUB_API_URL` and `GITHUB_GRAPHQL_URL`, with the paths of an Enterprise Server. */
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
  interceptors: { method: string; path: RegExp; act: Interceptor; count: number }[];
  apiUrl: string;
}

export async function startValidatingGitHub({
  repository,
  tokens,
  now = () => new Date(),
}: GitHubOptions): Promise<GitHubStandIn> {
  const state = createState(repository, tokens, now);
  const server: Server = { state, interceptors: [], apiUrl: '' };
  const http = createServer((request, response) => {
    receive(server, request, response).catch((fault: unknown) => {
      state.violations.push(`the stand-in failed: ${String(fault)}`);
      send(response, error(500, 'the stand-in failed'));
    });
  });
  const { url, close } = await listen(http);
  server.apiUrl = `${url}/api/v3`;
  return {
    state,
    close,
    apiUrl: server.apiUrl,
    graphqlUrl: `${url}/api/graphql`,
    intercept: (method, path, act) =>
      void server.interceptors.push({ method, path, act, count: 0 }),
  };
}

async function receive(server: Server, request: IncomingMessage, response: ServerResponse) {
  const url = new URL(request.url ?? '/', server.apiUrl);
  const method = request.method ?? 'GET';
  const text = (await bodyOf(request)).toString('utf8');
  const token = /^(?:token|bearer) (.+)$/i.exec(request.headers.authorization ?? '')?.[1] ?? null;
  const exchange: Exchange = {
    method,
    path: url.pathname.replace(/^\/api(\/v3)?/, ''),
    token,
    query: Object.fromEntries(url.searchParams),
    body: undefined,
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
  if (instead === undefined) server.state.violations.push(...replyFaults(exchange));
  send(response, reply);
}

function intercepted(server: Server, { method, path, body }: Exchange) {
  for (const interceptor of server.interceptors) {
    if (interceptor.method !== method || !interceptor.path.test(path)) continue;
    interceptor.count += 1;
    const instead = interceptor.act({ method, path, body, count: interceptor.count });
    if (instead !== undefined) return instead;
  }
  return undefined;
}

function answer(
  { state, apiUrl: api }: Server,
  exchange: Exchange,
  body: Record<string, unknown>,
): Reply {
  const { method, path, query } = exchange;
  const token = state.tokens.get(exchange.token ?? '');
  if (token === undefined)
    return error(401, exchange.token === null ? 'Requires authentication' : 'Bad credentials');
  if (path === '/graphql' && method === 'POST') return graphql(token, body);
  const found = match(exchange);
  if (found === null) {
    state.violations.push(`${method} ${path} is not an operation of this stand-in`);
    return error(404, 'Not Found');
  }
  const { route, params } = found;
  exchange.operation = route.operation;
  const repository = `${params['owner'] ?? ''}/${params['repo'] ?? ''}`;
  if (repository.toLowerCase() !== state.repository.toLowerCase()) return error(404, 'Not Found');
  const faults = requestFaults(exchange);
  state.violations.push(...faults);
  if (!isAllowed(state, token, route)) return error(403, 'Resource not accessible by integration');
  if (faults.length > 0) return error(422, `Invalid request. ${faults.join(' ')}`);
  const call: Call = { state, api, params, query, body, token };
  const result = route.answer(call);
  return 'items' in result ? page(api, exchange, result) : result;
}

/** Anyone can read a public repository. */
function isAllowed(state: State, { permissions }: Token, { needs }: Route) {
  return needs.some(
    ([scope, access]) =>
      (access === 'read' && !state.private) || ['write', access].includes(permissions[scope]),
  );
}

function match({ method, path }: Exchange): (Pick<Call, 'params'> & { route: Route }) | null {
  const parts = path.split('/');
  for (const route of ROUTES) {
    const pattern = route.path.split('/');
    if (route.method !== method || pattern.length !== parts.length) continue;
    if (!pattern.every((part, at) => part.startsWith('{') || part === parts[at])) continue;
    const params = pattern.flatMap((part, at) =>
      part.startsWith('{') ? [[part.slice(1, -1), decodeURIComponent(parts[at] ?? '')]] : [],
    );
    return { route, params: Object.fromEntries(params) as Call['params'] };
  }
  return null;
}

function page(api: string, { path, query }: Exchange, { items, wrap }: List): Reply {
  const size = Math.min(Math.max(Number(query['per_page'] ?? 30) || 30, 1), 100);
  const number = Math.max(Number(query['page'] ?? 1) || 1, 1);
  const last = Math.max(Math.ceil(items.length / size), 1);
  const link = (target: number, rel: string) =>
    `<${api}${path}?${new URLSearchParams({ ...query, page: String(target) }).toString()}>; rel="${rel}"`;
  const links = [
    ...(number > 1 ? [link(number - 1, 'prev'), link(1, 'first')] : []),
    ...(number < last ? [link(number + 1, 'next'), link(last, 'last')] : []),
  ];
  const shown = items.slice((number - 1) * size, number * size);
  const headers = links.length > 0 ? { headers: { link: links.join(', ') } } : {};
  return { status: 200, body: wrap?.(shown) ?? shown, ...headers };
}

/** Supports only the query for the current user. */
function graphql({ account }: Token, body: Record<string, unknown>): Reply {
  const asked = /^\s*(?:query\s*)?\{\s*viewer\s*\{([\w\s]+)\}\s*\}\s*$/.exec(
    String(body['query'] ?? ''),
  );
  const fields = asked?.[1]?.trim().split(/\s+/);
  const known = new Map<string, unknown>(
    Object.entries({ login: account.login, databaseId: account.id, id: `U_${account.id}` }),
  );
  const unknown = fields?.find((field) => !known.has(field));
  if (fields !== undefined && unknown === undefined) {
    const viewer = Object.fromEntries(fields.map((field) => [field, known.get(field)]));
    return { status: 200, body: { data: { viewer } } };
  }
  const message = `Field '${unknown ?? '?'}' doesn't exist`;
  return { status: 200, body: { errors: [{ type: 'undefinedField', message }] } };
}

function parseBody(text: string) {
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

function send(response: ServerResponse, { status, body, headers = {} }: Reply) {
  const type = { 'content-type': 'application/json; charset=utf-8' };
  response.writeHead(status, { ...(body === undefined ? {} : type), ...headers });
  response.end(body === undefined ? undefined : JSON.stringify(body));
}

function misbehave(response: ServerResponse, how: Exclude<Instead, Reply>) {
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
