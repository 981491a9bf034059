import http from 'node:http';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import { VENDORS } from '../../src/types/vendors.ts';
import { afterThisTest } from './after-test.ts';
import { namedByOwnAuthority } from './certificate.ts';
import { bodyOf } from './loopback.ts';
import { tunnelProxy } from './tunnel-proxy.ts';

export const REQUEST_TOKEN = 'runner-request-token-7d1f9e';
const ISSUER_PATH = '/149//idtoken/5b1c7a52-88d1/0f66-4e0d';

/** Lines of the input `keys` that the vendors trust. */
export const IDENTITIES =
  'openai=oidc:idp_1 service-account=sa_1\nanthropic=oidc:fdrl_1 organization=org-1';

type Vendor = 'openai' | 'anthropic';

interface Script {
  /** Replaces the vendor's reply to an exchange. */
  exchange?: (vendor: Vendor, index: number) => { status: number; body: object } | null;
  /** How many calls each vendor's first token lasts, whatever its `expires_in` says. */
  firstLasts?: number;
}

const EXCHANGES: Record<Vendor, { body: object; proof: string; headers: object }> = {
  openai: {
    body: {
      grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
      subject_token_type: 'urn:ietf:params:oauth:token-type:jwt',
      identity_provider_id: 'idp_1',
      service_account_id: 'sa_1',
    },
    proof: 'subject_token',
    headers: {},
  },
  anthropic: {
    body: {
      grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer',
      federation_rule_id: 'fdrl_1',
      organization_id: 'org-1',
    },
    proof: 'assertion',
    headers: { 'anthropic-beta': 'oauth-2025-04-20,oidc-federation-2026-04-01' },
  },
};

/**
 * The runner's issuer of identity tokens, and the two vendors at their own host names behind a
 * proxy. They refuse a wrong audience, id, header or content type and an expired token.
 */
export async function startFederation(
  answerAt: (vendor: Vendor) => { url: string; headers: Record<string, string> },
  { exchange = () => null, firstLasts = Infinity }: Script = {},
) {
  const hosts = ['api.openai.com', 'auth.openai.com', 'api.anthropic.com'];
  const pair = namedByOwnAuthority(...hosts);
  const issued: string[] = [];
  const uses = new Map<string, number>();
  const exchanges: Vendor[] = [];
  const issuer = http.createServer((request, response) => {
    const audience = new URL(request.url ?? '', 'http://runner').searchParams.get('audience');
    const isJob = request.headers.authorization === `Bearer ${REQUEST_TOKEN}`;
    const claims = { aud: audience, exp: Date.now() / 1000 + 300, jti: issued.length };
    const parts = [{ alg: 'RS256' }, claims, { signed: 'by the issuer' }].map((part) =>
      Buffer.from(JSON.stringify(part)).toString('base64url'),
    );
    if (isJob) issued.push(parts.join('.'));
    response.writeHead(isJob ? 200 : 401).end(JSON.stringify({ value: parts.join('.') }));
  });
  const exchanged = (vendor: Vendor, request: http.IncomingMessage, text: string) => {
    const scripted = exchange(vendor, exchanges.push(vendor) - 1);
    if (scripted !== null) return scripted;
    const expected = EXCHANGES[vendor];
    const { [expected.proof]: proof = '', ...body } = JSON.parse(text) as Record<string, string>;
    const claims = JSON.parse(Buffer.from(proof.split('.')[1] ?? '', 'base64url').toString()) as {
      aud: string;
    };
    const flaw =
      request.headers['content-type'] !== 'application/json'
        ? 'unsupported content type'
        : claims.aud !== VENDORS[vendor].federation.audience || !issued.includes(proof)
          ? `audience ${claims.aud} is not trusted`
          : JSON.stringify(body) !== JSON.stringify(ordered(body, expected.body)) ||
              Object.entries(expected.headers).some(
                ([name, value]) => request.headers[name] !== value,
              )
            ? 'invalid request'
            : null;
    if (flaw !== null)
      return { status: 400, body: { error: 'invalid_grant', error_description: flaw } };
    const token = `${vendor}-token-${String(exchanges.length)}-c0ffee00`;
    uses.set(token, 0);
    return { status: 200, body: { access_token: token, token_type: 'Bearer', expires_in: 3600 } };
  };
  const vendors = https.createServer(pair, (request, response) => {
    void bodyOf(request).then(async (text) => {
      const host = request.headers.host ?? '';
      const vendor = host.includes('openai') ? 'openai' : 'anthropic';
      if (request.url?.endsWith('/oauth/token') === true) {
        const { status, body } = exchanged(vendor, request, String(text));
        return void response.writeHead(status, JSON_TYPE).end(JSON.stringify(body));
      }
      const token = request.headers.authorization?.replace('Bearer ', '') ?? '';
      const isFirst = [...uses.keys()].find((each) => each.startsWith(vendor)) === token;
      const used = uses.get(token) ?? Infinity;
      uses.set(token, used + 1);
      const beta = vendor === 'openai' || request.headers['anthropic-beta'] === 'oauth-2025-04-20';
      if (
        (used >= firstLasts && isFirst) ||
        used === Infinity ||
        !beta ||
        request.headers['x-api-key'] !== undefined
      )
        return void response.writeHead(401, JSON_TYPE).end('{"error":{"message":"expired"}}');
      const { url, headers } = answerAt(vendor);
      const type = { 'content-type': request.headers['content-type'] ?? '' };
      const version = { 'anthropic-version': String(request.headers['anthropic-version']) };
      const answer = await fetch(`${url}${request.url ?? ''}`, {
        method: 'POST',
        headers: { ...type, ...(vendor === 'anthropic' ? version : {}), ...headers },
        body: String(text),
      });
      response.writeHead(answer.status, JSON_TYPE).end(await answer.text());
    });
  });
  const closing: (() => void)[] = [];
  const ports = await Promise.all(
    [issuer, vendors].map(async (server) => {
      await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
      afterThisTest(() => server.closeAllConnections());
      afterThisTest(() => void server.close());
      return (server.address() as AddressInfo).port;
    }),
  );
  const proxy = tunnelProxy(() => 200, closing, ports[1]);
  await new Promise<void>((done) => proxy.listen(0, '127.0.0.1', done));
  afterThisTest(() => closing.forEach((close) => close()));
  afterThisTest(() => void proxy.close());
  return {
    exchanges,
    secrets: () => [...issued, ...uses.keys(), REQUEST_TOKEN, ISSUER_PATH],
    inputs: {
      keys: IDENTITIES,
      proxy: `http://127.0.0.1:${String((proxy.address() as AddressInfo).port)}`,
    },
    env: {
      NODE_EXTRA_CA_CERTS: pair.authority,
      ACTIONS_ID_TOKEN_REQUEST_TOKEN: REQUEST_TOKEN,
      ACTIONS_ID_TOKEN_REQUEST_URL: `http://127.0.0.1:${String(ports[0])}${ISSUER_PATH}?api-version=2.0`,
    },
  };
}

const JSON_TYPE = { 'content-type': 'application/json' };

function ordered(body: object, expected: object): object {
  return Object.fromEntries(
    Object.keys(body).map((name) => [name, (expected as Record<string, unknown>)[name]]),
  );
}
