import { refusedContent } from '../../../../src/features/agents/gateway/grammar.ts';
import { routeOf } from '../../../../src/features/agents/gateway/routes.ts';
import { isPrivateHost, isPublicAddress } from '../../../../src/features/agents/suite/network.ts';
import type { JsonMap } from '../../../../src/types/plain.ts';
import { ANTHROPIC, CHAT, GEMINI, RESPONSES } from '../../../stand-ins/agents/wires.ts';
import { readFixture } from '../../../stand-ins/fixture.ts';

interface Granted {
  network?: 'off' | readonly string[];
  allow?: readonly string[];
}

function refused(path: string, body: JsonMap, { network = 'off', allow = [] }: Granted = {}) {
  const route = routeOf('POST', path, ['anthropic', 'openai', 'gemini']);
  if (route === null || route.does === 'count' || route.does === 'models') throw new Error(path);
  const call = { route, model: route.model ?? String(body['model']), body, sent: '', betas: '' };
  const { signal: gone } = new AbortController();
  return refusedContent({ ...call, gone, take: () => true }, { network, allow });
}

const APIS = { anthropic: ANTHROPIC, responses: RESPONSES, chat: CHAT, gemini: GEMINI };

interface Content {
  api: keyof typeof APIS;
  body: JsonMap;
}

const CONTENTS = readFixture('agents/request-contents.yaml') as {
  accepted: Content[];
  outside: (Content & { name: string })[];
  costly: (Content & { name: string })[];
};

describe('the grammar of model requests', () => {
  const recorded = readFixture('agents/requests.json') as Record<
    string,
    { path: string; body: JsonMap }
  >;

  test.each(Object.entries(recorded))('accepts a request of %s', (_, { path, body }) => {
    expect(refused(path, body)).toBeNull();
  });

  test.each(CONTENTS.accepted)('%# accepts what clients run themselves: %j', ({ api, body }) => {
    expect(refused(APIS[api].path, APIS[api].body('hello', body))).toBeNull();
  });

  test.each(CONTENTS.outside)('%# refuses what a vendor reaches or keeps: %j', (row) => {
    const { path, body } = APIS[row.api];
    const whole = body('hello', row.body);
    expect(refused(path, whole)).toContain(`add ${row.name} to \`workspace.network\``);
    expect(refused(path, whole, { network: ['example.com'], allow: [row.name] })).not.toBeNull();
    expect(refused(path, whole, { network: [row.name] })).toBeNull();
  });

  test.each(CONTENTS.costly)('%# refuses what costs more or is unknown: %j', (row) => {
    const { path, body } = APIS[row.api];
    const whole = body('hello', row.body);
    expect(refused(path, whole)).toContain(`write \`allow: [${row.name}]\` in the suite`);
    expect(refused(path, whole, { network: [row.name] })).not.toBeNull();
    expect(refused(path, whole, { allow: [row.name] })).toBeNull();
  });

  test('shows a long or hostile name in one short line', () => {
    const said = refused(CHAT.path, CHAT.body('hello', { [`a\n\u202e${'b'.repeat(1e6)}`]: 1 }));
    expect(said?.length).toBeLessThan(350);
    expect(said).not.toMatch(/[\n\u202e]/);
  });
});

describe('an address of network', () => {
  test.each([
    '127.0.0.1',
    '10.1.2.3',
    '172.16.0.1',
    '192.168.7.7',
    '169.254.169.254',
    '100.100.100.200',
    '0.0.0.0',
    '224.0.0.1',
    '255.255.255.255',
    '168.63.129.16',
    '192.0.0.192',
    '198.18.0.1',
    '::',
    '::1',
    '::ffff:127.0.0.1',
    '::ffff:7f00:1',
    '64:ff9b::7f00:1',
    '2002:7f00:1::',
    'fe80::1',
    'fc00::1',
    'fd00:ec2::254',
    'ff02::1',
    '2001:db8::1',
    'localhost',
    '',
  ])('is not public if it is %s', (address) => expect(isPublicAddress(address)).toBe(false));

  test.each(['1.1.1.1', '172.32.0.1', '100.128.0.1', '2606:4700::1111'])('may be %s', (address) =>
    expect(isPublicAddress(address)).toBe(true),
  );

  test.each([
    ...['localhost:80', 'LOCALHOST', 'a.localhost', '2130706433', '0x7f.1:443', '017700000001']
      .concat(['127.1', '0', '192.168.7.7:8080', '999.1.1.1'])
      .map((host): [string, boolean] => [host, true]),
    ...['registry.npmjs.org', 'example.com:8443', '1.1.1.1'].map((host): [string, boolean] => [
      host,
      false,
    ]),
  ])('is private by its text if it is %s: %s', (host, isPrivate) => {
    expect(isPrivateHost(host)).toBe(isPrivate);
  });
});
