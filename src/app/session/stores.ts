import { randomBytes } from 'node:crypto';
import { existsSync, renameSync, rmSync } from 'node:fs';
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
import { makeFolders } from '../../edges/store/make-folders.ts';
import { PartError, answersIn, besideAnswersIn } from '../../edges/store/part.ts';
import { UserError, userError } from '../../errors.ts';
import { visibleLine } from '../../text/visible.ts';
import { sources } from '../../trust/trust.ts';
import type { TrustLevel } from '../../types/plain.ts';
import { entryAt, visibleErrorMessage, pathRefusal, type WorkTree } from './safe-writing.ts';
import { STORE_FILE, type StorePlace } from './store-place.ts';

const LOCAL_BYTES = 1024 * 1024 * 1024;

const CACHED_BYTES = 256 * 1024 * 1024;

/** A whole run, one of its shards (parts), the merge of the shards, or a plan without requests. */
export type SessionRole = 'whole' | 'part' | 'merge' | 'plan';

export interface OpenStores {
  stores: readonly Store[];
  finish(): Promise<void>;
}

export function openedOnce(open: () => Promise<OpenStores>): {
  open(): Promise<readonly Store[]>;
  close(): Promise<void>;
} {
  let opened: Promise<OpenStores> | null = null;
  let closed: Promise<void> | null = null;
  const close = async () => {
    await (await opened?.catch(() => null))?.finish();
  };
  return {
    open: async () => (await (opened ??= open())).stores,
    close: () => (closed ??= close()),
  };
}

interface LocalStoresOptions {
  place: StorePlace | null;
  workTree: WorkTree;
  trust: TrustLevel;
  notice(line: string): void;
  role: SessionRole;
}

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
 * @throws UserError if git tracks the store or its path contains a link, because a pull request may
 * have added either.
 */
export async function openLocalStore(
  place: StorePlace,
  given: Pick<LocalStoresOptions, 'workTree' | 'notice'> &
    Pick<StoreOptions, 'access' | 'maxBytes'>,
): Promise<Store> {
  const { file, keyFile } = place;
  // SQLite would read these files as part of the store.
  const beside = [...SIDE_SUFFIXES, '-journal'].map((end) => `${file}${end}`);
  for (const path of [file, ...beside, ...(keyFile === null ? [] : [keyFile])]) {
    if (beside.includes(path) && (await entryAt(path)) === null) continue;
    const refusal = await pathRefusal(path, 'store', given.workTree);
    if (refusal !== null) throw userError(null, `${refusal} (--store, EVALDIFF_STORE)`);
  }
  return openStore({ ...given, file, now: Date.now, secret: secretOf(keyFile, given) });
}

function secretOf(
  file: string | null,
  { access, notice }: Pick<StoreOptions, 'access' | 'notice'>,
): Uint8Array | null {
  if (file === null) return null;
  try {
    // If the key is missing, another machine wrote the store, so this one only reads it.
    return access === 'read'
      ? (readMachineKey(file) ?? randomBytes(32))
      : machineKey(file, randomBytes);
  } catch (error) {
    if (error instanceof UserError) throw error;
    notice(
      `${visibleLine(file)}: the key for stored answers cannot be read or written ` +
        `(${visibleErrorMessage(error)}). This run uses no stored answers, and other runs cannot ` +
        'use its answers',
    );
    return randomBytes(32);
  }
}

interface JobStoresOptions {
  library: CacheLibrary;
  trust: TrustLevel;
  /** Every run must use the same path, because the cache service finds entries by path. */
  temporary: string;
  project: string;
  own: string;
  run: string;
  role?: SessionRole;
  warn(line: string): void;
}

/** Only trusted runs write to the default branch's store. */
export async function openJobStores(options: JobStoresOptions): Promise<OpenStores> {
  const { library, temporary, role, warn } = options;
  const keys = cacheKeys({ ...options, access: sources(options.trust).cache });
  const service = createCacheService(library, warn);
  const folder = join(temporary, 'evaldiff-store', keys.shared);
  const files = {
    mine: join(folder, STORE_FILE),
    carried: join(folder, keys.own === null ? 'shared' : 'own', STORE_FILE),
    below: join(folder, 'shared', STORE_FILE),
  };
  for (const file of Object.values(files)) makeFolders(dirname(file));
  const writesShared = keys.own === null && keys.save !== null;
  const brought = await restoreFile(service, keys, files, writesShared);
  const maxBytes = role === 'merge' ? Number.MAX_SAFE_INTEGER : CACHED_BYTES;
  const open = (file: string, access: 'read-write' | 'read'): Store[] =>
    openIfUsable(
      // Each job runs on a new machine without the secret that signs answers. SECURITY.md explains
      // what protects the answers.
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
      const saves =
        role !== 'part' && keys.save !== null && store !== undefined && hasChanges(store);
      if (saves) await joinNewer(store, service, { file: files.carried, keys, brought, warn });
      if (role === 'merge') store?.prune({ maxBytes: CACHED_BYTES });
      const copied = saves && store.copyTo(files.carried);
      for (const opened of stores) opened.close();
      if (copied && keys.save !== null) await service.save(files.carried, keys.save);
    },
  };
}

async function restoreFile(
  service: CacheService,
  { shared, own, save }: CacheKeys,
  { mine, carried, below }: Record<'mine' | 'carried' | 'below', string>,
  writesShared: boolean,
): Promise<string | null> {
  // If one job uses the action twice, the second use continues with the first one's file.
  const begun = existsSync(mine);
  const key = begun || save === null ? null : await service.restore(carried, own ?? shared);
  if (key !== null && existsSync(carried)) renameSync(carried, mine);
  if (!writesShared && !existsSync(below)) await service.restore(below, shared);
  return key;
}

function hasChanges(store: Store): boolean {
  const { written, batched } = store.stats();
  return written + batched > 0;
}

/**
 * Later runs read only the newest cache entry, so it must include what other runs saved meanwhile.
 */
async function joinNewer(
  store: Store,
  service: CacheService,
  {
    file,
    keys: { own, shared },
    brought,
    warn,
  }: { file: string; keys: CacheKeys; brought: string | null; warn(line: string): void },
): Promise<void> {
  const start = own ?? shared;
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
    warn(`Answers that another run stored in the meantime could not be added: ${error.message}`);
  }
  rmSync(file, { force: true });
}

function openIfUsable(open: () => Store, file: string, warn: (line: string) => void): Store[] {
  try {
    return [open()];
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    warn(error.message);
    rmSync(file, { force: true });
    return [];
  }
}
