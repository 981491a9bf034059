import type { Script, Scripted } from '../../../../stand-ins/models/server.ts';
import {
  answerSchema,
  errorOf,
  says,
  testClock,
  type Setting,
  said,
} from '../../../../unit/edges/providers/providers-setting.ts';
import { start as startVendor } from '../started.ts';

const start = (answer?: Script) => startVendor('openai', answer);

async function answerTo(
  message: Record<string, unknown>,
  finish_reason: string | null,
  usage?: unknown,
) {
  const body = JSON.stringify({ choices: [{ finish_reason, message }], usage });
  return await (await start(() => ({ body }))).ask();
}

const refuse = (message: string, error: object = {}): Scripted => ({
  status: 400,
  error: { message, ...error },
});

describe('a chat completion', () => {
  // https://docs.x.ai/docs/key-information/consumption-and-rate-limits
  const thought = { total_tokens: 37, completion_tokens_details: { reasoning_tokens: 10 } };
  test.each([
    [{ completion_tokens: 7, ...thought }, 17],
    [{ completion_tokens: 17, ...thought }, 17],
    [{ completion_tokens: 17 }, 17],
    [{ completion_tokens: 17, total_tokens: 0 }, 17],
    [{ completion_tokens: 17, total_tokens: 'many' }, 17],
  ])('adds reasoning to output if only the token total has it: %j', async (counts, output) => {
    const completion = await answerTo({ content: 'x' }, 'stop', { prompt_tokens: 20, ...counts });
    expect(completion).toMatchObject({ usage: { input_tokens: 20, output_tokens: output } });
  });

  test('can start with a byte order mark', async () => {
    const reply = { choices: [{ finish_reason: 'stop', message: { content: 'a' } }] };
    const { ask } = await start(() => ({ body: `\ufeff${JSON.stringify(reply)}` }));
    expect(await ask()).toMatchObject(said('a'));
  });

  test('can consist of several parts, and of function and custom tool calls', async () => {
    const content = [{ type: 'text', text: 'a' }, { type: 'other' }, { type: 'text', text: 'b' }];
    expect(await answerTo({ content }, 'stop')).toMatchObject({
      parts: [
        { type: 'text', text: 'ab' },
        { type: 'unknown', kind: 'other', json: '{"type":"other"}' },
      ],
    });
    const tool_calls = [
      { id: '1', type: 'function', function: { name: 'f', arguments: '{"a":1}' } },
      { id: '2', type: 'custom', custom: { name: 'g', input: 'text' } },
    ];
    const called = [
      { name: 'f', arguments: '{"a":1}' },
      { name: 'g', arguments: 'text' },
    ];
    const completion = await answerTo({ content: null, tool_calls }, 'tool_calls');
    expect(completion).toMatchObject({ ...said('', called), ended: 'tool_calls' });
  });

  test.each([
    [{ content: null, refusal: 'I will not.' }, 'stop', 'I will not.', 'refused'],
    [{ content: 'half' }, 'content_filter: PROHIBITED_CONTENT', 'half', 'filtered'],
    [{ content: 'half' }, 'model_length', 'half', 'length'],
    [{ content: 'x' }, 'eos', 'x', 'stop'],
    [{ content: 'x' }, 'novel', 'x', 'other'],
    [{ content: 'x' }, null, 'x', 'other'],
  ])(
    'with the message %j and finish reason %s has the text %j and ends as %s',
    async (message, reason, output, ended) => {
      const expected = { status: 'ok', ...said(output), ended };
      expect(await answerTo(message, reason)).toMatchObject(expected);
    },
  );

  test('that Google withheld is a filter error', async () => {
    expect(errorOf(await answerTo({}, 'content_filter: SAFETY')).kind).toBe('filtered');
  });

  test.each([
    [null],
    [{ prompt_tokens: '5', completion_tokens: 2 }],
    [{ prompt_tokens: -5, completion_tokens: 2 }],
    [{ prompt_tokens: 1e400, completion_tokens: 2 }],
  ])('with the unusable usage %j is kept, and its usage is unknown', async (usage) => {
    const expected = { status: 'ok', ...said('x'), usage: null };
    expect(await answerTo({ content: 'x' }, 'stop', usage)).toMatchObject(expected);
  });
});

describe('a JSON schema', () => {
  test('is no longer sent to a model once its server rejects it', async () => {
    const { ask, server, log } = await start(({ body, model }) =>
      'response_format' in body && model === 'small'
        ? refuse('unknown field: response_format')
        : { text: 'plain' },
    );
    for (const [index, model] of ['small', 'small', 'large'].entries())
      expect(await ask({ model, schema: answerSchema, try: index })).toMatchObject(said('plain'));
    const asked = server.requests.map(
      ({ model, body }) => `${model} ${'tool_choice' in body ? 'tool' : 'schema'}`,
    );
    expect(asked).toEqual(['small schema', 'small tool', 'small tool', 'large schema']);
    expect(log).toEqual(['openai: model small rejects an answer schema; retrying without it']);
  });

  test.each([
    ['schema', 'json_validate_failed'],
    ['tool', 'tool_use_failed'],
  ])('sent as a %s is left out when a request is repeated after the error %s', async (_, code) => {
    const misformed = refuse('Tool choice is required, but no tool was called', { code });
    const { ask, server } = await start(({ body, messages }) => {
      const [formed, tool] = ['response_format' in body, 'tool_choice' in body];
      if (formed && code === 'tool_use_failed') return refuse('json schema is not supported');
      return messages[0]?.content === 'odd' && (formed || tool) ? misformed : { text: 'said' };
    });
    for (const content of ['odd', 'even', 'odd'])
      expect(await ask({ schema: answerSchema, messages: says(content) })).toMatchObject(
        said('said'),
      );
    const forms = server.requests.map(({ messages, body }) =>
      [messages[0]?.content, 'tool_choice' in body || 'response_format' in body].join(' '),
    );
    const learned = code === 'tool_use_failed' ? ['odd true'] : [];
    const asked = ['odd true', 'odd false', 'even true', 'odd true', 'odd false'];
    expect(forms).toEqual([...learned, ...asked]);
  });

  test.each([
    'Invalid JSON payload received. Unknown name "additionalProperties" at \'generation_config.response_schema\': Cannot find field.',
    'This model does not support JSON schema',
    'Structured output is not supported for this model.',
    'failed to parse grammar',
  ])(`is left out if the server's error is "%s"`, async (message) => {
    const { ask } = await start(({ body }) => ('response_format' in body ? refuse(message) : {}));
    expect(await ask({ schema: answerSchema })).toMatchObject({ status: 'ok' });
  });

  test('that is invalid is an error and is not left out', async () => {
    const { ask, server } = await start();
    const { additionalProperties: _, ...json } = answerSchema.json;
    const { message } = errorOf(await ask({ schema: { name: 'verdict', json } }));
    expect(message).toContain('Invalid schema');
    expect([server.refused.length, server.requests.length]).toEqual([1, 0]);
  });
});

test.each<Scripted>([
  refuse(
    "'max_tokens' or 'max_completion_tokens' is too large: 512. This model's maximum context length is 4096 tokens and your request has 3900 input tokens",
  ),
  {
    ...refuse('`inputs` tokens + `max_tokens` must be <= 8193. Given: 8000 `inputs` tokens'),
    status: 422,
  },
])(
  'if an answer is too long for its grader, the refusal does not change the parameters of later requests',
  async (refusal) => {
    const keep = () => {
      throw new Error('nothing was learned');
    };
    const { ask, server } = await startVendor(
      'openai',
      ({ messages }) => (messages[0]?.content === 'long' ? refusal : {}),
      { memory: { known: () => Promise.resolve(null), keep } },
    );
    const grade = (content: string) =>
      ask({ purpose: 'grader', parameters: { max_tokens: 512 }, messages: says(content) });
    expect(errorOf(await grade('long')).kind).toBe('too-long');
    expect(await grade('short')).toMatchObject({ status: 'ok' });
    expect(server.requests.map(({ body }) => body.max_tokens)).toEqual([512, 512]);
  },
);

test.each([
  [1, true],
  [2, false],
  ['1', false],
])('a request with the parameter n = %j is sent: %p', async (n, sent) => {
  const { ask, server } = await start();
  const completion = await ask({ parameters: { n } });
  expect(server.requests.length === 1).toBe(sent);
  const message = 'openai: the parameter n must be 1; set n_tries for several answers';
  if (!sent) expect(errorOf(completion)).toEqual({ kind: 'request', message });
});

test("a request refused by the host's content filter counts as filtered, not as an error", async () => {
  const refusal = refuse('The response was filtered', { code: 'content_filter' });
  const { ask } = await start(() => refusal);
  expect(errorOf(await ask())).toEqual({
    kind: 'filtered',
    message: 'openai: 400, the content filter rejected the request: The response was filtered',
  });
});

describe('after one request is refused, similar requests', () => {
  const ten = ({ ask }: Setting) =>
    Promise.all(Array.from({ length: 10 }, (_, index) => ask({ try: index })));

  test.each<[string, Scripted, number]>([
    ['no credit', { status: 402, error: { message: 'Insufficient Balance' } }, 1],
    ['a used up quota', { status: 429, error: { message: 'q', code: 'insufficient_quota' } }, 1],
    ["an error of the prompt's parameters", refuse('too many n'), 10],
    ['an address that does not exist', { status: 404, error: { message: 'Not Found' } }, 10],
  ])('are sent or not, depending on the error: %s', async (_, refusal, requests) => {
    const setting = await start(() => refusal);
    expect((await ten(setting)).every(({ status }) => status === 'error')).toBe(true);
    expect(setting.server.requests).toHaveLength(requests);
  });
});

test.each([
  ['invalid_prompt', 1, 'request'],
  ['server_error', 5, 'server'],
  ['rate_limit_exceeded', 5, 'rate-limit'],
])('the error %s in a reply of status 200 causes %i requests', async (code, times, kind) => {
  const body = JSON.stringify({ error: { code, message: 'the words' } });
  const { ask, server } = await start(() => ({ body }));
  const message = expect.stringContaining('the words');
  expect(errorOf(await ask())).toMatchObject({ kind, message });
  expect(server.requests).toHaveLength(times);
});

test('the first request gets a head start over other requests only after the SDK is loaded', async () => {
  const events: string[] = [];
  const clock = testClock();
  const { ask } = await startVendor('openai', () => ({}), {
    // Logged while the client connects.
    env: { OPENAI_BASE_URL: 'https://elsewhere.example' },
    log: () => events.push('connected'),
    clock: {
      ...clock,
      sleep(ms, signal, what) {
        events.push(what);
        return clock.sleep(ms, signal, what);
      },
    },
  });
  await ask();
  expect(events.slice(0, 2)).toEqual(['connected', 'head start']);
});
