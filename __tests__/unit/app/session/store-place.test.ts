import { storePlace, userFolder, type Machine } from '../../../../src/app/session/store-place.ts';

const machine = (
  platform: NodeJS.Platform,
  env: NodeJS.ProcessEnv = {},
  home = '/home/ann',
): Machine => ({ platform, env, home });

describe("a user's cache folder", () => {
  test.each<[NodeJS.Platform, NodeJS.ProcessEnv, string, string]>([
    ['linux', { XDG_CACHE_HOME: '/fast/cache' }, '/home/ann', '/fast/cache/evaldiff'],
    ['linux', {}, '/home/ann', '/home/ann/.cache/evaldiff'],
    ['linux', { XDG_CACHE_HOME: 'cache' }, '/home/ann', '/home/ann/.cache/evaldiff'],
    ['darwin', {}, '/Users/ann', '/Users/ann/Library/Caches/evaldiff'],
    ['win32', { LOCALAPPDATA: '/D/Local' }, '/C/Users/ann', '/D/Local/evaldiff'],
    ['win32', {}, '/C/Users/ann', '/C/Users/ann/AppData/Local/evaldiff'],
  ])('on %s with the environment %j and the home %s is %s', (platform, env, home, folder) => {
    expect(userFolder(machine(platform, env, home))).toBe(folder);
  });
});

describe('the path of a store', () => {
  const project = (commonFolder: string, below = '') => ({
    commonFolder,
    workTree: { root: '/work/shop', below },
  });
  const placeOf = (commonFolder: string, below?: string, env: NodeJS.ProcessEnv = {}) =>
    storePlace(project(commonFolder, below), undefined, '/work/shop', machine('linux', env));

  test('is different for each clone and project, and has a readable name', () => {
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
  });

  test('comes from the option or else from the environment, but the file with the encryption key stays in the cache folder', () => {
    const env = { EVALDIFF_STORE: 'shared.sqlite' };
    expect(placeOf('/work/shop/.git', '', env)).toEqual({
      file: '/work/shop/shared.sqlite',
      keyFile: '/home/ann/.cache/evaldiff/key',
    });
    expect(
      storePlace(project('/work/shop/.git'), '/tmp/mine', '/work', machine('linux', env))?.file,
    ).toBe('/tmp/mine');
    expect(
      storePlace(project('/work/shop/.git'), false, '/work', machine('linux', env)),
    ).toBeNull();
  });
});
