import { join } from 'node:path';
import type { Store } from '../../../../src/edges/store/index.ts';
import { START, setUp, type Setting } from '../../../unit/edges/store/setting.ts';

let setting: Setting;
beforeEach(() => void (setting = setUp()));
afterEach(() => setting.remove());

function using<T>(work: (store: Store) => T, changes: Parameters<Setting['open']>[0] = {}) {
  const store = setting.open(changes);
  const result = work(store);
  store.close();
  return result;
}
const once = (key: string) => ({ key, passes: 1, tries: 1 });

describe('stored test outcomes', () => {
  test('are added up per test over several runs', () => {
    using((store) => {
      store.addOutcomes([
        { key: 'a', passes: 3, tries: 5 },
        { key: 'b', passes: 2, tries: 2 },
      ]);
    });
    using((store) => {
      store.addOutcomes([{ key: 'a', passes: 1, tries: 5 }]);
      const found = Object.fromEntries(store.outcomes(['a', 'b', 'c']));
      expect(found).toEqual({ a: { passes: 4, tries: 10 }, b: { passes: 2, tries: 2 } });
    });
  });

  test('drop the least recently used ones above the limit', () => {
    const rows = (from: number) =>
      Array.from({ length: 60_000 }, (_, index) => once(`k${from + index}`));
    const keys = (from: number) => rows(from).map(({ key }) => key);
    using((store) => store.addOutcomes(rows(0)), { now: () => START });
    using((store) => store.addOutcomes(rows(60_000)), { now: () => START + 1000 });
    using((store) => {
      expect(store.outcomes(keys(60_000)).size).toBe(60_000);
      expect(store.outcomes(keys(0)).size).toBe(40_000);
    });
  });

  test('are included in a copy of the store file, as are notes (named texts such as the noise measurement)', () => {
    const file = join(setting.folder, 'copy.sqlite');
    using((store) => {
      store.addOutcomes([once('a')]);
      expect(store.setNote('noise', '{"red":1}')).toBe(true);
      store.copyTo(file);
    });
    using(
      (store) => {
        expect([store.note('noise'), store.note('other')]).toEqual(['{"red":1}', null]);
        expect(store.outcomes(['a']).get('a')).toEqual({ passes: 1, tries: 1 });
      },
      { file, access: 'read' },
    );
  });
});

describe('a read-only store file', () => {
  const recordsOf = (store: Store) => [store.outcomes(['a']).size, store.note('noise')];

  test('does not change', () => {
    using(() => undefined);
    using(
      (store) => {
        store.addOutcomes([once('a')]);
        expect(store.setNote('noise', 'x')).toBe(false);
        expect(recordsOf(store)).toEqual([0, null]);
      },
      { access: 'read' },
    );
  });
});

test('the store keeps only the latest note (text) under each name', () => {
  using((store) => {
    store.setNote('noise', 'first');
    store.setNote('noise', 'second');
    expect(store.note('noise')).toBe('second');
  });
});
