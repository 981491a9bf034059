import { createFileSender } from '../../../../../src/edges/providers/vendors/files.ts';
import type { FilePart } from '../../../../../src/types/media.ts';
import type { Message } from '../../../../../src/types/model.ts';
import { pdf, png } from '../../../../stand-ins/pictures.ts';
import {
  answerSchema,
  errorOf,
  reserveWhile,
} from '../../../../unit/edges/providers/providers-setting.ts';
import { start } from '../started.ts';

const contents = new Map<string, Uint8Array>([
  ['a1', png()],
  ['b2', pdf('Cats only')],
]);
const readFile = async ({ id }: FilePart) => {
  const content = contents.get(id);
  if (content === undefined) throw new Error(`object ${id} is missing`);
  return content;
};
const image: FilePart = {
  type: 'image',
  path: 'photos/cat.png',
  media_type: 'image/png',
  id: 'a1',
  bytes: png().length,
};
const rules: FilePart = {
  type: 'file',
  path: 'docs/rules.pdf',
  media_type: 'application/pdf',
  id: 'b2',
  bytes: pdf('Cats only').length,
};
const messages: Message[] = [
  { role: 'system', content: 'Be brief.' },
  {
    role: 'user',
    content: 'What is it?',
    parts: [{ type: 'text', text: 'What is it?' }, image, rules],
  },
];
const base64 = (id: string) => Buffer.from(contents.get(id) ?? []).toString('base64');

describe('images and PDFs', () => {
  test('are sent to the chat completions API as base64 data', async () => {
    const { ask, server } = await start('openai', () => ({ text: 'a cat' }), { readFile });
    expect(await ask({ model: 'gpt-5.4', messages })).toMatchObject({ status: 'ok' });
    expect(server.refused).toEqual([]);
    expect(server.requests[0]?.body['messages']).toEqual([
      { role: 'system', content: 'Be brief.' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'What is it?' },
          { type: 'image_url', image_url: { url: `data:image/png;base64,${base64('a1')}` } },
          {
            type: 'file',
            file: {
              filename: 'rules.pdf',
              file_data: `data:application/pdf;base64,${base64('b2')}`,
            },
          },
        ],
      },
    ]);
  });

  test('are sent to the Responses API as input parts', async () => {
    const { ask, server } = await start('openai', () => ({ text: 'a cat' }), { readFile });
    expect(await ask({ model: 'gpt-5-pro', messages })).toMatchObject({ status: 'ok' });
    expect(server.refused).toEqual([]);
    expect(server.requests[0]?.body['input']).toMatchObject([
      {},
      {
        content: [
          { type: 'input_text', text: 'What is it?' },
          { type: 'input_image', image_url: `data:image/png;base64,${base64('a1')}` },
          { type: 'input_file', filename: 'rules.pdf' },
        ],
      },
    ]);
  });

  test('are sent to Anthropic as blocks', async () => {
    const { ask, server } = await start('anthropic', () => ({ text: 'a cat' }), { readFile });
    expect(await ask({ model: 'claude-sonnet-5-5', messages })).toMatchObject({ status: 'ok' });
    expect(server.refused).toEqual([]);
    const source = { type: 'base64', media_type: 'image/png', data: base64('a1') };
    expect(server.requests[0]?.body['messages']).toMatchObject([
      { content: [{ type: 'text' }, { type: 'image', source }, { type: 'document' }] },
    ]);
  });

  test('are also sent to graders', async () => {
    const { ask, server } = await start('anthropic', () => ({ text: '{"choice":"B"}' }), {
      readFile,
    });
    const asked = { model: 'claude-sonnet-5-5', purpose: 'grader', schema: answerSchema } as const;
    expect(await ask({ ...asked, messages })).toMatchObject({ status: 'ok' });
    expect(server.refused).toEqual([]);
  });

  test('cause no call to a model that does not accept them', async () => {
    const { ask, server } = await start('openai', () => ({}), { readFile });
    const target = { provider: 'openai', endpoint: null, model: 'gpt-3.5-turbo' } as const;
    expect(errorOf(await ask({ target, messages }))).toMatchObject({
      kind: 'request',
      message: expect.stringContaining(
        'gpt-3.5-turbo does not accept images; name a model that does',
      ),
    });
    expect(server.calls).toEqual([]);
  });

  test('are read once for concurrent tries', async () => {
    let reads = 0;
    const counting = (file: FilePart) => {
      reads += 1;
      return readFile(file);
    };
    const { ask, server } = await start('openai', () => ({ text: 'a cat' }), {
      readFile: counting,
    });
    // The first call checks the key alone.
    await ask({ model: 'gpt-5.4', messages });
    const tries = [1, 2, 3, 4].map((index) => ask({ model: 'gpt-5.4', messages, try: index }));
    expect((await Promise.all(tries)).every(({ status }) => status === 'ok')).toBe(true);
    expect(server.calls).toHaveLength(5);
    expect(reads).toBeLessThanOrEqual(4);
  });

  test('are not read when no further call is allowed', async () => {
    let reads = 0;
    const { ask } = await start('openai', () => ({ text: 'a cat' }), {
      readFile: (file) => {
        reads += 1;
        return readFile(file);
      },
      reserve: reserveWhile(() => false),
    });
    expect(errorOf(await ask({ model: 'gpt-5.4', messages })).kind).toBe('budget');
    expect(reads).toBe(0);
  });

  test('cause no call if one cannot be read', async () => {
    const { ask, server } = await start('openai', () => ({}), { readFile });
    const lost = { role: 'user' as const, content: '', parts: [{ ...image, id: 'c3' }] };
    expect(errorOf(await ask({ messages: [lost] }))).toMatchObject({
      kind: 'request',
      message: expect.stringContaining('a file of the prompt cannot be read: object c3 is missing'),
    });
    expect(server.calls).toEqual([]);
  });
});

describe('requests with large files', () => {
  const asking = (bytes: number) => ({
    messages: [{ role: 'user' as const, content: '', parts: [{ ...rules, bytes }] }],
  });
  const turn = () =>
    new Promise((resolve) => {
      setImmediate(resolve);
    });

  test('wait in order until running ones free memory, but one above the limit is sent alone', async () => {
    const { room } = createFileSender(readFile, 100);
    const went: string[] = [];
    const enter = (name: string, bytes: number) =>
      room(asking(bytes)).then((leave) => {
        went.push(name);
        return leave;
      });
    const first = await enter('too large alone', 300);
    const others = [enter('large', 60), enter('small', 9), enter('other', 60)];
    const text = await room({ messages: [{ role: 'user', content: 'No file.' }] });
    text();
    await turn();
    expect(went).toEqual(['too large alone']);
    first();
    await turn();
    expect(went).toEqual(['too large alone', 'large', 'small']);
    (await others[0])?.();
    await turn();
    expect(went).toEqual(['too large alone', 'large', 'small', 'other']);
  });
});
