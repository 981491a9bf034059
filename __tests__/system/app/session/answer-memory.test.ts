import {
  createAnswerMemory,
  type RememberStore,
} from '../../../../src/app/session/answer-memory.ts';
import { asks, keyOf, ok, setUp, type Setting } from '../../../unit/edges/store/setting.ts';

let setting: Setting;
let remember: RememberStore;
beforeEach(() => {
  setting = setUp();
  remember = createAnswerMemory();
});
afterEach(() => setting.remove());

/** Runs one session with these requests. Returns the replies, and what the model received. */
async function session(contents: string[], changes: Partial<ReturnType<typeof asks>> = {}) {
  const { complete, asked } = setting.model();
  const store = setting.open();
  const wrapped = remember(store).wrap(complete, keyOf);
  const replies = [];
  for (const content of contents) replies.push(await wrapped({ ...asks(content), ...changes }));
  store.close();
  return { replies, asked };
}

describe('a process that runs several sessions', () => {
  test('reads each stored answer once, also one that another process removes', async () => {
    expect((await session(['a'])).asked).toEqual(['a']);
    expect((await session(['a', 'b'])).asked).toEqual(['b']);
    const other = setting.open();
    other.prune({ maxBytes: 0 });
    other.close();
    expect(await session(['a', 'b'])).toMatchObject({
      asked: ['b'],
      replies: [ok('re a', { reused: true }), ok('re b', { reused: false })],
    });
  });

  test('does not return an answer that the caller cannot use', async () => {
    await session(['a']);
    await session(['a']);
    expect((await session(['a'], { usable: () => false })).asked).toEqual(['a']);
  });

  test('replaces an answer if the caller asks for a new one', async () => {
    await session(['a']);
    await session(['a']);
    expect((await session(['a'], { anew: true })).asked).toEqual(['a']);
    expect((await session(['a'])).asked).toEqual([]);
  });

  test('marks a returned answer as stored earlier only if another process stored it', async () => {
    const other = setting.open();
    await other.wrap(setting.model().complete, keyOf)(asks('a'));
    other.close();
    await session(['b']);
    const { replies } = await session(['a', 'b']);
    const [isStored, isOwn] = replies.map(
      (reply) => reply.status === 'ok' && reply.stored === true,
    );
    expect([isStored, isOwn]).toEqual([true, false]);
  });
});
