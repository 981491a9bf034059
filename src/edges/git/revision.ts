import { userError } from '../../errors.ts';
import { DAY_MS } from '../../text/amounts.ts';
import { gitLine, gitLines, linesOf, runGit, type GitPlace } from './command.ts';
import {
  isShallow,
  parentsOf,
  type CommitHistory,
  type GitSource,
  type NamedCommit,
} from './history.ts';
import { isObjectId, isPlainName, type ObjectReader } from './objects.ts';

export interface Mainline {
  name: string;
  /** For each full id: its distance from the tip, and its commit time (ISO, UTC). */
  commits: ReadonlyMap<string, { behind: number; at: string }>;
  shallow: boolean;
}

export interface Names extends GitSource {
  history: CommitHistory;
}

const DEFAULTS = [
  'refs/remotes/origin/HEAD',
  'refs/heads/main',
  'refs/remotes/origin/main',
  'refs/heads/master',
  'refs/remotes/origin/master',
  'HEAD',
];

export function defaultBranch(names: Names): Promise<NamedCommit | null> {
  return firstNamed(names, DEFAULTS);
}

const NAMED_BY_CI = [
  'GITHUB_BASE_REF',
  'CI_MERGE_REQUEST_DIFF_BASE_SHA',
  'CI_MERGE_REQUEST_TARGET_BRANCH_NAME',
  'BITBUCKET_PR_DESTINATION_BRANCH',
  'SYSTEM_PULLREQUEST_TARGETBRANCH',
  'CHANGE_TARGET',
];

/** Local `main` comes first, because `origin/HEAD` may be outdated. */
const BASES = [
  'refs/heads/main',
  'refs/remotes/origin/HEAD',
  'refs/remotes/origin/main',
  'refs/heads/master',
  'refs/remotes/origin/master',
];

const REMOTE_BASES = ['HEAD', 'refs/heads/main', 'refs/heads/master'];

/** @throws UserError if the CI names a base that does not exist. */
export async function findDefaultBase(
  names: Names,
  env: NodeJS.ProcessEnv,
): Promise<string | null> {
  for (const variable of NAMED_BY_CI) {
    const value = env[variable]?.trim() ?? '';
    if (value !== '') return baseOfCi(names, variable, value);
  }
  const here = await firstNamed(names, BASES);
  return here?.tip ?? (await names.history.remoteRefs(REMOTE_BASES))[0]?.tip ?? null;
}

async function baseOfCi(names: Names, variable: string, value: string): Promise<string> {
  const id = value.toLowerCase();
  if (isObjectId(id)) {
    await names.history.ensure(id, { side: 'base' });
    return id;
  }
  const branch = value.replace(/^refs\/heads\//, '');
  const tip =
    (await names.history.remoteRefs([`refs/heads/${branch}`]))[0]?.tip ??
    (await firstNamed(names, [`refs/remotes/origin/${branch}`, `refs/heads/${branch}`]))?.tip;
  if (tip !== undefined) return tip;
  const message =
    `${variable} names ${value} as the base, which was not found. Fetch it, or use --base ` +
    '<commit>.';
  throw userError(null, message);
}

async function firstNamed({ reader }: Names, refs: readonly string[]): Promise<NamedCommit | null> {
  for (const ref of refs.filter(isPlainName)) {
    const tip = await reader.commitNamed(ref);
    if (tip !== null) return { ref, tip };
  }
  return null;
}

export async function mainlineOf(place: GitPlace, name: string, tip: string): Promise<Mainline> {
  const rows = await gitLines(place, ['rev-list', '--first-parent', '--timestamp', tip, '--']);
  const commits = new Map(
    rows.map((row, behind) => {
      const [seconds, id = ''] = row.split(' ');
      return [id, { behind, at: new Date(Number(seconds) * 1000).toISOString() }];
    }),
  );
  return { name, commits, shallow: await isShallow(place) };
}

export async function checkedOut(head: string | null, reader: ObjectReader): Promise<string[]> {
  if (head === null || (await reader.readLocal(head)) === null) return [];
  return [head, ...(await parentsOf(reader, head))];
}

const NOT_IN_REF_NAMES = /[\u0000- ~^:?*[\\\u007f]/;

/**
 * A full id takes precedence over a branch of that name, and a local branch over the remote's.
 * @throws UserError for unknown and ambiguous names.
 */
export async function resolveRevision(names: Names, revision: string): Promise<string> {
  const id = revision.toLowerCase();
  if (isObjectId(id)) return (await commitHere(names, id)) ?? id;
  const unusable =
    revision === '' || revision.includes('\0') || revision.includes('\n') || revision.includes(':');
  const [start = ''] = /^(?:[^~^@]|@(?!\{))*/.exec(revision) ?? [];
  if (!unusable) await rejectTwoRefs(names, start);
  const named = unusable ? null : await commitOf(names, revision);
  if (named === null) {
    throw userError(null, await unknownMessage(names, revision));
  }
  await rejectAmbiguous(names, start);
  return named;
}

const REF_FOLDERS = ['', 'tags/', 'heads/', 'remotes/', 'remotes/origin/'];

/** Git would silently choose the tag. */
async function rejectTwoRefs(names: Names, name: string): Promise<void> {
  if (name === 'HEAD' || name.startsWith('refs/') || NOT_IN_REF_NAMES.test(name)) return;
  const found = REF_FOLDERS.map(async (folder) => {
    const ref = `refs/${folder}${name}`;
    const tip = await commitNamed(names, ref);
    return tip === null ? [] : { ref, tip };
  });
  const known = (await Promise.all(found)).flat();
  const hasBranch = known.some(({ ref }) => ref === `refs/heads/${name}`);
  // A remote branch may differ from its local one.
  rejectDifferent(
    name,
    known.filter(({ ref }) => !hasBranch || ref !== `refs/remotes/origin/${name}`),
  );
}

function rejectDifferent(name: string, known: readonly NamedCommit[]): void {
  if (new Set(known.map(({ tip }) => tip)).size < 2) return;
  const refs = known.map(({ ref, tip }) => `${ref} (${tip.slice(0, 7)})`).join(' and ');
  throw userError(null, `"${name}" has two meanings: ${refs}. Give the full name of one of them.`);
}

async function commitOf(names: Names, name: string): Promise<string | null> {
  return (
    (await commitHere(names, name)) ??
    (await ancestorNamed(names, name)) ??
    (await remoteCommit(names, name))
  );
}

async function ancestorNamed(names: Names, name: string): Promise<string | null> {
  const [, start, path = ''] = /^([^~^]+)((?:[~^]\d*)+)$/.exec(name) ?? [];
  if (start === undefined || (start === 'HEAD' && names.empty)) return null;
  const from = await commitOf(names, start);
  if (from === null) return null;
  await names.history.ensure(from);
  const find = (): Promise<string | null> => parseName(names.place, `${from}${path}^{commit}`);
  const found = await find();
  if (found !== null) return found;
  await names.history.complete([from]);
  return find();
}

const NAMED_BRANCHES = 5;

async function unknownMessage(names: Names, revision: string): Promise<string> {
  const unknown = `"${revision}" is not a branch, tag or commit of this repository.`;
  if ((await commitNamed(names, 'HEAD')) === null && !names.remote.isThere)
    return (
      `${revision === 'HEAD' ? 'This repository' : `${unknown} It`} has no commit yet: commit ` +
      'first, or use "npx evaldiff run", which needs none.'
    );
  const { output } = await runGit(names.place, [
    'for-each-ref',
    '--sort=-committerdate',
    '--format=%(refname:short)',
    `--count=${NAMED_BRANCHES}`,
    'refs/heads',
  ]);
  const branches = linesOf(output);
  const here = branches.length === 0 ? '' : ` Branches here: ${branches.join(', ')}.`;
  return `${unknown} Give a branch, a tag or a full commit id.${here}`;
}

async function commitHere(names: Names, name: string): Promise<string | null> {
  const id = await commitNamed(names, name);
  if (id !== null) names.history.found(id);
  return id;
}

async function commitNamed({ place, reader }: Names, name: string): Promise<string | null> {
  return isPlainName(name) ? reader.commitNamed(name) : parseName(place, `${name}^{commit}`);
}

async function parseName(place: GitPlace, name: string): Promise<string | null> {
  const { code, output } = await runGit(place, [
    'rev-parse',
    '--verify',
    '--quiet',
    '--end-of-options',
    name,
  ]);
  const id = output.toString('latin1').trim();
  return code === 0 && isObjectId(id) ? id : null;
}

async function remoteCommit(names: Names, name: string): Promise<string | null> {
  if (NOT_IN_REF_NAMES.test(name)) return null;
  const own =
    name.startsWith('refs/') || name === 'HEAD'
      ? [name]
      : [`refs/tags/${name}`, `refs/heads/${name}`];
  const [, tracked] = /^(?:refs\/remotes\/)?origin\/(.+)$/.exec(name) ?? [];
  const branch = tracked === 'HEAD' ? 'HEAD' : `refs/heads/${tracked ?? ''}`;
  const refs = tracked === undefined ? own : [...own, branch];
  const here = await commitNamed(names, `refs/remotes/origin/${name}`);
  if (here !== null) return here;
  const found = await names.history.remoteRefs(refs);
  rejectDifferent(name, found);
  return found[0]?.tip ?? null;
}

/** If a branch name is also the start of a commit id, git would silently choose one of them. */
async function rejectAmbiguous(names: Names, revision: string): Promise<void> {
  const prefix = revision.toLowerCase();
  const isShortId = /^[0-9a-f]{4,39}$/.test(prefix);
  if (!isShortId || (await commitOf(names, revision))?.startsWith(prefix) !== false) return;
  const { output } = await runGit(names.place, ['rev-parse', `--disambiguate=${prefix}`]);
  for (const id of linesOf(output).filter(isObjectId)) {
    if ((await commitNamed(names, id)) !== null) {
      throw userError(
        null,
        `"${revision}" is a branch or tag and also the start of commit ${id}. Give the ` +
          `full commit id, or refs/heads/${revision}.`,
      );
    }
  }
}

export interface EarlierCommit {
  commit: string;
  /** Such as `v1.4.0` or `2026-10-27 (3f2a1b0)`. */
  name: string;
}

export interface EarlierThan {
  commit: string;
  now: number;
}

const DAYS = /^(\d+)-days$/;

/**
 * `since`: `last-release` (highest version tag), `30-days` (first-parent ancestor of that age), or
 * a tag, branch or commit.
 */
export async function earlierCommit(
  names: Names,
  since: string,
  than: EarlierThan,
): Promise<EarlierCommit | null> {
  const [, days] = DAYS.exec(since) ?? [];
  if (days !== undefined) {
    await names.history.ensure(than.commit);
    return commitBefore(names, than.commit, than.now - Number(days) * DAY_MS);
  }
  const name = since === 'last-release' ? await lastRelease(names) : since;
  if (name === null) return null;
  const commit = await resolveRevision(names, name === since ? since : `refs/tags/${name}`);
  await names.history.ensure(commit);
  return { commit, name };
}

async function commitBefore(
  { place, history }: Names,
  from: string,
  time: number,
): Promise<EarlierCommit | null> {
  const seconds = String(Math.floor(time / 1000));
  const find = (): Promise<string> =>
    gitLine(place, ['rev-list', '--first-parent', '-1', `--min-age=${seconds}`, from, '--']);
  let found = await find();
  if (found === '') {
    await history.complete([from]);
    found = await find();
  }
  if (found === '') return null;
  const date = await gitLine(place, ['show', '--no-patch', '--format=%cs', found, '--']);
  return { commit: found, name: `${date} (${found.slice(0, 7)})` };
}

const VERSION = /^v?(\d+)\.(\d+)(?:\.(\d+))?$/;

async function lastRelease({ place, remote }: Names): Promise<string | null> {
  const listed = ['for-each-ref', '--format=%(refname:lstrip=2)', 'refs/tags'];
  const own = (await gitLines(place, listed)).filter((tag) => VERSION.test(tag));
  const tips = own.length > 0 ? null : await remote.tips();
  const others = [...(tips?.keys() ?? [])].flatMap((ref) =>
    ref.startsWith('refs/tags/') ? [ref.slice('refs/tags/'.length)] : [],
  );
  const [newest = null] = [...own, ...others].filter((tag) => VERSION.test(tag)).sort(newestFirst);
  return newest;
}

function newestFirst(a: string, b: string): number {
  const numbers = (tag: string) => {
    const [, major = '', minor = '', patch = '0'] = VERSION.exec(tag) ?? [];
    return `${major}.${minor}.${patch}`;
  };
  return numbers(b).localeCompare(numbers(a), 'en', { numeric: true });
}
