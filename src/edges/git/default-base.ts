import { userError } from '../../errors.ts';
import type { CommitHistory } from './history.ts';
import { isObjectId, isPlainName, type ObjectReader } from './objects.ts';

const NAMED_BY_CI = [
  'GITHUB_BASE_REF',
  'CI_MERGE_REQUEST_DIFF_BASE_SHA',
  'CI_MERGE_REQUEST_TARGET_BRANCH_NAME',
  'BITBUCKET_PR_DESTINATION_BRANCH',
  'SYSTEM_PULLREQUEST_TARGETBRANCH',
  'CHANGE_TARGET',
];

const LOCAL = [
  'refs/heads/main',
  'refs/remotes/origin/HEAD',
  'refs/remotes/origin/main',
  'refs/heads/master',
  'refs/remotes/origin/master',
];

const REMOTE = ['HEAD', 'refs/heads/main', 'refs/heads/master'];

/** Full id; null if none is found. @throws UserError if the CI names a base that nobody has. */
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
  // Prefer the remote: a clone's branch may be outdated.
  const tip =
    (await history.remoteRef([`refs/heads/${branch}`])) ??
    (await localCommit(reader, `refs/remotes/origin/${branch}`)) ??
    (await localCommit(reader, `refs/heads/${branch}`));
  if (tip !== null) return tip;
  const message = `${named} names the base ${value}, which was not found. Fetch it, or use --base <commit>.`;
  throw userError(null, message);
}

async function localCommit(
  reader: Pick<ObjectReader, 'commitNamed'>,
  ref: string,
): Promise<string | null> {
  return isPlainName(ref) ? reader.commitNamed(ref) : null;
}
