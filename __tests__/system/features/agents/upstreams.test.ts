import { openUpstreams } from '../../../../src/features/agents/gateway/upstreams.ts';
import { perVendor } from '../../../../src/types/vendors.ts';
import { ANTHROPIC, CHAT, type WireCase } from '../../../stand-ins/agents/wires.ts';
import { KEY } from '../../../unit/edges/providers/providers-setting.ts';
import { numbered, openRun, startGateway, startVendor, testCalls } from './gateway-setting.ts';

async function startTwo(wire: WireCase) {
  const [own, other] = [await startVendor(numbered(wire)), await startVendor(numbered(wire))];
  const endpoint = (url: string, key: string, apiVersion: string | null = null) => ({
    ...{ url, key, keyEnv: 'KEY_OF_IT', apiVersion },
  });
  const upstreams = openUpstreams({
    keys: perVendor((vendor) => (vendor === 'mistral' ? null : KEY)),
    endpoints: new Map([
      ['own', endpoint(own.url, 'key-of-the-first-endpoint')],
      ['other', endpoint(other.url, 'key-of-the-second-endpoint')],
      ['azure', endpoint('https://x.openai.azure.com/openai', 'k', '2025-01-01')],
    ]),
    ...testCalls(),
  });
  return { own, other, gateway: await startGateway(own, { upstreams }) };
}

describe('servers behind a gateway', () => {
  test('get only their own keys, and share no stored reply', async () => {
    const { own, other, gateway } = await startTwo(ANTHROPIC);
    for (const endpoint of ['own', 'other']) {
      const target = { provider: 'anthropic', endpoint, model: 'm-1' } as const;
      const { ask, end } = openRun(gateway, ANTHROPIC, { target });
      expect((await ask()).status).toBe(200);
      expect(end()).toMatchObject({ paid: 1 });
    }
    const keys = [own, other].map(({ requests }) =>
      requests.map(({ headers }) => headers['x-api-key']),
    );
    expect(keys).toEqual([['key-of-the-first-endpoint'], ['key-of-the-second-endpoint']]);
  });

  test.each([
    ['without a key', CHAT, { provider: 'mistral', endpoint: null }, 'No key for provider mistral'],
    ['that is not defined', CHAT, { provider: 'openai', endpoint: 'x' }, 'No endpoint is called'],
    [
      'without the interface of the agent',
      ANTHROPIC,
      { provider: 'openai', endpoint: null },
      'OpenAI has no anthropic interface',
    ],
    [
      'with models in its paths',
      CHAT,
      { provider: 'openai', endpoint: 'azure' },
      'agents need an Azure address',
    ],
  ] as const)('%s cause an error, and get no request', async (_, wire, place, said) => {
    const { own, gateway } = await startTwo(wire);
    const { ask, end } = openRun(gateway, wire, { target: { ...place, model: 'm-1' } });
    expect(await ask()).toMatchObject({ status: 400, text: expect.stringContaining(said) });
    expect(end()).toMatchObject({
      attempts: 0,
      refused: [{ why: 'upstream', kind: 'key', message: expect.stringContaining(said) }],
    });
    expect(own.requests).toEqual([]);
  });
});
