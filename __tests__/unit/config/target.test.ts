import { resolveTarget } from '../../../src/config/targets.ts';
import { asksForBatches } from '../../../src/features/batch/direct.ts';
import type { ModelSettings } from '../../../src/project/settings.ts';
import { type Target, isBatched } from '../../../src/types/model.ts';
import { modelSettings, settings } from '../app/run/builders.ts';

const place = { file: 'prompts/p.yaml', line: 2 };
const model = (changes: Partial<ModelSettings> = {}) =>
  modelSettings({ model: 'm', price: null, ...changes });
const tree = {
  commit: 'c'.repeat(40),
  files: new Map(),
  irregular: new Map(),
  read: async () => new Uint8Array(),
};
const resolve = (name: string, models: [string, ModelSettings][] = []) =>
  resolveTarget(name, place, {
    settings: settings({ models: new Map(models) }),
    tree,
    hash: (text) => text,
  });

const hosted = (provider: 'openai' | 'anthropic', name: string) => ({
  provider,
  endpoint: null,
  model: name,
});
const openai = (name: string) => hosted('openai', name);
const anthropic = (name: string) => hosted('anthropic', name);

describe('model name', () => {
  const replacing = model({ model: 'gpt-4.1', replaces: ['gpt-4-16k', 'claude-2', 'gpt-4'] });
  const own = model({ provider: 'anthropic', model: 'own' });
  const both: [string, ModelSettings][] = [
    ['new', replacing],
    ['gpt-4', own],
  ];

  test.each<[string, string, [string, ModelSettings][], object]>([
    ['of a known family needs no entry', 'gpt-4o', [], openai('gpt-4o')],
    ["of another vendor's family needs no entry", 'claude-3', [], anthropic('claude-3')],
    ['of a replaced model means its replacement', 'gpt-4-16k', both, openai('gpt-4.1')],
    [
      "of another vendor's replaced model means its replacement",
      'claude-2',
      both,
      openai('gpt-4.1'),
    ],
    ['with its own entry means that entry', 'gpt-4', both, anthropic('own')],
  ])('is resolved as expected: a name %s', (_, name, models, target) => {
    expect(resolve(name, models)).toEqual(target);
  });

  const entry = (name: string, more = '') =>
    `name one in evaldiff.yaml: models: { "${name}": { provider: ${name.includes('/') ? 'openrouter' : 'openai'}${more} } }`;
  test.each([
    // A typo of a known model family.
    ['gtp-5.4', 'did you mean "gpt-5.4"? Else '],
    ['gpt5', 'did you mean "gpt-5"? Else '],
    ['claud-sonnet-5-5', 'did you mean "claude-sonnet-5-5"? Else '],
    ['gemni-3.5-flash', 'did you mean "gemini-3.5-flash"? Else '],
    // A family name alone is not a model.
    ['gpt', ''],
    ['gemni', ''],
    ['meta/llama-4', ''],
    // For a file without a model the example names an existing one.
    ['default', '', ', model: gpt-5.4-mini'],
  ])('is an error at its line if no vendor has that model: %s', (name, hint, more = '') => {
    const message = `it is unknown which provider has the model "${name}"; ${hint}${entry(name, more)}`;
    expect(resolve(name)).toEqual({ place, message });
  });
});

describe('batched models', () => {
  const named =
    (models: [string, ModelSettings][], batches: boolean, transport?: 'batch' | 'direct') =>
    (name: string) =>
      resolveTarget(name, place, {
        settings: settings({ models: new Map(models), ...(transport && { transport }) }),
        tree,
        hash: (text) => text,
        batches,
      });

  test('use batches only in a full run of one commit, because a batch may take a day', () => {
    const models: [string, ModelSettings][] = [['m', model({ transport: 'batch' })]];
    expect(named(models, true)('m')).toEqual({ ...openai('m'), transport: 'batch' });
    expect(named(models, false)('m')).toEqual(openai('m'));
    expect(resolve('m', models)).toEqual(openai('m'));
  });

  test('include all vendor models except those set to transport direct, if the settings say transport: batch', () => {
    const models: [string, ModelSettings][] = [
      ['m', model()],
      ['d', model({ transport: 'direct' })],
      ['e', model({ endpoint: 'local' })],
    ];
    const batched = (transport?: 'batch') =>
      ['m', 'd', 'e', 'gpt-4o', 'claude-3'].filter((name) =>
        isBatched(named(models, true, transport)(name) as Target),
      );
    expect(batched('batch')).toEqual(['m', 'gpt-4o', 'claude-3']);
    expect(batched()).toEqual([]);
  });

  test('are those that their entry or the settings ask for', () => {
    const target = (name: string, endpoint: string | null = null) =>
      ({ ...openai(name), endpoint }) as Target;
    const entries = settings({
      models: new Map([
        ['fast', model({ model: 'gpt-4o', transport: 'batch' })],
        ['slow', model({ model: 'gpt-4o' })],
        ['e', model({ model: 'gpt-4o', endpoint: 'local' })],
      ]),
    });
    const all = { ...entries, transport: 'batch' as const };
    for (const [of, byEntry, byAll] of [
      [target('gpt-4o'), true, true],
      [target('gpt-4o', 'local'), false, false],
      [target('gpt-5'), false, true],
    ] as const)
      expect([asksForBatches(of, entries), asksForBatches(of, all)]).toEqual([byEntry, byAll]);
  });
});
