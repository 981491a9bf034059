import { rmSync, writeFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { createKeptStores, type KeptStores } from '../../../../src/app/session/kept-stores.ts';
import { asks, keyOf, ok, setUp, type Setting } from '../../../unit/edges/store/setting.ts';

let setting: Setting;
let kept: KeptStores;
let opened: number;
beforeEach(() => {
  setting = setUp();
  kept = createKeptStores();
  opened = 0;
});
afterEach(async () => {
  await kept.close();
  setting.remove();
});

/** Runs one session with these requests. Returns the requests that the model received. */
async function session(contents: string[], reply?: (content: string) => string) {
  const { complete, asked } = setting.model(
    reply === undefined ? undefined : (content) => ok(reply(content)),
  );
  const { stores, finish } = await kept.at(setting.file, () => {
    opened += 1;
    const store = setting.open({ busyMs: 10 });
    return Promise.resolve({
      stores: [store],
      finish: () => {
        store.close();
        return Promise.resolve();
      },
    });
  });
  for (const content of contents)
    for (const store of stores) {
      const completion = await store.wrap(complete, keyOf)(asks(content));
      expect(completion).toMatchObject(
        ok(reply?.(content) ?? `re ${content}`, { reused: !asked.includes(content) }),
      );
    }
  await finish();
  return asked;
}

describe('an open answer store', () => {
  test('serves several sessions in turn and keeps each answer', async () => {
    expect(await session(['a'])).toEqual(['a']);
    expect(await session(['a', 'b'])).toEqual(['b']);
    expect(await session(['a', 'b'])).toEqual([]);
    expect(opened).toBe(1);
  });

  test('contains what other processes stored in the meantime, but not what they removed', async () => {
    await session(['a', 'b']);
    await session(['a', 'b']);
    const other = setting.open();
    await other.wrap(setting.model().complete, keyOf)(asks('c'));
    other.prune({ maxBytes: 0 });
    await other.wrap(setting.model().complete, keyOf)(asks('b'));
    other.close();
    expect(await session(['a', 'b', 'c'])).toEqual(['a', 'c']);
    expect(opened).toBe(1);
  });

  test('reopens when its file was replaced or deleted', async () => {
    await session(['a']);
    for (const end of ['', '-wal', '-shm']) rmSync(`${setting.file}${end}`, { force: true });
    expect(await session(['a'])).toEqual(['a']);
    for (const end of ['', '-wal', '-shm']) rmSync(`${setting.file}${end}`, { force: true });
    writeFileSync(setting.file, '');
    expect(await session(['a'])).toEqual(['a']);
    expect(opened).toBe(3);
  });

  test('does not return an answer that the caller cannot use', async () => {
    await session(['a']);
    await session(['a']);
    const { stores } = await kept.at(setting.file, () => Promise.reject(new Error('is open')));
    const { complete, asked } = setting.model();
    const request = { ...asks('a'), usable: () => false };
    for (const store of stores) await store.wrap(complete, keyOf)(request);
    expect(asked).toEqual(['a']);
  });

  test('reopens after another process had locked it', async () => {
    await session(['a']);
    const holder = new DatabaseSync(setting.file);
    holder.exec('BEGIN IMMEDIATE');
    expect(await session(['b'])).toEqual(['b']);
    holder.exec('ROLLBACK');
    holder.close();
    expect(await session(['a', 'b'])).toEqual(['b']);
    expect(await session(['a', 'b'])).toEqual([]);
    expect(opened).toBe(2);
  });

  test('replaces an answer if the caller asks for a new one', async () => {
    await session(['a']);
    await session(['a']);
    const { stores } = await kept.at(setting.file, () => {
      throw new Error('it is open');
    });
    const later = () => Promise.resolve(ok('later'));
    const [wrapped] = stores.map((store) => store.wrap(later, keyOf));
    expect(await wrapped?.({ ...asks('a'), anew: true })).toEqual(ok('later'));
    expect(await wrapped?.(asks('a'))).toEqual(ok('later', { reused: true }));
  });

  test('marks a returned answer as stored earlier only if another process stored it', async () => {
    const other = setting.open();
    await other.wrap(setting.model().complete, keyOf)(asks('a'));
    other.close();
    await session(['b']);
    const { stores } = await kept.at(setting.file, () => {
      throw new Error('it is open');
    });
    const isStored = async (content: string): Promise<unknown[]> =>
      Promise.all(
        stores.map(async (store) => {
          const completion = await store.wrap(setting.model().complete, keyOf)(asks(content));
          return completion.status === 'ok' && (completion.stored ?? false);
        }),
      );
    expect(await isStored('a')).toEqual([true]);
    expect(await isStored('b')).toEqual([false]);
  });
});
