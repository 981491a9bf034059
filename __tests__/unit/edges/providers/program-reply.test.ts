import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { readReply } from '../../../../src/edges/providers/program-reply.ts';

const reply = (fields: object) => readReply({ id: '1', ...fields });
const answer = (fields: object) => {
  const read = reply(fields);
  if (read.kind !== 'answer') throw new Error(JSON.stringify(read));
  return read.answer;
};

describe("a program's reply", () => {
  test.each<[string, object, object]>([
    ['a text', { output: 'Hi' }, { parts: [{ type: 'text', text: 'Hi' }], ended: 'stop' }],
    ['an empty text', { output: '' }, { parts: [], ended: 'stop' }],
    [
      'texts around a call, joined before it',
      {
        parts: [
          { type: 'text', text: 'Let me ' },
          { type: 'tool_call', name: 'look', arguments: { at: 1 } },
          { type: 'text', text: 'see.' },
        ],
      },
      {
        parts: [
          { type: 'text', text: 'Let me see.' },
          { type: 'tool_call', name: 'look', arguments: '{"at":1}' },
        ],
        ended: 'stop',
      },
    ],
    [
      'calls alone, whose arguments may be JSON text',
      { parts: [{ type: 'tool_call', name: 'look', arguments: '{"at": 1.0}' }] },
      {
        parts: [{ type: 'tool_call', name: 'look', arguments: '{"at": 1.0}' }],
        ended: 'tool_calls',
      },
    ],
    [
      'JSON, and files by content or diff',
      {
        parts: [
          { type: 'json', value: { a: [null] } },
          { type: 'file', path: 'a', diff: '+a' },
        ],
        files: [{ path: 'b', content: 'text' }],
      },
      {
        parts: [
          { type: 'json', value: { a: [null] } },
          { type: 'file', path: 'a', diff: '+a' },
          { type: 'file', path: 'b', diff: 'text' },
        ],
      },
    ],
    [
      'files alone',
      { files: [{ path: 'b', content: '' }] },
      { parts: [{ type: 'file', path: 'b', diff: '' }] },
    ],
    [
      'a part of an unknown kind',
      { parts: [{ type: 'hologram', beams: 3 }] },
      {
        parts: [{ type: 'unknown', kind: 'hologram', json: '{"type":"hologram","beams":3}' }],
      },
    ],
    [
      'usage, model and steps',
      {
        output: 'Hi',
        model: 'm-1',
        usage: { input_tokens: 3, output_tokens: 2, reasoning_tokens: 1 },
        steps: [
          { type: 'message', role: 'assistant', text: 'Thinking' },
          { type: 'tool_call', name: 'look', arguments: {}, result: { found: 2 } },
          { type: 'tool_call', name: 'look', arguments: '' },
        ],
      },
      {
        served: { model: 'm-1', fingerprint: null },
        usage: { input_tokens: 3, output_tokens: 2, reasoning_tokens: 1 },
        steps: [
          { type: 'message', role: 'assistant', text: 'Thinking' },
          { type: 'tool_call', name: 'look', arguments: '{}', result: '{"found":2}' },
          { type: 'tool_call', name: 'look', arguments: '', result: null },
        ],
      },
    ],
    [
      'invalid usage, which is ignored',
      { output: 'Hi', usage: { input_tokens: -1 } },
      { usage: null },
    ],
  ])('may contain %s', (_, fields, expected) => {
    expect(answer(fields)).toMatchObject(expected);
  });

  test('stores the digest of images, and their data only up to 200 KB', () => {
    const image = (size: number) => {
      const content = Buffer.alloc(size, 7);
      const data = content.toString('base64');
      return {
        digest: createHash('sha256').update(content).digest('hex'),
        data,
        given: { type: 'image', media_type: 'image/png', data },
      };
    };
    const [small, large] = [image(10), image(200 * 1024 + 1)];
    expect(answer({ parts: [small.given, large.given] }).parts).toEqual([
      {
        type: 'image',
        media_type: 'image/png',
        digest: small.digest,
        bytes: 10,
        data: small.data,
      },
      {
        type: 'image',
        media_type: 'image/png',
        digest: large.digest,
        bytes: 200 * 1024 + 1,
        data: null,
      },
    ]);
  });

  test.each<[object, string]>([
    [{}, 'has none of "output", "parts", "files" and "error"'],
    [{ output: 5 }, 'output must be text'],
    [{ output: 'a', parts: [] }, 'has both "output" and "parts"; "output" is a text alone'],
    [{ parts: 'a' }, 'parts must be a list'],
    [{ parts: ['a'] }, 'parts[0] must be a map with a "type"'],
    [{ parts: [{ type: 'text', text: 'a' }, { type: 'text' }] }, 'parts[1].text must be text'],
    [
      { parts: [{ type: 'tool_call', name: '', arguments: '' }] },
      'parts[0].name must not be empty',
    ],
    [
      { parts: [{ type: 'tool_call', name: 'f', arguments: [1] }] },
      'parts[0].arguments must be a map or its JSON text',
    ],
    [{ parts: [{ type: 'json' }] }, 'parts[0].value is missing'],
    [
      { parts: [{ type: 'image', media_type: 'png', data: '' }] },
      'parts[0].media_type must be a type such as image/png',
    ],
    [
      { parts: [{ type: 'image', media_type: 'image/png', data: '*' }] },
      'parts[0].data must be base64',
    ],
    [{ files: [{ path: 'a' }] }, 'files[0] needs either "content" or "diff"'],
    [{ files: [{ content: 'a' }] }, 'files[0].path must be text'],
    [
      { output: '', steps: [{ type: 'thought' }] },
      'steps[0].type must be "message" or "tool_call"',
    ],
    [{ output: '', model: 3 }, 'model must be text'],
  ])('of the form %j is an error: %s', (fields, problem) => {
    expect(reply(fields)).toEqual({ kind: 'odd', id: '1', problem });
  });

  test('accepts the example of the documentation', () => {
    const [, block = ''] =
      /A reply can also contain.*?```json\n(.*?)```/s.exec(
        readFileSync('docs/programs.md', 'utf8'),
      ) ?? [];
    expect(answer(JSON.parse(block) as object)).toMatchObject({
      parts: [{ type: 'text' }, { type: 'tool_call' }, { type: 'file', diff: '# 1.2.0\n' }],
      steps: [{ result: '3 changes' }],
      usage: { reasoning_tokens: 12 },
      served: { model: 'gpt-5.4-mini' },
    });
  });

  test('may be a retryable error', () => {
    expect(reply({ error: 'busy', retryable: true })).toEqual({
      kind: 'error',
      id: '1',
      error: 'busy',
      retryable: true,
    });
  });

  test('with a file larger than 1 MiB is an error', () => {
    const content = 'a'.repeat(1_048_576);
    const files = [{ path: 'a', content }];
    expect(answer({ files }).parts).toEqual([{ type: 'file', path: 'a', diff: content }]);
    expect(reply({ files: [{ path: 'a', content: `${content}a` }] })).toMatchObject({
      problem: 'files[0].content is longer than 1 MiB',
    });
  });

  test('that is nested too deeply is an error and does not overflow the stack', () => {
    const deep = JSON.parse(`${'['.repeat(100_000)}${']'.repeat(100_000)}`) as object;
    const problem = 'is nested deeper than 200 levels';
    for (const fields of [{ parts: [{ type: 'json', value: deep }] }, { output: '', extra: deep }])
      expect(reply(fields)).toEqual({ kind: 'odd', id: '1', problem });
  });

  test('without an id cannot be matched to a call', () => {
    expect(readReply({ output: 'Hi' })).toMatchObject({ kind: 'odd', id: null });
    expect(readReply(undefined)).toMatchObject({ kind: 'odd', id: null });
  });
});
