import { describe, expect, test } from '@jest/globals';
import { storePlace, userFolder, type Machine } from '../../../../src/app/session/store-place.ts';

const machine = (
  platform: NodeJS.Platform,
  env: NodeJS.ProcessEnv = {},
  home = '/home/ann',
): Machine => ({ platform, env, home });

describe("the folder of a user's caches", () => {
  test("is XDG's on Linux where that is an absolute path, else ~/.cache", () => {
    expect(userFolder(machine('linux', { XDG_CACHE_HOME: '/fast/cache' }))).toBe(
      '/fast/cache/evaldiff',
    );
    expect(userFolder(machine('linux'))).toBe('/home/ann/.cache/evaldiff');
    expect(userFolder(machine('linux', { XDG_CACHE_HOME: 'cache' }))).toBe(
      '/home/ann/.cache/evaldiff',
    );
  });

  test('is where macOS and Windows keep caches', () => {
    expect(userFolder(machine('darwin', {}, '/Users/ann'))).toBe(
      '/Users/ann/Library/Caches/evaldiff',
    );
    expect(userFolder(machine('win32', { LOCALAPPDATA: '/C/Users/ann/AppData/Local' }))).toBe(
      '/C/Users/ann/AppData/Local/evaldiff',
    );
    expect(userFolder(machine('win32', {}, '/C/Users/ann'))).toBe(
      '/C/Users/ann/AppData/Local/evaldiff',
    );
  });
});

describe('the place of a store', () => {
  const project = (commonFolder: string, below = '') => ({
    commonFolder,
    workTree: { root: '/work/shop', below },
  });
  const placeOf = (commonFolder: string, below?: string, env: NodeJS.ProcessEnv = {}) =>
    storePlace(project(commonFolder, below), undefined, '/work/shop', machine('linux', env));

  test('is one per clone and project, named for people', () => {
    const [root, service, clone] = [
      placeOf('/work/shop/.git'),
      placeOf('/work/shop/.git', 'services/chat'),
      placeOf('/other/shop/.git'),
    ];
    expect(root?.file).toMatch(
      /^\/home\/ann\/\.cache\/evaldiff\/shop-[0-9a-f]{16}\/answers\.sqlite$/,
    );
    expect(service?.file).toMatch(/\/chat-[0-9a-f]{16}\/answers\.sqlite$/);
    expect(new Set([root?.file, service?.file, clone?.file]).size).toBe(3);
    expect(service?.former).toBe('/work/shop/services/chat/.evaldiff/answers.sqlite');
  });

  test("is what the option says, else what the environment says, and the key stays the machine's", () => {
    const env = { EVALDIFF_STORE: 'shared.sqlite' };
    expect(placeOf('/work/shop/.git', '', env)).toEqual({
      file: '/work/shop/shared.sqlite',
      keyFile: '/home/ann/.cache/evaldiff/key',
      former: null,
    });
    expect(
      storePlace(project('/work/shop/.git'), '/tmp/mine', '/work', machine('linux', env))?.file,
    ).toBe('/tmp/mine');
    expect(
      storePlace(project('/work/shop/.git'), false, '/work', machine('linux', env)),
    ).toBeNull();
  });
});
