import { createProviders } from '../../../../src/edges/providers/index.ts';
import { recordAnswers } from '../../../../src/edges/providers/once.ts';
import { ownAnswer, partsOf } from '../../../../src/types/answer.ts';
import type { Completion, Message, Request } from '../../../../src/types/model.ts';
import {
  errorOf,
  options,
  requestTo,
  says,
} from '../../../unit/edges/providers/providers-setting.ts';
import { called, transcript } from './vendors/transcript-setting.ts';

const target: Extract<Request['target'], { provider: 'replay' }> = {
  provider: 'replay',
  model: 'gpt-4o',
  file: 'recordings/demo.jsonl',
  content: '1',
  commit: 'c0ffee0123456789',
};
const line = (request: object, reply: object) => JSON.stringify({ request, reply });
const sum = { messages: says('2 + 2?'), try: 0 };
const four = line(
  { provider: 'openai', model: 'gpt-4o', parameters: { temperature: 0, top_p: 1 }, ...sum },
  { output: '4', usage: { input_tokens: 5, output_tokens: 1 } },
);

function replaying(text: string): {
  ask(request?: Partial<Request>): Promise<Completion>;
  reads: string[];
} {
  const reads: string[] = [];
  const { complete } = createProviders(
    options({
      readRecording: (commit, file) => {
        reads.push(`${commit.slice(0, 6)} ${file}`);
        return Promise.resolve(text);
      },
    }),
  );
  return {
    reads,
    ask: (request = {}) =>
      complete({
        ...requestTo('openai', {
          messages: says('2 + 2?'),
          parameters: { top_p: 1, temperature: 0 },
        }),
        target,
        ...request,
      }),
  };
}

describe('replay', () => {
  test('returns the recording of the same content, with parameters in any order', async () => {
    const { ask, reads } = replaying(`${four}\n\n`);
    expect(await ask()).toEqual({
      status: 'ok',
      ...ownAnswer(partsOf('4')),
      usage: { input_tokens: 5, output_tokens: 1 },
      latency_ms: 0,
      reused: false,
    });
    await Promise.all([ask(), ask({ target: { ...target, commit: 'beef00' } })]);
    expect(reads).toEqual(['c0ffee recordings/demo.jsonl', 'beef00 recordings/demo.jsonl']);
  });

  test.each<[string, Partial<Request>]>([
    ['another try', { try: 1 }],
    ['another model', { target: { ...target, model: 'gpt-5' } }],
    ['other parameters', { parameters: { temperature: 1 } }],
    ['another text', { messages: says('2 + 3?') }],
    ['another role', { messages: [{ role: 'system', content: '2 + 2?' }] }],
  ])('finds no recording for %s', async (_what, request) => {
    expect(errorOf(await replaying(four).ask(request)).kind).toBe('recording');
  });

  test('reports the request that has no recording', async () => {
    const { ask } = replaying(four);
    expect(
      errorOf(
        await ask({
          messages: [
            ...says('hi'),
            { role: 'assistant', content: 'ho' },
            ...says(`long\u202e\n${'x'.repeat(500)}`),
          ],
          try: 3,
        }),
      ).message,
    ).toBe(
      `recordings/demo.jsonl: no recording for model gpt-4o, parameters {"top_p":1,"temperature":0}, try 3 and the last message "long\\u{202e}\\u{a}${'x'.repeat(102)}…"; record it with --record`,
    );
  });

  test('uses the last recording if the file has several for one request', async () => {
    const { ask } = replaying([four, four.replace('"4"', '"four"')].join('\n'));
    expect(await ask()).toMatchObject({ parts: partsOf('four') });
  });

  test.each([
    ['no JSON', `${four}\n{"request"`, '2: the line does not have the form'],
    ['a wrong type', four.replace('"4"', '4'), '1: reply.output does not have the form'],
    ['a wrong try', four.replace('"try":0', '"try":-1'), '1: request.try does not have the form'],
    [
      'a wrong role',
      four.replace('"user"', '"robot"'),
      '1: request.messages.0.role does not have the form',
    ],
  ])('reports %s as an error with file, line and field', async (_what, text, message) => {
    const error = errorOf(await replaying(text).ask());
    expect(error.kind).toBe('recording');
    expect(error.message).toContain(`recordings/demo.jsonl:${message}`);
  });

  test('reports an error if the token limit ended the recorded answer before its first word', async () => {
    const cut = four.replace('"output":"4"', '"output":" ","ended":"length"');
    const { ask } = replaying(cut);
    expect(await ask()).toMatchObject({
      status: 'error',
      ended: 'length',
      message: expect.stringContaining('reached its token limit before it contained text'),
    });
  });

  test('reports an unreadable file with its name and the commit', async () => {
    const { complete } = createProviders(options());
    expect(errorOf(await complete({ ...requestTo('openai'), target }))).toEqual({
      kind: 'recording',
      message: 'recordings/demo.jsonl: cannot be read at commit c0ffee01; write it with --record',
    });
  });
});

describe('record', () => {
  const completion: Completion = {
    status: 'ok',
    ...ownAnswer(partsOf('line\nbreak "quoted"', [{ name: 'f', arguments: '{}' }])),
    ended: 'length',
    latency_ms: 31,
    reused: false,
  };

  test('writes lines from which replay returns the same completion', async () => {
    const lines: string[] = [];
    const record = recordAnswers(
      () => Promise.resolve(completion),
      (text) => {
        lines.push(text);
        return Promise.resolve();
      },
    );
    const request = requestTo('anthropic', {
      model: 'gpt-4o',
      parameters: { stop: ['a'], deep: { b: null } },
      messages: [{ role: 'system', content: 's' }, ...says('u')],
      try: 2,
    });
    expect(await record(request)).toBe(completion);
    expect(lines).toHaveLength(1);
    expect(lines[0]).not.toContain('\n');
    expect(JSON.parse(lines[0]!)).toMatchObject({
      request: { provider: 'anthropic', model: 'gpt-4o', try: 2 },
      reply: { parts: completion.status === 'ok' ? completion.parts : [] },
    });
    const { target: _, ...content } = request;
    expect(await replaying(lines[0]!).ask(content)).toEqual(completion);
  });

  test('writes a dialogue with tool calls, which replay continues turn by turn', async () => {
    const data = [{ type: 'reasoning', id: 'rs_1', encrypted_content: 'zz' }, 7];
    const opaque = { api: 'responses' as const, model: 'gpt-4o', data };
    const asking: Completion = {
      status: 'ok',
      ...ownAnswer(partsOf('', [{ name: 'stock', arguments: '{"crate":1}' }])),
      ...{ ended: 'tool_calls', opaque, reused: false },
    };
    const lines: string[] = [];
    const record = recordAnswers(
      ({ messages }) => Promise.resolve(messages.length === 1 ? asking : completion),
      (text) => {
        lines.push(text);
        return Promise.resolve();
      },
    );
    const { target: _, ...first } = requestTo('openai', { model: 'gpt-4o' });
    const { target: model } = requestTo('openai', { model: 'gpt-4o' });
    const { messages, add } = transcript('How many?');
    const ask = async (complete: typeof record, request: Partial<Request>) => {
      const said = transcript('How many?');
      const answers = [
        await complete({ ...first, ...request, messages: [...said.messages] } as Request),
      ];
      said.add(answers[0]!);
      answers.push(
        await complete({ ...first, ...request, messages: [...said.messages] } as Request),
      );
      return answers;
    };
    add(asking);
    expect(messages[1]).toHaveProperty('opaque');
    const recorded = await ask(record, { target: model });
    const { ask: replayed } = replaying(lines.join('\n'));
    expect(await ask(replayed, { target })).toEqual(recorded);
    expect(lines[1]).toContain('"role":"tool","id":"call00001","name":"stock"');
    const other = [...messages.slice(0, 2), { ...messages[2]!, content: '42' } as Message];
    expect(errorOf(await replayed({ ...first, target, messages: other })).kind).toBe('recording');
  });

  test.each([
    ['a call without a name', '"name":"stock",', '', 'messages.1.tool_calls.0.name'],
    ['a result without an id', '"role":"tool","id":"call00001"', '"role":"tool"', 'messages.2.id'],
    ['an unknown role', '"role":"tool"', '"role":"function"', 'messages.2.role'],
  ])('reports %s in a recording', async (_what, from, to, field) => {
    const text = line({ model: 'gpt-4o', messages: called(), try: 0 }, { output: '4' }).replace(
      from,
      to,
    );
    expect(errorOf(await replaying(text).ask()).message).toContain(`request.${field} does not`);
  });

  test('writes no errors and each request only once, and includes reused answers', async () => {
    const lines: string[] = [];
    const earlier = { ...completion, reused: true } as Completion;
    const error: Completion = { status: 'error', kind: 'server', message: 'x' };
    const results = [error, earlier, earlier];
    const record = recordAnswers(
      () => Promise.resolve(results.shift()!),
      (text) => {
        lines.push(text);
        return Promise.resolve();
      },
    );
    for (let index = 0; index < 3; index += 1) await record(requestTo('openai'));
    expect(lines).toHaveLength(1);
  });
});
