import { gzipSync } from 'node:zlib';
import type { Script, Scripted } from '../../../stand-ins/models/server.ts';
import { errorOf, said } from '../../../unit/edges/providers/providers-setting.ts';
import { start as startVendor } from './started.ts';

const start = (answer: Script) => startVendor('openai', answer);

function reply(content: string) {
  const choices = [{ finish_reason: 'stop', message: { content } }];
  return JSON.stringify({ object: 'chat.completion', choices });
}
const GOOD = reply('Oslo is a city in Norway.');
const typed = (body: string | Buffer, type: string): Scripted => {
  return { body, headers: { 'content-type': type } };
};
const packed = (body: Buffer, encoding: string): Scripted => {
  return { body, headers: { 'content-encoding': encoding } };
};
const short = (body: Buffer) => body.subarray(0, -10);

describe('an unreadable reply that may be temporary', () => {
  test.each<[string, Scripted]>([
    ['no choice', { body: '{"choices":[]}' }],
    ['null for choices', { body: '{"choices":null}' }],
    ['null for its choice', { body: '{"choices":[null]}' }],
    ['null for its message', { body: '{"choices":[{"message":null}]}' }],
    ['an empty choice', { body: '{"choices":[{}]}' }],
    ['a choice that only ends', { body: '{"choices":[{"index":0,"finish_reason":"stop"}]}' }],
    ['nothing but null', { body: 'null' }],
    ['an empty map', { body: '{}' }],
    ['a gzip that was cut', packed(short(gzipSync(GOOD)), 'gzip')],
  ])('is requested again: %s', async (_, odd) => {
    const { ask, server } = await start(({ index }) => (index === 0 ? odd : {}));
    expect(await ask()).toMatchObject({ status: 'ok', attempts: 2, spent: [{ usage: null }] });
    expect(server.requests).toHaveLength(2);
  });
});

describe('an unexpected event stream', () => {
  const chunk = '{"object":"chat.completion.chunk","choices":[{"delta":{"content":"Oslo"}}]}';
  const STREAM = 'text/event-stream; charset=utf-8';

  test.each<[string, Scripted]>([
    ['a whole reply before the end', typed(`${GOOD}\n\ndata: [DONE]\n\n`, STREAM)],
    ['the same as JSON', typed(`${GOOD}\n\ndata: [DONE]\n\n`, 'application/json')],
    ['one event', typed(`event: x\r\ndata: ${GOOD}\r\n\r\ndata: [DONE]\r\n\r\n`, STREAM)],
    ['comments before JSON', typed(`: PROCESSING\n\n: PROCESSING\n\n${GOOD}`, STREAM)],
    ['JSON under the wrong type', typed(GOOD, STREAM)],
  ])('is read if it contains one complete reply: %s', async (_, answer) => {
    const { ask, server } = await start(() => answer);
    expect(await ask()).toMatchObject(said('Oslo is a city in Norway.'));
    expect(server.requests).toHaveLength(1);
  });

  test.each([
    ['chunks', `data: ${chunk}\n\ndata: ${chunk}\n\ndata: [DONE]\n\n`],
    ['one chunk', `data: ${chunk}\n\n`],
    ['half a chunk', 'data: {"object":"chat.comp'],
    ['nothing', ''],
  ])('without a complete reply is rejected after one request: %s', async (_, body) => {
    const { ask, server } = await start(() => typed(body, STREAM));
    const { kind, message } = errorOf(await ask());
    expect(kind).toBe('reply');
    expect(message).toContain(
      'the server streams its answer although evaldiff did not ask for a stream; disable streaming in the server',
    );
    expect(server.requests).toHaveLength(1);
  });

  test('with an error message is reported with that message', async () => {
    const { ask } = await start(() =>
      typed(`data: ${chunk}\n\ndata: {"error":{"code":402,"message":"no credit"}}\n\n`, STREAM),
    );
    expect(errorOf(await ask()).message).toContain(
      '402, the server rejected the request: no credit',
    );
  });
});

describe('the bytes of a reply', () => {
  const utf16 = Buffer.from(reply('Malmö – €'), 'utf16le');
  test.each([
    ['ISO-8859-1', Buffer.from(reply('Malmö'), 'latin1'), 'Malmö'],
    ['"utf-8"', Buffer.from(reply('Malmö – €')), 'Malmö – €'],
    ['utf-16le', utf16, 'Malmö – €'],
    ['utf-16', Buffer.concat([Buffer.from([0xff, 0xfe]), utf16]), 'Malmö – €'],
    ['windows-1252', Buffer.from(reply('5 \u0080'), 'latin1'), '5 €'],
  ])('are decoded with the declared charset: %s', async (charset, body, output) => {
    const { ask } = await start(() => typed(body, `application/json; charset=${charset}`));
    expect(await ask()).toMatchObject(said(output));
  });

  test('may begin with a byte order mark of UTF-8', async () => {
    const marked = Buffer.concat([
      Buffer.from([0xef, 0xbb, 0xbf]),
      Buffer.from(reply('Malmö – €')),
    ]);
    const { ask } = await start(() => typed(marked, 'application/json'));
    expect(await ask()).toMatchObject(said('Malmö – €'));
  });

  test.each([
    ['application/json', Buffer.from(reply('Malmö'), 'latin1'), 'utf-8'],
    ['application/json; charset=utf-8', Buffer.from(reply('ö'), 'latin1'), 'utf-8'],
    ['application/json; charset=x-own', Buffer.from(GOOD), 'x-own'],
  ])('that do not match the charset are an error: %s', async (type, body, charset) => {
    const { ask, server } = await start(() => typed(body, type));
    const message = `openai: the reply is not valid text in its charset (${charset})`;
    expect(errorOf(await ask())).toEqual({ kind: 'reply', message });
    expect(server.requests).toHaveLength(1);
  });

  test('that cannot be decoded do not hide the error status of the reply', async () => {
    const body = Buffer.from('{"error":{"message":"cr\u00e9dit"}}', 'latin1');
    const { ask } = await start(() => ({ status: 402, body }));
    expect(errorOf(await ask()).message).toContain('402, the server rejected the request');
  });
});

describe('the error message of a server', () => {
  const behind = { message: 'Provider returned error', code: 400 };
  test.each([
    [
      'a text of the server behind a gateway',
      { error: { ...behind, metadata: { raw: 'no tools here', provider_name: 'Novita' } } },
      '400, the server rejected the request: Provider returned error (Novita): no tools here',
    ],
    [
      'JSON of the server behind a gateway',
      { error: { ...behind, metadata: { raw: '{"error":{"message":"no tools"}}' } } },
      '400, the server rejected the request: Provider returned error: no tools',
    ],
    ['a detail alone', { detail: 'Not authenticated' }, '401, the server rejected the key'],
    ['a message alone', { message: 'Not Found' }, '404, the server rejected the request'],
  ])('is shown: %s', async (_, body, words) => {
    const { ask, server } = await start(() => ({ body: JSON.stringify(body) }));
    expect(errorOf(await ask()).message).toContain(words);
    expect(server.requests).toHaveLength(1);
  });
});
