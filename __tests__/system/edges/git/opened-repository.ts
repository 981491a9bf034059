import { readdirSync } from 'node:fs';
import { expect, jest } from '@jest/globals';
import type { RemoteAddress } from '../../../../src/edges/git/remote.ts';
import { openRepository, type Repository } from '../../../../src/edges/git/repository.ts';
import { formatProblem, UserError } from '../../../../src/errors.ts';
import { fixtureEnvironment, temporaryFolder } from '../../../stand-ins/repository.ts';

// Real git starts many processes; on a machine that is busy with other work, five seconds are not
// much.
jest.setTimeout(60_000);

export const decode = (bytes: Uint8Array): string => Buffer.from(bytes).toString('utf8');

/** Opens, works, closes; afterwards nothing may be left in the folder for temporary files. */
export async function using<T>(
  directory: string,
  work: (repository: Repository, temporary: string) => Promise<T>,
  environment = fixtureEnvironment(),
  remote?: RemoteAddress,
): Promise<T> {
  const temporary = temporaryFolder('temp');
  const repository = await openRepository(directory, {
    environment,
    temporaryFolder: temporary,
    ...(remote === undefined ? {} : { remote }),
  });
  try {
    return await work(repository, temporary);
  } finally {
    await repository.close();
    expect(readdirSync(temporary)).toEqual([]);
  }
}

/** What a user reads of the `UserError` that the promise must end with. */
export async function messageOf(promise: Promise<unknown>): Promise<string> {
  const error = await promise.then(
    () => null,
    (reason: unknown) => reason,
  );
  if (!(error instanceof UserError)) throw new Error(`expected a UserError, got ${String(error)}`);
  return error.problems.map(formatProblem).join('\n');
}
