import { describe, expect, test } from '@jest/globals';
import { batchedNames, isBatched, resolveTarget } from '../../../../src/kernel/select/targets.ts';
import type { ModelSettings } from '../../../../src/kernel/suite/suite.ts';
import type { Target } from '../../../../src/types/model.ts';
import { settings } from '../../app/run/builders.ts';

const place = { file: 'prompts/p.yaml', line: 2 };
const model = (changes: Partial<ModelSettings>): ModelSettings => ({
  provider: 'openai',
  endpoint: null,
  model: 'm',
  price: null,
  command: [],
  files: [],
  setup: [],
  file: null,
  replaces: [],
  place,
  ...changes,
});
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

describe("a model's name", () => {
  test("of a vendor's family needs no entry", () => {
    expect(resolve('gpt-4o')).toEqual({ provider: 'openai', endpoint: null, model: 'gpt-4o' });
    expect(resolve('claude-sonnet-4-5')).toEqual({
      provider: 'anthropic',
      endpoint: null,
      model: 'claude-sonnet-4-5',
    });
  });

  test('that was retired stands for the model that replaces it, although it is of a family', () => {
    const entry = model({ model: 'gpt-4.1', replaces: ['gpt-4-16k', 'claude-2'] });
    expect(resolve('gpt-4-16k', [['new', entry]])).toEqual({
      provider: 'openai',
      endpoint: null,
      model: 'gpt-4.1',
    });
    expect(resolve('claude-2', [['new', entry]])).toEqual({
      provider: 'openai',
      endpoint: null,
      model: 'gpt-4.1',
    });
  });

  test('with an entry of its own is that entry, whatever replaces it elsewhere', () => {
    const own = model({ provider: 'anthropic', model: 'own' });
    expect(
      resolve('gpt-4', [
        ['new', model({ replaces: ['gpt-4'] })],
        ['gpt-4', own],
      ]),
    ).toMatchObject({ provider: 'anthropic', model: 'own' });
  });

  test.each([
    ['gtp-5.4', 'gpt-5.4'],
    ['gpt5', 'gpt-5'],
    ['claud-sonnet-5-5', 'claude-sonnet-5-5'],
    ['gemni-3.5-flash', 'gemini-3.5-flash'],
  ])('that nearly spells a family, %s, is asked whether %s is meant', (name, meant) => {
    expect(resolve(name)).toEqual({
      place,
      message: `no provider is known for the model "${name}"; did you mean "${meant}"? Else name it in evaldiff.yaml: models: { "${name}": { provider: openai } }`,
    });
  });

  test.each(['gpt', 'gemni'])('that is a family alone, %s, is taken for no model of it', (name) => {
    expect(resolve(name)).toEqual({
      place,
      message: `no provider is known for the model "${name}"; name it in evaldiff.yaml: models: { "${name}": { provider: openai } }`,
    });
  });

  test('that a file does not name is one to say, with a model that there is', () => {
    expect(resolve('default')).toEqual({
      place,
      message:
        'no provider is known for the model "default"; name it in evaldiff.yaml: models: { "default": { provider: openai, model: gpt-5.4-mini } }',
    });
  });

  test('that nobody knows is a problem that says where it is named', () => {
    expect(resolve('meta/llama-4')).toEqual({
      place,
      message:
        'no provider is known for the model "meta/llama-4"; name it in evaldiff.yaml: models: { "meta/llama-4": { provider: openai } }',
    });
  });
});

describe('models that are asked in batches', () => {
  const own = { provider: 'openai', endpoint: null, model: 'm' } as const;
  const named =
    (models: [string, ModelSettings][], batches: boolean, transport?: 'batch' | 'direct') =>
    (name: string) =>
      resolveTarget(name, place, {
        settings: settings({
          models: new Map(models),
          ...(transport === undefined ? {} : { transport }),
        }),
        tree,
        hash: (text) => text,
        batches,
      });

  test('are so in full sweeps only', () => {
    expect(named([['m', model({ transport: 'batch' })]], true)('m')).toEqual({
      ...own,
      transport: 'batch',
    });
    expect(named([['m', model({ transport: 'batch' })]], false)('m')).toEqual(own);
    expect(resolve('m', [['m', model({ transport: 'batch' })]])).toEqual(own);
  });

  test("are those that say so, and all of the vendors' own that do not say the contrary", () => {
    const models: [string, ModelSettings][] = [
      ['m', model({})],
      ['d', model({ transport: 'direct' })],
      ['e', model({ endpoint: 'local' })],
    ];
    const [said, unsaid] = [named(models, true, 'batch'), named(models, true)];
    expect(
      ['m', 'd', 'e', 'gpt-4o', 'claude-3'].map((name) => isBatched(said(name) as Target)),
    ).toEqual([true, false, false, true, true]);
    expect(
      ['m', 'd', 'e', 'gpt-4o', 'claude-3'].map((name) => isBatched(unsaid(name) as Target)),
    ).toEqual([false, false, false, false, false]);
  });

  test('are known by the names that the settings give them', () => {
    const target = (name: string, endpoint: string | null = null): Target => ({
      provider: 'openai',
      endpoint,
      model: name,
    });
    const entries = settings({
      models: new Map([
        ['fast', model({ model: 'gpt-4o', transport: 'batch' })],
        ['slow', model({ model: 'gpt-4o' })],
        ['e', model({ model: 'gpt-4o', endpoint: 'local' })],
      ]),
    });
    expect(
      batchedNames(
        [target('gpt-4o'), target('gpt-4o'), target('gpt-4o', 'local'), target('gpt-5')],
        entries,
      ),
    ).toEqual(['fast']);
    expect(
      batchedNames([target('gpt-5'), target('x', 'local')], { ...entries, transport: 'batch' }),
    ).toEqual(['gpt-5']);
  });
});
