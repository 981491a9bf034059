import { describe, expect, test } from '@jest/globals';
import { resolveTarget } from '../../../src/core/select/target.ts';
import type { ModelSettings } from '../../../src/types.ts';
import { settings } from '../builders.ts';

const place = { file: 'prompts/p.yaml', line: 2 };
const model = (changes: Partial<ModelSettings>): ModelSettings => ({ provider: 'openai', endpoint: null, model: 'm', price: null, command: [], files: [], setup: [], file: null, replaces: [], place, ...changes });
const tree = { commit: 'c'.repeat(40), files: new Map(), irregular: new Map(), read: async () => new Uint8Array() };
const resolve = (name: string, models: [string, ModelSettings][] = []) => resolveTarget(name, place, { settings: settings({ models: new Map(models) }), tree, hash: (text) => text });

describe('a model\'s name', () => {
  test('of a vendor\'s family needs no entry', () => {
    expect(resolve('gpt-4o')).toEqual({ provider: 'openai', endpoint: null, model: 'gpt-4o' });
    expect(resolve('claude-sonnet-4-5')).toEqual({ provider: 'anthropic', endpoint: null, model: 'claude-sonnet-4-5' });
  });

  test('that was retired stands for the model that replaces it, although it is of a family', () => {
    const entry = model({ model: 'gpt-4.1', replaces: ['gpt-4-16k', 'claude-2'] });
    expect(resolve('gpt-4-16k', [['new', entry]])).toEqual({ provider: 'openai', endpoint: null, model: 'gpt-4.1' });
    expect(resolve('claude-2', [['new', entry]])).toEqual({ provider: 'openai', endpoint: null, model: 'gpt-4.1' });
  });

  test('with an entry of its own is that entry, whatever replaces it elsewhere', () => {
    const own = model({ provider: 'anthropic', model: 'own' });
    expect(resolve('gpt-4', [['new', model({ replaces: ['gpt-4'] })], ['gpt-4', own]])).toMatchObject({ provider: 'anthropic', model: 'own' });
  });

  test('that nobody knows is a problem that says where it is named', () => {
    expect(resolve('meta/llama-4')).toEqual({ place, message: 'no provider is known for the model "meta/llama-4"; name it in evaldiff.yaml: models: { "meta/llama-4": { provider: openai } }' });
  });
});
