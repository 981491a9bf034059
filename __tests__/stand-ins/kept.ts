import { realpathSync } from 'node:fs';
import { join } from 'node:path';
import { storePlace, type StorePlace } from '../../src/app/session/store-place.ts';
import { fixtureEnvironment } from './repository.ts';

/** Where the command line stores the answers of a repository with one project. */
export function storeOf(directory: string, env: NodeJS.ProcessEnv = {}): StorePlace {
  const root = realpathSync(directory);
  const machine = { platform: process.platform, env: fixtureEnvironment(env), home: '' };
  const project = { commonFolder: join(root, '.git'), workTree: { root, below: '' } };
  const place = storePlace(project, undefined, root, machine);
  if (place === null) throw new Error('there is no such place');
  return place;
}
