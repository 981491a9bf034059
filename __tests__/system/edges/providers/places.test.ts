import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { accessFrom } from '../../../../src/app/session/access.ts';
import { readEndpoints } from '../../../../src/config/endpoints.ts';
import { hostOf } from '../../../../src/edges/providers/address.ts';
import { createProviders } from '../../../../src/edges/providers/index.ts';
import { refusedIn } from '../../../../src/types/apis.ts';
import type { Request } from '../../../../src/types/model.ts';
import { passportOf } from '../../../../src/types/passports.ts';
import type { Json } from '../../../../src/types/plain.ts';
import { factsOf, isVendor, perVendor, vendorNames } from '../../../../src/types/vendors.ts';
import { afterThisTest } from '../../../stand-ins/after-test.ts';
import { startPlace } from '../../../stand-ins/models/place-server.ts';
import { FORBIDDEN, PLACES, type Place } from '../../../stand-ins/models/places.ts';
import {
  answerSchema,
  errorOf,
  KEY,
  options,
  requestTo,
  said,
  says,
} from '../../../unit/edges/providers/providers-setting.ts';

const CLOUD = {
  AWS_REGION: 'us-east-1',
  GOOGLE_CLOUD_PROJECT: 'p-1',
  AZURE_OPENAI_ENDPOINT: 'https://resource-1.openai.azure.com/',
};

const MODELS = readFileSync('docs/models.md', 'utf8');

/** Providers that reach a server as a vendor's host or by its line of `endpoints` in docs/models.md. */
async function at(place: Place, key = KEY) {
  const server = await startPlace(place, KEY);
  afterThisTest(server.close);
  const vendor = isVendor(place.name) ? place.name : null;
  const [, line = ''] =
    new RegExp(`^\\| ${place.name} +\\| \`(\\w+=.*?)\``, 'm').exec(MODELS) ?? [];
  const { endpoints, problems } = readEndpoints(
    vendor === null ? [line.replace(/https?:\/\/[^/\s]+/, server.origin)] : [],
  );
  expect(problems).toEqual([]);
  const env = Object.fromEntries(
    [...line.matchAll(/(?:key=|header=[\w-]+:)(\w+)/g)].map(([, name = '']) => [name, key]),
  );
  const keys = perVendor(() => key);
  const vendorUrls =
    vendor === null
      ? {}
      : { [vendor]: `${server.origin}${new URL(hostOf(vendor, { cloud: CLOUD })).pathname}` };
  const providers = createProviders(
    options({ ...accessFrom({ keys, endpoints, proxy: null }, env), vendorUrls }),
  );
  afterThisTest(providers.close);
  const provider = vendor ?? (place.api === 'messages' ? 'anthropic' : 'openai');
  const target = { provider, endpoint: endpoints[0]?.name ?? null, model: place.model };
  const ask = (changes: Partial<Request> & { model?: string } = {}) =>
    providers.complete(
      requestTo(provider, {
        target: { ...target, model: changes.model ?? place.model },
        ...changes,
      }),
    );
  return {
    server,
    ask,
    target,
    keyNames: vendor === null ? Object.keys(env) : [factsOf(vendor).keyVariable],
  };
}

const CASES = PLACES.map((place) => [`${place.name} (${place.model})`, place] as const);

describe('the tested model servers', () => {
  test('cover all vendors and every server in docs/models.md', () => {
    const names = [...new Set(PLACES.map(({ name }) => name))];
    expect(names.filter(isVendor).sort()).toEqual([...vendorNames()].sort());
    const rows = [...MODELS.matchAll(/^\| ([^|]+?) +\| `\w+=[^`]/gm)].map(([, label]) => label);
    expect(names.filter((name) => !isVendor(name)).sort()).toEqual(rows.sort());
  });

  test("use the hosts and headers in the vendors' documentation", () => {
    for (const { name, host, key } of PLACES.filter(({ host }) => host !== null)) {
      if (!isVendor(name)) throw new Error(name);
      expect([name, new URL(hostOf(name, { cloud: CLOUD })).host]).toEqual([name, host]);
      expect([name, factsOf(name).keyHeader]).toEqual([name, key?.header]);
    }
  });
});

describe.each(CASES)('the model server %s', (_name, place) => {
  const { sample, key } = place;

  test('answers prompts, and graders in a form that it allows', async () => {
    const { ask, server, target } = await at(place);
    const temperature = { parameters: { temperature: 0 } };
    const isKnown = passportOf(target) !== null;
    if (isKnown)
      expect(refusedIn(target, temperature.parameters).length === 0).toBe(place.temperature);
    expect(await ask(place.temperature ? temperature : {})).toMatchObject({ status: 'ok' });
    expect(server.refused).toEqual([]);
    const grading = { ...temperature, purpose: 'grader', schema: answerSchema } as const;
    expect(await ask(grading)).toMatchObject({ status: 'ok', ...said('{"choice":"B"}') });
    // Known models need no requests to discover their parameters, and others refuse only a form.
    const others = server.refused.filter((each) => !/format|output|tool_choice/.test(each));
    expect(isKnown ? server.refused : others).toEqual([]);
  });

  (sample === null ? test.skip : test)('is quoted when it refuses a parameter', async () => {
    const { ask, server } = await at(place);
    const parameters = parse(sample?.line ?? '') as Record<string, Json>;
    const { kind, message } = errorOf(await ask({ parameters }));
    expect([kind, message]).toEqual(['request', expect.stringContaining(sample?.words ?? '')]);
    expect(server.refused).toHaveLength(1);
  });

  (place.filter === undefined ? test.skip : test)(
    'still answers other prompts after filtering one',
    async () => {
      const { ask } = await at(place);
      const { kind, message } = errorOf(await ask({ messages: says(FORBIDDEN) }));
      const words = place.filter?.message ?? '';
      expect([kind, message]).toEqual(['filtered', expect.stringContaining(words)]);
      expect(await ask()).toMatchObject({ status: 'ok' });
    },
  );

  test('receives only one request for an unknown model, and every waiting call quotes its reply', async () => {
    const { ask, server } = await at(place);
    // The name decides which API is used.
    const model = place.api === 'responses' ? 'gpt-5.9-pro' : 'no-such-model';
    // If the address contains the model, an unknown model makes it a wrong address.
    const isInAddress = place.path.includes('/deployments/');
    const all = await Promise.all((isInAddress ? [1] : [1, 2, 3]).map(() => ask({ model })));
    expect(server.refused).toHaveLength(1);
    const words = isInAddress ? 'Resource not found' : place.unknownModel.message;
    for (const { kind, message } of all.map(errorOf))
      expect([kind, message]).toEqual(['request', expect.stringContaining(words)]);
    for (const waiting of all.slice(1)) expect(waiting).toMatchObject({ unsent: true });
  });

  (key === null ? test.skip : test)(
    'that refuses the key is asked once, and the message says where the key comes from',
    async () => {
      const { ask, server, keyNames } = await at(place, 'wrong-key-51fgTY7qqPPab90XYZ');
      const all = await Promise.all([1, 2, 3].map(() => ask()));
      expect(server.refused).toHaveLength(1);
      for (const { kind, message } of all.map(errorOf)) {
        expect(kind).toBe('key');
        expect(message).toMatch(/rejected the key|the key lacks permission/);
        expect(message).toContain(keyNames[0]);
      }
    },
  );
});
