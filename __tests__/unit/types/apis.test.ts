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

describe('API of a request', () => {
  test.each<[string, AskedModel, Record<string, Json>, 'chat' | 'responses']>([
    ['for a prompt without tools', openai('gpt-5.4'), {}, 'chat'],
    ['for tools without thinking', openai('gpt-5.4'), { tools: [call] }, 'chat'],
    [
      'for tools with thinking',
      openai('gpt-5.4'),
      { tools: [call], reasoning_effort: 'low' },
      'responses',
    ],
    [
      'for tools of a model that thinks by default',
      openai('gpt-6-luna'),
      { tools: [call] },
      'responses',
    ],
    [
      'for tools of such a model with thinking off',
      openai('gpt-6-luna'),
      { tools: [call], reasoning_effort: 'none' },
      'chat',
    ],
    ['for a hosted tool', openai('gpt-4.1'), { tools: [{ type: 'web_search' }] }, 'responses'],
    [
      'for a function in the Responses format',
      openai('gpt-4.1'),
      { tools: [{ type: 'function', name: 'f' }] },
      'responses',
    ],
    [
      'for a parameter of the Responses API',
      openai('gpt-4.1'),
      { max_output_tokens: 99 },
      'responses',
    ],
    ['for a model that supports only Responses', openai('gpt-5-pro'), {}, 'responses'],
    ['by the settings', openai('gpt-4.1', { api: 'responses' }), {}, 'responses'],
    [
      'by the settings even if tools need the other API',
      openai('gpt-6-luna', { api: 'chat' }),
      { tools: [call] },
      'chat',
    ],
    ['for an unknown model on an endpoint', openai('x', onAzure), { reasoning: {} }, 'chat'],
    [
      'for a known model on an endpoint',
      openai('x', { ...onAzure, is }),
      { tools: [call], reasoning_effort: 'low' },
      'responses',
    ],
    [
      'for a vendor with only chat completions',
      { provider: 'mistral', endpoint: null, model: 'mistral-small-latest' },
      { reasoning: {} },
      'chat',
    ],
  ])('is chosen by model, tools and settings: %s', (_, asked, parameters, api) => {
    expect(apiOf(asked, parameters)).toBe(api);
  });
});

describe('rejected parameters', () => {
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
      'sampling parameters for a model that thinks',
      openai('gpt-5.4'),
      { reasoning: { effort: 'low' }, temperature: 0 },
      [['temperature', null]],
    ],
    [
      'none for a model with thinking off',
      openai('gpt-5.4'),
      { reasoning: { effort: 'none' }, temperature: 0 },
      [],
    ],
    [
      "those of an endpoint's declared model",
      openai('x', { ...onAzure, is }),
      { max_tokens: 9 },
      [['max_tokens', null]],
    ],
    ['none for an unknown model', openai('x', onAzure), { max_tokens: 9 }, []],
  ])('depend on model and API: %s', (_, asked, parameters, refused) => {
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
  ])('include unsupported kinds of files: %j', (asked, refused) => {
    expect(refusedFile(asked, ['image', 'file'])).toBe(refused);
  });
});
