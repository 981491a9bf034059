import { createHash } from 'node:crypto';
import { errorMessage } from '../errors.ts';
import { STORE_VERSION } from './file.ts';

/**
 * What is used of `@actions/cache`; the tests give a part of their own, or the real one before a
 * server on loopback.
 */
export interface CacheLibrary {
  isFeatureAvailable(): boolean;
  restoreCache(
    paths: string[],
    primaryKey: string,
    restoreKeys: string[],
    options: { segmentTimeoutInMs: number; lookupOnly?: boolean },
  ): Promise<string | undefined>;
  saveCache(paths: string[], key: string): Promise<number>;
}

interface CacheScope {
  /**
   * Of `core/select/trust.ts`: whether the run may write what everybody reads, only what its own
   * pull request reads, or nothing.
   */
  access: 'read-write' | 'read-write-own-scope' | 'read';
  /** What tells this project's answers from another's in the same repository. */
  project: string;
  /** What a run without that right writes for: its pull request, or its branch. */
  own: string;
  /** Unique for this job of this run: an entry of the service can never be written twice. */
  run: string;
}

export interface CacheKeys {
  /** Start of the keys under which the default branch's answers lie. */
  shared: string;
  /** Start of the keys of this pull request's own answers; null where it has none. */
  own: string | null;
  /** The full key to save under; null: this run must not save. */
  save: string | null;
}

/**
 * Keys never cross levels of trust: a run that may not write for everybody has no key that a run
 * that may would ever ask for. GitHub keeps the caches of a pull request apart as well, but not
 * every self-hosted service does.
 */
export function cacheKeys({ access, project, own, run }: CacheScope): CacheKeys {
  const start = `evaldiff-${String(STORE_VERSION)}-${short(project)}`;
  const shared = `${start}-shared-`;
  if (access === 'read-write') return { shared, own: null, save: `${shared}${run}` };
  if (access === 'read') return { shared, own: null, save: null };
  const scope = `${start}-own-${short(own)}-`;
  return { shared, own: scope, save: `${scope}${run}` };
}

function short(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}

export interface CacheService {
  /** Brings the newest entry whose key starts so, and gives its key; null: there is none. */
  restore(file: string, start: string): Promise<string | null>;
  /** The key that `restore` would bring now; nothing is fetched. */
  newest(file: string, start: string): Promise<string | null>;
  save(file: string, key: string): Promise<void>;
}

/** A download that stands still for longer is given up. */
const STALLED_MS = 60_000;

/**
 * The runner's cache service. Whatever goes wrong with it costs reuse only, and is told in one
 * line.
 */
export function createCacheService(
  library: CacheLibrary,
  warn: (line: string) => void,
): CacheService {
  const attempt = async <T>(what: string, work: () => Promise<T>, without: T): Promise<T> => {
    if (!library.isFeatureAvailable()) return without;
    try {
      return await work();
    } catch (error) {
      warn(`${what}: ${errorMessage(error)}`);
      return without;
    }
  };
  // The first key is looked up exactly, the others by their start; of several the newest is taken.
  const lookUp = (
    file: string,
    start: string,
    options: { lookupOnly?: boolean },
  ): Promise<string | null> =>
    attempt(
      'Stored answers could not be restored',
      async () =>
        (await library.restoreCache([file], `${start}newest`, [start], {
          segmentTimeoutInMs: STALLED_MS,
          ...options,
        })) ?? null,
      null,
    );
  return {
    restore: (file, start) => lookUp(file, start, {}),
    newest: (file, start) => lookUp(file, start, { lookupOnly: true }),
    save: (file, key) =>
      attempt(
        'Answers could not be stored for later runs',
        async () => {
          await library.saveCache([file], key);
        },
        undefined,
      ),
  };
}
