import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import tls from 'node:tls';
import { jest } from '@jest/globals';
import { accessFrom, refuseModelKeys } from '../../../../src/app/session/access.ts';
import { readEndpoints } from '../../../../src/config/endpoints.ts';
import { readKeys } from '../../../../src/config/keys.ts';
import { missingKeys, secretsIn } from '../../../../src/edges/providers/address.ts';
import { createProviders } from '../../../../src/edges/providers/index.ts';
import type { VendorName } from '../../../../src/types/vendors/names.ts';
import { afterThisTest } from '../../../stand-ins/after-test.ts';
import {
  ACCOUNT,
  ISSUER,
  LASTING,
  PAIR,
  POOL,
  ROLE,
  startClouds,
} from '../../../stand-ins/clouds.ts';
import { REQUEST_TOKEN } from '../../../stand-ins/federation.ts';
import { temporaryFolder } from '../../../stand-ins/repository.ts';
import {
  options,
  requestTo,
  said,
  testClock,
} from '../../../unit/edges/providers/providers-setting.ts';

const authorities = tls.getCACertificates();
afterEach(() => {
  jest.restoreAllMocks();
  tls.setDefaultCACertificates(authorities);
});

const MODELS: Partial<Record<VendorName, string>> = {
  bedrock: 'us.anthropic.claude-sonnet-4-5-20250929-v1:0',
  vertex: 'publishers/google/models/gemini-3.5-flash',
  azure: 'our-deployment',
};

const PLACES = {
  AWS_REGION: 'us-east-1',
  GOOGLE_CLOUD_PROJECT: 'p-1',
  AZURE_OPENAI_ENDPOINT: 'https://resource-1.openai.azure.com/',
};

interface Given {
  keys?: string;
  /** A line of `endpoints`; calls go there. */
  endpoint?: string;
  env?: Record<string, string>;
  /** The file that `{file}` in the environment names. `PROOF …` is a token for that audience. */
  file?: string | object;
  exchange?: Parameters<typeof startClouds>[1];
  /** In milliseconds. */
  wrongBy?: number;
  /** Of the clouds' tokens, in seconds. */
  livesS?: number;
}

async function start(vendor: VendorName, given: Given) {
  const { keys, endpoint, env, file, exchange, wrongBy = 0, livesS } = given;
  const clock = testClock();
  jest.spyOn(Date, 'now').mockImplementation(() => clock.now());
  const clouds = await startClouds(() => clock.now() + wrongBy, exchange, livesS);
  tls.setDefaultCACertificates([...authorities, readFileSync(clouds.authority, 'utf8')]);
  const path = join(temporaryFolder('login'), 'file');
  const text = typeof file === 'object' ? JSON.stringify(file) : (file ?? '');
  const [, audience] = /^PROOF (.*)$/.exec(text) ?? [];
  writeFileSync(path, audience === undefined ? text : await clouds.prove(audience));
  const read = readKeys(keys?.split('\n') ?? [], () => '');
  expect(read.problems).toEqual([]);
  const set = Object.entries({ ...PLACES, ...env }).map(([name, value]) => [
    name,
    value.replace('{file}', path),
  ]);
  const { endpoints } = readEndpoints(endpoint === undefined ? [] : [endpoint]);
  const inputs = { ...read, endpoints, proxy: clouds.proxy };
  const access = accessFrom(inputs, Object.fromEntries(set) as NodeJS.ProcessEnv, clouds.prove);
  const registered: string[] = [];
  const providers = createProviders(
    options({ ...access, clock, register: (secrets) => registered.push(...secrets) }),
  );
  afterThisTest(providers.close);
  const [{ name = null } = {}] = endpoints;
  const target = { provider: vendor, endpoint: name, model: MODELS[vendor] ?? 'deployment' };
  const ask = () => providers.complete(requestTo(vendor, { target }));
  return { ...{ access, ask, clock, clouds, registered } };
}

const AWS = `bedrock=oidc:${ROLE} region=us-east-1`;
const GOOGLE = `vertex=oidc:${POOL} project=p-1`;
const AZURE = 'azure=oidc:client-1 tenant=tenant-1 resource=resource-1';

const { AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AZURE_CLIENT_SECRET } = LASTING;
const AWS_KEYS = { AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY };
const GOOGLE_FILE = { GOOGLE_APPLICATION_CREDENTIALS: '{file}' };
const ENTRA = { AZURE_CLIENT_ID: 'client-1', AZURE_TENANT_ID: 'tenant-1' };
const EXTERNAL = {
  type: 'external_account',
  audience: `//iam.googleapis.com/${POOL}`,
  credential_source: {
    url: `${ISSUER}&audience=${encodeURIComponent(`https://iam.googleapis.com/${POOL}`)}`,
    headers: { Authorization: `Bearer ${REQUEST_TOKEN}` },
    format: { type: 'json', subject_token_field_name: 'value' },
  },
};
const SERVICE_ACCOUNT = {
  type: 'service_account',
  client_email: ACCOUNT,
  private_key: PAIR.privateKey.export({ type: 'pkcs8', format: 'pem' }),
};

const WAYS: [name: string, vendor: VendorName, given: Given][] = [
  ["Bedrock by the job's identity", 'bedrock', { keys: AWS }],
  ['Bedrock by a key in the environment', 'bedrock', { env: AWS_KEYS }],
  [
    'Bedrock by a role and a token file',
    'bedrock',
    {
      env: { AWS_ROLE_ARN: ROLE, AWS_WEB_IDENTITY_TOKEN_FILE: '{file}' },
      file: 'PROOF sts.amazonaws.com',
    },
  ],
  [
    'Bedrock by a profile',
    'bedrock',
    {
      env: { AWS_PROFILE: 'evals', AWS_SHARED_CREDENTIALS_FILE: '{file}' },
      file: `[default]\naws_access_key_id = x\n[evals]\naws_access_key_id = ${AWS_ACCESS_KEY_ID}\naws_secret_access_key=${AWS_SECRET_ACCESS_KEY}\n`,
    },
  ],
  ["Vertex by the job's identity", 'vertex', { keys: GOOGLE }],
  ['Vertex by a service account', 'vertex', { keys: `${GOOGLE} service-account=${ACCOUNT}` }],
  ["Vertex by Google's login action", 'vertex', { env: GOOGLE_FILE, file: EXTERNAL }],
  ['Vertex by a key of a service account', 'vertex', { env: GOOGLE_FILE, file: SERVICE_ACCOUNT }],
  ["Azure by the job's identity", 'azure', { keys: AZURE }],
  [
    'Azure by a token file',
    'azure',
    {
      env: { ...ENTRA, AZURE_FEDERATED_TOKEN_FILE: '{file}' },
      file: 'PROOF api://AzureADTokenExchange',
    },
  ],
  ['Azure by a client secret', 'azure', { env: { ...ENTRA, AZURE_CLIENT_SECRET } }],
];

WAYS.push([
  "an endpoint by the job's identity",
  'openai',
  { keys: AZURE, endpoint: 'a=https://resource-1.openai.azure.com/openai/v1 auth=azure' },
]);

const IDENTITIES = WAYS.filter(([, , { keys }]) => keys !== undefined);

describe.each(WAYS)('%s', (_, vendor, given) => {
  test('answers, and every secret is registered', async () => {
    const { access, ask, clouds, registered } = await start(vendor, given);
    expect(await ask()).toMatchObject({ status: 'ok', ...said('ok') });
    const lasting = Object.values(LASTING).filter((each) => JSON.stringify(given).includes(each));
    const secrets = [...clouds.secrets(), ...lasting];
    expect([...registered, ...secretsIn(access)]).toEqual(expect.arrayContaining(secrets));
  });
});

describe.each(IDENTITIES)('%s', (_, vendor, given) => {
  test('is renewed after 80 % of its life, once for all calls', async () => {
    const { ask, clock, clouds } = await start(vendor, given);
    await ask();
    const { exchanges } = clouds.at;
    clock.expire(0.79 * 3_600_000);
    await ask();
    expect(clouds.at.exchanges).toBe(exchanges);
    clock.expire(0.02 * 3_600_000);
    // A renewal does not delay calls.
    for (let call = 0; call < 20; call += 1)
      expect(await Promise.all([ask(), ask()])).toMatchObject([{ status: 'ok' }, { status: 'ok' }]);
    expect(clouds.at.exchanges).toBe(2 * exchanges);
  });

  test('loses no answer, and asks for few tokens, although they live for seconds', async () => {
    const { ask, clock, clouds } = await start(vendor, { ...given, livesS: 10 });
    for (let call = 0; call < 20; call += 1) {
      expect(await Promise.all([ask(), ask()])).toMatchObject([{ status: 'ok' }, { status: 'ok' }]);
      clock.expire(1500);
    }
    expect(clouds.at.exchanges).toBeGreaterThan(2);
    expect(clouds.at.exchanges).toBeLessThan(8);
  });

  test('loses no answer if its token ends early', async () => {
    const { ask, clouds } = await start(vendor, given);
    await ask();
    clouds.revoke();
    expect(await ask()).toMatchObject({ status: 'ok' });
  });

  test('outlasts a token service that fails at first', async () => {
    const exchange = (at: number): [number, string] | null => (at < 2 ? [500, ''] : null);
    const { ask } = await start(vendor, { ...given, exchange });
    expect(await ask()).toMatchObject({ status: 'ok' });
  });

  test('uses the old token while a renewal fails', async () => {
    const { ask, clock } = await start(vendor, {
      ...given,
      exchange: (at) => (at > 0 ? [500, ''] : null),
    });
    await ask();
    clock.expire(0.98 * 3_600_000);
    expect(await ask()).toMatchObject({ status: 'ok' });
  });
});

test.each(WAYS.filter(([name]) => /Bedrock|service account$/.test(name)))(
  '%s works although the clock is wrong by 20 minutes',
  async (_, vendor, given) => {
    for (const wrongBy of [-1_200_000, 1_200_000]) {
      const { ask } = await start(vendor, { ...given, wrongBy });
      expect(await ask()).toMatchObject({ status: 'ok' });
    }
  },
);

const OTHER = 'audience=https://other.example';
test.each<[string, VendorName, Given, string]>([
  [
    'a role that may not be assumed',
    'bedrock',
    { keys: AWS.replace('evaldiff', 'other') },
    "Amazon Bedrock refused the job's identity (403): Not authorized to perform sts:AssumeRoleWithWebIdentity; the identity comes from the line bedrock=oidc:… of the input keys",
  ],
  [
    'a wrong audience at AWS',
    'bedrock',
    { keys: `${AWS} ${OTHER}` },
    '(400): Incorrect token audience',
  ],
  ['a wrong audience at Google', 'vertex', { keys: `${GOOGLE} ${OTHER}` }, '(400): The audience'],
  ['a wrong audience at Azure', 'azure', { keys: `${AZURE} ${OTHER}` }, '(401): AADSTS700212'],
  [
    'a wrong secret',
    'azure',
    { env: { ...ENTRA, AZURE_CLIENT_SECRET: 'wrong-secret-123' } },
    'Azure AI Foundry refused the credentials (401): AADSTS700212: audience; the credentials come from AZURE_CLIENT_ID, AZURE_TENANT_ID, AZURE_CLIENT_SECRET',
  ],
  [
    'a wrong key',
    'bedrock',
    { env: { ...AWS_KEYS, AWS_SECRET_ACCESS_KEY: 'wrong' } },
    'the server rejected the credentials: The request signature does not match.; the credentials come from AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY',
  ],
  [
    'a missing file',
    'vertex',
    { env: { GOOGLE_APPLICATION_CREDENTIALS: '/none' } },
    'the file of GOOGLE_APPLICATION_CREDENTIALS cannot be read (ENOENT)',
  ],
  [
    'a profile without a key',
    'bedrock',
    { env: { AWS_PROFILE: 'sso', AWS_SHARED_CREDENTIALS_FILE: '{file}' }, file: '[default]' },
    'the profile sso has no access key in ',
  ],
  [
    'a missing region',
    'bedrock',
    { env: { ...AWS_KEYS, AWS_REGION: '' } },
    'The region of provider bedrock is missing or invalid: set AWS_REGION',
  ],
  [
    'no credentials',
    'azure',
    {},
    'No key for provider azure: set AZURE_OPENAI_API_KEY, or AZURE_CLIENT_ID and AZURE_TENANT_ID and',
  ],
])('reports %s, without a request for every call', async (_, vendor, given, words) => {
  const { ask, clouds } = await start(vendor, given);
  const all = await Promise.all([ask(), ask(), ask()]);
  for (const each of all)
    expect(each).toMatchObject({ kind: 'key', message: expect.stringContaining(words) });
  expect(clouds.at.exchanges + clouds.at.calls).toBeLessThan(3);
});

test('code may have the keys of a cloud only if no model is of that cloud', () => {
  const access = accessFrom({ ...readKeys([], () => ''), endpoints: [], proxy: null }, AWS_KEYS);
  const names = ['AWS_SECRET_ACCESS_KEY'];
  const target = (provider: VendorName) => ({ provider, endpoint: null, model: 'm' });
  expect(refuseModelKeys('code-env', names, access, AWS_KEYS)).toEqual([]);
  const found = (vendor: VendorName) =>
    missingKeys([target(vendor)], access, names).map(({ message }) => message);
  const words = expect.stringContaining('code-env: AWS_SECRET_ACCESS_KEY is the key of a model');
  expect(found('bedrock')).toEqual(expect.arrayContaining([words]));
  expect(found('vertex')).not.toEqual(expect.arrayContaining([words]));
});
