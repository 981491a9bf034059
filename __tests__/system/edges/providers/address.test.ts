import { addressOf, type ProviderAccess } from '../../../../src/edges/providers/address.ts';
import { createProviders } from '../../../../src/edges/providers/index.ts';
import { UserError } from '../../../../src/errors.ts';
import type { Target } from '../../../../src/types/model.ts';
import type { VendorName } from '../../../../src/types/vendors/names.ts';
import { perVendor } from '../../../../src/types/vendors.ts';
import { options } from '../../../unit/edges/providers/providers-setting.ts';

const access: ProviderAccess = {
  keys: { ...perVendor(() => null), openai: 'key-o', anthropic: 'key-a' },
  endpoints: new Map(),
};
const problems = (url: string) => {
  try {
    createProviders(options({ endpoints: new Map([['local', { url, key: 'k' }]]) }));
    return [];
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    return error.problems.map(({ place, message }) => (place === null ? message : 'has a place'));
  }
};

const INSECURE = 'must be https, or http on a loopback address;';
const UNSENT = ' no request was sent.';

describe('server addresses and keys', () => {
  test("the vendor's key is sent to the vendor's public host unless the workflow names another host", () => {
    expect(addressOf({ provider: 'openai', endpoint: null }, access)).toMatchObject({
      base: new URL('https://api.openai.com/v1'),
      key: 'key-o',
    });
    expect(addressOf({ provider: 'anthropic', endpoint: null }, access)).toMatchObject({
      base: new URL('https://api.anthropic.com'),
      key: 'key-a',
    });
  });

  test.each([
    'https://models.example/v1',
    'http://127.0.0.1:8080/v1',
    'http://127.1.2.3',
    'http://localhost:11434/v1',
    'http://[::1]:80/',
  ])('the address %s is accepted', (url) => expect(problems(url)).toEqual([]));

  test.each([
    ['http://models.example/v1', `http://models.example ${INSECURE}${UNSENT}`],
    ['http://localhost.example/', `http://localhost.example ${INSECURE}${UNSENT}`],
    [
      'http://10.0.0.1',
      `http://10.0.0.1 ${INSECURE} if it is a service of the job, add "insecure" to its line;${UNSENT}`,
    ],
    ['file:///etc/passwd', `null ${INSECURE}${UNSENT}`],
    [
      'https://user:secret@models.example',
      'the address contains a user name or password. Put the key into an environment variable, and name that (key=NAME_OF_A_VARIABLE).',
    ],
    ['models.example/v1', '"models.example/v1" is not a web address; write https://host/path.'],
    ['', '"" is not a web address; write https://host/path.'],
  ])('the address %s is rejected before any request', (url, message) => {
    expect(problems(url)).toEqual([`Endpoint local: ${message}`]);
  });

  test('problems of all addresses are reported together', () => {
    const endpoints = new Map([
      ['a', { url: 'x', key: null }],
      ['b', { url: 'http://b.example', key: null }],
    ]);
    const given = options({ endpoints, vendorUrls: { openai: 'ftp://o' } });
    expect(() => createProviders(given)).toThrow(
      /The address of openai.*\nEndpoint a.*\nEndpoint b/,
    );
  });

  test('an undefined endpoint is a problem that shows the line to add', () => {
    const target: Target = { provider: 'openai', endpoint: 'local', model: 'm' };
    const { missingKeys } = createProviders(options());
    expect(missingKeys([target])).toEqual([
      {
        place: null,
        message:
          'No endpoint is called "local": add the line "local=https://... key=NAME_OF_A_VARIABLE" to the input endpoints (in a terminal: --endpoint, or a line of EVALDIFF_ENDPOINTS).',
      },
    ]);
  });

  test('an endpoint whose variable is empty is a problem, unless it needs no key', () => {
    const of = (keyEnv: string | null) =>
      addressOf(
        { provider: 'openai', endpoint: 'local' },
        {
          ...access,
          endpoints: new Map([['local', { url: 'https://models.example/v1', key: null, keyEnv }]]),
        },
      );
    expect(of('LOCAL_KEY')).toMatchObject({
      message: expect.stringContaining('the environment variable LOCAL_KEY is not set'),
    });
    expect(of(null)).toMatchObject({ base: new URL('https://models.example/v1'), key: null });
  });

  test.each(['two\nlines', 'a\u0000b', 'schlüssel'])(
    "a key that is invalid in a header is a problem that names only the key's variable: %j",
    (key) => {
      const endpoints = new Map([
        ['local', { url: 'https://models.example/v1', key, keyEnv: 'LOCAL_KEY' }],
      ]);
      const given = { ...access, keys: perVendor(() => key), endpoints };
      for (const [endpoint, variable] of [
        ['local', 'LOCAL_KEY'],
        [null, 'OPENAI_API_KEY'],
      ] as const) {
        const found = addressOf({ provider: 'openai', endpoint }, given);
        const message = 'message' in found ? found.message : '';
        expect(message).toContain('that is not allowed in a header');
        expect(message).toContain(variable);
        expect(message).not.toContain(key);
      }
    },
  );

  test('an endpoint with a header that duplicates its key is a problem', () => {
    const header = (name: string) => ({ name, env: 'V', value: 'v' });
    const of = (provider: VendorName, name: string, apiVersion: string | null = null) => {
      const gate = {
        url: 'https://gate.example/v1',
        key: 'k',
        headers: [header(name)],
        apiVersion,
      };
      const endpoints = new Map([['gate', gate]]);
      return addressOf({ provider, endpoint: 'gate' }, { ...access, endpoints });
    };
    for (const found of [
      of('openai', 'authorization'),
      of('anthropic', 'x-api-key'),
      of('openai', 'api-key', '2024-10-21'),
    ])
      expect(found).toMatchObject({ message: expect.stringContaining('remove one of them') });
    expect(of('anthropic', 'authorization')).toMatchObject({ key: 'k' });
  });

  test('programs and recordings need no key', () => {
    const { missingKeys } = createProviders(options({ keys: perVendor(() => null) }));
    expect(
      missingKeys([
        { provider: 'program', model: 'm', command: ['x'], setup: [], files: '', commit: 'c' },
        { provider: 'replay', model: 'm', file: 'f', content: '1', commit: 'c' },
      ]),
    ).toEqual([]);
  });
});
