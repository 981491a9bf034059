import {
  appendFileSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { storeOf } from '../../../stand-ins/kept.ts';
import { createRepository, temporaryFolder } from '../../../stand-ins/repository.ts';
import { openShop } from '../../../unit/app/commands/shop.ts';

const open = () => openShop({ references: 2 });

/** Copies a store with answers as a single file, as an attacker would commit it. */
function copyOf(file: string, to: string) {
  const db = new DatabaseSync(file);
  db.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  db.close();
  mkdirSync(dirname(to), { recursive: true });
  copyFileSync(file, to);
}

describe("the command line's default store", () => {
  test('is outside the work tree and has a key file that only the user can read', async () => {
    const { evaldiff, repository } = await open();
    await evaldiff('run');
    const { file, keyFile } = storeOf(repository.directory);
    expect(repository.git('status', '--short', '--ignored')).toBe('');
    expect(existsSync(file)).toBe(true);
    expect(statSync(keyFile!).size).toBe(32);
    if (process.platform !== 'win32') expect(statSync(keyFile!).mode & 0o777).toBe(0o600);
  });

  test('is shared by all work trees of a clone', async () => {
    const { evaldiff, repository, server } = await open();
    await evaldiff('run');
    const other = join(temporaryFolder('worktree'), 'other');
    repository.git('worktree', 'add', '--quiet', other);
    const asked = server.requests.length;
    expect((await evaldiff('run', '--directory', other)).code).toBe(0);
    expect(server.requests).toHaveLength(asked);
  });

  test('ignores a store that a pull request committed in the work tree', async () => {
    const { result, repository, server } = await open();
    await result('run');
    const { file } = storeOf(repository.directory);
    copyOf(file, join(repository.directory, '.evaldiff/answers.sqlite'));
    rmSync(dirname(file), { recursive: true });
    repository.commit('answers', {});
    const asked = server.requests.length;
    const { usage } = await result('run');
    expect(usage).toMatchObject({ calls: 4, reused: 0 });
    expect(server.requests.length - asked).toBe(4);
  });

  test.each(['answers.sqlite', 'answers.sqlite-wal'])(
    'can be replaced with --store, but not by a file that git tracks: %s',
    async (tracked) => {
      const { evaldiff, repository, server } = await open();
      repository.commit('answers', { [`kept/${tracked}`]: 'x' });
      const { code, err } = await evaldiff('run', '--store', 'kept/answers.sqlite');
      expect([code, server.requests]).toEqual([2, []]);
      expect(err).toContain(
        `git tracks kept/${tracked}, so a pull request may have written it, and evaldiff does not read it; remove it from git, or name another store (--store, EVALDIFF_STORE)`,
      );
      expect((await evaldiff('cache', '--store', 'kept/answers.sqlite')).code).toBe(
        tracked === 'answers.sqlite' ? 2 : 0,
      );
    },
  );

  test('ignores and counts answers written by another machine, and calls the model again', async () => {
    const { result, evaldiff, repository, server } = await open();
    await result('run');
    const { file, keyFile } = storeOf(repository.directory);
    writeFileSync(keyFile!, Buffer.alloc(32, 7));
    const asked = server.requests.length;
    const plan = await evaldiff('plan', '--base', 'HEAD');
    expect(plan.code).toBe(0);
    const { code, err } = await evaldiff('run');
    expect(code).toBe(0);
    expect(server.requests.length - asked).toBe(4);
    expect(err).toContain(
      `${file}: answers that this machine did not store, or that were changed since, were ignored: 4`,
    );
    expect((await result('run')).usage).toMatchObject({ calls: 0, reused: 4 });
  });

  test('is refused with advice before any model call if its key is invalid', async () => {
    const { evaldiff, repository, server } = await open();
    await evaldiff('run');
    const { keyFile } = storeOf(repository.directory);
    appendFileSync(keyFile!, 'x');
    const asked = server.requests.length;
    const { code, err } = await evaldiff('run');
    expect([code, server.requests.length]).toEqual([2, asked]);
    expect(err).toContain(`${keyFile!}: is not an evaldiff key (32 bytes). Remove it`);
    rmSync(keyFile!);
  });

  test('is a separate one for a folder without a repository', async () => {
    const { repository, evaldiff } = await open();
    const folder = createRepository();
    rmSync(join(folder.directory, '.git'), { recursive: true });
    folder.write({
      'evaldiff.yaml': readFileSync(join(repository.directory, 'evaldiff.yaml'), 'utf8'),
    });
    const { out } = await evaldiff('cache', '--directory', folder.directory);
    expect(out).toMatch(/^\/.*evaldiff\/project-[0-9a-f]{16}\/answers\.sqlite: the store is empty/);
    expect(out).not.toContain(storeOf(repository.directory).file);
  });
});
