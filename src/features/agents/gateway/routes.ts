import type { Wire } from './terms.ts';

export type Protocol = 'messages' | 'responses' | 'chat' | 'generate';

/** A request that an agent may send. All others are refused. */
interface RouteRow {
  wire: Wire;
  /** `count` and `models` cost nothing. */
  does: Protocol | 'count' | 'models';
  method: 'GET' | 'POST';
  path: RegExp;
  /** Path below the vendor's base address. `$1`, `$2`: groups of `path`. */
  below: string;
  query?: string;
}

const ROUTES: readonly RouteRow[] = [
  {
    wire: 'anthropic',
    does: 'messages',
    method: 'POST',
    path: /^\/v1\/messages$/,
    below: 'v1/messages',
    query: 'beta=true',
  },
  {
    wire: 'anthropic',
    does: 'count',
    method: 'POST',
    path: /^\/v1\/messages\/count_tokens$/,
    below: 'v1/messages/count_tokens',
    query: 'beta=true',
  },
  {
    wire: 'openai',
    does: 'responses',
    method: 'POST',
    path: /^\/v1\/responses$/,
    below: 'responses',
  },
  {
    wire: 'openai',
    does: 'chat',
    method: 'POST',
    path: /^\/v1\/chat\/completions$/,
    below: 'chat/completions',
  },
  { wire: 'openai', does: 'models', method: 'GET', path: /^\/v1\/models$/, below: 'models' },
  {
    wire: 'gemini',
    does: 'generate',
    method: 'POST',
    path: /^\/v1beta\/models\/(\w[\w.-]*):(generateContent|streamGenerateContent)$/,
    below: 'models/$1:$2',
    query: 'alt=sse',
  },
  {
    wire: 'gemini',
    does: 'count',
    method: 'POST',
    path: /^\/v1beta\/models\/(\w[\w.-]*):(countTokens)$/,
    below: 'models/$1:$2',
  },
];

export interface Route extends Pick<RouteRow, 'wire' | 'does'> {
  /** Path and query below the vendor's base address. Contains no text of the agent but a model. */
  below: string;
  /** The model, if the path names it. */
  model: string | null;
}

/** Compares the address as it was sent, without resolving dots or escapes. */
export function routeOf(method: string, address: string, wires: readonly Wire[]): Route | null {
  const [path = '', query = ''] = address.split('?');
  for (const row of ROUTES) {
    const found = row.method === method && wires.includes(row.wire) ? row.path.exec(path) : null;
    if (found === null) continue;
    const kept = row.query !== undefined && query.split('&').includes(row.query);
    const below = path.replace(row.path, row.below);
    const { wire, does } = row;
    return { wire, does, below: kept ? `${below}?${row.query}` : below, model: found[1] ?? null };
  }
  return null;
}

/** The protocol of an address that no route has, so that the refusal can be read. */
export function likelyWire(address: string): Wire {
  if (address.startsWith('/v1beta')) return 'gemini';
  return address.startsWith('/v1/messages') ? 'anthropic' : 'openai';
}

const ANTHROPIC_TYPES: Readonly<Record<number, string>> = {
  401: 'authentication_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  502: 'api_error',
};

const GEMINI_STATES: Readonly<Record<number, string>> = {
  401: 'UNAUTHENTICATED',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  502: 'UNAVAILABLE',
};

/** An error as the vendor would send it. */
export function errorBody(wire: Wire, status: number, message: string): string {
  if (wire === 'anthropic') {
    const type = ANTHROPIC_TYPES[status] ?? 'invalid_request_error';
    return JSON.stringify({ type: 'error', error: { type, message } });
  }
  if (wire === 'gemini') {
    const state = GEMINI_STATES[status] ?? 'INVALID_ARGUMENT';
    return JSON.stringify({ error: { code: status, message, status: state } });
  }
  const type = status === 502 ? 'server_error' : 'invalid_request_error';
  return JSON.stringify({ error: { message, type, param: null, code: null } });
}
