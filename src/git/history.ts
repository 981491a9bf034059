import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { InternalError, UserError, problem } from '../errors.ts';
import type { Side } from '../types/plain.ts';
import { git, gitLine, lastLine, runGit, type GitPlace } from './command.ts';
import { fetchContents, isObjectId, promisorRemote } from './objects.ts';

export interface FetchHints {
  /** Which of the two commits it is, for the message. */
  side?: Side;
  /**
   * Refs of the remote that contain the commit, for servers that give no commit by its id:
   * `refs/pull/7/head`, `refs/heads/main`.
   */
  refs?: readonly string[];
}

/** Commits of a repository, fetched from its remote when the clone lacks them. */
export interface History {
  has(commit: string): Promise<boolean>;
  ensure(commit: string, hints?: FetchHints): Promise<void>;
  mergeBase(base: string, head: string): Promise<string | null>;
  /**
   * Makes sure that the contents below a tree (or commit) can be read at `at`, also in a clone made
   * without contents.
   */
  contents(at: GitPlace, tree: string): Promise<void>;
  /**
   * The remote's commit for an exact ref name (tags peeled); null without a remote, or when it has
   * none of them.
   */
  remoteRef(names: readonly string[]): Promise<string | null>;
}

const FETCH = [
  'fetch',
  '--quiet',
  '--no-tags',
  '--no-write-fetch-head',
  '--no-recurse-submodules',
  '--no-auto-maintenance',
  '--no-prune',
];

const FIRST_STEP = 50;

const LAST_STEP = 1_000_000;

/** Nothing is looked up or fetched before it is asked for; fetches wait for each other. */
export function openHistory(place: GitPlace): History {
  const known = new Set<string>();
  const hinted = new Set<string>();
  let promisor: Promise<string | null> | null = null;
  // Two fetches at once would fight over git's lock on the shallow boundary.
  let turn: Promise<unknown> = Promise.resolve();
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const result = turn.then(work);
    turn = result.catch(() => undefined);
    return result;
  };
  const has = async (commit: string): Promise<boolean> => {
    if (!isObjectId(commit)) throw new InternalError(`not a commit id: ${commit.slice(0, 80)}`);
    if (known.has(commit)) return true;
    const found = await hasCommit(place, commit);
    if (found) known.add(commit);
    return found;
  };
  const ensure = async (commit: string, hints: FetchHints = {}): Promise<void> => {
    for (const ref of hints.refs ?? []) hinted.add(ref);
    if (await has(commit)) return;
    await inTurn(async () => {
      if (!(await has(commit))) await fetchCommit(place, commit, hints.side, hinted);
    });
    known.add(commit);
  };
  return {
    has,
    ensure,
    async mergeBase(base, head) {
      await ensure(base, { side: 'base' });
      await ensure(head, { side: 'head' });
      if (base === head) return base;
      return inTurn(() => findMergeBase(place, base, head, hinted));
    },
    async contents(at, tree) {
      const from = await (promisor ??= promisorRemote(place));
      if (from !== null) await inTurn(() => fetchContents(at, from, tree));
    },
    async remoteRef(names) {
      const remote = await findRemote(place);
      if (remote === null) return null;
      const listed = await listRemote(
        place,
        remote,
        names.flatMap((name) => [name, `${name}^{}`]),
      );
      return (
        names
          .map((name) => listed?.get(`${name}^{}`) ?? listed?.get(name))
          .find((id) => id !== undefined) ?? null
      );
    },
  };
}

async function hasCommit(place: GitPlace, commit: string): Promise<boolean> {
  // In a partial clone git would fetch a missing commit by itself, one object at a time.
  const offline = { ...place, environment: { ...place.environment, GIT_NO_LAZY_FETCH: '1' } };
  const { code } = await runGit(offline, ['cat-file', '-e', `${commit}^{commit}`]);
  return code === 0;
}

/** The remote that was cloned from: `origin`, else the first; null when there is none. */
async function findRemote(place: GitPlace): Promise<string | null> {
  const names = (await git(place, ['remote']))
    .toString('utf8')
    .split('\n')
    .filter((name) => name !== '');
  return names.includes('origin') ? 'origin' : (names[0] ?? null);
}

/** Ref name → object id; null when the remote does not answer. */
async function listRemote(
  place: GitPlace,
  remote: string,
  patterns: readonly string[],
): Promise<Map<string, string> | null> {
  const { code, output } = await runGit(
    place,
    ['ls-remote', '--quiet', '--end-of-options', remote, ...patterns],
    { network: true },
  );
  if (code !== 0) return null;
  const rows = output
    .toString('utf8')
    .split('\n')
    .map((row) => row.split('\t'));
  return new Map(
    rows.flatMap(([id, name]) =>
      id !== undefined && name !== undefined && isObjectId(id) ? [[name, id]] : [],
    ),
  );
}

/** The commits at which the clone's history is cut off; empty for a whole clone. */
async function shallowBoundary(place: GitPlace): Promise<Set<string>> {
  const file = resolve(
    place.directory,
    await gitLine(place, ['rev-parse', '--git-path', 'shallow']),
  );
  const text = await readFile(file, 'utf8').catch(() => '');
  return new Set(text.split('\n').filter((line) => line !== ''));
}

/**
 * Fetches commits by id, handed over on stdin: no length limit, and no id can be read as an option.
 */
function fetchIds(
  place: GitPlace,
  remote: string,
  depth: readonly string[],
  ids: readonly string[],
): ReturnType<typeof runGit> {
  return runGit(place, [...FETCH, ...depth, '--stdin', '--end-of-options', remote], {
    network: true,
    input: Buffer.from(`${ids.join('\n')}\n`),
  });
}

async function fetchCommit(
  place: GitPlace,
  commit: string,
  side: Side | undefined,
  hinted: ReadonlySet<string>,
): Promise<void> {
  const name = side === undefined ? 'commit' : `${side} commit`;
  const failure = (why: string): UserError =>
    new UserError([
      problem(null, `The ${name} ${commit.slice(0, 7)} could not be fetched: ${why}.`),
    ]);
  const remote = await findRemote(place);
  if (remote === null) throw failure('this repository has no remote');
  // A depth would cut off the history of a whole clone.
  const depth = (await shallowBoundary(place)).size > 0 ? ['--depth=1'] : [];
  const first = await fetchIds(place, remote, depth, [commit]);
  if (first.code === 0 && (await hasCommit(place, commit))) return;

  // The server gives no commit by its id: bring in the branches that may hold it, then go down
  // their history.
  for (const tips of await remoteTips(place, remote, hinted)) {
    const brought = await fetchIds(place, remote, depth, tips);
    if (brought.code !== 0) continue;
    const found = (): Promise<boolean> => hasCommit(place, commit);
    if ((await found()) || (await deepenUntil(place, remote, [tips], found))) return;
  }
  throw failure(lastLine(first.complaint));
}

/**
 * Ids at the tips of the hinted refs, then at all branches of the remote; empty when it does not
 * answer.
 */
async function remoteTips(
  place: GitPlace,
  remote: string,
  hinted: ReadonlySet<string>,
): Promise<string[][]> {
  const listed = await listRemote(place, remote, ['refs/heads/*', ...hinted]);
  if (listed === null) return [];
  const chosen = [...hinted].flatMap((ref) => listed.get(ref) ?? []);
  const branches = [...listed].filter(([ref]) => ref.startsWith('refs/heads/')).map(([, id]) => id);
  return [chosen, branches].filter((tips) => tips.length > 0);
}

/**
 * Fetches older history below `choices` (the first that the server accepts) in growing steps until
 * `done`. False when the clone is whole, or no older history comes.
 */
async function deepenUntil(
  place: GitPlace,
  remote: string,
  choices: readonly string[][],
  done: () => Promise<boolean>,
): Promise<boolean> {
  let boundary = await shallowBoundary(place);
  for (let step = FIRST_STEP; boundary.size > 0; step = Math.min(step * 2, LAST_STEP)) {
    let moved = false;
    for (const ids of choices) {
      const { code } = await fetchIds(place, remote, [`--deepen=${step}`], ids);
      const next = await shallowBoundary(place);
      moved =
        code === 0 && (next.size !== boundary.size || [...next].some((id) => !boundary.has(id)));
      boundary = next;
      if (moved) break;
    }
    if (await done()) return true;
    if (!moved) return false;
  }
  return false;
}

/**
 * The best common ancestor; in a shallow clone only once no missing history could hold a better
 * one.
 */
async function findMergeBase(
  place: GitPlace,
  base: string,
  head: string,
  hinted: ReadonlySet<string>,
): Promise<string | null> {
  let found = await certainMergeBase(place, base, head);
  if (found !== undefined) return found;
  const remote = await findRemote(place);
  if (remote !== null) {
    const done = async (): Promise<boolean> => {
      found = await certainMergeBase(place, base, head);
      return found !== undefined;
    };
    if (!(await deepenUntil(place, remote, [[base, head]], done))) {
      for (const tips of await remoteTips(place, remote, hinted)) {
        if (await deepenUntil(place, remote, [tips], done)) break;
      }
    }
  }
  return found === undefined ? mergeBaseSoFar(place, base, head) : found;
}

async function mergeBaseSoFar(place: GitPlace, base: string, head: string): Promise<string | null> {
  const { code, output, complaint } = await runGit(place, [
    'merge-base',
    '--end-of-options',
    base,
    head,
  ]);
  const id = output.toString('latin1').trim();
  if (code === 0 && isObjectId(id)) return id;
  if (code === 1) return null;
  throw new InternalError(`git merge-base failed: ${lastLine(complaint)}`);
}

/**
 * The merge base when it cannot change any more, null for unrelated histories, undefined while the
 * clone is too shallow to say.
 *
 * A better base than the one found would be its descendant, so the path to it would leave the known
 * history at a cut-off commit that is not an ancestor of the one found: without such a commit the
 * answer is final.
 */
async function certainMergeBase(
  place: GitPlace,
  base: string,
  head: string,
): Promise<string | null | undefined> {
  const [found, boundary] = await Promise.all([
    mergeBaseSoFar(place, base, head),
    shallowBoundary(place),
  ]);
  if (boundary.size === 0) return found;
  const range = found === null ? [base, head] : [base, head, `^${found}`];
  const commits = (await git(place, ['rev-list', ...range])).toString('latin1').split('\n');
  return commits.some((commit) => boundary.has(commit)) ? undefined : found;
}
