import { UserError, problem } from '../errors.ts';
import type { CommitHistory } from './history.ts';
import { isObjectId, isPlainName, type ObjectReader } from './objects.ts';

/** Variables in which CI systems name what a change is merged into: a branch, or a commit. */
const NAMED_BY_CI = [
  'GITHUB_BASE_REF',
  'CI_MERGE_REQUEST_DIFF_BASE_SHA',
  'CI_MERGE_REQUEST_TARGET_BRANCH_NAME',
  'BITBUCKET_PR_DESTINATION_BRANCH',
  'SYSTEM_PULLREQUEST_TARGETBRANCH',
  'CHANGE_TARGET',
];

/** Refs of the default branch in a clone, in the order to try. */
const LOCAL = [
  'refs/heads/main',
  'refs/remotes/origin/HEAD',
  'refs/remotes/origin/main',
  'refs/heads/master',
  'refs/remotes/origin/master',
];

/** Refs of the default branch at a remote. */
const REMOTE = ['HEAD', 'refs/heads/main', 'refs/heads/master'];

/**
 * Full id of the commit to compare with where the user names none: what the CI's variables name,
 * else the default branch of this clone, else of its remote. Null: none of them is there, and HEAD
 * never takes its place.
 *
 * @throws UserError when the CI names a base that neither the remote nor the clone has.
 */
export async function findDefaultBase(
  reader: Pick<ObjectReader, 'commitNamed'>,
  history: Pick<CommitHistory, 'ensure' | 'remoteRef'>,
  env: NodeJS.ProcessEnv,
): Promise<string | null> {
  const named = NAMED_BY_CI.find((name) => (env[name] ?? '').trim() !== '');
  if (named !== undefined)
    return baseOfCi(reader, history, { named, value: (env[named] ?? '').trim() });
  for (const ref of LOCAL) {
    const tip = await reader.commitNamed(ref);
    if (tip !== null) return tip;
  }
  return history.remoteRef(REMOTE);
}

async function baseOfCi(
  reader: Pick<ObjectReader, 'commitNamed'>,
  history: Pick<CommitHistory, 'ensure' | 'remoteRef'>,
  { named, value }: { named: string; value: string },
): Promise<string> {
  const id = value.toLowerCase();
  if (isObjectId(id)) {
    await history.ensure(id, { side: 'base' });
    return id;
  }
  const branch = value.replace(/^refs\/heads\//, '');
  // The remote first: a clone's own branch of that name may be old.
  const tip =
    (await history.remoteRef([`refs/heads/${branch}`])) ??
    (await here(reader, `refs/remotes/origin/${branch}`)) ??
    (await here(reader, `refs/heads/${branch}`));
  if (tip !== null) return tip;
  const message = `${named} names the base ${value}, which is not a branch of the remote or of this clone. Fetch it, or name another base: --base <commit>.`;
  throw new UserError([problem(null, message)]);
}

/** The commit of a ref in this clone; null: there is none. */
async function here(
  reader: Pick<ObjectReader, 'commitNamed'>,
  ref: string,
): Promise<string | null> {
  return isPlainName(ref) ? reader.commitNamed(ref) : null;
}
