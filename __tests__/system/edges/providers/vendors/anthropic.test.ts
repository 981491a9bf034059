import { afterEach, describe, expect, test } from '@jest/globals';
import { DEFAULT_MAX_TOKENS } from '../../../../../src/edges/providers/vendors/anthropic.ts';
import { parseExactly } from '../../../../../src/types/exact-json.ts';
import type { Script } from '../../../../stand-ins/models/server.ts';
import {
  answerSchema,
  errorOf,
  setUp,
  type Setting,
} from '../../../../unit/edges/providers/providers-setting.ts';

const open: Setting[] = [];
afterEach(async () => {
  for (const setting of open.splice(0)) await setting.close();
});

async function start(answer: Script): Promise<Setting> {
  const setting = await setUp('anthropic', answer);
  open.push(setting);
  return setting;
}

describe('a request', () => {
  test("has a token limit even when the prompt names none, and the prompt's own otherwise", async () => {
    const { ask, server } = await start(() => ({}));
    await ask();
    await ask({ parameters: { max_tokens: 17 }, try: 1 });
    await ask({ parameters: { max_tokens: 200_000 }, try: 2 });
    expect(server.requests.map(({ body }) => body['max_tokens'])).toEqual([
      DEFAULT_MAX_TOKENS,
      17,
      200_000,
    ]);
  });

  test('carries all system messages in the field of their own, and none when there is none', async () => {
    const { ask, server } = await start(() => ({}));
    await ask({
      messages: [
        { role: 'system', content: 'a' },
        { role: 'user', content: 'u' },
        { role: 'system', content: 'b' },
      ],
    });
    await ask({ try: 1 });
    expect(server.requests.map(({ body }) => body['system'])).toEqual(['a\n\nb', undefined]);
    expect(server.requests[0]?.body['messages']).toEqual([{ role: 'user', content: 'u' }]);
  });

  test.each(['workspace_id', 'user_profile_id', 'betas'])(
    'cannot have %s, which would be a header',
    async (name) => {
      const { ask, server } = await start(() => ({}));
      expect(errorOf(await ask({ parameters: { [name]: 'x' } }))).toEqual({
        kind: 'request',
        message: `anthropic: the parameter ${name} is a header of the request, which a file cannot set; remove it`,
      });
      expect(server.requests).toHaveLength(0);
    },
  );
});

describe('a message', () => {
  const reply =
    (
      content: unknown[],
      stop_reason: string,
      usage: unknown = { input_tokens: 1, output_tokens: 2 },
    ): Script =>
    () => ({
      body: JSON.stringify({ type: 'message', role: 'assistant', content, stop_reason, usage }),
    });

  test('is all its text, without what the model thought', async () => {
    const { ask } = await start(
      reply(
        [
          { type: 'thinking', thinking: 'hm', signature: 's' },
          { type: 'text', text: 'a' },
          { type: 'text', text: 'b' },
        ],
        'end_turn',
      ),
    );
    expect(await ask()).toMatchObject({ output: 'ab', finish_reason: 'stop', tool_calls: [] });
  });

  test('counts what went through the prompt cache as input', async () => {
    const { ask } = await start(
      reply([{ type: 'text', text: 'a' }], 'end_turn', {
        input_tokens: 1,
        output_tokens: 2,
        cache_read_input_tokens: 30,
        cache_creation_input_tokens: 400,
      }),
    );
    expect(await ask()).toMatchObject({
      output: 'a',
      usage: { input_tokens: 431, output_tokens: 2 },
      cached: { read: 30, written: 400 },
    });
  });

  test("keeps the model's own tool calls as calls", async () => {
    const { ask } = await start(
      reply([{ type: 'tool_use', id: 't', name: 'search', input: { q: 1 } }], 'tool_use'),
    );
    expect(await ask()).toMatchObject({
      output: '',
      finish_reason: 'tool',
      tool_calls: [{ name: 'search', arguments: '{"q":1}' }],
    });
  });

  test('keeps the digits of long numbers in the arguments of a call', async () => {
    const input = parseExactly('{"id": 2512292042121000001, "price": 19.99}');
    const { ask } = await start(
      reply([{ type: 'tool_use', id: 't', name: 'search', input }], 'tool_use'),
    );
    expect(await ask()).toMatchObject({
      tool_calls: [{ name: 'search', arguments: '{"id":2512292042121000001,"price":19.99}' }],
    });
  });

  test('whose forced answer was cut by the limit says so, and one without the forced answer is its text', async () => {
    const cut = await start(
      reply([{ type: 'tool_use', id: 't', name: 'verdict', input: { choice: 'B' } }], 'max_tokens'),
    );
    expect(await cut.ask({ schema: answerSchema })).toMatchObject({
      output: '{"choice":"B"}',
      finish_reason: 'length',
    });
    const other = await start(reply([{ type: 'text', text: 'I would say B' }], 'end_turn'));
    expect(await other.ask({ schema: answerSchema })).toMatchObject({
      output: 'I would say B',
      finish_reason: 'stop',
    });
  });
});
