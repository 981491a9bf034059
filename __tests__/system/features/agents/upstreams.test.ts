import { describe, expect, test } from '@jest/globals';
import { openUpstreams } from '../../../../src/features/agents/gateway/upstreams.ts';
import { perVendor } from '../../../../src/types/vendors.ts';
import { ANTHROPIC, CHAT, type WireCase } from '../../../stand-ins/agents/wires.ts';
import { KEY } from '../../../unit/edges/providers/providers-setting.ts';
import {
  ask,
  numbered,
  startGateway,
  startVendor,
  termsFor,
  testCalls,
} from './gateway-setting.ts';

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
      const ticket = gateway.open(termsFor(ANTHROPIC, { target }));
      expect((await ask(gateway, ANTHROPIC, ticket)).status).toBe(200);
      expect(ticket.end()).toMatchObject({ paid: 1 });
    }
    expect(own.requests.map(({ headers }) => headers['x-api-key'])).toEqual([
      'key-of-the-first-endpoint',
    ]);
    expect(other.requests.map(({ headers }) => headers['x-api-key'])).toEqual([
      'key-of-the-second-endpoint',
    ]);
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
    const ticket = gateway.open(termsFor(wire, { target: { ...place, model: 'm-1' } }));
    const got = await ask(gateway, wire, ticket);
    expect(got.status).toBe(400);
    expect(got.text).toContain(said);
    expect(ticket.end()).toMatchObject({
      attempts: 0,
      refused: [{ why: 'upstream', kind: 'key', message: expect.stringContaining(said) }],
    });
    expect(own.requests).toEqual([]);
  });
});
