import { createHash, createHmac, createVerify, generateKeyPairSync } from 'node:crypto';
import http, { type IncomingMessage, type RequestListener } from 'node:http';
import https from 'node:https';
import { afterThisTest, untilTestEnds } from './after-test.ts';
import { namedByOwnAuthority } from './certificate.ts';
import { REQUEST_TOKEN } from './federation.ts';
import { bodyOf, listen } from './loopback.ts';
import { tunnelProxy } from './tunnel-proxy.ts';

export const ROLE = 'arn:aws:iam::123456789012:role/evaldiff';
export const POOL = 'projects/7/locations/global/workloadIdentityPools/ci/providers/github';
export const ACCOUNT = 'evals@p-1.iam.gserviceaccount.com';
export const ISSUER = 'https://token.actions.githubusercontent.com/149/token?api-version=2.0';

const HOSTS = {
  bedrock: 'bedrock-runtime.us-east-1.amazonaws.com',
  sts: 'sts.us-east-1.amazonaws.com',
  vertex: 'aiplatform.googleapis.com',
  googleSts: 'sts.googleapis.com',
  googleOauth: 'oauth2.googleapis.com',
  iam: 'iamcredentials.googleapis.com',
  azure: 'resource-1.openai.azure.com',
  entra: 'login.microsoftonline.com',
  issuer: 'token.actions.githubusercontent.com',
};

/** The key of the service account. */
export const PAIR = generateKeyPairSync('rsa', { modulusLength: 2048 });

/** Lasting credentials, which the clouds know. */
export const LASTING = {
  AWS_ACCESS_KEY_ID: 'AKIAIOSFODNN7EXAMPLE',
  AWS_SECRET_ACCESS_KEY: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
  AZURE_CLIENT_SECRET: 'azure~client~secret~8Q1',
};

interface Held {
  secret: string;
  session: string;
  ends: number;
}

type Reply = [status: number, body: unknown, headers?: Record<string, string>];

/** Milliseconds that a signature or an assertion may be away from the server's time. */
const TOLERANCE_MS = 300_000;

const LIVES_S = 3600;

const hmac = (key: string | Buffer, text: string) =>
  createHmac('sha256', key).update(text).digest();
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

/** https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html */
function signatureOf({ headers, method, url = '' }: IncomingMessage, body: string, secret: string) {
  const [, scope = '', names = ''] =
    /Credential=[^/]+\/([^,]+), ?SignedHeaders=([^,]+)/.exec(headers.authorization ?? '') ?? [];
  const lines = names.split(';').map((name) => `${name}:${String(headers[name]).trim()}\n`);
  // Every service except S3 encodes the path twice.
  const path = url.split('/').map(encodeURIComponent).join('/');
  const request = [method, path, '', lines.join(''), names, sha256(body)].join('\n');
  const text = ['AWS4-HMAC-SHA256', headers['x-amz-date'], scope, sha256(request)].join('\n');
  const key = scope.split('/').reduce<string | Buffer>(hmac, `AWS4${secret}`);
  return hmac(key, text).toString('hex');
}

const claimsOf = (jwt: string) =>
  JSON.parse(Buffer.from(jwt.split('.')[1] ?? '', 'base64url').toString() || '{}') as Record<
    string,
    unknown
  >;

/**
 * Bedrock, Vertex AI and Azure with their token services and the runner's issuer, at their own host
 * names behind a proxy. `now`: their time. `exchange` scripts replies of the token services.
 * `livesS`: how long their tokens live, in seconds.
 */
export async function startClouds(
  now: () => number,
  exchange: (at: number) => Reply | null = () => null,
  livesS = LIVES_S,
) {
  const pair = namedByOwnAuthority(...Object.values(HOSTS));
  const { AWS_ACCESS_KEY_ID: id, AWS_SECRET_ACCESS_KEY: secret } = LASTING;
  const held = new Map<string, Held>([[id, { secret, session: '', ends: Infinity }]]);
  const proofs: string[] = [];
  const at = { exchanges: 0, calls: 0 };
  const prove = (aud: string): Promise<string> => {
    const claims = Buffer.from(JSON.stringify({ aud, jti: proofs.length })).toString('base64url');
    proofs.push(`eyJhbGciOiJSUzI1NiJ9.${claims}.c2lnbmF0dXJl`);
    return Promise.resolve(proofs.at(-1) ?? '');
  };
  const isProof = (proof = '', aud = '') =>
    proofs.includes(proof) && claimsOf(proof)['aud'] === aud;
  const issue = (name: string): string => {
    const token = `${name}-${String(held.size)}-c0ffee00c0ffee00`;
    const ends = now() + livesS * 1000;
    held.set(token, { secret: `${token}-secret`, session: `${token}-session`, ends });
    return token;
  };
  const bearer = (name: string): Reply => [
    200,
    { access_token: issue(name), token_type: 'Bearer', expires_in: livesS },
  ];
  const invalid = (error_description: string): Reply => [
    400,
    { error: 'invalid_grant', error_description },
  ];
  const isHeld = ({ headers: { authorization = '' } }: IncomingMessage, name: string) => {
    const token = authorization.replace(/^Bearer /, '');
    return token.startsWith(name) && (held.get(token)?.ends ?? 0) > now();
  };

  const tokens: Record<string, (form: Record<string, string>, request: IncomingMessage) => Reply> =
    {
      [HOSTS.sts](form, { headers }) {
        const fault = (status: number, code: string, message: string): Reply => [
          status,
          `<ErrorResponse><Error><Code>${code}</Code><Message>${message}</Message></Error></ErrorResponse>`,
        ];
        const { Action, Version, RoleArn, WebIdentityToken, RoleSessionName = '' } = form;
        if (Action !== 'AssumeRoleWithWebIdentity' || Version !== '2011-06-15')
          return fault(400, 'InvalidAction', 'unknown action');
        if (headers.authorization !== undefined || !/^[\w+=,.@-]{2,64}$/.test(RoleSessionName))
          return fault(400, 'ValidationError', 'not valid');
        if (!isProof(WebIdentityToken, 'sts.amazonaws.com'))
          return fault(400, 'InvalidIdentityToken', 'Incorrect token audience');
        if (RoleArn !== ROLE)
          return fault(
            403,
            'AccessDenied',
            'Not authorized to perform sts:AssumeRoleWithWebIdentity',
          );
        const token = issue('ASIA');
        const { secret = '', session = '', ends = 0 } = held.get(token) ?? {};
        const members = { AccessKeyId: token, SecretAccessKey: secret, SessionToken: session };
        const all = { ...members, Expiration: new Date(ends).toISOString() };
        const xml = Object.entries(all).map(([name, value]) => `<${name}>${value}</${name}>`);
        return [200, `<AssumeRoleWithWebIdentityResponse>${xml.join('')}`];
      },
      [HOSTS.googleSts]({ audience, subject_token, grant_type, scope }) {
        const isValid =
          grant_type === 'urn:ietf:params:oauth:grant-type:token-exchange' &&
          scope === 'https://www.googleapis.com/auth/cloud-platform' &&
          audience === `//iam.googleapis.com/${POOL}` &&
          isProof(subject_token, `https://iam.googleapis.com/${POOL}`);
        return isValid ? bearer('ya29.federated') : invalid('The audience does not match');
      },
      [HOSTS.googleOauth]({ assertion = '' }) {
        const { iss, aud, iat, exp } = claimsOf(assertion);
        const [text, signature = ''] = [...(/^(.*)\.(.*)$/.exec(assertion)?.slice(1) ?? [])];
        const isSigned = createVerify('RSA-SHA256')
          .update(text ?? '')
          .verify(PAIR.publicKey, signature, 'base64url');
        if (!isSigned || iss !== ACCOUNT || aud !== 'https://oauth2.googleapis.com/token')
          return invalid('Invalid JWT Signature.');
        const age = now() - Number(iat) * 1000;
        return Math.abs(age) > TOLERANCE_MS || Number(exp) - Number(iat) > LIVES_S
          ? invalid('Invalid JWT: Token must be a short-lived token and in a reasonable timeframe.')
          : bearer('ya29.account');
      },
      [HOSTS.entra]({ grant_type, client_id, scope, client_assertion, client_secret }, { url }) {
        const isKnown = url === '/tenant-1/oauth2/v2.0/token' && client_id === 'client-1';
        if (!isKnown || grant_type !== 'client_credentials')
          return invalid('AADSTS90002: not found');
        if (scope !== 'https://cognitiveservices.azure.com/.default')
          return invalid('AADSTS70011: scope');
        return client_secret === LASTING.AZURE_CLIENT_SECRET ||
          isProof(client_assertion, 'api://AzureADTokenExchange')
          ? bearer('entra')
          : [401, { error: 'invalid_client', error_description: 'AADSTS700212: audience' }];
      },
    };

  const completion = { choices: [{ message: { content: 'ok' }, finish_reason: 'stop' }] };
  const unauthorized: Reply = [401, { error: { message: 'expired' } }];
  const others: Record<string, (request: IncomingMessage, body: string) => Reply> = {
    [HOSTS.bedrock](request, body) {
      const { authorization = '', 'x-amz-date': date = '' } = request.headers;
      const refuse = (type: string, message: string): Reply => [
        403,
        { message },
        { 'x-amzn-errortype': `${type}:http://internal.amazon.com/` },
      ];
      const [, key = ''] = /^AWS4-HMAC-SHA256 Credential=([^/]+)\//.exec(authorization) ?? [];
      const { secret, session = '', ends = 0 } = held.get(key) ?? {};
      if (secret === undefined || session !== (request.headers['x-amz-security-token'] ?? ''))
        return refuse('UnrecognizedClientException', 'The security token included is invalid.');
      const [, signed] = /Signature=(\w+)$/.exec(authorization) ?? [];
      if (signatureOf(request, body, secret) !== signed)
        return refuse('InvalidSignatureException', 'The request signature does not match.');
      const [y, mo, d, h, mi, s] =
        String(date)
          .match(/^\d{4}|\d\d/g)
          ?.map(Number) ?? [];
      const time = Date.UTC(y ?? 0, (mo ?? 0) - 1, d, h, mi, s);
      if (Math.abs(time - now()) > TOLERANCE_MS)
        return refuse('InvalidSignatureException', `Signature expired: ${String(date)}`);
      if (ends <= now())
        return refuse('ExpiredTokenException', 'The security token included is expired');
      const message = { role: 'assistant', content: [{ text: 'ok' }] };
      const usage = { inputTokens: 1, outputTokens: 1, totalTokens: 2 };
      return [200, { output: { message }, stopReason: 'end_turn', usage }];
    },
    [HOSTS.vertex]: (request) => (isHeld(request, 'ya29') ? [200, completion] : unauthorized),
    [HOSTS.azure]: (request) => (isHeld(request, 'entra') ? [200, completion] : unauthorized),
    [HOSTS.iam](request, body) {
      const { scope } = JSON.parse(body) as { scope: string[] };
      const isValid = isHeld(request, 'ya29.federated') && scope.length === 1;
      const path = `/v1/projects/-/serviceAccounts/${encodeURIComponent(ACCOUNT)}:generateAccessToken`;
      if (!isValid || request.url !== path) return [403, { error: { message: 'no permission' } }];
      const expireTime = new Date(now() + livesS * 1000).toISOString();
      return [200, { accessToken: issue('ya29.impersonated'), expireTime }];
    },
  };

  const answer = async (request: IncomingMessage): Promise<Reply> => {
    const body = String(await bodyOf(request));
    const { host = '', authorization, 'content-type': type } = request.headers;
    if (host === HOSTS.issuer || host.startsWith('127.')) {
      const aud = new URL(request.url ?? '', ISSUER).searchParams.get('audience') ?? '';
      return authorization === `Bearer ${REQUEST_TOKEN}`
        ? [200, { value: await prove(aud) }]
        : [401, {}];
    }
    const token = tokens[host];
    if (token === undefined) {
      at.calls += host === HOSTS.iam ? 0 : 1;
      return others[host]?.(request, body) ?? [404, {}];
    }
    if (request.method !== 'POST' || type !== 'application/x-www-form-urlencoded') return [400, {}];
    const scripted = exchange(at.exchanges++);
    return scripted ?? token(Object.fromEntries(new URLSearchParams(body)), request);
  };
  const respond: RequestListener = (request, response) => {
    void answer(request).then(([status, body, headers]) => {
      const own = { date: new Date(now()).toUTCString(), 'content-type': 'application/json' };
      response.writeHead(status, { ...own, ...headers });
      response.end(typeof body === 'string' ? body : JSON.stringify(body));
    });
  };
  const { port } = await untilTestEnds(listen(https.createServer(pair, respond)));
  const runner = await untilTestEnds(listen(http.createServer(respond)));
  const sockets: (() => void)[] = [];
  const proxy = await untilTestEnds(listen(tunnelProxy(() => 200, sockets, port)));
  afterThisTest(() => sockets.forEach((close) => close()));
  return {
    at,
    prove,
    proxy: proxy.url,
    /** The issuer as the runner knows it. */
    issuer: `${runner.url}/149/token?api-version=2.0`,
    authority: pair.authority,
    /** Ends all tokens before their time. */
    revoke() {
      for (const each of held.values()) if (each.ends < Infinity) each.ends = 0;
    },
    secrets: () => [
      ...proofs,
      ...[...held].flatMap(([token, { secret, session }]) => {
        if (token === id) return [];
        return token.startsWith('ASIA') ? [token, secret, session] : token;
      }),
    ],
  };
}
