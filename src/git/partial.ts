import { UserError, problem } from '../errors.ts';
import { lastLine, runGit, git } from './command.ts';
import type { GitPlace } from './command.ts';

/**
 * The remote of a partial clone (`--filter=blob:none`), null for any other clone. Such a clone has
 * commits without contents, which git would fetch one by one at the first look at their size.
 */
export async function promisorRemote(place: GitPlace): Promise<string | null> {
  const { output } = await runGit(place, [
    'config',
    '--get-regexp',
    '^remote\\..*\\.promisor$',
    'true',
  ]);
  return /^remote\.(.+)\.promisor true$/m.exec(output.toString('utf8'))?.[1] ?? null;
}

/**
 * Brings the contents below a tree that a partial clone lacks, in one request. `UserError` with
 * git's reason when that fails.
 */
export async function fetchContents(place: GitPlace, remote: string, tree: string): Promise<void> {
  const listing = await git(place, [
    'rev-list',
    '--objects',
    '--no-object-names',
    '--missing=print',
    `${tree}^{tree}`,
  ]);
  const missing = listing
    .toString('latin1')
    .split('\n')
    .filter((line) => line.startsWith('?'))
    .map((line) => line.slice(1));
  if (missing.length === 0) return;
  const answer = await runGit(
    place,
    [
      // As git's own fetch of missing objects: no haggling over what both sides have, and no filter
      // on what is named.
      '-c',
      'fetch.negotiationAlgorithm=noop',
      'fetch',
      '--quiet',
      '--no-tags',
      '--no-write-fetch-head',
      '--no-recurse-submodules',
      '--no-auto-maintenance',
      '--filter=blob:none',
      '--stdin',
      '--end-of-options',
      remote,
    ],
    { network: true, input: Buffer.from(`${missing.join('\n')}\n`) },
  );
  if (answer.code !== 0) {
    throw new UserError([
      problem(
        null,
        `The contents of ${missing.length} files, which this partial clone lacks, could not be fetched: ${lastLine(answer.complaint)}.`,
      ),
    ]);
  }
}
