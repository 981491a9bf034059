import { readFileSync } from 'node:fs';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { join } from 'node:path';
import { openRepository, type Repository } from '../../../../src/edges/git/repository.ts';
import {
  bareOrigin,
  createRepository,
  fixtureEnvironment,
  shallowCheckout,
  temporaryFolder,
  type FixtureRepository,
} from '../../../stand-ins/repository.ts';
import { messageOf, remoteAt, using } from './opened-repository.ts';

/**
 * `main` has 130 commits. `topic` branched off 75 commits ago and adds three. The pull request's
 * merge commit joins both.
 */
function pullRequest() {
  const source = createRepository();
  const main = source.commitMany(130, (at) => ({ path: 'prompts/a.yaml', text: `main ${at}\n` }));
  const fork = main[54]!;
  source.git('checkout', '--quiet', '-b', 'topic', fork);
  const topic = ['x', 'y', 'z']
    .map((name) => source.commit(`topic ${name}`, { [`prompts/${name}.yaml`]: name }))
    .at(-1)!;
  source.git('checkout', '--quiet', '--detach', 'main');
  source.git('merge', '--quiet', '--no-ff', '-m', 'merge', 'topic');
  const merge = source.git('rev-parse', 'HEAD');
  source.git('checkout', '--quiet', 'main');
  const origin = bareOrigin(source);
  origin.gitInput('', 'fetch', '--quiet', source.directory, merge);
  origin.git('update-ref', 'refs/pull/7/merge', merge);
  origin.git('update-ref', 'refs/pull/7/head', topic);
  // As with a fork, only the pull request's refs contain the commit.
  origin.git('branch', '-D', 'topic');
  return { origin, base: main[129]!, fork, topic, merge, old: main[20]! };
}

const pr = pullRequest();

/**
 * Simulates old servers, and protocol 0 without `uploadpack.allow…`: they serve only commits that a
 * ref points at.
 */
function refuseIds(clone: FixtureRepository) {
  clone.git('config', 'protocol.version', '0');
  return clone;
}

async function listening(onConnection: (socket: Socket) => unknown) {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    onConnection(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { server, port: (server.address() as AddressInfo).port };
}

const boundary = (clone: FixtureRepository) =>
  readFileSync(join(clone.directory, '.git/shallow'), 'utf8').trim().split('\n');

describe('a missing commit', () => {
  test('is fetched by id into a clone of depth 1 without changing the clone', async () => {
    const clone = shallowCheckout(pr.origin, 'refs/pull/7/merge');
    const refs = clone.git('for-each-ref');
    const status = clone.git('status', '--porcelain=v2', '--branch');
    const horizon = boundary(clone);
    await using(clone.directory, async (repository) => {
      for (const commit of [pr.base, pr.topic, pr.old]) await repository.ensureCommit(commit);
      expect(await repository.text(pr.old, 'a.yaml', 'prompts')).toBe('main 20\n');
      const paths = ['a.yaml', 'x.yaml', 'y.yaml', 'z.yaml'];
      expect(await repository.paths(pr.topic, 'prompts')).toEqual(paths);
    });
    expect(clone.git('for-each-ref')).toBe(refs);
    expect(clone.git('status', '--porcelain=v2', '--branch')).toBe(status);
    expect(boundary(clone)).toEqual(horizon);
    expect(() => clone.git('cat-file', '-e', pr.old)).toThrow('failed');
  });

  test('is fetched when its files are read', async () => {
    const clone = shallowCheckout(pr.origin, 'refs/heads/main');
    await using(clone.directory, async (repository) => {
      expect((await repository.tree(pr.old, '.')).files.size).toBe(1);
    });
  });

  test('is found from a ref that the caller suggests if the server serves no commits by id', async () => {
    const clone = refuseIds(shallowCheckout(pr.origin, 'refs/heads/main'));
    const parent = pr.origin.git('rev-parse', `${pr.topic}~2`);
    await using(clone.directory, async (repository) => {
      await repository.ensureCommit(parent, { side: 'head', refs: ['refs/pull/7/head'] });
      expect(await repository.paths(parent, 'prompts')).toEqual(['a.yaml', 'x.yaml']);
    });
  });

  test('is found deep in a branch if the server serves no commits by id and the suggested ref does not exist', async () => {
    const clone = refuseIds(shallowCheckout(pr.origin, 'refs/pull/7/merge'));
    await using(clone.directory, async (repository) => {
      await repository.ensureCommit(pr.old, { side: 'base', refs: ['refs/pull/404/head'] });
      expect(await repository.text(pr.old, 'a.yaml', 'prompts')).toBe('main 20\n');
    });
  });

  test('is fetched into a full clone without making it shallow', async () => {
    const clone = shallowCheckout(pr.origin, 'refs/heads/main', { depth: null });
    await using(clone.directory, async (repository) => {
      await repository.ensureCommit(pr.topic, { side: 'head' });
      expect(await repository.mergeBase(pr.base, pr.topic)).toBe(pr.fork);
    });
    expect(clone.git('rev-parse', '--is-shallow-repository')).toBe('false');
  });

  test("is an error with its side and git's reason if the server does not have it", async () => {
    const clone = shallowCheckout(pr.origin, 'refs/heads/main');
    const nowhere = 'deadbeef'.repeat(5);
    await using(clone.directory, async ({ ensureCommit, tree }) => {
      expect(await messageOf(ensureCommit(nowhere, { side: 'base' }))).toMatch(
        /^The base commit deadbee could not be fetched: .*not our ref deadbeef\w+\. No branch or tag of the remote contains it, for example after a force push: name another commit\.$/,
      );
      const failure = 'commit deadbee could not be fetched: ';
      const head = ensureCommit(nowhere, { side: 'head' });
      expect(await messageOf(head)).toContain(`The head ${failure}`);
      expect(await messageOf(tree(nowhere, '.'))).toContain(`The ${failure}`);
      await ensureCommit(pr.old);
    });
  });

  test('is an error if there is no remote or the remote is gone', async () => {
    const alone = createRepository();
    alone.commit('one', { 'a.yaml': 'a' });
    await using(alone.directory, async (repository) => {
      expect(await messageOf(repository.ensureCommit(pr.base, { side: 'base' }))).toBe(
        `The base commit ${pr.base.slice(0, 7)} could not be fetched: this repository has no remote.`,
      );
    });
    alone.git('remote', 'add', 'upstream', 'file:///nowhere/at/all.git');
    await using(alone.directory, async (repository) => {
      expect(await messageOf(repository.ensureCommit(pr.base, { side: 'base' }))).toMatch(
        /could not be fetched: .*(?:nowhere|remote repository)/,
      );
    });
  });

  test("does not leak a password in the remote's address and does not prompt for one", async () => {
    const clone = createRepository();
    clone.commit('one');
    const { server, port } = await listening((socket) =>
      socket.once('data', () =>
        socket.end(
          'HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Basic realm="x"\r\nContent-Length: 0\r\nConnection: close\r\n\r\n',
        ),
      ),
    );
    clone.git('remote', 'add', 'origin', `http://robot:ghs_secret@127.0.0.1:${port}/o/r.git`);
    const message = await using(
      clone.directory,
      (repository) => messageOf(repository.ensureCommit(pr.base, { side: 'base' })),
      fixtureEnvironment({ http_proxy: '', no_proxy: '*' }),
    ).finally(() => server.close());
    expect(message).toMatch(/could not be fetched: /);
    expect(message).not.toContain('ghs_secret');
  });

  test('is reported as an error to all waiting requests if the remote does not respond', async () => {
    const clone = createRepository();
    clone.commit('one');
    let connections = 0;
    const { server, port } = await listening(() => (connections += 1));
    clone.git('remote', 'add', 'origin', `git://127.0.0.1:${port}/r.git`);
    const repository = await openRepository(clone.directory, {
      environment: fixtureEnvironment(),
      temporaryFolder: temporaryFolder(),
      networkTimeoutMs: 200,
    });
    try {
      const sides = [
        repository.ensureCommit(pr.base, { side: 'base' }),
        repository.ensureCommit(pr.topic, { side: 'head' }),
      ];
      for (const side of sides)
        expect(await messageOf(side)).toMatch(/could not be fetched: no answer within 0\.2 s\.$/);
      expect(connections).toBe(1);
    } finally {
      await repository.close();
      server.close();
    }
  });

  test('is fetched without running a remote helper that the configuration names', async () => {
    const clone = createRepository();
    clone.commit('one');
    const canary = join(temporaryFolder(), 'canary');
    clone.git('config', 'protocol.ext.allow', 'always');
    clone.git('remote', 'add', 'origin', `ext::sh -c touch% ${canary}`);
    await using(clone.directory, async (repository) => {
      expect(await messageOf(repository.ensureCommit(pr.base))).toContain(
        "transport 'ext' not allowed",
      );
    });
    expect(() => readFileSync(canary)).toThrow('ENOENT');
  });

  test('is requested from git only by a full id', async () => {
    const clone = shallowCheckout(pr.origin, 'refs/heads/main');
    await using(clone.directory, async (repository) => {
      for (const name of [
        'main',
        '--upload-pack=touch x',
        pr.base.slice(0, 12),
        `${pr.base}\n`,
        pr.base.toUpperCase(),
        '',
      ]) {
        await expect(repository.ensureCommit(name)).rejects.toThrow('not a commit id');
        await expect(repository.tree(name, '.')).rejects.toThrow('not a commit id');
        await expect(repository.mergeBase(pr.base, name)).rejects.toThrow('not a commit id');
      }
    });
  });

  test('can be requested many times at once, and each request gets its own result', async () => {
    const clone = shallowCheckout(pr.origin, 'refs/pull/7/merge');
    await using(clone.directory, async (repository) => {
      const commits = pr.origin.git('rev-list', '--max-count=12', 'main').split('\n');
      const trees = await Promise.all(
        [...commits, ...commits].map((commit) => repository.tree(commit, 'prompts')),
      );
      const texts = await Promise.all(trees.map((tree) => repository.text(tree, 'a.yaml')));
      expect(texts).toEqual([...commits, ...commits].map((_, at) => `main ${129 - (at % 12)}\n`));
    });
  });
});

describe('the merge base', () => {
  test("is the server's answer, without fetching the history, where the server knows it", async () => {
    const asked: string[][] = [];
    const mergeBase = (base: string, head: string) => {
      asked.push([base, head]);
      return Promise.resolve(pr.fork);
    };
    const open = (repository: Repository) => repository.mergeBase(pr.base, pr.topic);
    const remote = { ...remoteAt(pr.origin), mergeBase };
    const workspace = temporaryFolder('workspace');
    expect(await using(workspace, open, fixtureEnvironment(), remote)).toBe(pr.fork);
    expect(asked).toEqual([[pr.base, pr.topic]]);
  });

  test('is found from a checkout of depth 1 by fetching the history', async () => {
    const clone = shallowCheckout(pr.origin, 'refs/pull/7/merge');
    await using(clone.directory, async (repository) => {
      expect(await repository.mergeBase(pr.base, pr.topic)).toBe(pr.fork);
      expect(await repository.mergeBase(pr.topic, pr.base)).toBe(pr.fork);
    });
  });

  test('of a commit and its descendant is found without older history', async () => {
    const clone = shallowCheckout(pr.origin, 'refs/heads/main', { depth: 3 });
    const [two, one] = [2, 1].map((back) => clone.git('rev-parse', `HEAD~${back}`));
    clone.git('remote', 'set-url', 'origin', 'file:///nowhere/at/all.git');
    await using(clone.directory, async (repository) => {
      expect(await repository.mergeBase(two!, pr.base)).toBe(two);
      expect(await repository.mergeBase(pr.base, one!)).toBe(one);
    });
  });

  test('is found without fetching the history if it is near', async () => {
    const clone = shallowCheckout(pr.origin, 'refs/heads/main');
    const near = pr.origin.git('rev-parse', 'main~5');
    await using(clone.directory, async (repository) => {
      expect(await repository.mergeBase(pr.base, near)).toBe(near);
    });
    expect(clone.git('rev-parse', '--is-shallow-repository')).toBe('true');
  });

  test('is found if the server serves no commits by id', async () => {
    const clone = refuseIds(shallowCheckout(pr.origin, 'refs/pull/7/merge'));
    await using(clone.directory, async (repository) => {
      const behind = pr.origin.git('rev-parse', 'main~3');
      await repository.ensureCommit(pr.topic, { side: 'head', refs: ['refs/pull/7/head'] });
      expect(await repository.mergeBase(behind, pr.topic)).toBe(pr.fork);
    });
  });

  test('of a commit and its ancestor is the ancestor; of a commit with itself, that commit', async () => {
    const clone = shallowCheckout(pr.origin, 'refs/heads/main', { depth: null });
    await using(clone.directory, async (repository) => {
      expect(await repository.mergeBase(pr.old, pr.base)).toBe(pr.old);
      expect(await repository.mergeBase(pr.base, pr.base)).toBe(pr.base);
    });
  });

  test('of unrelated histories is null, in a full and in a shallow clone', async () => {
    const source = createRepository();
    const one = source.commit('one', { 'a.yaml': 'a' });
    source.git('checkout', '--quiet', '--orphan', 'other');
    const other = Array.from({ length: 4 }, (_, at) =>
      source.commit(`other ${at}`, { 'b.yaml': `${at}` }),
    ).at(-1)!;
    const shallow = shallowCheckout(bareOrigin(source), 'refs/heads/main');
    for (const { directory } of [source, shallow]) {
      await using(directory, async (repository) => {
        expect(await repository.mergeBase(one, other)).toBeNull();
      });
    }
  });

  test('is not an older common ancestor that a shallow history suggests', async () => {
    // root ─ d ─ (60 commits) ─ long ─┐            base = a child of d
    //    └──────── short ─────────────┴─ head      head reaches root in two steps, d only in 62
    const source = createRepository();
    const root = source.commit('root', { 'a.yaml': '0' });
    const better = source.commit('better', { 'a.yaml': '1' });
    source.git('checkout', '--quiet', '-b', 'base');
    const base = source.commit('base', { 'b.yaml': 'b' });
    source.git('checkout', '--quiet', 'main');
    source.commitMany(60, (at) => ({ path: 'c.yaml', text: `${at}` }));
    source.git('checkout', '--quiet', '-b', 'head', root);
    source.commit('short', { 'd.yaml': 'd' });
    source.git('merge', '--quiet', '--no-ff', '-m', 'merge', 'main');
    const head = source.git('rev-parse', 'HEAD');
    const clone = shallowCheckout(bareOrigin(source), 'refs/heads/head', { depth: 3 });
    clone.git('fetch', '--quiet', '--depth=3', 'origin', base);
    expect(clone.git('merge-base', base, head)).toBe(root);
    await using(clone.directory, async (repository) => {
      expect(await repository.mergeBase(base, head)).toBe(better);
    });
  });
});
