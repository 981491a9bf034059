import type { AskedModel } from '../../../types/model.ts';
import { factsOf } from '../../../types/vendors.ts';
import type { Wire } from '../rows/agent-row.ts';

export type Protocol = 'messages' | 'responses' | 'chat' | 'generate';

/** The only requests that an agent may send. */
const WIRE_ROUTES: readonly { wire: Wire; does: WireRoute['does']; at: RegExp }[] = [
  { wire: 'anthropic', does: 'messages', at: /^POST \/v1\/messages$/ },
  { wire: 'anthropic', does: 'count', at: /^POST \/v1\/messages\/count_tokens$/ },
  { wire: 'openai', does: 'responses', at: /^POST \/v1\/responses$/ },
  { wire: 'openai', does: 'chat', at: /^POST \/v1\/chat\/completions$/ },
  { wire: 'openai', does: 'models', at: /^GET \/v1\/models$/ },
  {
    wire: 'gemini',
    does: 'generate',
    at: /^POST \/v1beta\/models\/(\w[\w.-]*):(?:generate|streamGenerate)Content$/,
  },
  { wire: 'gemini', does: 'count', at: /^POST \/v1beta\/models\/(\w[\w.-]*):countTokens$/ },
];

/** `prefix`: part of the vendor's base URL. `query`: the only query string that is forwarded. */
const ADDRESSES: Readonly<Record<Wire, { prefix: string; query: string | null }>> = {
  anthropic: { prefix: '/', query: 'beta=true' },
  openai: { prefix: '/v1/', query: null },
  gemini: { prefix: '/v1beta/', query: 'alt=sse' },
};

interface WireAddress {
  wire: Wire;
  below: string;
  model: string | null;
}

export type ModelRoute = WireAddress & { does: Protocol };

/** The gateway itself answers `count` (of tokens) and `models`. */
export type WireRoute =
  ModelRoute | (WireAddress & { does: 'count' }) | (WireAddress & { does: 'models' });

/** Matches the path as the agent sent it, without resolving dots or escapes. */
export function routeOf(method: string, address: string, wires: readonly Wire[]): WireRoute | null {
  const [path = '', query = ''] = address.split('?');
  for (const { wire, does, at } of WIRE_ROUTES) {
    const found = wires.includes(wire) ? at.exec(`${method} ${path}`) : null;
    if (found === null) continue;
    const known = ADDRESSES[wire];
    const isKept = known.query !== null && query.split('&').includes(known.query);
    const below = path.slice(known.prefix.length) + (isKept ? `?${known.query}` : '');
    return { wire, does, below, model: found[1] ?? null };
  }
  return null;
}

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

/** Allows any API at a custom endpoint, because its APIs are unknown. */
export function speaksWire({ provider, endpoint }: AskedModel, wire: Wire): boolean {
  if (endpoint !== null || wire === provider) return true;
  return wire === 'openai' && factsOf(provider).speaks === 'openai';
}
