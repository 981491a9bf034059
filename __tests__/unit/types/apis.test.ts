import { describe, expect, test } from '@jest/globals';
import { apiOf, refusedIn } from '../../../src/types/apis.ts';
import type { AskedModel } from '../../../src/types/model.ts';
import { refusedFile } from '../../../src/types/passports.ts';
import type { Json } from '../../../src/types/plain.ts';

const openai = (model: string, more: Partial<AskedModel> = {}): AskedModel => ({
  provider: 'openai',
  endpoint: null,
  model,
  ...more,
});
const call = { type: 'function', function: { name: 'f' } };
const onAzure = { endpoint: 'azure' };
const is = { provider: 'openai', model: 'gpt-5.4' } as const;

describe('the API of a request', () => {
  test.each<[string, AskedModel, Record<string, Json>, 'chat' | 'responses']>([
    ['of a prompt without tools', openai('gpt-5.4'), {}, 'chat'],
    ['of tools without thinking', openai('gpt-5.4'), { tools: [call] }, 'chat'],
    [
      'of tools with thinking',
      openai('gpt-5.4'),
      { tools: [call], reasoning_effort: 'low' },
      'responses',
    ],
    ['of tools of a model that thinks', openai('gpt-6-luna'), { tools: [call] }, 'responses'],
    [
      'of tools of a model that need not think',
      openai('gpt-6-luna'),
      { tools: [call], reasoning_effort: 'none' },
      'chat',
    ],
    ['of a hosted tool', openai('gpt-4.1'), { tools: [{ type: 'web_search' }] }, 'responses'],
    [
      'of a function in its form',
      openai('gpt-4.1'),
      { tools: [{ type: 'function', name: 'f' }] },
      'responses',
    ],
    ['of a parameter of its own', openai('gpt-4.1'), { max_output_tokens: 99 }, 'responses'],
    ['of a model that has no other', openai('gpt-5-pro'), {}, 'responses'],
    ['that the settings name', openai('gpt-4.1', { api: 'responses' }), {}, 'responses'],
    [
      'that the settings name against the need',
      openai('gpt-6-luna', { api: 'chat' }),
      { tools: [call] },
      'chat',
    ],
    ['of an unknown model on an endpoint', openai('x', onAzure), { reasoning: {} }, 'chat'],
    [
      'of a known model on an endpoint',
      openai('x', { ...onAzure, is }),
      { tools: [call], reasoning_effort: 'low' },
      'responses',
    ],
    [
      'of a vendor with chat completions alone',
      { provider: 'mistral', endpoint: null, model: 'mistral-small-latest' },
      { reasoning: {} },
      'chat',
    ],
  ])('is the one %s', (_, asked, parameters, api) => {
    expect(apiOf(asked, parameters)).toBe(api);
  });
});

describe('what a model refuses', () => {
  test.each<[string, AskedModel, Record<string, Json>, [string, string | null][]]>([
    [
      'tools with thinking, in chat completions',
      openai('gpt-6-luna', { api: 'chat' }),
      { tools: [call] },
      [['tools', 'chat']],
    ],
    [
      'hosted tools, in chat completions',
      openai('gpt-4.1', { api: 'chat' }),
      { tools: [{ type: 'mcp' }] },
      [['tools', 'chat']],
    ],
    [
      'parameters that only chat completions have',
      openai('gpt-4.1', { api: 'responses' }),
      { seed: 1, max_tokens: 9 },
      [['seed', 'responses']],
    ],
    [
      'sampling of a model that thinks, by either name of its effort',
      openai('gpt-5.4'),
      { reasoning: { effort: 'low' }, temperature: 0 },
      [['temperature', null]],
    ],
    [
      'nothing of one that does not think',
      openai('gpt-5.4'),
      { reasoning: { effort: 'none' }, temperature: 0 },
      [],
    ],
    [
      'what the model of an endpoint refuses',
      openai('x', { ...onAzure, is }),
      { max_tokens: 9 },
      [['max_tokens', null]],
    ],
    ['nothing of an unknown model', openai('x', onAzure), { max_tokens: 9 }, []],
  ])('is %s', (_, asked, parameters, refused) => {
    expect(refusedIn(asked, parameters).map(({ name, api }) => [name, api])).toEqual(refused);
  });

  test.each<[AskedModel, 'image' | 'file' | null]>([
    [openai('gpt-5.4'), null],
    [openai('gpt-3.5-turbo'), 'image'],
    [openai('gpt-4-turbo'), 'file'],
    [openai('text-model', onAzure), null],
    [openai('text-model', { ...onAzure, is: { ...is, model: 'gpt-4' } }), 'image'],
    [{ provider: 'gemini', endpoint: null, model: 'gemini-3.5-flash' }, 'file'],
    [{ provider: 'anthropic', endpoint: null, model: 'claude-sonnet-5-5' }, null],
  ])('is files of kinds that it does not take: %j', (asked, refused) => {
    expect(refusedFile(asked, ['image', 'file'])).toBe(refused);
  });
});
