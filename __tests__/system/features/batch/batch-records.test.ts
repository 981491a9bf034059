import { DatabaseSync } from 'node:sqlite';
import { ledgerOf } from '../../../../src/features/batch/open-batch.ts';
import type { BatchRecord } from '../../../../src/types/model.ts';
import { said } from '../../../unit/edges/providers/providers-setting.ts';
import { asks, keyOf, ok, setUp, START, type Setting } from '../../../unit/edges/store/setting.ts';

const settings: Setting[] = [];
const setting = () => {
  const made = setUp();
  settings.push(made);
  return made;
};
afterEach(() => {
  for (const made of settings.splice(0)) made.remove();
});

const record = (id: string, contents = ['a', 'b']): BatchRecord => ({
  id,
  vendor: 'openai',
  model: 'm',
  submitted_at: START,
  requests: contents.map((content, index) => ({
    key: keyOf(asks(content)),
    schema: index === 0 ? null : 'verdict',
  })),
});

describe('records of submitted batches', () => {
  test('stay in the store until the batch has ended', () => {
    const { open, notices } = setting();
    const first = open();
    expect(first.addBatch(record('batch_1'))).toBe(true);
    first.addBatch(record('msgbatch_2', ['c']));
    expect(first.stats().batched).toBe(2);
    first.close();
    const second = open();
    expect(second.batches()).toEqual([record('batch_1'), record('msgbatch_2', ['c'])]);
    second.endBatch('batch_1');
    second.close();
    const third = open({ access: 'read' });
    expect(third.batches().map(({ id }) => id)).toEqual(['msgbatch_2']);
    expect([third.addBatch(record('batch_3')), third.stats().batched]).toEqual([false, 0]);
    third.endBatch('msgbatch_2');
    expect(third.batches()).toHaveLength(1);
    third.close();
    expect(notices).toEqual([]);
  });

  test('can list a hundred thousand requests', () => {
    const { open } = setting();
    const large = {
      ...record('batch_large'),
      requests: Array.from({ length: 100_000 }, (_, index) => ({
        key: index.toString(16).padStart(64, '0'),
        schema: null,
      })),
    };
    const store = open();
    store.addBatch(large);
    expect(store.batches()[0]?.requests).toHaveLength(100_000);
    store.close();
  });

  test.each([
    ['an id that would lead elsewhere', '../../v1/models', null],
    ['a body that is not JSON', 'batch_x', 'nothing'],
    ['another version', 'batch_x', '{"batch_version":2}'],
    [
      'another vendor',
      'batch_x',
      '{"batch_version":1,"vendor":"evil","model":"m","submitted_at":1,"requests":[]}',
    ],
    [
      'invalid request keys',
      'batch_x',
      '{"batch_version":1,"vendor":"openai","model":"m","submitted_at":1,"requests":[["x",null]]}',
    ],
  ])('are skipped if they have %s', (_, id, body) => {
    const { open, file } = setting();
    const store = open();
    store.addBatch(record('batch_1'));
    store.close();
    const db = new DatabaseSync(file);
    db.prepare('INSERT INTO batches SELECT ?, coalesce(?, body) FROM batches').run(id, body);
    db.close();
    const again = open();
    expect(again.batches()).toEqual([record('batch_1')]);
    again.close();
  });

  test('can be added to a store of an older version, but not to a read-only one', () => {
    const { open, file } = setting();
    open().close();
    const db = new DatabaseSync(file);
    db.exec('DROP TABLE batches');
    db.close();
    const reader = open({ access: 'read' });
    expect(reader.batches()).toEqual([]);
    reader.close();
    const writer = open();
    expect(writer.addBatch(record('batch_1'))).toBe(true);
    writer.close();
  });
});

describe('the batch ledger of a run', () => {
  test('reads every store, writes only to the first, and also keeps answers that no call needs', async () => {
    const [own, shared] = [setting(), setting()];
    const below = shared.open();
    below.addBatch(record('batch_1'));
    below.addBatch(record('batch_2'));
    below.close();
    const stores = [own.open(), shared.open({ access: 'read' })];
    const ledger = ledgerOf(async () => stores);
    expect(await ledger.submitted(record('batch_2'))).toBe(true);
    expect((await ledger.pending()).map(({ id }) => id)).toEqual(['batch_2', 'batch_1']);
    await ledger.keep(keyOf(asks('a')), asks('a').target, ok('kept'));
    expect(
      await stores[0]!.wrap(() => Promise.reject(new Error('asked')), keyOf)(asks('a')),
    ).toMatchObject({ ...said('kept'), reused: true });
    await ledger.ended('batch_2');
    expect(stores[0]!.batches()).toEqual([]);
    for (const store of stores) store.close();
  });

  test('writes nothing without a store, and reports that', async () => {
    const ledger = ledgerOf(async () => []);
    expect([await ledger.submitted(record('batch_1')), await ledger.pending()]).toEqual([
      false,
      [],
    ]);
    await ledger.keep('k', asks('a').target, ok('x'));
    await ledger.ended('batch_1');
  });
});
