import { createHash } from 'node:crypto';
import type * as cache from '@actions/cache';
import { errorMessage } from '../../errors.ts';
import { STORE_VERSION } from './file.ts';

export type CacheLibrary = Pick<typeof cache, 'isFeatureAvailable' | 'restoreCache' | 'saveCache'>;

interface CacheScope {
  /**
   * `read-write`: other pull requests can also use the written answers. `read-write-own-scope`:
   * only this one can.
   */
  access: 'read-write' | 'read-write-own-scope' | 'read';
  project: string;
  own: string;
  run: string;
}

export interface CacheKeys {
  shared: string;
  own: string | null;
  save: string | null;
}

/**
 * Not every cache service isolates branches, so untrusted runs write only keys that trusted runs do
 * not read.
 */
export function cacheKeys({ access, project, own, run }: CacheScope): CacheKeys {
  const start = `evaldiff-${STORE_VERSION}-${shortHash(project)}`;
  const shared = `${start}-shared-`;
  if (access === 'read-write') return { shared, own: null, save: `${shared}${run}` };
  if (access === 'read') return { shared, own: null, save: null };
  const scope = `${start}-own-${shortHash(own)}-`;
  return { shared, own: scope, save: `${scope}${run}` };
}

function shortHash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}

export type CacheService = ReturnType<typeof createCacheService>;

const STALLED_MS = 60_000;

export function createCacheService(library: CacheLibrary, warn: (line: string) => void) {
  const attempt = async <T>(what: string, work: () => Promise<T>, without: T): Promise<T> => {
    if (!library.isFeatureAvailable()) return without;
    try {
      return await work();
    } catch (error) {
      warn(`${what}: ${errorMessage(error)}`);
      return without;
    }
  };
  // The library matches the first key exactly and the others as prefixes. It takes the newest
  // match.
  const lookUp = (lookupOnly: boolean) => (file: string, start: string) =>
    attempt(
      'Stored answers could not be restored',
      async () => {
        const options = { segmentTimeoutInMs: STALLED_MS, lookupOnly };
        return (await library.restoreCache([file], `${start}newest`, [start], options)) ?? null;
      },
      null,
    );
  return {
    restore: lookUp(false),
    newest: lookUp(true),
    save: (file: string, key: string) =>
      attempt(
        'Answers could not be stored for later runs',
        async () => {
          await library.saveCache([file], key);
        },
        undefined,
      ),
  };
}

/** The cache library's uploads do not understand `*`, ports or subdomains in `no_proxy`. */
export function expandNoProxy(env: NodeJS.ProcessEnv): void {
  const list = env['no_proxy'] || env['NO_PROXY'] || '';
  const hosts = list.split(',').flatMap((entry) => {
    const host = entry.trim().replace(/:\d+$/, '').replace(/^\./, '');
    return host === '' ? [] : [entry.trim(), host, `.${host}`];
  });
  if (hosts.includes('*'))
    for (const name of Object.keys(env)) if (/^(https?|all)_proxy$/i.test(name)) delete env[name];
  if (hosts.length > 0) env['no_proxy'] = env['NO_PROXY'] = [...new Set(hosts)].join();
}
