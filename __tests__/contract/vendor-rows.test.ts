import { readFileSync } from 'node:fs';
import { starterFiles } from '../../src/app/commands/init.ts';
import { accessFrom } from '../../src/app/session/access.ts';
import { readInputs, type InputName } from '../../src/config/inputs.ts';
import { resolveTarget } from '../../src/config/targets.ts';
import { convertLlm } from '../../src/features/imports/flexeval/flexeval-models.ts';
import { nothingImported } from '../../src/features/imports/shared/draft.ts';
import { providerNamed, publishedModel } from '../../src/features/imports/shared/models.ts';
import { leafNode } from '../../src/features/imports/shared/node.ts';
import { VENDORS, vendorNames } from '../../src/types/vendors.ts';
import { OWN_SETTINGS } from '../stand-ins/features.ts';
import { hash, PROMPT, read, TESTS, treeOf } from '../unit/config/tree.ts';

const MODELS = readFileSync('docs/models.md', 'utf8');

/** What the rest of evaldiff derives from a vendor's row of the table. */
describe.each(vendorNames())('%s', (vendor) => {
  const { label, keyInput, keyVariable, starterModel, batchShare } = VENDORS[vendor];
  const [, settings = ''] =
    new RegExp(`^\\| ${label} +\\| \`(models: .*?)\` in the settings`, 'm').exec(MODELS) ?? [];
  const readWith = (lines: string, model: string = starterModel) =>
    read({
      'evaldiff.yaml': lines,
      'prompts/p.yaml': PROMPT.replace('gpt-4o', model),
      'prompts/tests/p.yaml': TESTS,
    });

  test('serves its model for new projects, with the settings that docs/models.md gives', async () => {
    const { project, problems } = await readWith(`n_tries: 1\n${settings}\n`);
    expect(problems).toEqual([]);
    const context = { settings: project.settings, tree: treeOf({}), hash };
    expect(resolveTarget(starterModel, { file: 'p.yaml', line: 1 }, context)).toEqual({
      provider: vendor,
      endpoint: null,
      model: starterModel,
    });
    expect(starterFiles(vendor).get('prompts/support.yaml')).toContain(`model: ${starterModel}`);
  });

  test('is a provider in the settings, with batches only if it has them', async () => {
    const problemsWith = async (more: string) =>
      (await readWith(`models:\n  mine: { provider: ${vendor}, model: m${more} }\n`, 'mine'))
        .problems;
    expect(await problemsWith('')).toEqual([]);
    expect(await problemsWith(', file: x.jsonl')).toEqual([
      expect.stringContaining(
        `models.mine: the key "file" has no meaning for provider ${vendor}; remove it`,
      ),
    ]);
    expect(await problemsWith(`, ${vendor}-api-key: x`)).toEqual([
      expect.stringContaining(`unknown key "${vendor}-api-key"`),
    ]);
    const refused = `models.mine: transport: batch is not available for provider ${vendor}`;
    expect(await problemsWith(', transport: batch')).toEqual(
      batchShare === null ? [expect.stringContaining(refused)] : [],
    );
  });

  test('gets its API key from its action input or its environment variable', () => {
    const keysOf = (inputs: Partial<Record<InputName, string>>) => {
      const read = readInputs(inputs, OWN_SETTINGS);
      expect(read.problems).toEqual([]);
      return read.inputs.keys;
    };
    const none = keysOf({});
    const input = keyInput ?? 'keys';
    const text = 'from-the-input';
    expect(keysOf({ [input]: keyInput === null ? `${vendor}=${text}` : text })).toEqual({
      ...none,
      [vendor]: 'from-the-input',
    });
    const given = { keys: none, endpoints: [], proxy: null };
    const { keys } = accessFrom(given, { [keyVariable]: 'from-the-environment' });
    expect(keys).toEqual({ ...none, [vendor]: 'from-the-environment' });
  });

  test('is recognized in files of other tools', () => {
    const entry = { provider: vendor, model: 'other' };
    expect(providerNamed(`${vendor}:other`)).toMatchObject({ model: 'other', entry });
    expect(publishedModel(`${vendor}/other`)).toBe('other');
    const kwargs = { model: `${vendor}/other`, api_key_name: keyVariable };
    const losses = nothingImported();
    const llm = { function_name: 'litellm_completion', kwargs };
    const { models, left, remarks } = losses;
    convertLlm(leafNode(llm, { file: 'a', line: 1 }, losses), 'llm', models);
    expect([models, left, remarks]).toEqual([{ other: entry }, [], []]);
  });
});
