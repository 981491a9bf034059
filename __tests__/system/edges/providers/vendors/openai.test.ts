import { afterEach, describe, expect, test } from '@jest/globals';
import type { Completion } from '../../../../../src/types/model.ts';
import type { Json } from '../../../../../src/types/plain.ts';
import type { Script, Scripted } from '../../../../stand-ins/models/server.ts';
import {
  answerSchema,
  errorOf,
  says,
  setUp,
  testClock,
  type Setting,
} from '../../../../unit/edges/providers/providers-setting.ts';

const open: Setting[] = [];
afterEach(async () => {
  for (const setting of open.splice(0)) await setting.close();
});

async function start(answer: Script): Promise<Setting> {
  const setting = await setUp('openai', answer);
  open.push(setting);
  return setting;
}

async function answerTo(
  message: Record<string, unknown>,
  finish_reason: string | null,
  usage?: unknown,
): Promise<Completion> {
  const { ask } = await start(() => ({
    body: JSON.stringify({ choices: [{ finish_reason, message }], usage }),
  }));
  return await ask();
}

describe('a chat completion', () => {
  // https://docs.x.ai/docs/key-information/consumption-and-rate-limits
  test.each([
    [
      {
        completion_tokens: 7,
        total_tokens: 37,
        completion_tokens_details: { reasoning_tokens: 10 },
      },
      17,
    ],
    [
      {
        completion_tokens: 17,
        total_tokens: 37,
        completion_tokens_details: { reasoning_tokens: 10 },
      },
      17,
    ],
    [{ completion_tokens: 17 }, 17],
    [{ completion_tokens: 17, total_tokens: 0 }, 17],
    [{ completion_tokens: 17, total_tokens: 'many' }, 17],
  ])(
    'counts what was thought as output, where the total alone holds it: %j',
    async (counts, output) => {
      const usage = { prompt_tokens: 20, ...counts };
      expect(await answerTo({ content: 'x' }, 'stop', usage)).toMatchObject({
        usage: { input_tokens: 20, output_tokens: output },
      });
    },
  );

  test('may begin with a mark of its encoding', async () => {
    const reply = { choices: [{ finish_reason: 'stop', message: { content: 'a' } }] };
    const { ask } = await start(() => ({ body: `\ufeff${JSON.stringify(reply)}` }));
    expect(await ask()).toMatchObject({ output: 'a' });
  });

  test('may come as parts, with tool calls of both kinds', async () => {
    expect(
      await answerTo(
        { content: [{ type: 'text', text: 'a' }, { type: 'other' }, { type: 'text', text: 'b' }] },
        'stop',
      ),
    ).toMatchObject({ output: 'ab' });
    expect(
      await answerTo(
        {
          content: null,
          tool_calls: [
            { id: '1', type: 'function', function: { name: 'f', arguments: '{"a":1}' } },
            { id: '2', type: 'custom', custom: { name: 'g', input: 'text' } },
          ],
        },
        'tool_calls',
      ),
    ).toMatchObject({
      output: '',
      finish_reason: 'tool',
      tool_calls: [
        { name: 'f', arguments: '{"a":1}' },
        { name: 'g', arguments: 'text' },
      ],
    });
  });

  test('that refuses in the field of its own is marked as filtered, with what it said', async () => {
    expect(await answerTo({ content: null, refusal: 'I will not.' }, 'stop')).toMatchObject({
      status: 'ok',
      output: 'I will not.',
      finish_reason: 'filter',
    });
  });

  test.each([
    ['content_filter: PROHIBITED_CONTENT', 'filter'],
    ['model_length', 'length'],
    ['eos', 'stop'],
  ])('that ends with %s ends by %s', async (reason, finish_reason) => {
    expect(await answerTo({ content: 'half' }, reason)).toMatchObject({ finish_reason });
  });

  test('that Google withheld is an error of the filter', async () => {
    const withheld = await answerTo({}, 'content_filter: SAFETY');
    expect(errorOf(withheld).kind).toBe('filtered');
  });

  test.each(['error', 'insufficient_system_resource'])(
    'that the server broke off (%s) is no answer, and is asked for again',
    async (finish_reason) => {
      const half = { choices: [{ finish_reason, message: { content: 'half' } }] };
      const { ask } = await start(({ index }) =>
        index === 0 ? { body: JSON.stringify(half) } : { text: 'whole' },
      );
      expect(await ask()).toMatchObject({ output: 'whole' });
    },
  );

  test('that ends for an unknown reason, or none, still counts', async () => {
    expect(await answerTo({ content: 'x' }, 'novel')).toMatchObject({
      output: 'x',
      finish_reason: 'other',
    });
    expect(await answerTo({ content: 'x' }, null)).toMatchObject({
      output: 'x',
      finish_reason: 'other',
    });
  });

  test.each([
    [null],
    [{ prompt_tokens: '5', completion_tokens: 2 }],
    [{ prompt_tokens: -5, completion_tokens: 2 }],
    [{ prompt_tokens: 1e400, completion_tokens: 2 }],
  ])('usage of %j is unknown, and the answer is kept', async (usage) => {
    expect(await answerTo({ content: 'x' }, 'stop', usage)).toMatchObject({
      status: 'ok',
      output: 'x',
      usage: null,
    });
  });
});

describe('a schema', () => {
  test('that a server does not know is left out from then on, for that model only', async () => {
    const { ask, server, log } = await start(({ body, model }) =>
      'response_format' in body && model === 'small'
        ? { status: 400, error: { message: 'unknown field: response_format' } }
        : { text: 'plain' },
    );
    expect(await ask({ model: 'small', schema: answerSchema })).toMatchObject({ output: 'plain' });
    expect(await ask({ model: 'small', schema: answerSchema, try: 1 })).toMatchObject({
      output: 'plain',
    });
    expect(await ask({ model: 'large', schema: answerSchema })).toMatchObject({ output: 'plain' });
    expect(
      server.requests.map(
        ({ model, body }) => `${model} ${'tool_choice' in body ? 'tool' : 'schema'}`,
      ),
    ).toEqual(['small schema', 'small tool', 'small tool', 'large schema']);
    expect(log).toEqual(['openai: model small refuses an answer schema; asking without it']);
  });

  test.each<[string, string]>([
    ['schema', 'json_validate_failed'],
    ['tool', 'tool_use_failed'],
  ])(
    'asked for as a %s whose answer was %s is asked for again in words, once and alone',
    async (_, code) => {
      const toolless = { status: 400, error: { message: 'json schema is not supported' } };
      const misformed = {
        status: 400,
        error: { message: 'Tool choice is required, but model did not call a tool', code },
      };
      const { ask, server } = await start(({ body, messages }) => {
        const [formed, tool] = ['response_format' in body, 'tool_choice' in body];
        if (formed && code === 'tool_use_failed') return toolless;
        return messages[0]?.content === 'odd' && (formed || tool) ? misformed : { text: 'said' };
      });
      for (const content of ['odd', 'even', 'odd'])
        expect(await ask({ schema: answerSchema, messages: says(content) })).toMatchObject({
          output: 'said',
        });
      const forms = server.requests.map(({ messages, body }) =>
        [messages[0]?.content, 'tool_choice' in body || 'response_format' in body].join(' '),
      );
      const learned = code === 'tool_use_failed' ? ['odd true'] : [];
      expect(forms).toEqual([
        ...learned,
        ...['odd true', 'odd false', 'even true', 'odd true', 'odd false'],
      ]);
    },
  );

  test.each([
    'Invalid JSON payload received. Unknown name "additionalProperties" at \'generation_config.response_schema\': Cannot find field.',
    'This model does not support JSON schema',
    'Structured output is not supported for this model.',
    'failed to parse grammar',
  ])('is refused by "%s"', async (message) => {
    const { ask } = await start(({ body }) =>
      'response_format' in body ? { status: 400, error: { message } } : {},
    );
    expect(await ask({ schema: answerSchema })).toMatchObject({ status: 'ok' });
  });

  test('that is itself faulty is an error and not left out', async () => {
    const { ask, server } = await start(() => ({}));
    const { additionalProperties: _, ...json } = answerSchema.json;
    expect(errorOf(await ask({ schema: { name: 'verdict', json } })).message).toContain(
      'Invalid schema',
    );
    expect(server.refused).toHaveLength(1);
    expect(server.requests).toHaveLength(0);
  });
});

test.each<Scripted>([
  {
    status: 400,
    error: {
      message:
        "'max_tokens' or 'max_completion_tokens' is too large: 512. This model's maximum context length is 4096 tokens and your request has 3900 input tokens",
    },
  },
  {
    status: 422,
    error: {
      message: '`inputs` tokens + `max_tokens` must be <= 8193. Given: 8000 `inputs` tokens',
    },
  },
])('an answer too long for its grader says nothing of what the model takes', async (refusal) => {
  const setting = await setUp(
    'openai',
    ({ messages }) => (messages[0]?.content === 'long' ? refusal : {}),
    {
      memory: {
        known: () => Promise.resolve(null),
        keep: () => {
          throw new Error('nothing was learned');
        },
      },
    },
  );
  open.push(setting);
  const grade = (content: string): Promise<Completion> =>
    setting.ask({ purpose: 'grader', parameters: { max_tokens: 512 }, messages: says(content) });
  expect(errorOf(await grade('long')).kind).toBe('too-long');
  expect(await grade('short')).toMatchObject({ status: 'ok' });
  expect(setting.server.requests.map(({ body }) => body.max_tokens)).toEqual([512, 512]);
});

test.each<[Json, boolean]>([
  [1, true],
  [2, false],
  ['1', false],
])('n of %j is sent: %p', async (n, sent) => {
  const { ask, server } = await start(() => ({}));
  const completion = await ask({ parameters: { n } });
  expect(server.requests.length === 1).toBe(sent);
  if (!sent)
    expect(errorOf(completion)).toEqual({
      kind: 'request',
      message: 'openai: the parameter n must be 1; set n_tries for several answers',
    });
});

test("a request that the host's content filter refuses is filtered, not a fault of the request", async () => {
  const { ask } = await start(() => ({
    status: 400,
    error: { message: 'The response was filtered', code: 'content_filter' },
  }));
  expect(errorOf(await ask())).toEqual({
    kind: 'filtered',
    message: 'openai: 400, the content filter refused the request: The response was filtered',
  });
});

describe('what one request is told, the others of its kind are not sent for', () => {
  const ten = (setting: Setting, changes: Parameters<Setting['ask']>[0] = {}) =>
    Promise.all(Array.from({ length: 10 }, (_, index) => setting.ask({ ...changes, try: index })));
  const temperature: Scripted = {
    status: 400,
    error: {
      message: "Unsupported value: 'temperature' does not support 0.",
      param: 'temperature',
    },
  };

  test('a parameter that an unknown model refuses, for those prompts that name it', async () => {
    const setting = await start(({ body }) => ('temperature' in body ? temperature : {}));
    const all = await ten(setting, { parameters: { temperature: 0 } });
    for (const { message } of all.map(errorOf)) expect(message).toContain('does not support 0');
    expect(
      all.filter((completion) => completion.status === 'error' && completion.unsent === true),
    ).toHaveLength(9);
    expect(setting.server.requests).toHaveLength(1);
    expect((await ten(setting)).every(({ status }) => status === 'ok')).toBe(true);
  });

  test.each<[string, Scripted, number]>([
    ['no credit', { status: 402, error: { message: 'Insufficient Balance' } }, 1],
    ['a used up quota', { status: 429, error: { message: 'q', code: 'insufficient_quota' } }, 1],
    ['a request of its own that is wrong', { status: 400, error: { message: 'too many n' } }, 10],
    ['an address that is not there', { status: 404, error: { message: 'Not Found' } }, 10],
  ])('%s', async (_, refusal, requests) => {
    const setting = await start(() => refusal);
    expect((await ten(setting)).every(({ status }) => status === 'error')).toBe(true);
    expect(setting.server.requests).toHaveLength(requests);
  });

  const seven = (
    { ask }: Setting,
    changes: (index: number) => Parameters<Setting['ask']>[0],
  ): Promise<Completion[]> =>
    Promise.all(
      Array.from({ length: 7 }, (_, index) =>
        ask({ messages: says(`q${String(index)}`), ...changes(index) }),
      ),
    );
  const refuse = (message: string, param?: string): Scripted => ({
    status: 400,
    error: { message, type: 'invalid_request_error', ...(param === undefined ? {} : { param }) },
  });

  test('a parameter is refused for good by a second question that is told the same', async () => {
    const setting = await start(() => temperature);
    const all = await seven(setting, () => ({ parameters: { temperature: 0 } }));
    const messages = all.map((completion) => errorOf(completion).message);
    for (const message of messages) expect(message).toContain('does not support 0');
    expect(messages.filter((message) => message.includes('not sent, for two others'))).toHaveLength(
      5,
    );
    expect(setting.server.requests).toHaveLength(2);
  });

  test.each<[string, Record<string, Json>]>([
    ['temperature: Extra inputs are not permitted', { temperature: 0 }],
    ['Model grok-4 does not support parameter presencePenalty.', { presence_penalty: 1 }],
    ['Argument not supported on this model: stop', { stop: ['x'] }],
    ['`logprobs` is not supported with this model', { logprobs: true }],
    ['Unrecognized request argument supplied: seed', { seed: 1 }],
    ["property 'user' is unsupported", { user: 'a' }],
    ['Invalid top_p value, the valid range of top_p is (0, 1.0]', { top_p: 1 }],
    ['registry.ollama.ai/library/x does not support tools', { tools: [] }],
  ])('a parameter is refused by "%s"', async (said, parameters) => {
    const setting = await start(() => refuse(said));
    await seven(setting, () => ({ parameters }));
    expect(setting.server.requests).toHaveLength(2);
  });

  test.each<[string, string, Json, Json, Scripted]>([
    [
      'a limit that is too high',
      'max_tokens',
      100_000,
      4000,
      refuse('max_tokens is too large: 100000. It must be at most 4096.', 'max_tokens'),
    ],
    ['a temperature of 0', 'temperature', 0, 1, temperature],
  ])('%s is refused, not its name', async (_, name, wrong, right, refusal) => {
    const setting = await start(({ body }) => (body[name] === wrong ? refusal : {}));
    for (const [value, status] of [
      [wrong, 'error'],
      [right, 'ok'],
    ] as const)
      for (const completion of await seven(setting, () => ({ parameters: { [name]: value } })))
        expect(completion.status).toBe(status);
    expect(setting.server.requests).toHaveLength(2 + 7);
  });

  test.each<[string, string[], Record<string, Json>, Scripted]>([
    [
      'the word that a form asks for is missing',
      ['q0', 'q1'],
      { response_format: { type: 'json_object' } },
      refuse(
        "'messages' must contain the word 'json', to use 'response_format' of type 'json_object'.",
        'messages',
      ),
    ],
    [
      'the names of parameters stand',
      ['q0'],
      { stop: ['x'], seed: 1 },
      refuse('Invalid data: the text "stop, seed" is not taken'),
    ],
    [
      'a word is refused that names a parameter',
      ['q0', 'q1'],
      { stop: ['x'] },
      refuse('Cannot read what follows the word stop'),
    ],
    [
      'a word stands that is a parameter too',
      ['q0', 'q1'],
      { stop: ['x'], tools: [], user: 'me' },
      refuse('Unsupported stop of the user: what the tools gave is invalid'),
    ],
    [
      'a picture is refused beside the name of a parameter',
      ['q0', 'q1'],
      { store: true },
      refuse("Invalid image: 'store' must be a bucket of this region"),
    ],
    [
      'what is left for the answer is less than nothing',
      ['q0', 'q1'],
      { max_tokens: 512 },
      refuse('max_tokens must be at least 1, got -95.', 'max_tokens'),
    ],
    [
      'there is too much for the limit',
      ['q0', 'q1'],
      { max_tokens: 512 },
      {
        status: 422,
        error: {
          message:
            '`inputs` tokens + `max_tokens` must be <= 8193. Given: 8000 `inputs` tokens and 512 `max_tokens`',
          type: 'invalid_request_error',
        },
      },
    ],
  ])('a question in which %s is no fault of the others', async (_, wrong, parameters, refusal) => {
    const setting = await start(({ messages }) =>
      wrong.includes(messages[0]?.content ?? '') ? refusal : {},
    );
    const all = await seven(setting, () => ({ parameters }));
    expect(all.map(({ status }) => status)).toEqual(
      all.map((__, index) => (index < wrong.length ? 'error' : 'ok')),
    );
    expect(setting.server.requests).toHaveLength(7);
  });

  test('is not kept of a kind that was answered', async () => {
    const { ask, server } = await start(({ index }) => (index === 1 ? temperature : {}));
    const parameters = { temperature: 0 };
    for (const status of ['ok', 'error', 'ok'])
      expect(await ask({ parameters, try: server.requests.length })).toMatchObject({ status });
  });
});

test.each<[string, number, string]>([
  ['invalid_prompt', 1, 'request'],
  ['server_error', 5, 'server'],
  ['rate_limit_exceeded', 5, 'rate-limit'],
])(
  'a word for an error in a reply of success, %s, is asked %i times',
  async (code, times, kind) => {
    const { ask, server } = await start(() => ({
      body: JSON.stringify({ error: { code, message: 'the words' } }),
    }));
    expect(errorOf(await ask())).toMatchObject({
      kind,
      message: expect.stringContaining('the words'),
    });
    expect(server.requests).toHaveLength(times);
  },
);

test('the head start of the first request begins once the client is loaded', async () => {
  const events: string[] = [];
  const clock = testClock();
  const setting = await setUp('openai', () => ({}), {
    // Said while it is being connected.
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
  open.push(setting);
  await setting.ask();
  expect(events.slice(0, 2)).toEqual(['connected', 'head start']);
});
