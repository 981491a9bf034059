import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { readReply } from '../../../../src/edges/providers/program-reply.ts';
import { readFixture } from '../../../stand-ins/fixture.ts';

const { read: READ, odd: ODD } = readFixture('program-replies.yaml') as {
  read: { contains: string; reply: object; answer: object }[];
  odd: { reply: object; problem: string }[];
};

const reply = (fields: object) => readReply({ id: '1', ...fields });
const answer = (fields: object) => {
  const read = reply(fields);
  if (read.kind !== 'answer') throw new Error(JSON.stringify(read));
  return read.answer;
};

describe("a program's reply", () => {
  test.each(READ)('may contain $contains', ({ reply: fields, answer: expected }) => {
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

  test.each(ODD)('is an error if its form is invalid: %j', ({ reply: fields, problem }) => {
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
