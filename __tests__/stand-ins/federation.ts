import http from 'node:http';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import { isDeepStrictEqual } from 'node:util';
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

/** In a model's answer, the vendor replaces this by the token of the request. */
export const ECHO = 'ECHO_OF_THE_TOKEN';

type Vendor = 'openai' | 'anthropic';

const OPENAI = {
  grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
  subject_token_type: 'urn:ietf:params:oauth:token-type:jwt',
  identity_provider_id: 'idp_1',
  service_account_id: 'sa_1',
};

const ANTHROPIC = {
  grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer',
  federation_rule_id: 'fdrl_1',
  organization_id: 'org-1',
};

const BETA = 'oauth-2025-04-20';
const JSON_TYPE = { 'content-type': 'application/json' };

async function portOf(server: http.Server | https.Server): Promise<number> {
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  afterThisTest(() => {
    server.close();
    server.closeAllConnections();
  });
  return (server.address() as AddressInfo).port;
}

/**
 * The runner's issuer of identity tokens, and the two vendors at their own host names behind a
 * proxy. They refuse a wrong audience, id, header or content type and an expired token. `models`
 * answers the requests. The issuer repeats what it refuses. `firstLasts`: how many calls each vendor's first token lasts.
 * `list`: a vendor's list of models, which arrives before its first answer; `never`: it does not arrive.
 */
export async function startFederation(
  models: { url: string },
  key: string,
  exchange: (at: number, proof: string) => { status: number; body: object } | null = () => null,
  firstLasts = Infinity,
  list: (vendor: Vendor) => object | 'never' | null = () => null,
) {
  const pair = namedByOwnAuthority('api.openai.com', 'auth.openai.com', 'api.anthropic.com');
  const proofs: string[] = [];
  const tokens: Record<Vendor, { token: string; left: number }[]> = { openai: [], anthropic: [] };
  const listed: string[] = [];
  const lists = { openai: Promise.withResolvers<void>(), anthropic: Promise.withResolvers<void>() };
  let exchanges = 0;
  const issuer = http.createServer((request, response) => {
    const aud = new URL(request.url ?? '', 'http://runner').searchParams.get('audience');
    const claims = Buffer.from(JSON.stringify({ aud, jti: proofs.length })).toString('base64url');
    const value = `eyJhbGciOiJSUzI1NiJ9.${claims}.c2lnbmF0dXJl`;
    const isJob = request.headers.authorization === `Bearer ${REQUEST_TOKEN}`;
    if (isJob) proofs.push(value);
    const message = `${String(request.headers.authorization)} may not read ${String(request.url)}`;
    response.writeHead(isJob ? 200 : 401).end(JSON.stringify(isJob ? { value } : { message }));
  });
  const exchanged = (vendor: Vendor, { headers }: http.IncomingMessage, text: string) => {
    const { subject_token, assertion, ...body } = JSON.parse(text) as Record<string, string>;
    const proof = (vendor === 'openai' ? subject_token : assertion) ?? '';
    const scripted = exchange(exchanges++, proof);
    if (scripted !== null) return scripted;
    const claims = Buffer.from(proof.split('.')[1] ?? '', 'base64url').toString();
    const isBeta = headers['anthropic-beta'] === `${BETA},oidc-federation-2026-04-01`;
    const isTrusted =
      headers['content-type'] === 'application/json' &&
      proofs.includes(proof) &&
      (JSON.parse(claims) as { aud: string }).aud === VENDORS[vendor].federation.audience &&
      (vendor === 'openai' || isBeta) &&
      isDeepStrictEqual(body, vendor === 'openai' ? OPENAI : ANTHROPIC);
    if (!isTrusted)
      return { status: 400, body: { error: 'invalid_grant', error_description: 'not trusted' } };
    const token = `${vendor}-token-${String(exchanges)}-c0ffee00`;
    const left = tokens[vendor].length === 0 ? firstLasts : Infinity;
    tokens[vendor].push({ token, left });
    return { status: 200, body: { access_token: token, token_type: 'Bearer', expires_in: 3600 } };
  };
  const vendors = https.createServer(pair, (request, response) => {
    void bodyOf(request).then(async (bytes) => {
      const { headers, url = '' } = request;
      const vendor = headers.host?.includes('openai') === true ? 'openai' : 'anthropic';
      if (url.endsWith('/oauth/token')) {
        const { status, body } = exchanged(vendor, request, String(bytes));
        return void response.writeHead(status, JSON_TYPE).end(JSON.stringify(body));
      }
      const all = list(vendor);
      if (request.method === 'GET') {
        listed.push(`${String(headers.host)}${url} ${String(headers.authorization)}`);
        if (all === 'never') return;
        response.writeHead(all === null ? 404 : 200, JSON_TYPE).end(JSON.stringify(all));
        return lists[vendor].resolve();
      }
      if (all !== null && all !== 'never') await lists[vendor].promise;
      const used = tokens[vendor].find(({ token }) => headers.authorization === `Bearer ${token}`);
      const isBeta = headers['anthropic-beta'] === (vendor === 'openai' ? undefined : BETA);
      if (used === undefined || used.left-- <= 0 || !isBeta || 'x-api-key' in headers)
        return void response.writeHead(401, JSON_TYPE).end('{"error":{"message":"expired"}}');
      const own = vendor === 'openai' ? { authorization: `Bearer ${key}` } : { 'x-api-key': key };
      const version = { 'anthropic-version': String(headers['anthropic-version']) };
      const answer = await fetch(`${models.url}${url}`, {
        method: 'POST',
        headers: { ...JSON_TYPE, ...own, ...version },
        body: String(bytes),
      });
      const reply = (await answer.text()).replaceAll(ECHO, used.token);
      response.writeHead(answer.status, JSON_TYPE).end(reply);
    });
  });
  const sockets: (() => void)[] = [];
  const proxy = await portOf(tunnelProxy(() => 200, sockets, await portOf(vendors)));
  afterThisTest(() => sockets.forEach((close) => close()));
  const issuerUrl = `http://127.0.0.1:${String(await portOf(issuer))}${ISSUER_PATH}`;
  return {
    exchanges: () => exchanges,
    /** Requests for lists, with their tokens. */
    listed,
    secrets: () => [
      ...proofs,
      ...Object.values(tokens).flatMap((issued) => issued.map(({ token }) => token)),
      ...[REQUEST_TOKEN, ISSUER_PATH],
    ],
    inputs: { keys: IDENTITIES, proxy: `http://127.0.0.1:${String(proxy)}` },
    env: {
      NODE_EXTRA_CA_CERTS: pair.authority,
      ACTIONS_ID_TOKEN_REQUEST_TOKEN: REQUEST_TOKEN,
      ACTIONS_ID_TOKEN_REQUEST_URL: `${issuerUrl}?api-version=2.0`,
    },
  };
}
