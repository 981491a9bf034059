import { DEFAULT_MAX_TOKENS } from '../../../../../src/edges/providers/vendors/anthropic.ts';
import { parseExactly } from '../../../../../src/types/exact-json.ts';
import type { Script } from '../../../../stand-ins/models/server.ts';
import { answerSchema, errorOf, said } from '../../../../unit/edges/providers/providers-setting.ts';
import { start as startVendor } from '../started.ts';

const start = (answer?: Script) => startVendor('anthropic', answer);

describe('an Anthropic request', () => {
  test("has the prompt's token limit or a default one", async () => {
    const { ask, server } = await start();
    await ask();
    await ask({ parameters: { max_tokens: 17 }, try: 1 });
    await ask({ parameters: { max_tokens: 200_000 }, try: 2 });
    const limits = server.requests.map(({ body }) => body['max_tokens']);
    expect(limits).toEqual([DEFAULT_MAX_TOKENS, 17, 200_000]);
  });

  test('joins all system messages in the system field, and has no such field without them', async () => {
    const { ask, server } = await start();
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
    'is not sent if the prompt sets the parameter %s, which would become a header',
    async (name) => {
      const { ask, server } = await start();
      expect(errorOf(await ask({ parameters: { [name]: 'x' } }))).toEqual({
        kind: 'request',
        message: `anthropic: the parameter ${name} is a header of the request, and files cannot set headers; remove it`,
      });
      expect(server.requests).toHaveLength(0);
    },
  );
});

describe('an Anthropic message', () => {
  const counted = { input_tokens: 1, output_tokens: 2 };
  const answered = async (content: unknown[], stop_reason: string, usage: object = counted) => {
    const reply = { type: 'message', role: 'assistant', content, stop_reason, usage };
    return start(() => ({ body: JSON.stringify(reply) }));
  };
  const text = (words: string) => ({ type: 'text', text: words });
  const call = (name: string, input: unknown) => ({ type: 'tool_use', id: 't', name, input });

  test('is read as all its text, without the thinking', async () => {
    const thinking = { type: 'thinking', thinking: 'hm', signature: 's' };
    const { ask } = await answered([thinking, text('a'), text('b')], 'end_turn');
    expect(await ask()).toMatchObject({ ...said('ab'), ended: 'stop' });
  });

  test('keeps blocks of unknown types and omits tool results', async () => {
    const audio = { type: 'audio', id: 'a1' };
    const result = { type: 'web_search_tool_result', content: [] };
    const { ask } = await answered([text('a'), result, audio], 'end_turn');
    expect(await ask()).toMatchObject({
      parts: [
        { type: 'text', text: 'a' },
        { type: 'unknown', kind: 'audio', json: JSON.stringify(audio) },
      ],
    });
  });

  test('counts cached tokens as input', async () => {
    const cached = { cache_read_input_tokens: 30, cache_creation_input_tokens: 400 };
    const { ask } = await answered([text('a')], 'end_turn', { ...counted, ...cached });
    expect(await ask()).toMatchObject({
      ...said('a'),
      usage: { input_tokens: 431, output_tokens: 2 },
      cached: { read: 30, written: 400 },
    });
  });

  test.each([
    [{ q: 1 }, '{"q":1}'],
    [
      parseExactly('{"id": 2512292042121000001, "price": 19.99}'),
      '{"id":2512292042121000001,"price":19.99}',
    ],
  ])('keeps every digit of numbers in tool calls: %#', async (input, written) => {
    const { ask } = await answered([call('search', input)], 'tool_use');
    const calls = [{ name: 'search', arguments: written }];
    expect(await ask()).toMatchObject({ ...said('', calls), ended: 'tool_calls' });
  });

  test.each([
    [call('verdict', { choice: 'B' }), 'max_tokens', '{"choice":"B"}', 'length'],
    [text('I would say B'), 'end_turn', 'I would say B', 'stop'],
  ])(
    'can answer a request that has a JSON schema, by a tool call or by text: %j, %s',
    async (content, reason, output, ended) => {
      const { ask } = await answered([content], reason);
      expect(await ask({ schema: answerSchema })).toMatchObject({ ...said(output), ended });
    },
  );
});

describe("an answer cut by evaldiff's own token limit", () => {
  const events = (...all: object[]) =>
    all.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('');
  const streamed = (stop_reason: string) =>
    events(
      {
        type: 'message_start',
        message: {
          ...{ type: 'message', role: 'assistant', model: 'claude-x', content: [] },
          ...{ stop_reason: null, usage: { input_tokens: 7, output_tokens: 1 } },
        },
      },
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
      { type: 'ping' },
      { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'All ' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'of it' } },
      { type: 'content_block_stop', index: 0 },
      {
        type: 'content_block_start',
        index: 1,
        content_block: { type: 'tool_use', id: 't', name: 'find', input: {} },
      },
      {
        type: 'content_block_delta',
        index: 1,
        delta: { type: 'input_json_delta', partial_json: '{"q": 2512292042' },
      },
      {
        type: 'content_block_delta',
        index: 1,
        delta: { type: 'input_json_delta', partial_json: '121000001}' },
      },
      { type: 'message_delta', delta: { stop_reason }, usage: { output_tokens: 5000 } },
      { type: 'message_stop' },
    );
  const cut = (content: unknown[]) =>
    JSON.stringify({
      ...{ type: 'message', role: 'assistant', content, stop_reason: 'max_tokens' },
      usage: { input_tokens: 7, output_tokens: 4096 },
    });
  const START = [{ type: 'text', text: 'All' }];
  const stream = (body: string): ReturnType<Script> => ({
    body,
    headers: { 'content-type': 'text/event-stream' },
  });
  const limits = ({ requests }: { requests: { body: Record<string, unknown> }[] }) =>
    requests.map(({ body }) => [body['max_tokens'], body['stream'] ?? false]);

  test.each([
    ['in the middle', START],
    ['before it contained text', [{ type: 'thinking', thinking: 'hm', signature: 's' }]],
  ])('%s is requested once more as a stream with four times the limit', async (_, content) => {
    const { ask, server } = await start(({ body }) =>
      body['stream'] === true ? stream(streamed('end_turn')) : { body: cut(content) },
    );
    expect(await ask()).toMatchObject({
      parts: [
        { type: 'text', text: 'All of it' },
        { type: 'tool_call', name: 'find', arguments: '{"q": 2512292042121000001}' },
      ],
      ended: 'stop',
      served: { model: 'claude-x' },
      usage: { input_tokens: 7, output_tokens: 5000 },
      attempts: 2,
      spent: [{ usage: { input_tokens: 7, output_tokens: 4096 } }],
    });
    expect(limits(server)).toEqual([
      [4096, false],
      [16_384, true],
    ]);
  });

  test('is unchanged if the second request fails', async () => {
    const { ask } = await start(({ body }) =>
      body['stream'] === true ? { status: 400 } : { body: cut(START) },
    );
    expect(await ask()).toMatchObject({ ...said('All'), ended: 'length', attempts: 2 });
  });

  test('is an error that names the second limit if there is still no text', async () => {
    const silent = cut([]);
    const { ask, server } = await start(() => ({ body: silent }));
    expect(errorOf(await ask()).message).toContain(
      'max_tokens: 16384, which evaldiff sends in the second request if no limit is set',
    );
    expect(server.requests).toHaveLength(2);
  });

  test('is not requested again if the prompt sets the limit', async () => {
    const { ask, server } = await start(() => ({ body: cut(START) }));
    expect(await ask({ parameters: { max_tokens: 9 } })).toMatchObject({ ended: 'length' });
    expect(server.requests).toHaveLength(1);
  });

  test('still counts as cut if the stream of the second request ends early', async () => {
    const whole = streamed('end_turn');
    const { ask } = await start(({ body }) =>
      body['stream'] === true
        ? stream(whole.slice(0, whole.indexOf('data: {"type":"message_stop"')))
        : { body: cut(START) },
    );
    expect(await ask()).toMatchObject({ ...said('All'), ended: 'length' });
  });
});
