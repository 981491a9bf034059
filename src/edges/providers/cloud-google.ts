import { createSign } from 'node:crypto';
import { isMap, member, parsedJson } from '../../types/plain.ts';
import {
  CLOCK_ERROR_MS,
  bearerIn,
  loginFile,
  memberText,
  tokenIn,
  type CloudLogin,
} from './cloud-login.ts';
import type { IssuedToken } from './credential.ts';
import { TransportError } from './fault.ts';

const SCOPE = 'https://www.googleapis.com/auth/cloud-platform';

const TOKENS = 'https://oauth2.googleapis.com/token';

const VARIABLE = 'GOOGLE_APPLICATION_CREDENTIALS';

const LIVES_S = 3600;

/** https://cloud.google.com/docs/authentication/application-default-credentials */
export async function googleToken(login: CloudLogin): Promise<IssuedToken> {
  const { identity } = login;
  if (identity !== null) {
    const audience = `//iam.googleapis.com/${identity.id}`;
    return await exchanged(
      login,
      audience,
      await login.prove(),
      identity.options['service-account'],
    );
  }
  const file = parsedJson(await loginFile(login.variables[VARIABLE] ?? '', VARIABLE));
  const text = (name: string): string => memberText(file, name);
  switch (text('type')) {
    case 'service_account':
      return await signedIn(login, text('client_email'), text('private_key'));
    case 'authorized_user': {
      const [client_id, client_secret, refresh_token] = [
        ...[text('client_id'), text('client_secret'), text('refresh_token')],
      ] as const;
      login.register([client_secret, refresh_token]);
      const fields = { grant_type: 'refresh_token', client_id, client_secret, refresh_token };
      return bearerIn(await login.post(TOKENS, fields));
    }
    case 'external_account': {
      const [, account] =
        /\/serviceAccounts\/([^/]+):generateAccessToken$/.exec(
          text('service_account_impersonation_url'),
        ) ?? [];
      const subject = await subjectToken(login, member(file, 'credential_source'));
      return await exchanged(login, text('audience'), subject, account);
    }
    default:
      throw new TransportError('identity', `the file of ${VARIABLE} has an unknown type`);
  }
}

/** https://cloud.google.com/iam/docs/reference/sts/rest/v1/TopLevel/token */
async function exchanged(
  { post, register }: CloudLogin,
  audience: string,
  subject_token: string,
  account: string | undefined,
): Promise<IssuedToken> {
  const federated = bearerIn(
    await post('https://sts.googleapis.com/v1/token', {
      grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
      requested_token_type: 'urn:ietf:params:oauth:token-type:access_token',
      subject_token_type: 'urn:ietf:params:oauth:token-type:jwt',
      scope: SCOPE,
      audience,
      subject_token,
    }),
  );
  if (account === undefined) return federated;
  register([federated.token]);
  const { data } = await post(
    `https://iamcredentials.googleapis.com/v1/projects/-/serviceAccounts/${encodeURIComponent(account)}:generateAccessToken`,
    JSON.stringify({ scope: [SCOPE], lifetime: `${LIVES_S}s` }),
    { authorization: `Bearer ${federated.token}` },
  );
  return bearerIn({ data: { access_token: member(data, 'accessToken'), expires_in: LIVES_S } });
}

/** The login action names the runner's address and its headers. */
async function subjectToken(login: CloudLogin, source: unknown): Promise<string> {
  const { post, register } = login;
  const path = memberText(source, 'file');
  if (path !== '') return await tokenIn(login, path, VARIABLE);
  const headers = member(source, 'headers');
  const { data, text } = await post(
    memberText(source, 'url'),
    null,
    isMap(headers) ? (headers as Record<string, string>) : {},
  );
  const field = memberText(member(source, 'format'), 'subject_token_field_name');
  const token = field === '' ? text : memberText(data, field);
  register([token]);
  return token;
}

/** https://developers.google.com/identity/protocols/oauth2/service-account#authorizingrequests */
async function signedIn(
  { now, post, register }: CloudLogin,
  iss: string,
  key: string,
): Promise<IssuedToken> {
  register([key]);
  const signed = (at: number): ReturnType<CloudLogin['post']> => {
    const iat = Math.floor(at / 1000);
    const claims = { iss, scope: SCOPE, aud: TOKENS, iat, exp: iat + LIVES_S };
    const text = [{ alg: 'RS256', typ: 'JWT' }, claims]
      .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
      .join('.');
    const assertion = `${text}.${createSign('RSA-SHA256').update(text).sign(key, 'base64url')}`;
    register([assertion]);
    const grant_type = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
    return post(TOKENS, { grant_type, assertion });
  };
  const reply = await signed(now());
  const { date } = reply;
  const isLate = date !== null && Math.abs(date - now()) > CLOCK_ERROR_MS;
  return bearerIn(isLate && memberText(reply.data, 'error') !== '' ? await signed(date) : reply);
}
