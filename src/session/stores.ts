import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { UserError } from '../errors.ts';
import { sources } from '../select/trust.ts';
import {
  cacheKeys,
  createCacheService,
  type CacheKeys,
  type CacheLibrary,
  type CacheService,
} from '../store/cache-service.ts';
import { openStore, type Store } from '../store/index.ts';
import { PartError, answersIn, besideAnswersIn } from '../store/part.ts';
import type { TrustLevel } from '../types/plain.ts';

/** Answers kept on a developer's machine, and by the runner's cache service, at most. */
const LOCAL_BYTES = 1024 * 1024 * 1024;

const CACHED_BYTES = 256 * 1024 * 1024;

const FOLDER = '.evaldiff';

const FILE = 'answers.sqlite';

/**
 * The store's file for a project: given by option, else by EVALDIFF_STORE, else in the project;
 * null: none is wanted.
 */
export function storeFile(
  project: string,
  option: string | false | undefined,
  env: NodeJS.ProcessEnv,
  cwd: string,
): string | null {
  if (option === false) return null;
  const given = option ?? env['EVALDIFF_STORE']?.trim();
  return given ? resolve(cwd, given) : join(project, FOLDER, FILE);
}

/** A project's own answers, opened when they are first asked for. */
export interface LocalStores {
  open(): Promise<readonly Store[]>;
  close(): void;
}

/**
 * The store of a project, in a folder that git is told to ignore; from outside it is only read. A
 * null file: there is none.
 */
export function localStores(
  file: string | null,
  trust: TrustLevel,
  notice: (line: string) => void,
  role?: 'merge',
): LocalStores {
  const opened: Store[] = [];
  return {
    async open() {
      if (file === null || opened.length > 0) return opened;
      const access = sources(trust).cache === 'read' ? 'read' : 'read-write';
      if (access === 'read-write') ignoredByGit(dirname(file));
      opened.push(
        openStore({
          file,
          maxBytes: role === 'merge' ? Number.MAX_SAFE_INTEGER : LOCAL_BYTES,
          now: Date.now,
          access,
          notice,
        }),
      );
      return opened;
    },
    close() {
      for (const store of opened.splice(0)) {
        if (role === 'merge') store.prune({ maxBytes: LOCAL_BYTES });
        store.close();
      }
    },
  };
}

function ignoredByGit(folder: string): void {
  if (!folder.endsWith(FOLDER) || existsSync(folder)) return;
  try {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, '.gitignore'), '*\n');
  } catch {
    // The store tells of a folder that cannot be made.
  }
}

export interface JobStores {
  /** To be asked in this order; the first is written to. */
  stores: Store[];
  /** Hands the answers to the cache service, as far as this run may, and closes. */
  finish(): Promise<void>;
}

export interface JobStoresOptions {
  library: CacheLibrary;
  trust: TrustLevel;
  /**
   * The runner's temporary folder: the same path in every run, for the cache service finds entries
   * by it.
   */
  temporary: string;
  /** What tells this project's answers, this pull request and this job from others. */
  project: string;
  own: string;
  run: string;
  /**
   * A shard saves nothing: its part carries what it was answered, and the merge saves all of it,
   * however much that is while it runs.
   */
  role?: 'shard' | 'merge' | undefined;
  warn(line: string): void;
}

/**
 * The stores of one job: its own, and below it, read-only, what the default branch answered. Only a
 * trusted run writes what others read; its own store then is the shared one.
 */
export async function openJobStores({
  library,
  trust,
  temporary,
  project,
  own,
  run,
  role,
  warn,
}: JobStoresOptions): Promise<JobStores> {
  const keys = cacheKeys({ access: sources(trust).cache, project, own, run });
  const service = createCacheService(library, warn);
  const folder = join(temporary, 'evaldiff-store', keys.shared);
  const files: JobFiles = {
    mine: join(folder, FILE),
    carried: join(folder, keys.own === null ? 'shared' : 'own', FILE),
    below: join(folder, 'shared', FILE),
  };
  for (const file of Object.values(files)) mkdirSync(dirname(file), { recursive: true });
  const writesShared = keys.own === null && keys.save !== null;
  const brought = await bring(service, keys, files, writesShared);
  const maxBytes = role === 'merge' ? Number.MAX_SAFE_INTEGER : CACHED_BYTES;
  const open = (file: string, access: 'read-write' | 'read'): Store[] =>
    tolerant(() => openStore({ file, maxBytes, now: Date.now, access, notice: warn }), file, warn);
  const mine = open(files.mine, 'read-write');
  const stores = [...mine, ...(writesShared ? [] : open(files.below, 'read'))];
  return {
    stores,
    async finish() {
      const [store] = mine;
      const saves = role !== 'shard' && keys.save !== null && store !== undefined && hasNews(store);
      if (saves)
        await joinNewer(store, service, {
          file: files.carried,
          start: keys.own ?? keys.shared,
          brought,
          warn,
        });
      if (role === 'merge') store?.prune({ maxBytes: CACHED_BYTES });
      const copied = saves && store.copyTo(files.carried);
      for (const one of stores) one.close();
      if (copied && keys.save !== null) await service.save(files.carried, keys.save);
    },
  };
}

/** The job's own file, the one the cache service carries it in, and the default branch's. */
interface JobFiles {
  mine: string;
  carried: string;
  below: string;
}

/**
 * The key of what the job's own file began with; null: it began with nothing, or with what an
 * earlier step of the job left.
 */
async function bring(
  service: CacheService,
  { shared, own, save }: CacheKeys,
  { mine, carried, below }: JobFiles,
  writesShared: boolean,
): Promise<string | null> {
  // A second use in one job goes on with the first one's file.
  const begun = existsSync(mine);
  const start = own ?? shared;
  const key = begun || save === null ? null : await service.restore(carried, start);
  if (key !== null && existsSync(carried)) renameSync(carried, mine);
  if (!writesShared && !existsSync(below)) await service.restore(below, shared);
  return key;
}

function hasNews(store: Store): boolean {
  const { written, batched } = store.stats();
  return written + batched > 0;
}

interface Newer {
  file: string;
  start: string;
  brought: string | null;
  warn(line: string): void;
}

/**
 * Adds what another run saved while this one went on: later runs read the newest entry alone, and
 * would pay again for what only the one before it holds, and for batches that wait. How its tries
 * came out is added to what this run knows.
 */
async function joinNewer(
  store: Store,
  service: CacheService,
  { file, start, brought, warn }: Newer,
): Promise<void> {
  rmSync(file, { force: true });
  const newest = await service.newest(file, start);
  if (
    newest === null ||
    newest === brought ||
    (await service.restore(file, start)) === null ||
    !existsSync(file)
  )
    return;
  try {
    store.join(() => answersIn(file), besideAnswersIn(file));
  } catch (error) {
    if (!(error instanceof PartError)) throw error;
    warn(`What another run stored meanwhile could not be taken over: ${error.message}`);
  }
  rmSync(file, { force: true });
}

/** What the cache service brought may be anything; a job does without it rather than fail. */
function tolerant(open: () => Store, file: string, warn: (line: string) => void): Store[] {
  try {
    return [open()];
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    warn(error.message);
    rmSync(file, { force: true });
    return [];
  }
}
