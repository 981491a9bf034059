import { stopUnreadable } from '../../../../src/app/session/cached-complete.ts';
import type { Request } from '../../../../src/types/model.ts';
import { answer } from '../run/builders.ts';

const request = (text: string, more: Partial<Request> = {}): Request => ({
  target: { provider: 'openai', endpoint: null, model: 'judge' },
  parameters: {},
  messages: [{ role: 'user', content: text }],
  try: 0,
  schema: { name: 'affinity', json: {} },
  purpose: 'qualeval',
  reads: (output) => output.startsWith('read'),
  ...more,
});

/** Requests all texts concurrently; the model repeats the text. Returns the sent and the refused ones. */
async function askAll(texts: readonly string[], more: Partial<Request> = {}) {
  const sent: string[] = [];
  const complete = stopUnreadable(async ({ messages: [message] }) => {
    const text = message?.content ?? '';
    sent.push(text);
    await Promise.resolve();
    return text === 'down' ? { status: 'error', kind: 'server', message: 'down' } : answer(text);
  });
  const completions = await Promise.all(texts.map((text) => complete(request(text, more))));
  const refused = completions.filter((one) => one.status === 'error' && one.unsent === true);
  return { sent, refused, complete };
}
const times = (count: number, text: string) => Array.from({ length: count }, () => text);

describe('a request that needs a readable reply', () => {
  test('is no longer sent after ten unreadable replies in a row', async () => {
    const { sent, refused } = await askAll(times(60, 'nonsense'));
    expect([sent.length, refused.length]).toEqual([10, 50]);
    expect(refused[0]).toMatchObject({
      message: 'no call was made: 10 replies in a row could not be read, the last one: "nonsense"',
    });
  });

  test('is still sent if one of ten replies can be read', async () => {
    const texts = [...times(9, 'nonsense'), 'read', ...times(50, 'read')];
    expect((await askAll(texts)).sent).toHaveLength(60);
  });

  test('is no longer sent if later replies become unreadable', async () => {
    const { complete, sent } = await askAll(['read']);
    for (const text of times(30, 'nonsense')) await complete(request(text));
    expect(sent).toHaveLength(11);
  });

  test('is still sent after failed calls, which have no reply', async () => {
    expect((await askAll(times(30, 'down'))).sent).toHaveLength(30);
  });

  test('is still sent after unreadable replies in another format or from another model, or in a batch', async () => {
    const { complete, sent } = await askAll(times(20, 'nonsense'));
    expect(sent).toHaveLength(10);
    await complete(request('other', { schema: { name: 'grade', json: {} } }));
    await complete(
      request('other', { target: { provider: 'openai', endpoint: null, model: 'other' } }),
    );
    expect(sent).toHaveLength(12);
    const target = { provider: 'openai', endpoint: null, model: 'judge', transport: 'batch' };
    expect((await askAll(times(30, 'nonsense'), { target } as Partial<Request>)).sent).toHaveLength(
      30,
    );
  });
});
