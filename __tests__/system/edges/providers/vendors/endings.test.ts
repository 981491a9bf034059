/** Every end reason with every kind of content, for both APIs of OpenAI and for Anthropic's. */
import { callsOf, type ToolCall } from '../../../../../src/types/answer.ts';
import type { Request } from '../../../../../src/types/model.ts';
import type { VendorName } from '../../../../../src/types/vendors/names.ts';
import { readFixture } from '../../../../stand-ins/fixture.ts';
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

interface Row {
  reply: unknown;
  says: string;
  requests: number;
  asked?: Asked;
}

const WITHOUT_TEXT = readFixture('replies/without-text.yaml') as Record<
  'chat' | 'anthropic' | 'responses',
  Row[]
>;

const TOOL_CALLS = readFixture('replies/tool-calls.yaml') as {
  read: { reply: unknown; calls: ToolCall[] }[];
  unreadable: { reply: unknown; says: string }[];
};

describe('an answer without text', () => {
  test.each(WITHOUT_TEXT.chat)(
    'is an error of the chat API with the expected reason: %j',
    async ({ reply, says, requests, asked = {} }) => {
      expect(await ask('openai', reply, asked)).toMatchObject(failing(says, requests));
    },
  );

  test.each(WITHOUT_TEXT.anthropic)(
    'is an error of Claude with the expected reason: %j',
    async ({ reply, says, requests }) => {
      expect(await ask('anthropic', reply)).toMatchObject(failing(says, requests));
    },
  );

  test.each(WITHOUT_TEXT.responses)(
    'is an error of the Responses API with the expected reason: %j',
    async ({ reply, says, requests }) => {
      expect(await ask('openai', reply, pro)).toMatchObject(failing(says, requests));
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
  test.each(TOOL_CALLS.read)('is read: %j', async ({ reply, calls }) => {
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

  test.each(TOOL_CALLS.unreadable)('that cannot be read is an error: %j', async (row) => {
    const message = expect.stringContaining(row.says);
    const expected = { status: 'error', kind: 'reply', message };
    expect(await completionOf('openai', row.reply)).toMatchObject(expected);
  });

  test('that the request forces for a JSON schema is the answer, even if its arguments are not a string', async () => {
    const verdict = { name: 'verdict', arguments: { choice: 'B' } };
    const reply = chat({ tool_calls: [{ function: verdict }] }, 'tool_calls');
    const expected = { ...said('{"choice":"B"}'), ended: 'stop' };
    expect(await completionOf('openai', reply, { schema: answerSchema })).toMatchObject(expected);
  });
});
