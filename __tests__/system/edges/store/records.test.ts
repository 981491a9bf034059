import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, describe, expect, test } from '@jest/globals';
import { START, setUp, type Setting } from '../../../unit/edges/store/setting.ts';

const settings: Setting[] = [];
const setting = (): Setting => {
  const made = setUp();
  settings.push(made);
  return made;
};
afterEach(() => {
  for (const made of settings.splice(0)) made.remove();
});

describe('outcomes', () => {
  test('add up over runs by key, and unknown keys are not among them', () => {
    const { open } = setting();
    const first = open();
    first.addOutcomes([
      { key: 'a', passes: 3, tries: 5 },
      { key: 'b', passes: 2, tries: 2 },
    ]);
    first.close();
    const second = open();
    second.addOutcomes([{ key: 'a', passes: 1, tries: 5 }]);
    expect(second.outcomes(['a', 'b', 'c'])).toEqual(
      new Map([
        ['a', { passes: 4, tries: 10 }],
        ['b', { passes: 2, tries: 2 }],
      ]),
    );
    second.close();
  });

  test('are kept for those used last once there are too many', () => {
    const { open } = setting();
    const rows = (from: number, count: number) =>
      Array.from({ length: count }, (_, index) => ({
        key: `k${String(from + index)}`,
        passes: 1,
        tries: 1,
      }));
    const old = open({ now: () => START });
    old.addOutcomes(rows(0, 60_000));
    old.close();
    const young = open({ now: () => START + 1000 });
    young.addOutcomes(rows(60_000, 60_000));
    young.close();
    const now = open();
    expect(now.outcomes(rows(60_000, 60_000).map(({ key }) => key)).size).toBe(60_000);
    expect(now.outcomes(rows(0, 60_000).map(({ key }) => key)).size).toBe(40_000);
    now.close();
  });

  test('and notes travel with a copy of the file', () => {
    const { folder, open } = setting();
    const store = open();
    store.addOutcomes([{ key: 'a', passes: 1, tries: 1 }]);
    expect(store.setNote('noise', '{"red":1}')).toBe(true);
    const copy = join(folder, 'copy.sqlite');
    store.copyTo(copy);
    store.close();
    const read = open({ file: copy, access: 'read' });
    expect([read.note('noise'), read.note('other'), read.outcomes(['a']).get('a')]).toEqual([
      '{"red":1}',
      null,
      { passes: 1, tries: 1 },
    ]);
    read.close();
  });
});

describe('a file that may only be read', () => {
  test('keeps its records as they are', () => {
    const { open } = setting();
    open().close();
    const read = open({ access: 'read' });
    read.addOutcomes([{ key: 'a', passes: 1, tries: 1 }]);
    expect(read.setNote('noise', 'x')).toBe(false);
    expect([read.outcomes(['a']).size, read.note('noise')]).toEqual([0, null]);
    read.close();
  });

  test('may be older and have none: that is not a damage, and a run that may write makes room for them', () => {
    const { file, open, notices } = setting();
    open().close();
    const db = new DatabaseSync(file);
    db.exec('DROP TABLE outcomes; DROP TABLE notes');
    db.close();
    const read = open({ access: 'read' });
    expect([read.outcomes(['a']).size, read.note('noise')]).toEqual([0, null]);
    read.close();
    const written = open();
    expect(written.setNote('noise', 'x')).toBe(true);
    written.close();
    expect(notices).toEqual([]);
  });
});

test('a later note takes the place of the one before it', () => {
  const { open } = setting();
  const store = open();
  store.setNote('noise', 'first');
  store.setNote('noise', 'second');
  expect(store.note('noise')).toBe('second');
  store.close();
});
