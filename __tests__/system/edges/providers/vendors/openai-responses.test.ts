import { answerSchema, errorOf, said } from '../../../../unit/edges/providers/providers-setting.ts';
import { start } from '../started.ts';

describe('a model that supports only the Responses API', () => {
  test('gets its requests there, and its answers are read as usual', async () => {
    const { ask, server } = await start('openai', () => ({
      text: 'four',
      usage: { input: 7, output: 3 },
    }));
    const reasoning = { effort: 'high' };
    expect(await ask({ model: 'gpt-5-pro', parameters: { reasoning } })).toMatchObject({
      status: 'ok',
      ...said('four'),
      ended: 'stop',
      usage: { input_tokens: 7, output_tokens: 3 },
    });
    expect(server.calls).toEqual(['POST /v1/responses']);
    expect(server.requests[0]?.body).toMatchObject({
      store: false,
      reasoning,
      input: [{ role: 'user', content: 'hello' }],
    });
  });

  test("gets grading requests with a schema, without a temperature, and with the API's own name for the token limit", async () => {
    const { ask, server } = await start('openai', () => ({ text: '{"choice":"B"}' }));
    const parameters = { temperature: 0, max_tokens: 400 };
    const asked = { model: 'o3-pro', purpose: 'grader', parameters, schema: answerSchema } as const;
    expect(await ask(asked)).toMatchObject({ status: 'ok', ...said('{"choice":"B"}') });
    expect(server.refused).toEqual([]);
    expect(server.requests[0]?.schema).toEqual(answerSchema);
    expect(server.requests[0]?.body).toMatchObject({ max_output_tokens: 400 });
  });

  test('returns an answer cut at the token limit, and an error for a filtered one', async () => {
    const { ask } = await start('openai', ({ index }) =>
      index === 0
        ? { text: 'half', finish: 'max_output_tokens' }
        : { text: '', finish: 'content_filter' },
    );
    const half = { ...said('half'), ended: 'length' };
    expect(await ask({ model: 'gpt-5-pro' })).toMatchObject(half);
    expect(errorOf(await ask({ model: 'gpt-5-pro', try: 1 })).kind).toBe('filtered');
  });
});

describe('a model that supports both APIs', () => {
  const parameters = {
    reasoning_effort: 'low',
    max_completion_tokens: 99,
    verbosity: 'low',
    tools: [
      { type: 'function', function: { name: 'order', parameters: { type: 'object' } } },
      {
        type: 'custom',
        custom: {
          name: 'query',
          format: { type: 'grammar', grammar: { syntax: 'regex', definition: '.*' } },
        },
      },
    ],
    tool_choice: { type: 'function', function: { name: 'order' } },
    response_format: { type: 'json_schema', json_schema: { name: 'n', strict: true, schema: {} } },
  };

  test('uses the Responses API for reasoning with tools, and converts parameters of the chat API', async () => {
    const call = { type: 'function_call', call_id: 'c', name: 'order', arguments: '{"n":1}' };
    const { ask, server } = await start('openai', () => ({ text: 'done', output: [call] }));
    expect(await ask({ model: 'gpt-5.4', parameters })).toMatchObject({
      status: 'ok',
      parts: [
        { type: 'text', text: 'done' },
        { type: 'tool_call', name: 'order', arguments: '{"n":1}' },
      ],
    });
    expect(server.refused).toEqual([]);
    expect(server.calls).toEqual(['POST /v1/responses']);
    expect(server.requests[0]?.body).toEqual({
      model: 'gpt-5.4',
      store: false,
      include: ['reasoning.encrypted_content'],
      input: [{ role: 'user', content: 'hello' }],
      reasoning: { effort: 'low' },
      max_output_tokens: 99,
      text: {
        verbosity: 'low',
        format: { type: 'json_schema', name: 'n', strict: true, schema: {} },
      },
      tools: [
        { type: 'function', name: 'order', parameters: { type: 'object' }, strict: false },
        {
          type: 'custom',
          name: 'query',
          format: { type: 'grammar', syntax: 'regex', definition: '.*' },
        },
      ],
      tool_choice: { type: 'function', name: 'order' },
    });
  });

  test('uses the API that the settings name', async () => {
    const { ask, server } = await start('openai', () => ({ text: 'four' }));
    const target = { provider: 'openai', endpoint: null, model: 'gpt-4.1' } as const;
    await ask({ target: { ...target, api: 'responses' } });
    await ask({ target, try: 1 });
    expect(server.calls).toEqual(['POST /v1/responses', 'POST /v1/chat/completions']);
  });

  test('can use hosted tools and MCP servers, whose calls become parts of the answer', async () => {
    const output = [
      { type: 'mcp_list_tools', id: 'm', server_label: 'shop', tools: [] },
      {
        ...{ type: 'web_search_call', id: 'w', status: 'completed' },
        action: { type: 'search', query: 'vase' },
      },
      {
        ...{ type: 'mcp_call', id: 'c', server_label: 'shop', name: 'stock' },
        ...{ arguments: '{"item":"vase"}', output: '3' },
      },
      { type: 'image_generation_call', id: 'i', status: 'completed', result: 'AAAA' },
      {
        ...{ type: 'image_generation_call', id: 'j', status: 'completed', result: 'AAAA' },
        output_format: 'svg"><script>',
      },
      { type: 'moon_phase', id: 'p', phase: 'commentary', waxing: true },
    ];
    const { ask, server } = await start('openai', () => ({ text: 'Three.', output }));
    const tools = [
      { type: 'web_search' },
      {
        type: 'mcp',
        server_label: 'shop',
        server_url: 'https://shop.example',
        require_approval: 'never',
      },
    ];
    expect(await ask({ model: 'gpt-4.1', parameters: { tools } })).toMatchObject({
      ended: 'stop',
      parts: [
        { type: 'text', text: 'Three.' },
        { type: 'tool_call', name: 'web_search', arguments: '{"type":"search","query":"vase"}' },
        { type: 'tool_call', name: 'stock', arguments: '{"item":"vase"}' },
        { type: 'tool_call', name: 'image_generation', arguments: '{}' },
        { type: 'tool_call', name: 'image_generation' },
        { type: 'image', media_type: 'image/png', bytes: 3, data: 'AAAA' },
        { type: 'image', media_type: 'image/png', bytes: 3, data: 'AAAA' },
        { type: 'unknown', kind: 'moon_phase' },
      ],
      steps: [
        { name: 'web_search', result: null },
        { name: 'stock', result: '3' },
        { name: 'image_generation', result: null },
        { name: 'image_generation', result: null },
      ],
    });
    expect(server.refused).toEqual([]);
    expect(server.requests[0]?.body).toMatchObject({ tools });
  });
});
