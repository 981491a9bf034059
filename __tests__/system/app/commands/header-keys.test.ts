import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { commandIn, localEndpoint } from '../../../stand-ins/command-line.ts';
import { storeOf } from '../../../stand-ins/kept.ts';
import { temporaryFolder } from '../../../stand-ins/repository.ts';
import { openShop, type Shop } from '../../../unit/app/commands/shop.ts';

let shop: Shop;
let home: string;
beforeEach(async () => {
  shop = await openShop();
  home = temporaryFolder('home');
});

/** Runs a command with the endpoint's line and variables, and returns the calls that it made. */
async function callsOf(
  words: string,
  env: NodeJS.ProcessEnv = {},
  argv: readonly string[] = ['run', 'n_tries=1'],
) {
  const before = shop.server.requests.length;
  const { code, err } = await commandIn(shop.repository.directory, argv, {
    env: localEndpoint(shop.server, {
      XDG_CACHE_HOME: home,
      EVALDIFF_ENDPOINTS: `local=${shop.server.openaiUrl} ${words}`,
      ...env,
    }),
  });
  if (code !== 0) throw new Error(err);
  return shop.server.requests.length - before;
}

describe('a stored answer of an endpoint with header=', () => {
  test('is reused only with the same value', async () => {
    const words = 'key=LOCAL_KEY header=x-tenant:TENANT';
    const counts: number[] = [];
    for (const value of ['T1', 'T1', 'T2', 'T1', 'T2'])
      counts.push(await callsOf(words, { TENANT: value }));
    expect(counts).toEqual([4, 0, 4, 0, 0]);
  });

  test.each([
    ['Authorization', 'SIGNED'],
    ['x-custom', 'OPENAI_API_KEY'],
  ])('is reused after a new secret in %s: %s', async (name, variable) => {
    const words = `header=${name}:${variable}`;
    expect(await callsOf(words, { [variable]: 'secret-value-1' })).toBe(4);
    expect(await callsOf(words, { [variable]: 'secret-value-2' })).toBe(0);
  });

  test('is reused after a new key of the endpoint that a second header repeats', async () => {
    const words = 'key=LOCAL_KEY header=x-forwarded-for-gateway:LOCAL_KEY';
    expect(await callsOf(words, { LOCAL_KEY: 'one-key-of-many' })).toBe(4);
    expect(await callsOf(words, { LOCAL_KEY: 'two-key-of-many' })).toBe(0);
  });

  test('is reused with other values of volatile headers, but not of the others', async () => {
    const words = 'header=x-trace:TRACE header=x-tenant:TENANT volatile=X-Trace';
    expect(await callsOf(words, { TRACE: 'a', TENANT: 'T1' })).toBe(4);
    expect(await callsOf(words, { TRACE: 'b', TENANT: 'T1' })).toBe(0);
    expect(await callsOf(words, { TRACE: 'b', TENANT: 'T2' })).toBe(4);
  });

  test('is reused if the headers are in another order, and is the same as without headers if none counts', async () => {
    expect(await callsOf('')).toBe(4);
    expect(await callsOf('header=authorization:A', { A: 'secret-value' })).toBe(0);
    const env = { A: '1', B: '2' };
    expect(await callsOf('header=x-a:A header=x-b:B', env)).toBe(4);
    expect(await callsOf('header=x-b:B header=x-a:A', env)).toBe(0);
    expect(await callsOf('header=x-b:A header=x-a:B', env)).toBe(4);
  });

  test('is stored without the value, and with a key that needs the secret of the store', async () => {
    const keys = async (): Promise<unknown[]> => {
      await callsOf('header=x-tenant:TENANT', { TENANT: 'tenant-of-value' });
      const { file } = storeOf(shop.repository.directory, { XDG_CACHE_HOME: home });
      expect(readFileSync(file).includes('tenant-of-value')).toBe(false);
      const db = new DatabaseSync(file);
      const rows = db.prepare('SELECT key FROM completions ORDER BY key').all();
      db.close();
      expect(rows.map(({ key }) => key)).toEqual(
        Array.from({ length: 4 }, () => expect.stringMatching(/^[0-9a-f]{64}$/)),
      );
      return rows;
    };
    const first = await keys();
    home = temporaryFolder('other-home');
    expect(await keys()).not.toEqual(first);
  });

  test('goes from shards to a merge, which is refused with another value', async () => {
    const words = 'header=x-tenant:TENANT';
    const run = (tenant: string, ...argv: string[]) => callsOf(words, { TENANT: tenant }, argv);
    for (const shard of ['1/2', '2/2']) await run('T1', 'run', '--shard', shard, '--no-store');
    const parts = ['evaldiff-shard-1-of-2', 'evaldiff-shard-2-of-2'];
    const manifest = readFileSync(
      join(shop.repository.directory, parts[0]!, 'manifest.json'),
      'utf8',
    );
    expect(manifest).not.toContain('T1');
    await expect(run('T2', 'merge', ...parts)).rejects.toThrow(/differ in endpoints: "local \(/);
    expect(await run('T1', 'merge', ...parts)).toBe(0);
    expect(await run('T1', 'run')).toBe(0);
    expect(await run('T2', 'run')).toBe(8);
  });
});
