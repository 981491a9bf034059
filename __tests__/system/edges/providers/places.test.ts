import { describe, expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { createProviders } from '../../../../src/edges/providers/index.ts';
import type { Json } from '../../../../src/types/plain.ts';
import type { VendorName } from '../../../../src/types/vendors/names.ts';
import { factsOf, isVendor, perVendor } from '../../../../src/types/vendors.ts';
import { afterThisTest } from '../../../stand-ins/after-test.ts';
import { startPlace, type PlaceServer } from '../../../stand-ins/models/place-server.ts';
import { FORBIDDEN, PLACES, type Place } from '../../../stand-ins/models/places.ts';
import {
  errorOf,
  KEY,
  options,
  requestTo,
  says,
} from '../../../unit/edges/providers/providers-setting.ts';

/** Providers that reach a server as a vendor's host or as a line of `endpoints`. */
async function at(place: Place, key = KEY) {
  const server = await startPlace(place, { key: KEY, say: () => 'Berlin' });
  afterThisTest(server.close);
  const vendor = isVendor(place.name) ? place.name : null;
  const access =
    vendor === null
      ? { endpoints: new Map([['there', endpointOf(place, server, key)]]) }
      : { vendorUrls: { [vendor]: `${server.origin}${new URL(factsOf(vendor).host).pathname}` } };
  const providers = createProviders(options({ keys: perVendor(() => key), ...access }));
  afterThisTest(providers.close);
  const provider: VendorName = vendor ?? (place.api === 'messages' ? 'anthropic' : 'openai');
  const endpoint = vendor === null ? 'there' : null;
  const ask = (model: string, parameters: Record<string, Json> = {}, question = 'hello') => {
    const target = { provider, endpoint, model };
    return providers.complete(
      requestTo(provider, { target, parameters, messages: says(question) }),
    );
  };
  return { server, ask };
}

/** The endpoint as a workflow's line defines it. */
function endpointOf({ path, key: asked }: Place, { origin }: PlaceServer, key: string) {
  const url = `${origin}${path.replace(/(\/deployments.*|\/chat\/completions.*|\/v1\/messages)$/, '')}`;
  const apiVersion = /api-version=(.+)$/.exec(path)?.[1] ?? null;
  const own = asked !== null && !['authorization', 'api-key', 'x-api-key'].includes(asked.header);
  return {
    url,
    apiVersion,
    key: asked === null || own ? null : key,
    keyEnv: asked === null || own ? null : 'THERE_KEY',
    headers: own ? [{ name: asked.header, env: 'THERE_KEY', value: key }] : [],
  };
}

const CASES = PLACES.map((place) => [`${place.name} (${place.model})`, place] as const);

describe.each(CASES)('the model server %s', (_name, place) => {
  const { sample, key } = place;

  (sample === null ? test.skip : test)('is quoted when it refuses a parameter', async () => {
    const { ask, server } = await at(place);
    const parameters = parse(sample?.line ?? '') as Record<string, Json>;
    const { kind, message } = errorOf(await ask(place.model, parameters));
    expect([kind, message]).toEqual(['request', expect.stringContaining(sample?.words ?? '')]);
    expect(server.refused).toHaveLength(1);
  });

  test('has its message quoted in the error if it does not have the model', async () => {
    const { ask } = await at(place);
    // The name decides which API is used.
    const model = place.api === 'responses' ? 'gpt-5.9-pro' : 'no-such-model';
    const { kind, message } = errorOf(await ask(model));
    // If the address contains the model, an unknown model makes it a wrong address.
    const words = place.path.includes('/deployments/')
      ? 'Resource not found'
      : place.unknownModel.message;
    expect([kind, message]).toEqual(['request', expect.stringContaining(words)]);
  });

  (place.filter === undefined ? test.skip : test)(
    'still answers other prompts after filtering one',
    async () => {
      const { ask } = await at(place);
      const { kind, message } = errorOf(await ask(place.model, {}, FORBIDDEN));
      const words = place.filter?.message ?? '';
      expect([kind, message]).toEqual(['filtered', expect.stringContaining(words)]);
      expect(await ask(place.model)).toMatchObject({ status: 'ok' });
    },
  );

  test('receives only one request for an unknown model, even if several calls wait', async () => {
    const { ask, server } = await at(place);
    const model = place.api === 'responses' ? 'gpt-5.9-pro' : 'no-such-model';
    if (place.path.includes('/deployments/')) return;
    const all = await Promise.all([ask(model), ask(model), ask(model)]);
    expect(server.refused).toHaveLength(1);
    for (const { message } of all.map(errorOf))
      expect(message).toContain(place.unknownModel.message);
    expect(all.slice(1)).toMatchObject([{ unsent: true }, { unsent: true }]);
  });

  (key === null ? test.skip : test)(
    'that refuses the key is asked once, and the message says where the key comes from',
    async () => {
      const { ask, server } = await at(place, 'wrong-key-51fgTY7qqPPab90XYZ');
      const all = await Promise.all([ask(place.model), ask(place.model), ask(place.model)]);
      expect(server.refused).toHaveLength(1);
      const source = isVendor(place.name) ? factsOf(place.name).keyVariable : 'THERE_KEY';
      for (const { kind, message } of all.map(errorOf)) {
        expect(kind).toBe('key');
        expect(message).toMatch(/rejected the key|the key lacks permission/);
        expect(message).toContain(source);
      }
    },
  );
});
