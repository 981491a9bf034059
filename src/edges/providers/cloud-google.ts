import { createSign } from 'node:crypto';
import { member, parsedJson } from '../../types/plain.ts';
import {
  CLOCK_ERROR_MS,
  bearerIn,
  form,
  loginFile,
  memberText,
  type CloudLogin,
  type IssuedToken,
} from './cloud-login.ts';
import { TransportError } from './fault.ts';

const SCOPE = 'https://www.googleapis.com/auth/cloud-platform';

const TOKEN_SERVER = 'https://oauth2.googleapis.com/token';

const VARIABLE = 'GOOGLE_APPLICATION_CREDENTIALS';

const LIVES_S = 3600;

/** https://cloud.google.com/docs/authentication/application-default-credentials */
export async function googleToken(login: CloudLogin): Promise<IssuedToken> {
  const { identity } = login;
  if (identity !== null) {
    const audience = `//iam.googleapis.com/${identity.id}`;
    const account = identity.options['service-account'];
    return await exchanged(login, audience, await login.prove(), account);
  }
  const file = parsedJson(await loginFile(login, VARIABLE));
  const text = (name: string) => memberText(file, name);
  if (text('type') === 'service_account')
    return await signedIn(login, text('client_email'), text('private_key'));
  if (text('type') !== 'external_account')
    throw new TransportError(
      'identity',
      `the file of ${VARIABLE} has no service or external account; for your own login, set ` +
        'GOOGLE_OAUTH_ACCESS_TOKEN to the output of "gcloud auth print-access-token"',
    );
  const [, account] =
    /\/serviceAccounts\/([^/]+):generateAccessToken$/.exec(
      text('service_account_impersonation_url'),
    ) ?? [];
  const subject = await subjectToken(login, member(file, 'credential_source'));
  return await exchanged(login, text('audience'), subject, account);
}

/** https://cloud.google.com/iam/docs/reference/sts/rest/v1/TopLevel/token */
async function exchanged(
  { now, request, register }: CloudLogin,
  audience: string,
  subject_token: string,
  account: string | undefined,
): Promise<IssuedToken> {
  register([subject_token]);
  const fields = {
    grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
    requested_token_type: 'urn:ietf:params:oauth:token-type:access_token',
    subject_token_type: 'urn:ietf:params:oauth:token-type:jwt',
    scope: SCOPE,
    audience,
    subject_token,
  };
  const reply = await request('https://sts.googleapis.com/v1/token', form(fields));
  const federated = bearerIn(reply.data);
  if (account === undefined) return federated;
  register([federated.token]);
  const { data, date } = await request(
    `https://iamcredentials.googleapis.com/v1/projects/-/serviceAccounts/${encodeURIComponent(account)}:generateAccessToken`,
    {
      method: 'POST',
      headers: {
        authorization: `Bearer ${federated.token}`,
        'content-type': 'application/json',
      },
      body: JSON.stringify({ scope: [SCOPE], lifetime: `${LIVES_S}s` }),
    },
  );
  // An organization may grant less than it was asked for.
  const livesMs = Date.parse(memberText(data, 'expireTime')) - (date ?? now());
  return bearerIn({ access_token: member(data, 'accessToken'), expires_in: livesMs / 1000 });
}

/** The login action names the runner's address and its headers. */
async function subjectToken(login: CloudLogin, source: unknown): Promise<string> {
  const path = memberText(source, 'file');
  if (path !== '') return await loginFile(login, VARIABLE, path);
  const headers = (member(source, 'headers') ?? {}) as Record<string, string>;
  const { data, text } = await login.request(memberText(source, 'url'), { headers });
  const field = memberText(member(source, 'format'), 'subject_token_field_name');
  return field === '' ? text : memberText(data, field);
}

/** https://developers.google.com/identity/protocols/oauth2/service-account#authorizingrequests */
async function signedIn(
  { now, request, register }: CloudLogin,
  iss: string,
  key: string,
): Promise<IssuedToken> {
  register([key]);
  const signed = (at: number): ReturnType<CloudLogin['request']> => {
    const iat = Math.floor(at / 1000);
    const claims = { iss, scope: SCOPE, aud: TOKEN_SERVER, iat, exp: iat + LIVES_S };
    const text = [{ alg: 'RS256', typ: 'JWT' }, claims]
      .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
      .join('.');
    const assertion = `${text}.${createSign('RSA-SHA256').update(text).sign(key, 'base64url')}`;
    register([assertion]);
    const grant_type = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
    return request(TOKEN_SERVER, form({ grant_type, assertion }));
  };
  const reply = await signed(now());
  const { date, data } = reply;
  const isLate = date !== null && Math.abs(date - now()) > CLOCK_ERROR_MS;
  return bearerIn(isLate && member(data, 'error') ? (await signed(date)).data : data);
}
