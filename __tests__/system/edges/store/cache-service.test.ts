import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as library from '@actions/cache';
import { openJobStores } from '../../../../src/app/session/stores.ts';
import {
  cacheKeys,
  createCacheService,
  expandNoProxy,
} from '../../../../src/edges/store/cache-service.ts';
import type { Complete } from '../../../../src/types/model.ts';
import type { TrustLevel } from '../../../../src/types/plain.ts';
import { startCacheServer, type CacheServer } from '../../../stand-ins/cache-service.ts';
import { temporaryFolder } from '../../../stand-ins/repository.ts';
import { said } from '../../../unit/edges/providers/providers-setting.ts';
import { asks, keyOf, ok } from '../../../unit/edges/store/setting.ts';

const MAIN = 'refs/heads/main';
const pull = (number: number) => `refs/pull/${number}/merge`;

let server: CacheServer;
let temporary: string;
const before = { ...process.env };
beforeAll(async () => {
  server = await startCacheServer();
});
beforeEach(() => {
  // All jobs use one path, because the service finds entries by their path.
  temporary = temporaryFolder('runner');
  const token = `x.${Buffer.from(JSON.stringify({ scp: 'Actions.Results:a:b' })).toString('base64url')}.x`;
  Object.assign(process.env, {
    ACTIONS_CACHE_SERVICE_V2: 'true',
    ACTIONS_RESULTS_URL: `${server.url}/`,
    ACTIONS_RUNTIME_TOKEN: token,
    GITHUB_SERVER_URL: 'https://github.com',
    RUNNER_TEMP: temporary,
    GITHUB_WORKSPACE: temporary,
    RUNNER_OS: 'Linux',
  });
});
afterEach(() => server.fail('nothing'));
afterAll(async () => {
  process.env = before;
  await server.close();
});

interface Run {
  scope: string;
  trust: TrustLevel;
  pullRequest?: number;
  project?: string;
  model?: string;
}
let runs = 0;
const store = () => join(temporary, 'evaldiff-store');

type Jobs = Parameters<typeof openJobStores>[0];
/** Stores of one job on a new runner, by default trusted and on the default branch. */
const openStores = (given: Partial<Jobs>) => {
  rmSync(store(), { recursive: true, force: true });
  const defaults = { library, trust: 'trusted', project: 'shop', own: MAIN } as const;
  const run = `run-${(runs += 1)}`;
  return openJobStores({ ...defaults, temporary, run, warn: () => undefined, ...given });
};

/** Runs one job on a new runner. Returns the questions that were paid for. */
async function job({ scope, pullRequest, model = 're', ...given }: Run, questions: string[]) {
  server.as(scope, scope === MAIN ? [] : [MAIN]);
  const own = pullRequest === undefined ? scope : `pull ${pullRequest}`;
  const { stores, finish } = await openStores({ ...given, own });
  const paid: string[] = [];
  const answer: Complete = async ({ messages }) => {
    paid.push(messages[0]?.content ?? '');
    return ok(`${model} ${messages[0]?.content ?? ''}`);
  };
  const complete = stores.reduceRight((below, store) => store.wrap(below, keyOf), answer);
  for (const question of questions) await complete(asks(question));
  await finish();
  return paid;
}

const batch = (id: string, question: string) => ({
  id,
  vendor: 'openai' as const,
  model: 'm',
  submitted_at: 1,
  requests: [{ key: keyOf(asks(question)), schema: null }],
});

const main = (questions: string[], more: Partial<Run> = {}) =>
  job({ scope: MAIN, trust: 'trusted', ...more }, questions);
const pullRequest = (number: number, questions: string[], more: Partial<Run> = {}) =>
  job({ scope: pull(number), trust: 'member', pullRequest: number, ...more }, questions);
const fork = (number: number, questions: string[], more: Partial<Run> = {}) =>
  job({ scope: pull(number), trust: 'untrusted', pullRequest: number, ...more }, questions);

describe('the shared cache', () => {
  test("gives the default branch's answers to all runs, but a pull request's answers only to its own later runs", async () => {
    const project = 'one';
    expect(await main(['a', 'b'], { project })).toEqual(['a', 'b']);
    expect(await main(['a', 'b', 'c'], { project })).toEqual(['c']);
    expect(await pullRequest(1, ['a', 'b', 'c', 'p'], { project })).toEqual(['p']);
    expect(await pullRequest(1, ['a', 'p', 'q'], { project })).toEqual(['q']);
    expect(await pullRequest(2, ['a', 'p'], { project })).toEqual(['p']);
    expect(await fork(3, ['a', 'c', 'f'], { project })).toEqual(['f']);
    expect(await fork(3, ['f'], { project })).toEqual(['f']);
    expect(await main(['p', 'f'], { project })).toEqual(['p', 'f']);
  });

  test("never gives a pull request's answers to the default branch, even if the cache service ignores scopes", async () => {
    const project = 'poisoned';
    await job({ scope: MAIN, trust: 'member', pullRequest: 7, project, model: 'poison' }, ['a']);
    await job({ scope: MAIN, trust: 'untrusted', pullRequest: 7, project, model: 'poison' }, ['a']);
    expect(await main(['a'], { project })).toEqual(['a']);
    const member = { scope: MAIN, trust: 'member', pullRequest: 8, project } as const;
    expect(await job(member, ['a'])).toEqual([]);
  });

  test('separates the projects of one repository', async () => {
    await main(['a'], { project: 'left' });
    expect(await main(['a'], { project: 'right' })).toEqual(['a']);
  });

  test('is written only by runs that paid for answers, never by an outside contributor', async () => {
    const project = 'still';
    await main(['a'], { project });
    const count = server.entries().length;
    await main(['a'], { project });
    await fork(3, ['x'], { project });
    expect(server.entries()).toHaveLength(count);
    await pullRequest(4, ['x'], { project });
    const added = server.entries().slice(count);
    expect(added.map(({ scope }) => scope)).toEqual([pull(4)]);
  });

  test.each(['everything', 'garbage'] as const)(
    'is replaced by model calls if the service fails (%s)',
    async (how) => {
      const project = `failing ${how}`;
      await main(['a'], { project });
      server.fail(how);
      expect(await main(['a', 'b'], { project })).toEqual(['a', 'b']);
    },
  );
});

describe('a downloaded cache entry', () => {
  test.each([
    ['damaged', 'garbage '.repeat(1000)],
    ['empty', ''],
  ])('is ignored if it is %s', async (_what, content) => {
    const warnings: string[] = [];
    const bringing = {
      isFeatureAvailable: () => true,
      restoreCache: async ([file]: string[]) => {
        writeFileSync(file ?? '', content);
        return 'key';
      },
      saveCache: async () => 1,
    };
    const warn = (line: string) => warnings.push(line);
    const given = { library: bringing, trust: 'member', own: 'pull 1', warn } as const;
    const { stores, finish } = await openStores(given);
    let paid = 0;
    const answer: Complete = () => Promise.resolve(ok(`fresh ${(paid += 1)}`));
    const complete = stores.reduceRight((below, store) => store.wrap(below, keyOf), answer);
    await complete(asks('a'));
    expect(await complete(asks('a'))).toEqual(ok('fresh 1', { reused: true, stored: true }));
    await finish();
    expect(paid).toBe(1);
    expect(warnings.length > 0).toBe(content !== '');
  });

  test('may be missing; if the cache library throws, each failed operation causes one warning', async () => {
    const lines: string[] = [];
    const throwing = {
      isFeatureAvailable: () => true,
      restoreCache: () => Promise.reject(new Error('no route')),
      saveCache: () => Promise.reject(new Error('full')),
    };
    const service = createCacheService(throwing, (line) => lines.push(line));
    expect(await service.restore('/f', 'k')).toBeNull();
    await service.save('/f', 'k');
    expect(lines).toEqual([
      'Stored answers could not be restored: no route',
      'Answers could not be stored for later runs: full',
    ]);
    const off = { ...throwing, isFeatureAvailable: () => false };
    expect(await createCacheService(off, (line) => lines.push(line)).restore('/f', 'k')).toBeNull();
    expect(lines).toHaveLength(2);
  });
});

test('cache keys differ by trust level, are short and contain only plain characters', () => {
  const scope = { project: 'p, with a comma', own: 'pull 1', run: '12-1' };
  const [shared, own, none] = (['read-write', 'read-write-own-scope', 'read'] as const).map(
    (access) => cacheKeys({ ...scope, access }),
  );
  expect(own!.shared).toBe(shared!.shared);
  expect(own!.save!.startsWith(shared!.shared)).toBe(false);
  expect(shared!.save!.startsWith(own!.own!)).toBe(false);
  expect(none).toEqual({ shared: shared!.shared, own: null, save: null });
  for (const key of [shared!.save!, own!.save!]) expect(key).toMatch(/^[a-z0-9-]{1,200}$/);
});

test('a batch that a run submitted is passed on to the next run', async () => {
  server.as(MAIN, []);
  const open = () => openStores({ project: 'batches' });
  const record = batch('batch_1', 'a');
  const first = await open();
  first.stores[0]?.addBatch(record);
  await first.finish();
  const second = await open();
  expect(second.stores[0]?.batches()).toEqual([record]);
  second.stores[0]?.endBatch('batch_1');
  await second.finish();
  const third = await open();
  expect(third.stores[0]?.batches()).toEqual([]);
  await third.finish();
});

describe('concurrent runs of the default branch', () => {
  const project = 'side by side';
  /**
   * Simulates a machine with the same path: its files are moved away while another machine works.
   */
  const machine = async (name: string, warnings: string[] = []) => {
    const [place, aside] = [store(), join(temporary, name)];
    server.as(MAIN, []);
    const warn = (line: string) => warnings.push(line);
    const { stores, finish } = await openStores({ project, run: name, warn });
    const [own] = stores;
    const paid: string[] = [];
    const complete = own!.wrap(async ({ messages }) => {
      paid.push(messages[0]!.content);
      return ok(`${name} ${messages[0]!.content}`);
    }, keyOf);
    renameSync(place, aside);
    const on = async (work: (store: NonNullable<typeof own>) => unknown) => {
      rmSync(place, { recursive: true, force: true });
      renameSync(aside, place);
      await work(own!);
      renameSync(place, aside);
    };
    const run = (questions: string[], work: (store: NonNullable<typeof own>) => unknown) =>
      on(async (store) => {
        for (const question of questions) await complete(asks(question));
        await work(store);
        await finish();
      });
    return { paid, complete, on, run };
  };

  test("keep each other's answers and batches, whichever saves last", async () => {
    const start = await machine('start');
    await start.run(['a'], (store) => store.addBatch(batch('batch_old', 'old')));
    const [sweep, push] = [await machine('sweep'), await machine('push')];
    await sweep.run(['s'], (store) => store.addBatch(batch('batch_new', 'new')));
    await push.run(['p', 's'], (store) => store.endBatch('batch_old'));
    const next = await machine('next');
    await next.on(async (store) => {
      for (const question of ['a', 's', 'p']) await next.complete(asks(question));
      expect(store.batches()).toEqual([batch('batch_new', 'new')]);
      // A run keeps the answers that its own result uses.
      expect(await next.complete(asks('s'))).toMatchObject(said('push s'));
    });
    expect(next.paid).toEqual([]);
  });

  test('add up their pass counts per test, count earlier runs once, and keep the latest noise measurement', async () => {
    const outcome = (key: string, passes: number, tries: number) => ({ key, passes, tries });
    const start = await machine('start');
    await start.run(['a'], (store) => {
      store.addOutcomes([outcome('old', 3, 4)]);
      store.setNote('noise', 'first');
    });
    const [sweep, push] = [await machine('sweep'), await machine('push')];
    await sweep.run(['s'], (store) => {
      store.addOutcomes([outcome('old', 1, 2), outcome('both', 0, 1), outcome('sweep', 1, 1)]);
      store.setNote('noise', 'second');
    });
    await push.run(['p'], (store) => {
      store.addOutcomes([outcome('old', 0, 10)]);
      store.addOutcomes([outcome('both', 2, 2), outcome('push', 5, 5)]);
    });
    const next = await machine('next');
    await next.on((store) => {
      expect(Object.fromEntries(store.outcomes(['old', 'both', 'sweep', 'push']))).toEqual({
        old: { passes: 4, tries: 16 },
        both: { passes: 2, tries: 3 },
        sweep: { passes: 1, tries: 1 },
        push: { passes: 5, tries: 5 },
      });
      expect(store.note('noise')).toBe('second');
    });
  });

  test("save their own answers if the other run's answers cannot be read", async () => {
    const warnings: string[] = [];
    const own = await machine('before', warnings);
    const keys = cacheKeys({ access: 'read-write', project, own: MAIN, run: 'while' });
    const carried = join(store(), keys.shared, 'shared', 'answers.sqlite');
    await own.run(['b'], async () => {
      writeFileSync(carried, 'garbage '.repeat(1000));
      await library.saveCache([carried], keys.save!);
    });
    expect(warnings).toEqual([
      'Answers that another run stored in the meantime could not be added: is not a database',
    ]);
    const next = await machine('after');
    await next.on(() => next.complete(asks('b')));
    expect(next.paid).toEqual([]);
  });
});

describe('no_proxy', () => {
  const PROXY = { https_proxy: 'http://proxy:3128', ALL_PROXY: 'http://proxy:3128' };
  const both = (list: string) => ({ no_proxy: list, NO_PROXY: list });
  const hosts = 'blob.core.windows.net:443,blob.core.windows.net,.blob.core.windows.net,.corp,corp';
  test.each([
    ['nothing', PROXY, PROXY],
    ['everything', { ...PROXY, no_proxy: '*' }, both('*,.*')],
    [
      'a domain, with its hosts',
      { ...PROXY, NO_PROXY: ' blob.core.windows.net:443, .corp' },
      { ...PROXY, ...both(hosts) },
    ],
  ])("is rewritten in the syntax that the cache's uploads read: %s", (_, given, expected) => {
    const env = { ...given };
    expandNoProxy(env);
    expect(env).toEqual(expected);
  });
});
