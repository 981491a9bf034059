import { requestKey, recordingKey } from '../../../../src/app/session/request-key.ts';
import { recordAnswers } from '../../../../src/edges/providers/once.ts';
import { createReplay } from '../../../../src/edges/providers/replay.ts';
import type { Request } from '../../../../src/types/model.ts';
import type { Script } from '../../../stand-ins/models/server.ts';
import {
  errorOf,
  KEY,
  requestTo,
  says,
  setUp,
  type Setting,
  said,
} from '../../../unit/edges/providers/providers-setting.ts';

let open: Setting | null = null;
afterEach(async () => {
  await open?.close();
  open = null;
});

const asks = (text: string, more: Partial<Request> = {}): Partial<Request> & { model: string } => ({
  model: 'text-embedding-3-small',
  messages: says(text),
  purpose: 'embedding',
  ...more,
});

async function server(answer: Script, key?: string) {
  open = await setUp('openai', answer, {}, key);
  return open;
}

describe('an embedding', () => {
  test("is requested from the server's embeddings URL with text and parameters, and returned as a JSON list", async () => {
    const {
      ask,
      server: { requests, refused },
    } = await server(() => ({ vector: [0.1, -0.25, 1.5e-7], usage: { input: 7, output: 0 } }), KEY);
    expect(await ask(asks('Four.', { parameters: { dimensions: 3 } }))).toMatchObject({
      status: 'ok',
      ...said('[0.1,-0.25,1.5e-7]'),
      ended: 'stop',
      usage: { input_tokens: 7, output_tokens: 0 },
      reused: false,
    });
    expect(requests.map(({ embedding, body }) => [embedding, body])).toEqual([
      [true, { model: 'text-embedding-3-small', input: 'Four.', dimensions: 3 }],
    ]);
    expect(refused).toEqual([]);
  });

  test('keeps single-precision numbers', async () => {
    const { ask } = await server(() => ({ vector: [-0.006929283495992422, 1 / 3] }));
    expect(await ask(asks('x'))).toMatchObject(said('[-0.0069292835,0.333333333]'));
  });

  test('has unknown usage if the server reports no token count', async () => {
    const { ask } = await server(() => ({ usage: null }));
    expect(await ask(asks('x'))).toMatchObject({ status: 'ok', usage: null });
  });

  test.each([
    ['no vector', { data: [{ embedding: [] }] }],
    ['null in it', { data: [{ embedding: [1, null] }] }],
    ['base64', { data: [{ embedding: 'AACAPw==' }] }],
    ['several', { data: [{ embedding: [1] }, { embedding: [2] }] }],
    ['a chat completion', { choices: [{ message: { content: 'hi' } }] }],
  ])('with %s in the reply counts as an unreadable reply', async (_, body) => {
    const { ask } = await server(() => ({ body: JSON.stringify(body) }));
    expect(errorOf(await ask(asks('x')))).toEqual({
      kind: 'reply',
      message: expect.stringMatching(
        /^openai: the reply is not a list of one embedding \(application\/json, \d+ bytes\)/,
      ),
    });
  });

  test('that is empty is requested again and then becomes an error', async () => {
    const { ask } = await server(() => ({ body: '{}' }));
    expect(errorOf(await ask(asks('x')))).toEqual({
      kind: 'reply',
      message: 'openai: the reply contains no answer, after 5 tries',
    });
  });

  test('with NaN is an error because NaN is not valid JSON', async () => {
    const { ask } = await server(() => ({ body: '{"data": [{"embedding": [NaN, 1]}]}' }));
    expect(errorOf(await ask(asks('x'))).kind).toBe('reply');
  });

  test('is an error if the server rejects the request, but a request is retried after a server error', async () => {
    const {
      ask,
      server: { refused },
    } = await server(({ index }) => (index < 2 ? { status: 503 } : {}));
    expect((await ask(asks('x'))).status).toBe('ok');
    expect(errorOf(await ask(asks(''))).kind).toBe('request');
    expect(refused).toHaveLength(1);
  });

  test('cannot be requested from Anthropic or from programs', async () => {
    open = await setUp('anthropic', () => ({}));
    expect(errorOf(await open.ask(asks('x')))).toEqual({
      kind: 'request',
      message: 'anthropic: anthropic has no embeddings',
    });
    expect(open.server.requests).toEqual([]);
    const program = {
      provider: 'program' as const,
      model: 'app',
      command: ['node', 'app.mjs'],
      setup: [],
      files: '',
      commit: 'c',
    };
    expect(
      errorOf(
        await open.providers.complete(requestTo('openai', { ...asks('x'), target: program })),
      ),
    ).toEqual({ kind: 'program', message: 'a program returns text, not embeddings' });
  });
});

describe('an embedding and an answer for the same text', () => {
  const request = requestTo('openai', asks('x'));

  test('have different store keys, but equal embedding requests share a key', () => {
    const key = (one: Request) => requestKey(one, (text) => text);
    expect(key({ ...request, purpose: 'prompt' })).not.toBe(key(request));
    expect(key({ ...request, messages: says('x') })).toBe(key(request));
    expect(key({ ...request, purpose: 'prompt' })).toBe(key({ ...request, purpose: 'grader' }));
  });

  test('are recorded and replayed separately', async () => {
    const { providers } = await server(({ embedding }) =>
      embedding ? { vector: [0.5, 1] } : { text: 'a word' },
    );
    const lines: string[] = [];
    const complete = recordAnswers(providers.complete, async (line) => {
      lines.push(line);
    });
    for (const purpose of ['embedding', 'prompt'] as const) await complete({ ...request, purpose });
    expect(
      lines.map((line) => (JSON.parse(line) as { request: { kind?: string } }).request.kind),
    ).toEqual(['embedding', undefined]);
    const target = {
      provider: 'replay' as const,
      model: 'text-embedding-3-small',
      file: 'r.jsonl',
      content: '',
      commit: 'c',
    };
    const replay = createReplay({ readRecording: async () => lines.join('\n'), recordingKey });
    expect(await replay({ ...request, target }, target)).toMatchObject({
      status: 'ok',
      ...said('[0.5,1]'),
    });
    expect(await replay({ ...request, target, purpose: 'prompt' }, target)).toMatchObject({
      status: 'ok',
      ...said('a word'),
    });
    expect(
      errorOf(await replay({ ...request, target, messages: says('y') }, target)).message,
    ).toContain('no recording of an embedding for model');
  });
});
