import { homedir } from 'node:os';
import { join } from 'node:path';
import { AwsV4Signer } from 'aws4fetch';
import type { Signer } from './auth.ts';
import {
  CLOCK_ERROR_MS,
  form,
  loginFile,
  type CloudLogin,
  type IssuedToken,
} from './cloud-login.ts';
import { TransportError } from './fault.ts';

interface AwsKeys {
  id: string;
  secret: string;
  session: string;
  expiresAt: IssuedToken['expiresAt'];
}

/** The token is the id of the access key. */
export function awsLogin(login: CloudLogin, region: string) {
  const known = new Map<string, AwsKeys>();
  return {
    async issue(): Promise<IssuedToken> {
      const { id, secret, session, expiresAt } = await issuedKeys(login, region);
      login.register([id, secret, session]);
      known.set(id, { id, secret, session, expiresAt });
      return { token: id, expiresAt };
    },
    signer: awsSigner(login, region, known),
  };
}

const REFUSED_TOKEN = /^(ExpiredToken|UnrecognizedClient|InvalidClientTokenId)/;

const REFUSED_TIME =
  /^(InvalidSignature|SignatureDoesNotMatch|RequestExpired|RequestTimeTooSkewed)/;

function awsSigner(
  { now }: CloudLogin,
  region: string,
  known: ReadonlyMap<string, AwsKeys>,
): Signer {
  let offset = 0;
  return {
    async sign(token, { url, method, body }) {
      const { secret = '', session = '' } = known.get(token) ?? {};
      const at = new Date(now() + offset).toISOString().replace(/[:-]|\.\d{3}/g, '');
      const { headers } = await new AwsV4Signer({
        url,
        method,
        body,
        region,
        service: 'bedrock',
        datetime: at,
        accessKeyId: token,
        secretAccessKey: secret,
        ...(session !== '' && { sessionToken: session }),
      }).sign();
      return Object.fromEntries([...headers].filter(([name]) => name !== 'host'));
    },
    refused(response) {
      if (response.status !== 403) return null;
      const type = response.headers.get('x-amzn-errortype') ?? '';
      const right = Date.parse(response.headers.get('date') ?? '') - now();
      if (REFUSED_TIME.test(type) && Math.abs(right - offset) > CLOCK_ERROR_MS) {
        offset = right;
        return 'time';
      }
      return REFUSED_TOKEN.test(type) ? 'token' : null;
    },
  };
}

async function issuedKeys(login: CloudLogin, region: string): Promise<AwsKeys> {
  const { identity, variables, prove } = login;
  if (identity !== null) return await assumedRole(login, region, identity.id, await prove());
  const id = variables['AWS_ACCESS_KEY_ID'];
  const secret = variables['AWS_SECRET_ACCESS_KEY'];
  if (id && secret)
    return { id, secret, session: variables['AWS_SESSION_TOKEN'] ?? '', expiresAt: null };
  const role = variables['AWS_ROLE_ARN'];
  const file = 'AWS_WEB_IDENTITY_TOKEN_FILE';
  if (role && variables[file])
    return await assumedRole(login, region, role, await loginFile(login, file));
  return await profileKeys(login);
}

/** https://docs.aws.amazon.com/STS/latest/APIReference/API_AssumeRoleWithWebIdentity.html */
async function assumedRole(
  { request, register, now }: CloudLogin,
  region: string,
  RoleArn: string,
  WebIdentityToken: string,
): Promise<AwsKeys> {
  register([WebIdentityToken]);
  const Action = 'AssumeRoleWithWebIdentity';
  const Version = '2011-06-15';
  const fields = { Action, Version, RoleSessionName: 'evaldiff', RoleArn, WebIdentityToken };
  const { text, date } = await request(`https://sts.${region}.amazonaws.com/`, form(fields));
  const value = (name: string) => new RegExp(`<${name}>([^<]+)`).exec(text)?.[1] ?? '';
  const id = value('AccessKeyId');
  const secret = value('SecretAccessKey');
  const lives = Date.parse(value('Expiration')) - (date ?? now());
  if (id === '' || secret === '' || Number.isNaN(lives)) throw new Error('no keys');
  const expiresAt = (Date.now() + lives) / 1000;
  return { id, secret, session: value('SessionToken'), expiresAt };
}

/** https://docs.aws.amazon.com/cli/latest/userguide/cli-configure-files.html */
async function profileKeys(login: CloudLogin): Promise<AwsKeys> {
  const { AWS_PROFILE: name, AWS_SHARED_CREDENTIALS_FILE: given } = login.variables;
  const file = given ?? join(homedir(), '.aws', 'credentials');
  const text = await loginFile(login, 'AWS_SHARED_CREDENTIALS_FILE', file);
  const section = text.split(/^\[/m).find((each) => each.startsWith(`${name ?? ''}]`)) ?? '';
  const value = (key: string) => new RegExp(`^${key}\\s*=\\s*(\\S+)`, 'm').exec(section)?.[1] ?? '';
  const id = value('aws_access_key_id');
  const secret = value('aws_secret_access_key');
  if (id === '' || secret === '')
    throw new TransportError(
      'identity',
      `the profile ${name ?? ''} has no access key in ${file}; run "aws configure ` +
        'export-credentials --format env" and set its variables',
    );
  return { id, secret, session: value('aws_session_token'), expiresAt: null };
}
