import { UserError, problem } from '../errors.ts';
import { runGit } from './command.ts';
import type { GitPlace } from './command.ts';
import type { History } from './history.ts';
import { isObjectId } from './objects.ts';

/** Characters that no ref name has; names with them are not looked up at the remote. */
const NOT_IN_REF_NAMES = /[\u0000- ~^:?*[\\\u007f]/;

/**
 * Full id of the commit that a person's branch, tag or commit id means. A full id is that id,
 * whatever a branch is called. A branch that this clone lacks is looked up at the remote. Throws a
 * `UserError` for an unknown name, and for one that is a ref and the start of another commit's id.
 */
export async function resolveRevision(
  place: GitPlace,
  history: History,
  revision: string,
): Promise<string> {
  const id = revision.toLowerCase();
  // An id may also be a tag object's, which stands for its commit; one that is missing here is
  // fetched later.
  if (isObjectId(id)) return (await commitNamed(place, id)) ?? id;
  const unusable =
    revision === '' || revision.includes('\0') || revision.includes('\n') || revision.includes(':');
  const named = unusable
    ? null
    : ((await commitNamed(place, revision)) ?? (await remoteCommit(place, history, revision)));
  if (named === null) {
    throw new UserError([problem(null, await unknownMessage(place, revision))]);
  }
  if (/^[0-9a-f]{4,}$/.test(id) && !named.startsWith(id))
    await refuseTwoMeanings(place, revision, id);
  return named;
}

/** Local branches that a message names. */
const NAMED_BRANCHES = 5;

async function unknownMessage(place: GitPlace, revision: string): Promise<string> {
  const unknown = `"${revision}" is no branch, tag or commit of this repository.`;
  if ((await commitNamed(place, 'HEAD')) === null)
    return `${unknown} It has no commit yet: commit first, or use "evaldiff run", which needs none.`;
  const { output } = await runGit(place, [
    'for-each-ref',
    '--sort=-committerdate',
    '--format=%(refname:short)',
    `--count=${String(NAMED_BRANCHES)}`,
    'refs/heads',
  ]);
  const branches = output
    .toString('utf8')
    .split('\n')
    .filter((name) => name !== '');
  return `${unknown} Give a branch, a tag or a full commit id.${branches.length === 0 ? '' : ` Branches here: ${branches.join(', ')}.`}`;
}

async function commitNamed(place: GitPlace, name: string): Promise<string | null> {
  const { code, output } = await runGit(place, [
    'rev-parse',
    '--verify',
    '--quiet',
    '--end-of-options',
    `${name}^{commit}`,
  ]);
  const id = output.toString('latin1').trim();
  return code === 0 && isObjectId(id) ? id : null;
}

async function remoteCommit(
  place: GitPlace,
  history: History,
  name: string,
): Promise<string | null> {
  if (NOT_IN_REF_NAMES.test(name)) return null;
  // As git itself prefers: a tag before a branch.
  const names = name.startsWith('refs/') ? [name] : [`refs/tags/${name}`, `refs/heads/${name}`];
  return (
    (await commitNamed(place, `refs/remotes/origin/${name}`)) ?? (await history.remoteRef(names))
  );
}

/** A branch called like the start of a commit id would silently win over that commit. */
async function refuseTwoMeanings(place: GitPlace, revision: string, prefix: string): Promise<void> {
  const { output } = await runGit(place, ['rev-parse', `--disambiguate=${prefix}`]);
  for (const id of output
    .toString('latin1')
    .split('\n')
    .filter((line) => isObjectId(line))) {
    if ((await commitNamed(place, id)) !== null) {
      throw new UserError([
        problem(
          null,
          `"${revision}" is a branch or tag and also the start of commit ${id}. Give the full commit id, or refs/heads/${revision}.`,
        ),
      ]);
    }
  }
}
