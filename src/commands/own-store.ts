import { homedir } from 'node:os';
import { join } from 'node:path';
import type { Repository } from '../git/repository.ts';
import { groundOf } from '../session/safe-writing.ts';
import { storePlace, type StorePlace } from '../session/store-place.ts';
import { localStores, type LocalStores } from '../session/stores.ts';
import type { TrustLevel } from '../types/plain.ts';
import type { EvaluateOptions } from './options.ts';
import type { Terminal } from './terminal.ts';

/** Where a project's store lies; null: none is wanted. */
export async function storePlaceOf(
  repository: Repository,
  { store }: Pick<EvaluateOptions, 'store'>,
  { cwd, env }: Pick<Terminal, 'cwd' | 'env'>,
): Promise<StorePlace | null> {
  const { workTree } = repository;
  const home = env['HOME'] ?? homedir();
  const machine = { platform: process.platform, env, home };
  return storePlace(
    { commonFolder: await repository.commonFolder(), workTree },
    store,
    cwd,
    machine,
  );
}

/**
 * The stores of a command. What shards were answered goes into the project's own; where that must
 * not be written, or there is none, into one that is thrown away.
 */
export async function storesOf(
  {
    repository,
    input: { trust },
    merging,
    temporaryFolder,
  }: {
    repository: Repository;
    input: { trust: TrustLevel };
    /** Of a merge, whose stores begin with what the shards were answered. */
    merging?: object;
    temporaryFolder: string;
  },
  options: EvaluateOptions,
  terminal: Terminal,
  notice: (line: string) => void,
): Promise<LocalStores> {
  const given = { ground: groundOf(repository), notice };
  const place = await storePlaceOf(repository, options, terminal);
  if (merging === undefined) return localStores({ ...given, place, trust });
  const merge = { ...given, role: 'merge' as const };
  if (place !== null && trust !== 'untrusted') return localStores({ ...merge, place, trust });
  const passing = { file: join(temporaryFolder, 'merged.sqlite'), keyFile: null, former: null };
  return localStores({ ...merge, place: passing, trust: 'member' });
}
