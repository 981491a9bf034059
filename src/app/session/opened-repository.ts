import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { RemoteAddress } from '../../edges/git/remote.ts';
import { openRepository, type Repository } from '../../edges/git/repository.ts';
import { UserError, problem } from '../../errors.ts';
import { makeFolders } from './make-folders.ts';
import { visibleErrorMessage } from './safe-writing.ts';

/** Where a session's folder comes from. */
export interface CheckoutPlace {
  /** Absolute path of the checkout, or of the project in it. */
  directory: string;
  /** Where the workflow's repository is fetched from; absent: what the folder is a checkout of. */
  remote?: RemoteAddress | undefined;
  /** The folder in which temporary files are made. */
  temporary: string;
  env: NodeJS.ProcessEnv;
}

/** Opens the repository of a folder, hands it to `work`, and cleans up whatever happens. */
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

/** A fresh folder. Its parent is made where it is missing, as on some self-hosted runners. */
async function folderIn(temporary: string): Promise<string> {
  try {
    makeFolders(temporary);
    return await mkdtemp(join(temporary, 'evaldiff-'));
  } catch (error) {
    throw new UserError([
      problem(
        null,
        `The folder for temporary files cannot be used (${visibleErrorMessage(error)}); in a workflow RUNNER_TEMP names it, in a terminal TMPDIR.`,
      ),
    ]);
  }
}
