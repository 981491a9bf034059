import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { RemoteAddress } from '../../edges/git/remote.ts';
import { openRepository, type Repository } from '../../edges/git/repository.ts';
import { makeFolders } from '../../edges/store/make-folders.ts';
import { userError } from '../../errors.ts';
import { visibleErrorMessage } from './safe-writing.ts';

export interface CheckoutPlace {
  directory: string;
  remote?: RemoteAddress | undefined;
  temporary: string;
  env: NodeJS.ProcessEnv;
}

export async function withRepository<T>(
  { directory, remote, temporary, env }: CheckoutPlace,
  work: (repository: Repository, temporaryFolder: string) => Promise<T>,
): Promise<T> {
  const temporaryFolder = await folderIn(temporary);
  try {
    const options = { environment: env, temporaryFolder, ...(remote && { remote }) };
    const repository = await openRepository(directory, options);
    try {
      return await work(repository, temporaryFolder);
    } finally {
      await repository.close();
    }
  } finally {
    await rm(temporaryFolder, { recursive: true, force: true });
  }
}

/** The parent folder may be missing on self-hosted runners. */
async function folderIn(temporary: string): Promise<string> {
  try {
    makeFolders(temporary);
    return await mkdtemp(join(temporary, 'evaldiff-'));
  } catch (error) {
    throw userError(
      null,
      `The folder for temporary files cannot be used (${visibleErrorMessage(error)}). Set ` +
        'RUNNER_TEMP in a workflow or TMPDIR in a terminal to another folder.',
    );
  }
}
