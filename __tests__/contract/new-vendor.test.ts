import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { vendors } from '../../src/providers/vendors/index.ts';
import { openai } from '../../src/providers/vendors/openai.ts';
import { VENDORS, type VendorFacts, type VendorName } from '../../src/types/vendors.ts';
import { startModelServer, type ModelServer } from '../stand-ins/models/server.ts';

/** A vendor that speaks like OpenAI, under names of its own. */
const facts: VendorFacts = {
  label: 'Acme',
  host: 'https://models.acme.example/v1',
  keyInput: 'acme-api-key',
  keyVariable: 'ACME_API_KEY',
  baseUrlVariable: 'ACME_BASE_URL',
  models: /^acme-/,
  starterModel: 'acme-1',
  priceId: 'openai',
  embeddings: false,
  batchShare: null,
};
const acme = 'acme' as VendorName;

/** Everything that follows from the two tables, loaded once they have the row. */
async function load() {
  Object.assign(VENDORS, { acme: facts });
  Object.assign(vendors, {
    acme: { ...openai, name: acme, facts, embeddings: null, batches: null },
  });
  const [providers, setting, tree, targets, access, init, inputs, prices] = await Promise.all([
    import('../../src/providers/index.ts'),
    import('../unit/providers/providers-setting.ts'),
    import('../unit/config/tree.ts'),
    import('../../src/select/targets.ts'),
    import('../../src/session/access.ts'),
    import('../../src/commands/init.ts'),
    import('../../src/config/inputs.ts'),
    import('../../src/session/prices.ts'),
  ]);
  return {
    ...providers,
    ...setting,
    ...tree,
    ...targets,
    ...access,
    ...init,
    ...inputs,
    ...prices,
  };
}

describe('a vendor that is added as two rows', () => {
  let all: Awaited<ReturnType<typeof load>>;
  let server: ModelServer;
  beforeAll(async () => {
    all = await load();
    server = await startModelServer({ answer: () => ({ text: 'four' }) });
  });
  afterAll(() => server.close());

  test('is a provider that settings may name, without batches and with a key of its own', async () => {
    const read = (entry: string) =>
      all.read({
        'evaldiff.yaml': `models:\n  mine: { provider: acme, model: acme-9${entry} }\n`,
        'prompts/p.yaml': all.PROMPT.replace('gpt-4o', 'mine'),
        'prompts/tests/p.yaml': all.TESTS,
      });
    expect((await read('')).problems).toEqual([]);
    expect((await read(', file: x.jsonl')).problems).toEqual([
      expect.stringContaining('models.mine: "file" is not for provider acme'),
    ]);
    expect((await read(', transport: batch')).problems).toEqual([
      expect.stringContaining('models.mine: transport: batch is not for provider acme'),
    ]);
  });

  test('is known by the names of its models', async () => {
    const { project } = await all.read({ 'evaldiff.yaml': '' });
    const context = { settings: project.settings, tree: all.treeOf({}), hash: all.hash };
    expect(all.resolveTarget('acme-9', { file: 'p.yaml', line: 1 }, context)).toEqual({
      provider: 'acme',
      endpoint: null,
      model: 'acme-9',
    });
  });

  test('takes its key from its input or its variable, and asks for it by both names', () => {
    const { inputs } = all.readInputs({ 'acme-api-key': 'from-the-input' });
    expect(inputs.keys).toMatchObject({ acme: 'from-the-input', openai: null });
    const { keys } = all.accessFrom(
      { keys: all.readInputs({}).inputs.keys, endpoints: [] },
      { ACME_API_KEY: 'from-the-environment' },
    );
    expect(keys).toMatchObject({ acme: 'from-the-environment' });
    const providers = all.createProviders(
      all.options({ keys: { ...all.options().keys, [acme]: null } }),
    );
    expect(
      providers.missingKeys([{ provider: acme, endpoint: null, model: 'acme-9' }]),
    ).toMatchObject([
      {
        message:
          'No key for provider acme: set ACME_API_KEY (in a workflow the input acme-api-key).',
      },
    ]);
  });

  test('is asked at its own host with its own key, which is redacted', async () => {
    const key = 'acme-secret-0123456789';
    const providers = all.createProviders(
      all.options({
        keys: { ...all.options().keys, [acme]: key },
        vendorUrls: { [acme]: server.openaiUrl },
      }),
    );
    const completion = await providers.complete({
      ...all.requestTo('openai', {}),
      target: { provider: acme, endpoint: null, model: 'acme-9' },
    });
    expect(completion).toMatchObject({ status: 'ok', output: 'four' });
    expect(server.requests[0]?.headers['authorization']).toBe(`Bearer ${key}`);
    await providers.close();
  });

  test('has the list prices that its row names, and a model that a new project begins with', async () => {
    const list = await all.loadListPrices(new Date('2026-01-01'));
    expect(list(acme, 'gpt-4o')?.({ input_tokens: 1_000_000, output_tokens: 0 })).toBeGreaterThan(
      0,
    );
    expect(all.starterFiles(acme, 'someone').get('prompts/support.yaml')).toContain(
      'model: acme-1',
    );
  });
});
