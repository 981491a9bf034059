/** Every end reason with every kind of content, for both APIs of OpenAI and for Anthropic's. */
import { callsOf, type ToolCall } from '../../../../../src/types/answer.ts';
import type { Request } from '../../../../../src/types/model.ts';
import type { VendorName } from '../../../../../src/types/vendors/names.ts';
import { answerSchema, said } from '../../../../unit/edges/providers/providers-setting.ts';
import { start } from '../started.ts';

type Asked = Partial<Request> & { model?: string };

/** The result of a call when every reply is this one, and the number of requests. */
async function ask(vendor: VendorName, reply: unknown, asked: Asked = {}) {
  const setting = await start(vendor, () => ({ body: JSON.stringify(reply) }));
  const completion = await setting.ask(asked);
  return { completion, requests: setting.server.requests.length };
}
const completionOf = async (...asked: Parameters<typeof ask>) => (await ask(...asked)).completion;

/** An error with these words in its message after so many requests. */
const failing = (words: string, requests: number) => ({
  completion: { status: 'error', message: expect.stringContaining(words) },
  requests,
});

const chat = (message: object, finish_reason: unknown, more: object = {}): object => {
  return { choices: [{ finish_reason, message }], ...more };
};
const claude = (content: unknown, stop_reason: unknown, more: object = {}): object => {
  return { type: 'message', content, stop_reason, ...more };
};
const ollama = (message: object): object => {
  return { model: 'llama', message, done: true, done_reason: 'stop' };
};
const stopped = { ...said('Oslo'), ended: 'stop' };
const pro = { model: 'gpt-5-pro' };
const response = (output: unknown, status: unknown, more: object = {}): object => {
  return { output, status, ...more };
};
const incomplete = (output: unknown, reason: string): object =>
  response(output, 'incomplete', { incomplete_details: { reason } });
const message = (text: string, more: object = {}): object => {
  return { type: 'message', content: [{ type: 'output_text', text }], ...more };
};

const THINKING = [{ type: 'thinking', thinking: 'Oslo', signature: 's' }];

describe('an answer without text', () => {
  test.each<[unknown, string, number, Asked?]>([
    [
      chat({ content: null, reasoning_content: 'Oslo' }, 'stop'),
      'the answer is empty (finish_reason: stop): the text is in reasoning_content; the server failed to separate the answer from it, also after a second request',
      2,
    ],
    [chat({ content: null, reasoning: 'Oslo' }, 'stop'), 'the text is in reasoning;', 2],
    [
      chat({ content: '<think>Oslo' }, 'stop'),
      'the text is in <think>, also after a second request',
      2,
    ],
    [chat({ content: '' }, 'stop'), 'the answer is empty (finish_reason: stop), also after', 2],
    [chat({ content: ' \n' }, 'STOP'), 'the answer is empty (finish_reason: STOP), also after', 2],
    [chat({ content: '' }, 'novel'), 'the answer is empty (finish_reason: novel)', 2],
    [chat({ content: '\u200b\n' }, 'stop'), 'the answer is empty (finish_reason: stop)', 2],
    [chat({ content: '' }, null), 'the answer is empty (finish_reason: none)', 2],
    [chat({}, 'abort'), 'the server aborted its answer (abort), after 5 tries', 5],
    [chat({ content: '' }, 'load'), 'the server aborted its answer (load)', 5],
    [
      chat({ content: '' }, 'MAX_TOKENS'),
      'the answer reached its token limit before it contained text (max_tokens: 64; raise it)',
      1,
      { parameters: { max_tokens: 64 } },
    ],
    [
      chat({ content: '', reasoning_content: 'hm' }, 'length'),
      'before it contained text (max_completion_tokens: 64; raise it); thinking used it up',
      1,
      { parameters: { max_completion_tokens: 64 }, purpose: 'grader' },
    ],
    [
      chat({ content: '' }, 'length'),
      "(the server's own limit, because the request had none; set max_tokens, or shorten the input)",
      1,
    ],
    [chat({ content: '<think>Oslo' }, 'length'), 'thinking used it up', 1],
    [chat({ content: '' }, 'model_length'), 'the context window was full', 1],
    [
      chat({ content: null }, 'MALFORMED_FUNCTION_CALL'),
      'the reply says that it contains a tool call, but it contains none (finish_reason: MALFORMED_FUNCTION_CALL)',
      1,
    ],
    [chat({ content: '' }, 'SAFETY'), 'the answer was withheld by the content filter', 1],
    [chat({ content: '' }, 'content-filter'), 'withheld by the content filter', 1],
  ])(
    'is an error with the expected reason: %j of the chat API (%#)',
    async (reply, words, requests, asked = {}) => {
      expect(await ask('openai', reply, asked)).toMatchObject(failing(words, requests));
    },
  );

  test.each([
    [
      claude(THINKING, 'end_turn'),
      'empty (stop_reason: end_turn): the text is in blocks of thinking, also after a second request',
      2,
    ],
    [
      claude([], 'end_turn'),
      'the answer is empty (stop_reason: end_turn), also after a second request',
      2,
    ],
    [
      claude('', 'end_turn'),
      'the answer is empty (stop_reason: end_turn), also after a second request',
      2,
    ],
    [
      claude(THINKING, 'max_tokens'),
      '(max_tokens: 4096, which evaldiff sends if no limit is set; set a higher one); thinking used it up',
      1,
    ],
    [
      claude([], 'model_context_window_exceeded'),
      'the context window was full before the answer contained text (stop_reason: model_context_window_exceeded); shorten the input',
      1,
    ],
    [claude([{ type: 'text', text: 'half' }], 'pause_turn'), 'an unfinished answer', 1],
    [claude([], 'tool_use'), 'but it contains none', 1],
    [claude([{ type: 'tool_use', input: {} }], 'tool_use'), 'content[0] of the reply is', 1],
    [
      claude([], 'refusal', { stop_details: { type: 'refusal', category: 'cyber' } }),
      'withheld by the content filter (cyber)',
      1,
    ],
  ])('is an error with the expected reason: %j of Claude (%#)', async (reply, words, requests) => {
    expect(await ask('anthropic', reply)).toMatchObject(failing(words, requests));
  });

  test.each([
    [
      response([], 'completed'),
      'the answer is empty (status: completed), also after a second request',
      2,
    ],
    [
      response([{ type: 'reasoning', summary: [] }], 'completed'),
      'the text is in items of reasoning',
      2,
    ],
    [response([], 'in_progress'), 'an unfinished answer (status: in_progress)', 1],
    [response([message('Oslo')], 'queued'), 'an unfinished answer (status: queued)', 1],
    [response([message('Oslo')], 'cancelled'), 'aborted its answer (cancelled)', 5],
    [response([], 'failed'), 'aborted its answer (failed)', 5],
    [incomplete([], 'max_output_tokens'), 'the answer reached its token limit', 1],
    [incomplete([], 'content_filter'), 'withheld by the content filter', 1],
    [response([], 'incomplete'), 'the answer is empty (status: incomplete)', 2],
    [
      response([{ type: 'function_call' }], 'completed'),
      'output[0] of the reply is a tool call',
      1,
    ],
  ])(
    'is an error with the expected reason: %j of the Responses API (%#)',
    async (reply, words, requests) => {
      expect(await ask('openai', reply, pro)).toMatchObject(failing(words, requests));
    },
  );

  test('is requested once more, and the second answer is used', async () => {
    const setting = await start('openai', ({ index }) => ({ text: index === 0 ? '' : 'Oslo' }));
    expect(await setting.ask()).toMatchObject({ status: 'ok', ...said('Oslo') });
  });

  test.each([
    [chat({ content: '' }, 'length'), 'length'],
    [chat({ content: '' }, 'stop'), 'stop'],
    [chat({ content: '' }, 'novel'), 'other'],
    [chat({ content: '' }, 'content_filter'), 'filtered'],
  ])('%j is read with the end reason %j', async (reply, ended) => {
    expect(await completionOf('openai', reply)).toMatchObject({ ended });
  });
});

describe('an answer with text', () => {
  test.each([
    [chat({ content: 'half' }, 'MAX_TOKENS'), { ...said('half'), ended: 'length' }],
    [chat({ content: 'half' }, 'max_tokens'), { ended: 'length' }],
    [chat({ content: 'half' }, 'FINISH_REASON_STOP'), { ended: 'stop' }],
    [chat({ content: 'half' }, 'endTurn'), { ended: 'stop' }],
    [chat({ content: 'half' }, 'novel'), { ended: 'other', ended_as: 'novel' }],
    [chat({ content: 'I cannot' }, 'PROHIBITED_CONTENT'), { ended: 'filtered' }],
    [chat({ content: '<think>hm</think>Oslo' }, 'stop'), said('Oslo')],
    [chat({ content: 'Oslo' }, 'stop', { error: null }), said('Oslo')],
    [chat({ content: 'Oslo' }, 'stop', { error: {} }), said('Oslo')],
    [chat({ content: 'Oslo' }, 'stop', { error: { code: 0, message: '' } }), said('Oslo')],
    ...[{}, '', false, null].map((error): [unknown, object] => [
      { choices: [{ finish_reason: 'stop', message: { content: 'Oslo' }, error }] },
      said('Oslo'),
    ]),
    ...[{}, { name: '', arguments: '' }, { name: null, arguments: null }].map(
      (function_call): [unknown, object] => [
        chat({ content: 'Oslo', function_call }, 'stop'),
        said('Oslo'),
      ],
    ),
    [chat({ content: 'half' }, 'max_completion_tokens'), { ended: 'length' }],
    [chat({ content: 'half' }, 'FinishReason.MAX_TOKENS'), { ended: 'length' }],
    [chat({ content: 'half', refusal: 'No.' }, 'stop'), { ...said('half'), ended: 'refused' }],
    [
      chat({ content: [{ type: 'refusal', refusal: 'No.' }] }, 'stop'),
      { ...said('No.'), ended: 'refused' },
    ],
    [
      chat({ content: 'Oslo' }, 'stop', { model: 'm-2026-01-01', system_fingerprint: 'fp_1' }),
      { served: { model: 'm-2026-01-01', fingerprint: 'fp_1', at: expect.any(Number) } },
    ],
    [{ choices: [{ finish_reason: 'stop', delta: { content: 'Oslo' } }] }, said('Oslo')],
    [
      { ...ollama({ content: 'Oslo', thinking: 'hm' }), prompt_eval_count: 7, eval_count: 3 },
      { ...stopped, served: { model: 'llama' }, usage: { input_tokens: 7, output_tokens: 3 } },
    ],
  ])('is read as expected: %j of the chat API (%#)', async (reply, expected) => {
    expect(await ask('openai', reply)).toMatchObject({ completion: expected, requests: 1 });
  });

  test.each([
    ...['abort', 'ABORTED', 'timeout', 'network_error', 'cancelled', 'error'],
    'insufficient_system_resource',
  ])('is requested again if the server aborted it (%s)', async (finish_reason) => {
    const made = await ask('openai', chat({ content: 'half' }, finish_reason));
    expect(made).toMatchObject({ completion: { status: 'error', kind: 'server' }, requests: 5 });
  });

  test.each([
    [{ code: 502, message: 'upstream dropped' }, 5],
    ['upstream dropped', 5],
    [{ code: 400, message: 'bad' }, 1],
  ])(
    'is an error if the reply also contains the error %j, after %i requests',
    async (error, requests) => {
      const made = await ask('openai', chat({ content: 'Oslo' }, 'stop', { error }));
      expect(made).toMatchObject({ completion: { status: 'error' }, requests });
    },
  );

  test.each([
    [claude('Oslo', 'end_turn'), stopped],
    [claude([{ type: 'text', text: 'I cannot' }], 'refusal'), { ended: 'refused' }],
    [claude([{ type: 'text', text: 'x' }], 'novel'), { ended: 'other', ended_as: 'novel' }],
  ])('is read as expected: %j of Claude (%#)', async (reply, expected) => {
    expect(await completionOf('anthropic', reply)).toMatchObject(expected);
  });

  test.each([
    [
      response(
        [
          message('sorry, let me look it up', { phase: 'commentary' }),
          message('Oslo is fine', { phase: 'final_answer' }),
        ],
        'completed',
      ),
      { ...said('Oslo is fine'), ended: 'stop' },
    ],
    [response([message('looking', { phase: 'commentary' })], 'completed'), said('looking')],
    [response([message('Oslo')], undefined), stopped],
    [response([message('Oslo')], 'novel'), { ended: 'other', ended_as: 'novel' }],
    [incomplete([message('half')], 'novel'), { ended: 'other', ended_as: 'novel' }],
    [
      response([{ type: 'function_call', name: 'f', arguments: { a: 1 } }], 'completed'),
      said('', [{ name: 'f', arguments: '{"a":1}' }]),
    ],
    [
      response([{ type: 'custom_tool_call', name: 'f', input: 'x' }], 'completed'),
      said('', [{ name: 'f', arguments: 'x' }]),
    ],
  ])('is read as expected: %j of the Responses API (%#)', async (reply, expected) => {
    expect(await completionOf('openai', reply, pro)).toMatchObject(expected);
  });

  test.each([
    [{ content: 5 }, 'choices[0].message.content'],
    [{ content: 'x', tool_calls: 'none' }, 'choices[0].message.tool_calls'],
  ])('that is malformed in %j is an error that names the malformed field', async (said, member) => {
    expect(await ask('openai', chat(said, 'stop'))).toMatchObject({
      completion: failing(`its ${member} is missing or invalid`, 0).completion,
    });
  });

  test('cannot be requested as a background response: evaldiff reports an error and sends nothing', async () => {
    const made = await ask('openai', {}, { ...pro, parameters: { background: true } });
    expect(made).toMatchObject({ completion: { status: 'error', kind: 'request' }, requests: 0 });
  });
});

describe('a tool call', () => {
  const call = { name: 'book', arguments: '{"a":1}' };
  test.each<[unknown, ToolCall[]]>([
    [chat({ tool_calls: [{ function: call }] }, 'tool_calls'), [call]],
    [chat({ content: '', function_call: call }, 'function_call'), [call]],
    [chat({ function_call: { name: 'book', arguments: { a: 1 } } }, 'stop'), [call]],
    [chat({ tool_calls: [{ function: { name: 'book', arguments: { a: 1 } } }] }, 'stop'), [call]],
    [chat({ tool_calls: [{ name: 'book', arguments: '{"a":1}' }] }, 'tool-calls'), [call]],
    [chat({ tool_calls: [{ name: 'book', args: { a: 1 } }] }, 'tool_calls'), [call]],
    [chat({ tool_calls: [{ function: { name: 'book', parameters: { a: 1 } } }] }, 'stop'), [call]],
    [chat({ content: 'x', toolCalls: [{ function: call }] }, 'stop'), [call]],
    [chat({ content: 'x', tool_call: call }, 'stop'), [call]],
    [
      chat({ tool_calls: [{ function: { name: 'now' } }] }, 'tool_calls'),
      [{ name: 'now', arguments: '{}' }],
    ],
    [chat({ content: [{ type: 'tool_use', name: 'book', input: { a: 1 } }] }, 'tool_use'), [call]],
    [chat({ tool_calls: [{ function: call }], function_call: call }, 'tool_calls'), [call]],
    [
      { choices: [{ finish_reason: 'tool_calls', delta: { tool_calls: [{ function: call }] } }] },
      [call],
    ],
    [ollama({ content: '', tool_calls: [{ function: { ...call, arguments: { a: 1 } } }] }), [call]],
    [
      chat({ tool_calls: [{ function: { name: 'book', arguments: '{"a":' } }] }, 'length'),
      [{ name: 'book', arguments: '{"a":' }],
    ],
  ])('is read in %j', async (reply, calls) => {
    const completion = await completionOf('openai', reply);
    expect(completion.status === 'ok' && callsOf(completion)).toEqual(calls);
  });

  test.each([
    '<tool_call>\n{"name": "book", "arguments": {"a": 1}}\n</tool_call>',
    '[TOOL_CALLS] [{"name": "book", "arguments": {}}]',
    'I book. <function=book>{"a": 1}</function>',
    '<|python_tag|>book(a=1)',
  ])('left in the text by the server is an error if tools are offered: %j', async (content) => {
    const reply = chat({ content }, 'stop');
    const parameters = { functions: [{ name: 'book' }] };
    expect(await ask('openai', reply, { parameters })).toMatchObject(
      failing('choices[0].message.content of the reply is a tool call', 1),
    );
    expect(await completionOf('openai', reply)).toMatchObject(said(content));
  });

  test.each([
    [chat({ content: null }, 'tool_calls'), 'but it contains none'],
    [chat({ content: 'I booked it' }, 'tool_calls'), 'but it contains none'],
    [
      chat({ tool_calls: [{ function: { arguments: '{}' } }] }, 'tool_calls'),
      'choices[0].message.tool_calls[0] of the reply is a tool call that cannot be read',
    ],
    [
      chat({ content: 'x', tool_calls: [{ function: call }, 'book'] }, 'stop'),
      'tool_calls[1] of the reply',
    ],
    [chat({ content: 'x', tool_calls: [null] }, 'stop'), 'tool_calls[0] of the reply'],
    [
      chat({ content: 'x', function_call: { arguments: '{}' } }, 'stop'),
      'function_call of the reply',
    ],
  ])('that cannot be read in %j is an error', async (reply, words) => {
    const message = expect.stringContaining(words);
    const expected = { status: 'error', kind: 'reply', message };
    expect(await completionOf('openai', reply)).toMatchObject(expected);
  });

  test('that the request forces for a JSON schema is the answer, even if its arguments are not a string', async () => {
    const verdict = { name: 'verdict', arguments: { choice: 'B' } };
    const reply = chat({ tool_calls: [{ function: verdict }] }, 'tool_calls');
    const expected = { ...said('{"choice":"B"}'), ended: 'stop' };
    expect(await completionOf('openai', reply, { schema: answerSchema })).toMatchObject(expected);
  });
});
