import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import {
  cacheKeys,
  createCacheService,
  type CacheKeys,
  type CacheLibrary,
  type CacheService,
} from '../../edges/store/cache-service.ts';
import type { StoreOptions } from '../../edges/store/connection.ts';
import { SIDE_SUFFIXES } from '../../edges/store/database.ts';
import { openStore, type Store } from '../../edges/store/index.ts';
import { machineKey, readMachineKey } from '../../edges/store/machine-key.ts';
import { PartError, answersIn, besideAnswersIn } from '../../edges/store/part.ts';
import { UserError, problem } from '../../errors.ts';
import { visibleLine } from '../../text/visible.ts';
import { sources } from '../../trust/trust.ts';
import type { TrustLevel } from '../../types/plain.ts';
import { entryAt, visibleErrorMessage, pathRefusal, type Ground } from './safe-writing.ts';
import type { StorePlace } from './store-place.ts';

/** Answers kept on a developer's machine, and by the runner's cache service, at most. */
const LOCAL_BYTES = 1024 * 1024 * 1024;

const CACHED_BYTES = 256 * 1024 * 1024;

const FILE = 'answers.sqlite';

/** What a run is: by itself, one part of a sweep, what joins these, or a plan that asks nothing. */
export type SessionRole = 'whole' | 'part' | 'merge' | 'plan';

export interface OpenStores {
  /** To be asked in this order; the first is written to. */
  stores: readonly Store[];
  /** Saves what is new, as far as this run may, and closes. */
  finish(): Promise<void>;
}

/** Opens stores at the first call, and finishes what was opened once. */
export function openedOnce(open: () => Promise<OpenStores>): {
  open(): Promise<readonly Store[]>;
  close(): Promise<void>;
} {
  let opened: Promise<OpenStores> | null = null;
  let closed: Promise<void> | null = null;
  const close = async (): Promise<void> => {
    // Why stores did not open was told to the caller that asked for them.
    await (await opened?.catch(() => null))?.finish();
  };
  return {
    open: async () => (await (opened ??= open())).stores,
    close: () => (closed ??= close()),
  };
}

interface LocalStoresOptions {
  /** Null: there is no store. */
  place: StorePlace | null;
  ground: Ground;
  /** From an outside contributor a store is only read. */
  trust: TrustLevel;
  notice(line: string): void;
  role: SessionRole;
}

/** The store of a project on a developer's machine. */
export async function openLocalStores(options: LocalStoresOptions): Promise<OpenStores> {
  const { place, trust, role } = options;
  if (place === null) return { stores: [], finish: () => Promise.resolve() };
  const store = await openLocalStore(place, {
    ...options,
    access: sources(trust).cache === 'read' ? 'read' : 'read-write',
    maxBytes: role === 'merge' ? Number.MAX_SAFE_INTEGER : LOCAL_BYTES,
  });
  return {
    stores: [store],
    async finish() {
      if (role === 'merge') store.prune({ maxBytes: LOCAL_BYTES });
      store.close();
    },
  };
}

/**
 * Opens a store on a developer's machine.
 *
 * @throws UserError for one that a pull request can have brought along: git tracks it, or it is
 *   reached through a link of the work tree.
 */
export async function openLocalStore(
  place: StorePlace,
  given: Pick<LocalStoresOptions, 'ground' | 'notice'> & Pick<StoreOptions, 'access' | 'maxBytes'>,
): Promise<Store> {
  const { file, keyFile, former } = place;
  // What SQLite finds beside a file it would take up as part of it.
  const beside = [...SIDE_SUFFIXES, '-journal'].map((end) => `${file}${end}`);
  for (const path of [file, ...beside, ...(keyFile === null ? [] : [keyFile])]) {
    if (beside.includes(path) && (await entryAt(path)) === null) continue;
    const refusal = await pathRefusal(path, 'store', given.ground);
    if (refusal !== null)
      throw new UserError([problem(null, `${refusal} (--store, EVALDIFF_STORE)`)]);
  }
  if (former !== null && given.access === 'read-write' && !existsSync(file) && existsSync(former))
    given.notice(
      `${visibleLine(former)} is not read any more, for a pull request could bring one along: answers now lie in ${visibleLine(file)}. Remove it.`,
    );
  return openStore({ ...given, file, now: Date.now, secret: secretOf(keyFile, given) });
}

/** A key that cannot be kept costs the reuse of what this run stores, and never the run. */
function secretOf(
  file: string | null,
  { access, notice }: Pick<StoreOptions, 'access' | 'notice'>,
): Uint8Array | null {
  if (file === null) return null;
  try {
    // Where nothing may be left behind and there is no key, nothing that lies there is this machine's.
    return access === 'read'
      ? (readMachineKey(file) ?? randomBytes(32))
      : machineKey(file, randomBytes);
  } catch (error) {
    if (error instanceof UserError) throw error;
    notice(
      `${visibleLine(file)}: the key for stored answers cannot be kept (${visibleErrorMessage(error)}); no stored answer is used, and other runs cannot use this one's`,
    );
    return randomBytes(32);
  }
}

interface JobStoresOptions {
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
   * A part saves nothing: it carries what it was answered, and the merge saves all of it,
   * however much that is while it runs.
   */
  role?: SessionRole;
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
}: JobStoresOptions): Promise<OpenStores> {
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
    tolerant(
      // A fresh machine has no key of its own: see SECURITY.md for what keeps these answers apart.
      () => openStore({ file, maxBytes, now: Date.now, access, notice: warn, secret: null }),
      file,
      warn,
    );
  const mine = open(files.mine, 'read-write');
  const stores = [...mine, ...(writesShared ? [] : open(files.below, 'read'))];
  return {
    stores,
    async finish() {
      const [store] = mine;
      const saves = role !== 'part' && keys.save !== null && store !== undefined && hasNews(store);
      if (saves)
        await joinNewer(store, service, {
          file: files.carried,
          start: keys.own ?? keys.shared,
          brought,
          warn,
        });
      if (role === 'merge') store?.prune({ maxBytes: CACHED_BYTES });
      const copied = saves && store.copyTo(files.carried);
      for (const opened of stores) opened.close();
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
