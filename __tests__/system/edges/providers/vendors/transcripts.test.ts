import { storedEntryOf } from '../../../../../src/edges/store/entry.ts';
import type { MessagePart } from '../../../../../src/types/media.ts';
import type { Completion, Message } from '../../../../../src/types/model.ts';
import { parsedJson } from '../../../../../src/types/plain.ts';
import { readFixture } from '../../../../stand-ins/fixture.ts';
import type { Script, Scripted } from '../../../../stand-ins/models/server.ts';
import { signatureOf } from '../../../../stand-ins/models/transcripts.ts';
import { pdf } from '../../../../stand-ins/pictures.ts';
import {
  answerSchema,
  errorOf,
  requestTo,
  said,
  says,
} from '../../../../unit/edges/providers/providers-setting.ts';
import { start } from '../started.ts';
import {
  called,
  CHAT_TOOLS,
  SPEAKERS,
  THINKS,
  transcript,
  type Speaker,
} from './transcript-setting.ts';

const BOTH: Scripted = {
  thought: 'Two tools.',
  calls: [
    { name: 'stock', arguments: '{"crate":2512292042121000001}' },
    { name: 'price', arguments: '{"crate":2}' },
  ],
};
const ONE: Scripted = {
  text: 'Let me look.',
  thought: 'Again.',
  calls: [{ name: 'stock', arguments: '{"crate":3}' }],
};
const SCRIPT: Scripted[] = [BOTH, { text: 'There are 41.', thought: 'Done.' }, ONE, {}];

async function startDialogue(
  { vendor, model, parameters }: Speaker,
  script: Script = ({ index }) => SCRIPT[index] ?? {},
) {
  const setting = await start(vendor, script);
  return {
    ...setting,
    next: (messages: Message[], more: object = {}) =>
      setting.ask({ model, parameters, messages: structuredClone(messages), ...more }),
    /** What the last request says, after the first message. */
    sent() {
      const { messages, input } = setting.server.requests.at(-1)?.body ?? {};
      return ((messages ?? input) as object[]).slice(1);
    },
  };
}

/** An answer as the next run finds it in the store. */
function stored(completion: Completion): Completion {
  if (completion.status !== 'ok') return completion;
  const { body } = storedEntryOf('k', requestTo('openai'), completion, () => '');
  return { ...completion, ...(parsedJson(body) as object) };
}

describe('a dialogue with tool calls', () => {
  test.each(SPEAKERS)('continues to its end with $what', async (speaker) => {
    const { next, server } = await startDialogue(speaker);
    const { messages, add, user } = transcript('How many apples, and for how much?');
    add(stored(await next(messages)));
    add(stored(await next(messages)));
    user('And in crate 3?');
    add(stored(await next(messages)));
    expect(await next(messages)).toMatchObject({ status: 'ok', ...said('ok') });
    expect(server.refused).toEqual([]);
    // Every digit of the first call is sent back.
    const bodies = server.requests.map(({ body }) => body['messages'] ?? body['input']);
    expect(bodies).toHaveLength(4);
    expect(messages.map(({ role }) => role).join(' ')).toBe(
      'user assistant tool tool assistant user assistant tool',
    );
  });

  const [chat, responses, messagesApi] = ['chat completions', 'the Responses API', 'Messages'].map(
    (what) => SPEAKERS.find((speaker) => speaker.what === what)!,
  );
  test.each<[string, Speaker, string]>([
    ['chat completions', chat!, 'chat'],
    ['the Responses API', responses!, 'responses'],
    ['Messages', messagesApi!, 'messages'],
  ])('is sent in the form of %s', async (_, speaker, file) => {
    const { next, sent } = await startDialogue(speaker, ({ index }) => {
      const { thought: _thought, ...plain } = SCRIPT[index] ?? {};
      return plain;
    });
    const { messages, add, user } = transcript('How many apples, and for how much?');
    add(await next(messages));
    add(await next(messages));
    user('And in crate 3?');
    add(await next(messages));
    await next(messages);
    expect(JSON.parse(JSON.stringify(sent()))).toEqual(readFixture(`transcripts/${file}.json`));
  });

  test('sends every digit of an argument', async () => {
    const raw: string[] = [];
    for (const speaker of SPEAKERS) {
      const { next, server } = await startDialogue(speaker);
      const { messages, add } = transcript('How many?');
      add(stored(await next(messages)));
      expect((await next(messages)).status).toBe('ok');
      raw.push(server.raw.at(-1) ?? '');
    }
    expect(raw.filter((text) => text.includes('2512292042121000001'))).toHaveLength(
      SPEAKERS.length,
    );
  });
});

describe("a vendor's own form of an answer", () => {
  const speaker = (what: string): Speaker => SPEAKERS.find((each) => each.what.startsWith(what))!;
  const firstSent = async (from: Speaker, script?: Script) => {
    const { next, sent, server } = await startDialogue(from, script);
    const { messages, add } = transcript('How many?');
    add(stored(await next(messages)));
    await next(messages);
    expect(server.refused).toEqual([]);
    return sent();
  };
  const signed = signatureOf('Two tools.');

  test.each<[string, object]>([
    [
      'DeepSeek',
      { role: 'assistant', reasoning_content: 'Two tools.', tool_calls: [{ id: 'call_0_0' }, {}] },
    ],
    ['Gemini', { tool_calls: [{ extra_content: { google: { thought_signature: signed } } }, {}] }],
    ['OpenRouter', { reasoning_details: [{ text: 'Two tools.', signature: signed }] }],
    ['the Responses API', { type: 'reasoning', id: 'rs_0', encrypted_content: signed }],
    [
      'Messages with thinking',
      {
        content: [
          { type: 'thinking', thinking: 'Two tools.', signature: signed },
          { type: 'tool_use', id: 'toolu_0_0', name: 'stock' },
          { type: 'tool_use', id: 'toolu_0_1', name: 'price' },
        ],
      },
    ],
  ])('is sent back unchanged to %s, with results for its own ids', async (what, expected) => {
    const [answer, ...others] = await firstSent(speaker(what));
    expect(answer).toMatchObject(expected);
    const ids = JSON.stringify(others).match(/(?<=_id":")\w+/g);
    const prefix = what.startsWith('Messages') ? 'toolu' : 'call';
    expect(ids?.slice(-2)).toEqual([`${prefix}_0_0`, `${prefix}_0_1`]);
    expect(JSON.stringify(others)).not.toContain('call0');
  });

  test('keeps thinking between two calls in its place, redacted thinking included', async () => {
    const thinking = (words: string) => ({
      ...{ type: 'thinking', thinking: words, signature: signatureOf(words) },
    });
    const content = [
      { type: 'redacted_thinking', data: 'zzz' },
      { type: 'tool_use', id: 'toolu_a', name: 'stock', input: { crate: 1 } },
      thinking('Then the price.'),
      { type: 'text', text: 'And the price.' },
      { type: 'tool_use', id: 'toolu_b', name: 'price', input: {} },
    ];
    const usage = { input_tokens: 1, output_tokens: 1 };
    const reply = { type: 'message', role: 'assistant', content, stop_reason: 'tool_use', usage };
    const sent = await firstSent(speaker('Messages with thinking'), ({ index }) =>
      index === 0 ? { body: JSON.stringify(reply) } : {},
    );
    expect(sent).toEqual([
      { role: 'assistant', content },
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: 'toolu_a', content: 'stock: 41' },
          { type: 'tool_result', tool_use_id: 'toolu_b', content: 'price: 41' },
        ],
      },
    ]);
  });

  test('has no empty text, although the vendor sends one with calls', async () => {
    const [answer] = await firstSent(speaker('Messages with thinking'));
    expect(JSON.stringify(answer)).not.toContain('"type":"text"');
  });

  test.each(['DeepSeek', 'Gemini', 'OpenRouter', 'the Responses API', 'Messages with thinking'])(
    'of %s is not sent to another model',
    async (what) => {
      const from = await startDialogue(speaker(what));
      const { messages, add } = transcript('How many?');
      add(await from.next(messages));
      expect(messages[1]).toHaveProperty('opaque');
      const others = ['chat', 'the Responses API', 'Messages', 'Mistral'].map(speaker);
      for (const other of others.filter(({ model }) => model !== speaker(what).model)) {
        const to = await startDialogue(other, () => ({}));
        expect((await to.next(messages)).status).toBe('ok');
        expect(to.server.refused).toEqual([]);
        expect(JSON.stringify(to.sent())).toMatch(/call00001.*call00002.*call00001.*call00002/);
        expect(JSON.stringify(to.sent())).not.toMatch(/Two tools|toolu_|call_0|signature|rs_0/);
      }
    },
  );

  test.each([
    ['there are no tools', speaker('Messages with thinking'), { parameters: { thinking: THINKS } }],
    ['there are no tools', speaker('DeepSeek'), { parameters: {} }],
    ['a schema is requested', speaker('DeepSeek'), { schema: answerSchema, purpose: 'grader' }],
    ['the model does not think', speaker('Messages'), {}],
    ['the model does not think', speaker('chat'), {}],
  ] as const)('is not stored where %s: %#', async (_, from, more) => {
    const thought = _ === 'the model does not think' ? {} : { thought: 'Hm.' };
    const { next, server } = await startDialogue(from, () => ({
      text: '{"choice":"B"}',
      ...thought,
    }));
    expect(await next(says('a'), more)).not.toHaveProperty('opaque');
    expect(server.refused).toEqual([]);
  });

  test('is stored for an answer without a call, if the request has tools', async () => {
    const from = speaker('DeepSeek');
    const { next } = await startDialogue(from, () => ({ text: 'none', thought: '' }));
    const data = { role: 'assistant', content: 'none', reasoning_content: '' };
    const completion = await next(says('a'));
    expect(completion).toMatchObject({ opaque: { api: 'chat', model: from.model, data } });
  });

  test('of a streamed answer has its signature and its arguments', async () => {
    const event = (each: object) => `data: ${JSON.stringify(each)}\n\n`;
    const delta = (index: number, given: object) =>
      event({ type: 'content_block_delta', index, delta: given });
    const begun = (index: number, content_block: object) =>
      event({ type: 'content_block_start', index, content_block });
    const message = { type: 'message', role: 'assistant', model: 'm', content: [], usage: {} };
    const body = [
      event({ type: 'message_start', message }),
      begun(0, { type: 'thinking', thinking: '', signature: '' }),
      delta(0, { type: 'thinking_delta', thinking: 'Two ' }),
      delta(0, { type: 'thinking_delta', thinking: 'tools.' }),
      delta(0, { type: 'signature_delta', signature: signed }),
      begun(1, { type: 'tool_use', id: 'toolu_s', name: 'stock', input: {} }),
      delta(1, { type: 'input_json_delta', partial_json: '{"crate": 2512292042' }),
      delta(1, { type: 'input_json_delta', partial_json: '121000001}' }),
      event({ type: 'message_delta', delta: { stop_reason: 'tool_use' }, usage: {} }),
      event({ type: 'message_stop' }),
    ].join('');
    const [answer] = await firstSent(speaker('Messages with thinking'), ({ index }) =>
      index === 0 ? { body, headers: { 'content-type': 'text/event-stream' } } : {},
    );
    expect(answer).toMatchObject({
      content: [
        { thinking: 'Two tools.', signature: signed },
        { id: 'toolu_s', input: { crate: 2512292042121000001 } },
      ],
    });
  });

  test('leaves out the results of tools that the vendor itself has run', async () => {
    const content = [
      { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: { query: 'a' } },
      { type: 'web_search_tool_result', tool_use_id: 'srvtoolu_1', content: [] },
      { type: 'tool_use', id: 'toolu_1', name: 'stock', input: {} },
    ];
    const reply = { type: 'message', content, stop_reason: 'tool_use' };
    const [answer, ...rest] = await firstSent(speaker('Messages'), ({ index }) =>
      index === 0 ? { body: JSON.stringify(reply) } : {},
    );
    expect(answer).toEqual({ role: 'assistant', content });
    expect(rest).toEqual([
      {
        role: 'user',
        content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content: 'stock: 41' }],
      },
    ]);
  });

  test("has the Responses API's calls of custom tools, with their results", async () => {
    const from = { ...speaker('the Responses API') };
    const custom = [{ type: 'custom', custom: { name: 'query' } }];
    from.parameters = { ...from.parameters, tools: custom };
    const call = {
      type: 'custom_tool_call',
      id: 'ctc_1',
      call_id: 'c1',
      name: 'query',
      input: 'a',
    };
    const script: Script = ({ index }) =>
      index === 0 ? { output: [call], thought: 'Hm.', text: 'Well.' } : {};
    const sent = await firstSent(from, script);
    expect(sent).toContainEqual(call);
    expect(sent).toContainEqual({
      ...{ type: 'custom_tool_call_output', call_id: 'c1', output: 'query: 41' },
    });
  });

  test('is not stored with an image, which is stored as a part', async () => {
    const image = { type: 'image_generation_call', id: 'ig_1', result: 'aGk=' };
    const { next } = await startDialogue(speaker('the Responses API'), () => ({
      ...{ output: [image], thought: 'Hm.', text: 'Here.' },
    }));
    const completion = await next(says('a'));
    expect(completion).toMatchObject({
      parts: [{ text: 'Here.' }, { name: 'image_generation' }, {}],
    });
    expect(completion).not.toHaveProperty('opaque');
  });

  test('is not requested from models that do not reason, and never replaces what a prompt asks for', async () => {
    const { next, server } = await startDialogue(speaker('the Responses API'));
    const tools = CHAT_TOOLS;
    const target = (model: string) =>
      ({ provider: 'openai', endpoint: null, model, api: 'responses' }) as const;
    await next(says('a'), { target: target('gpt-4.1'), parameters: { tools } });
    await next(says('b'), { target: target('gpt-5.4'), parameters: {} });
    const include = ['file_search_call.results'];
    await next(says('c'), { target: target('gpt-5.4'), parameters: { tools, include } });
    expect(server.refused).toEqual([]);
    expect(server.requests.map(({ body }) => body['include'])).toEqual([
      undefined,
      undefined,
      include,
    ]);
  });
});

describe('a transcript', () => {
  const claude = SPEAKERS.find(({ what }) => what === 'Messages')!;
  const [openai] = SPEAKERS;

  test.each<[string, Message[], RegExp]>([
    [
      'an assistant message without text and calls',
      [...says('a'), { role: 'assistant', content: ' ' }, ...says('b')],
      /message 2 \(assistant\) has neither text nor a tool call with a result; add one, or remove it/,
    ],
    [
      'only a call without an id, so without a result',
      [
        ...says('a'),
        { role: 'assistant', content: '', tool_calls: [{ name: 'x', arguments: '{}' }] },
      ],
      /message 2 \(assistant\) has neither/,
    ],
  ])('with %s is not sent to any API', async (_, messages, words) => {
    for (const speaker of SPEAKERS) {
      const { next, server } = await startDialogue(speaker);
      const { kind, message } = errorOf(await next(messages));
      expect([kind, message]).toEqual(['request', expect.stringMatching(words)]);
      expect(server.calls).toEqual([]);
    }
  });

  test.each(['{"crate":', '[1]', '"crate"', '7', 'null', 'crate 1'])(
    'with the arguments %s is sent to chat completions, and not to Anthropic, which requires an object',
    async (given) => {
      const chat = await startDialogue(openai!, () => ({}));
      expect((await chat.next(called({ given }))).status).toBe('ok');
      expect(chat.sent()[0]).toMatchObject({ tool_calls: [{ function: { arguments: given } }] });
      const { next, server } = await startDialogue(claude);
      expect(errorOf(await next(called({ given })))).toEqual({
        kind: 'request',
        message: `anthropic: message 2 (assistant) calls stock with arguments that are not a JSON object, which anthropic requires: ${given}`,
      });
      expect(server.calls).toEqual([]);
    },
  );

  test('sends the text beside a call without an id, and not the call', async () => {
    const calls = [{ name: 'stock', arguments: '{}' }];
    for (const speaker of SPEAKERS) {
      const { next, server, sent } = await startDialogue(speaker, () => ({}));
      const recorded: Message = { role: 'assistant', content: 'Let me look.', tool_calls: calls };
      expect((await next([...says('a'), recorded, ...says('b')])).status).toBe('ok');
      expect(server.refused).toEqual([]);
      expect(sent()).toEqual([{ role: 'assistant', content: 'Let me look.' }, ...says('b')]);
    }
  });

  test('with empty arguments and an empty result is sent to every API', async () => {
    for (const speaker of SPEAKERS.filter(({ what }) => !/^(Gem|Deep|Messages with)/.test(what))) {
      const { next, server } = await startDialogue(speaker, () => ({}));
      const { status } = await next(called({ given: '', result: '' }));
      expect([speaker.what, status, server.refused]).toEqual([speaker.what, 'ok', []]);
    }
  });

  test.each(['functions.stock:0', 'call_jJATmoUduQWxi4tRwcQjsodM'.repeat(3), '', 'ä'])(
    'with a recorded id that vendors refuse gets another one: %j',
    async (id) => {
      for (const speaker of SPEAKERS.filter(({ what }) => /^(chat|Mis|the|Messages$)/.test(what))) {
        const { next, server, sent } = await startDialogue(speaker, () => ({}));
        const messages = [...called({ id }), ...called({ id }).slice(1)];
        expect((await next(messages)).status).toBe('ok');
        expect(server.refused).toEqual([]);
        // Two messages may use the same recorded id.
        expect(JSON.stringify(sent()).match(/call0000\d/g)).toEqual(
          expect.arrayContaining(['call00001', 'call00002']),
        );
      }
    },
  );

  test('with a file after tool results sends both in one message, the results first', async () => {
    const bytes = pdf('Cats');
    const readFile = () => Promise.resolve(bytes);
    const parts: MessagePart[] = [
      { type: 'text', text: ' ' },
      {
        ...{ type: 'file', path: 'a.pdf', media_type: 'application/pdf', id: 'b2' },
        bytes: bytes.length,
      },
      { type: 'text', text: 'Read this too.' },
    ];
    const { ask, server } = await start('anthropic', () => ({}), { readFile });
    const { model, parameters } = claude;
    const messages: Message[] = [...called(), { role: 'user', content: 'Read this too.', parts }];
    expect((await ask({ model, parameters, messages })).status).toBe('ok');
    expect(server.refused).toEqual([]);
    const sent = server.requests[0]?.body['messages'] as { content: object[] }[];
    expect(sent).toHaveLength(3);
    expect(sent[2]?.content).toMatchObject([
      { type: 'tool_result', tool_use_id: 'call00001', content: '41' },
      { type: 'document', source: { media_type: 'application/pdf' } },
      { type: 'text', text: 'Read this too.' },
    ]);
    for (const { what, vendor, ...of } of SPEAKERS.slice(0, 1)) {
      const chat = await start(vendor, () => ({}), { readFile });
      expect([what, (await chat.ask({ ...of, messages })).status]).toEqual([what, 'ok']);
      expect(JSON.stringify(chat.server.requests[0]?.body)).not.toContain('"text":" "');
    }
  });

  test('with a system message in its middle keeps results and their calls together', async () => {
    const { next, server, sent } = await startDialogue(claude, () => ({}));
    const [user, ...rest] = called();
    const messages: Message[] = [
      { role: 'system', content: 'Be brief.' },
      user!,
      ...rest,
      { role: 'system', content: 'Count.' },
      { role: 'user', content: 'Now?' },
    ];
    expect((await next(messages)).status).toBe('ok');
    expect(server.requests[0]?.body['system']).toBe('Be brief.\n\nCount.');
    expect(sent()).toMatchObject([
      { role: 'assistant' },
      { role: 'user', content: [{ type: 'tool_result' }, { type: 'text', text: 'Now?' }] },
    ]);
  });
});

describe('a vendor', () => {
  const [user, asked, result] = called();
  const other: Message = { role: 'tool', id: 'call00009', name: 'stock', content: '1' };
  const again: Message = { role: 'user', content: 'Well?' };
  const broken: [string, Message[]][] = [
    ['without the result of a call', [user!, asked!]],
    ['without the result of a call, which the user continues', [user!, asked!, again]],
    ['with a result that comes after a user message', [user!, asked!, again, result!]],
    ['with a result whose call is missing', [user!, result!, again]],
    ['with a second result whose call is missing', [user!, asked!, result!, other]],
  ];
  const speakers = SPEAKERS.filter(({ what }) => /^(chat|the|Messages$)/.test(what));
  test.each(
    broken.flatMap(([what, messages]) =>
      speakers.map((speaker) => [what, speaker.what, speaker, messages] as const),
    ),
  )('refuses a transcript %s: %s', async (what, api, speaker, messages) => {
    const { next, server } = await startDialogue(speaker);
    // The Responses API accepts items between a call and its result.
    const isAccepted = api === 'the Responses API' && what.includes('after a user message');
    const { status } = await next(messages);
    expect(status).toBe(isAccepted ? 'ok' : 'error');
    expect(server.refused).toHaveLength(isAccepted ? 0 : 1);
  });

  test('refuses thinking that is left out, changed or not signed', async () => {
    const speaker = SPEAKERS.find(({ what }) => what === 'Messages with thinking')!;
    const { next, server } = await startDialogue(speaker, () => ({}));
    const data = (thinking: object) => [
      { type: 'thinking', thinking: 'Hm.', signature: signatureOf('Hm.'), ...thinking },
      { type: 'tool_use', id: 'toolu_1', name: 'stock', input: {} },
    ];
    const withThinking = (thinking: object) =>
      [
        user!,
        { ...asked!, opaque: { api: 'messages', model: speaker.model, data: data(thinking) } },
        result!,
      ] as Message[];
    expect((await next(withThinking({}))).status).toBe('ok');
    for (const messages of [
      called(),
      withThinking({ thinking: 'Ha.' }),
      withThinking({ signature: '' }),
    ])
      expect((await next(messages)).status).toBe('error');
    expect(server.refused).toEqual([
      expect.stringContaining('Expected `thinking` or `redacted_thinking`, but found `tool_use`'),
      expect.stringContaining('Invalid `signature`'),
      expect.anything(),
    ]);
  });

  test.each([
    ['DeepSeek', 'reasoning_content'],
    ['Gemini', 'thought_signature'],
  ])('refuses calls of %s without its %s', async (what, member) => {
    const { next, server } = await startDialogue(
      SPEAKERS.find((each) => each.what.startsWith(what))!,
    );
    expect((await next(called())).status).toBe('error');
    expect(server.refused).toEqual([expect.stringContaining(member)]);
  });
});
