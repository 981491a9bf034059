import { AwsV4Signer } from 'aws4fetch';
import type { Signer } from './auth.ts';
import { CLOCK_ERROR_MS, loginFile, tokenIn, type CloudLogin } from './cloud-login.ts';
import { type IssuedToken, type TokenSource, renewedToken } from './credential.ts';
import { TransportError } from './fault.ts';

interface AwsKeys {
  id: string;
  secret: string;
  session: string;
  /** In milliseconds. */
  lives: number;
}

/** The token is the id of the access key. */
export function awsSource(login: CloudLogin, region: string): TokenSource {
  const known = new Map<string, AwsKeys>();
  const issue = async (): Promise<IssuedToken> => {
    const keys = await issuedKeys(login, region);
    login.register([keys.id, keys.secret, keys.session]);
    known.set(keys.id, keys);
    return { token: keys.id, lives: keys.lives };
  };
  return { ...renewedToken(issue, login.now), signer: awsSigner(login, region, known) };
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
        ...{ url, method, body, region, service: 'bedrock', datetime: at },
        ...{ accessKeyId: token, secretAccessKey: secret },
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
    return { id, secret, session: variables['AWS_SESSION_TOKEN'] ?? '', lives: Infinity };
  const role = variables['AWS_ROLE_ARN'];
  const file = variables['AWS_WEB_IDENTITY_TOKEN_FILE'];
  if (role && file)
    return await assumedRole(
      ...([login, region, role] as const),
      await tokenIn(login, file, 'AWS_WEB_IDENTITY_TOKEN_FILE'),
    );
  return await profileKeys(variables);
}

/** https://docs.aws.amazon.com/STS/latest/APIReference/API_AssumeRoleWithWebIdentity.html */
async function assumedRole(
  { post, now }: CloudLogin,
  region: string,
  RoleArn: string,
  WebIdentityToken: string,
): Promise<AwsKeys> {
  const { text, date } = await post(`https://sts.${region}.amazonaws.com/`, {
    Action: 'AssumeRoleWithWebIdentity',
    Version: '2011-06-15',
    RoleSessionName: 'evaldiff',
    RoleArn,
    WebIdentityToken,
  });
  const value = (name: string): string =>
    new RegExp(`<${name}>([^<]+)</${name}>`).exec(text)?.[1] ?? '';
  const lives = Date.parse(value('Expiration')) - (date ?? now());
  const [id, secret, session] = [
    ...[value('AccessKeyId'), value('SecretAccessKey'), value('SessionToken')],
  ] as const;
  if (id === '' || secret === '' || !(lives > 0)) throw new Error('no keys');
  return { id, secret, session, lives };
}

/** https://docs.aws.amazon.com/cli/latest/userguide/cli-configure-files.html */
async function profileKeys(variables: CloudLogin['variables']): Promise<AwsKeys> {
  const name = variables['AWS_PROFILE'] ?? '';
  const file = variables['AWS_SHARED_CREDENTIALS_FILE'] ?? '';
  const text = await loginFile(file, 'AWS_SHARED_CREDENTIALS_FILE');
  const sections = text.split(/^\s*\[/m).map((section) => section.split('\n'));
  const lines = sections.find(([head = '']) => head.trim() === `${name}]`) ?? [];
  const pairs = lines.map((line) => /^\s*(\w+)\s*=\s*(\S+)\s*$/.exec(line)?.slice(1) ?? []);
  const values = new Map(pairs.map(([key = '', value = '']) => [key, value]));
  const id = values.get('aws_access_key_id') ?? '';
  const secret = values.get('aws_secret_access_key') ?? '';
  if (id === '' || secret === '')
    throw new TransportError(
      'identity',
      `the profile ${name} has no access key in ${file}; run "aws configure export-credentials ` +
        '--format env" and set its variables',
    );
  return { id, secret, session: values.get('aws_session_token') ?? '', lives: Infinity };
}
