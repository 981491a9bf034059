/**
 * Adds a vendor to the table before anything derived from it is loaded.
 *
 * @unshared
 */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { parse } from 'yaml';
import type { VendorFacts } from '../../src/types/vendors/facts.ts';
import type { VendorName } from '../../src/types/vendors/names.ts';
import { VENDORS, isVendor } from '../../src/types/vendors.ts';
import { startModelServer, type ModelServer } from '../stand-ins/models/server.ts';

/** A vendor that consists of its row alone, with an OpenAI-compatible API on its own servers. */
const facts = {
  label: 'Zz Test',
  speaks: 'openai',
  host: 'https://models.zz-test.example/v1',
  keyInput: 'zz-test-api-key',
  keyVariable: 'ZZ_TEST_API_KEY',
  keyHeader: 'api-key',
  baseUrlVariable: 'ZZ_TEST_BASE_URL',
  models: /^zz-/,
  headers: {},
  starterModel: 'zz-1',
  passports: [],
  ends: {},
  priceId: 'openai',
  embeddings: null,
  batchShare: null,
} as const satisfies VendorFacts;

/** A vendor with Anthropic's API, known parameter rules and no list prices. */
const other: VendorFacts = {
  ...facts,
  label: 'Yy Test',
  speaks: 'anthropic',
  keyInput: 'yy-test-api-key',
  keyVariable: 'YY_TEST_API_KEY',
  models: /^yy-/,
  starterModel: 'yy-1',
  passports: [
    {
      ...{ family: 'All of Yy', models: /^yy-/, refuses: { top_k: {} }, thinks: 'always' },
      forms: ['schema', 'plain'],
      ...{ source: 'https://yy-test.example/docs', checked: '2026-11-23' },
    },
  ],
  priceId: null,
};
// Must run before anything that is derived from the table is loaded.
Object.assign(VENDORS, { 'zz-test': facts, 'yy-test': other });
const { vendorContract } = await import('./vendor-contract.ts');

function named(name: string): VendorName {
  if (isVendor(name)) return name;
  throw new Error(`${name} is not a vendor`);
}
const zz = named('zz-test');

/** Loads everything that is derived from the table. */
async function load() {
  const [setting, tree, targets, access, init, inputs, prices, imports, docs, rows] =
    await Promise.all([
      import('../unit/edges/providers/providers-setting.ts'),
      import('../unit/config/tree.ts'),
      import('../../src/config/targets.ts'),
      import('../../src/app/session/access.ts'),
      import('../../src/app/commands/init.ts'),
      import('../../src/config/inputs.ts'),
      import('../../src/app/session/prices.ts'),
      import('../../src/features/imports/shared/models.ts'),
      import('../../scripts/vendor-docs.ts'),
      import('../stand-ins/features.ts'),
    ]);
  const { convertLlm } = await import('../../src/features/imports/flexeval/flexeval-models.ts');
  return {
    ...setting,
    ...tree,
    ...targets,
    ...access,
    ...init,
    ...inputs,
    ...prices,
    ...imports,
    ...docs,
    ...rows,
    convertLlm,
  };
}

describe('a vendor added to the table meets the contract of all vendors:', () => {
  vendorContract(zz);
});

describe('a vendor added to the table of vendors', () => {
  let all: Awaited<ReturnType<typeof load>>;
  let server: ModelServer;
  beforeAll(async () => {
    all = await load();
    server = await startModelServer({ answer: () => ({ text: 'four' }) });
  });
  afterAll(() => server.close());

  test('can be used as a provider in the settings, but not with batches', async () => {
    const read = (entry: string) =>
      all.read({
        'evaldiff.yaml': `models:\n  mine: { provider: zz-test, model: zz-9${entry} }\n`,
        'prompts/p.yaml': all.PROMPT.replace('gpt-4o', 'mine'),
        'prompts/tests/p.yaml': all.TESTS,
      });
    expect((await read('')).problems).toEqual([]);
    const refused = {
      'file: x.jsonl': 'models.mine: the key "file" has no meaning for provider zz-test; remove it',
      'transport: batch': 'models.mine: transport: batch is not available for provider zz-test',
      'zz-test-api-key: x': 'unknown key "zz-test-api-key"',
    };
    for (const [line, why] of Object.entries(refused))
      expect((await read(`, ${line}`)).problems).toEqual([expect.stringContaining(why)]);
  });

  test('is recognized by the names of its models', async () => {
    const { project } = await all.read({ 'evaldiff.yaml': '' });
    const context = { settings: project.settings, tree: all.treeOf({}), hash: all.hash };
    expect(all.resolveTarget('zz-9', { file: 'p.yaml', line: 1 }, context)).toEqual({
      provider: 'zz-test',
      endpoint: null,
      model: 'zz-9',
    });
  });

  test('gets its API key from its action input or its environment variable', () => {
    const { inputs, problems } = all.readInputs(
      { 'zz-test-api-key': 'from-the-input' },
      all.OWN_SETTINGS,
    );
    expect(problems).toEqual([]);
    expect(inputs.keys).toMatchObject({ 'zz-test': 'from-the-input', openai: null });
    const { keys } = all.accessFrom(
      { keys: all.readInputs({}, all.OWN_SETTINGS).inputs.keys, endpoints: [], proxy: null },
      { ZZ_TEST_API_KEY: 'from-the-environment' },
    );
    expect(keys).toMatchObject({ 'zz-test': 'from-the-environment' });
  });

  test('has its input in action.yml and docs/action.md in the same position as in the code', () => {
    const action = all.withKeyInputs(readFileSync('action.yml', 'utf8'));
    const { inputs } = parse(action) as { inputs: Record<string, { description: string }> };
    expect(Object.keys(inputs)).toEqual(Object.keys(all.INPUT_DEFAULTS));
    expect(inputs['zz-test-api-key']?.description).toBe(
      "Key for Zz Test. Default – the environment variable ZZ_TEST_API_KEY. Sent only to Zz Test's own host.",
    );
    expect(all.withInputs(readFileSync('docs/action.md', 'utf8'), action)).toContain(
      '| `zz-test-api-key` |  | Key for Zz Test.',
    );
  });

  test('is recognized in files of other tools', () => {
    expect(all.convertProvider('zz-test:chat:zz-9')).toMatchObject({ model: 'zz-9', entry: null });
    expect(all.convertProvider('zz-test:other')).toMatchObject({
      model: 'other',
      entry: { provider: 'zz-test', model: 'other' },
    });
    expect(all.publishedModel('zz-test/zz-9')).toBe('zz-9');
    expect(
      all.convertLlm({ function_name: 'litellm_completion', kwargs: { model: 'zz-9' } }),
    ).toMatchObject({ model: 'zz-9', entry: null });
    expect(
      all.convertLlm({
        function_name: 'litellm_completion',
        kwargs: { model: 'zz-test/other', api_key_name: 'ZZ_TEST_API_KEY' },
      }),
    ).toMatchObject({ entry: { provider: 'zz-test', model: 'other' }, left: [] });
  });

  test('has the price list that its table row names, and a model for new projects', async () => {
    const list = await all.loadListPrices(new Date('2026-01-01'));
    expect(list(zz, 'gpt-4o')?.({ input_tokens: 1_000_000, output_tokens: 0 })).toBeGreaterThan(0);
    expect(all.starterFiles(zz).get('prompts/support.yaml')).toContain('model: zz-1');
  });

  test('has no known prices if its table row names no price list, whatever its models are called', async () => {
    const list = await all.loadListPrices(new Date('2026-01-01'));
    for (const model of ['yy-1', 'gpt-4o']) expect(list(named('yy-test'), model)).toBeNull();
  });

  test('is documented in docs/models.md, in its own section if its models have rules and otherwise in a list', () => {
    const page = all.renderModels();
    const byName = page.indexOf('## Further vendors by name');
    expect(page.slice(byName)).toContain(
      '| Zz Test | `model: zz-1` in the prompt | Chat Completions | `zz-test-api-key`, `ZZ_TEST_API_KEY` |',
    );
    const rules = page.slice(page.indexOf('## Yy Test'), byName);
    expect(rules).toContain('Write `model: yy-1` in the prompt. Key: the input `yy-test-api-key`');
    expect(rules).toContain(
      '| [All of Yy](https://yy-test.example/docs) | `top_k` | schema, plain | always | Messages | 2026-11-23 |',
    );
  });
});
