import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { InternalError, UserError, problem } from '../errors.ts';
import type { Side } from '../types/plain.ts';
import { git, lastLine, runGit, type GitAnswer, type GitPlace } from './command.ts';
import { isObjectId, peel, type ObjectReader } from './objects.ts';
import { adviceOn, type Remote } from './remote.ts';

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
export interface CommitHistory {
  hasRemote: boolean;
  has(commit: string): Promise<boolean>;
  /** Told that a commit is here, so that nobody looks for it again. */
  found(commit: string): void;
  ensure(commit: string, hints?: FetchHints): Promise<void>;
  mergeBase(base: string, head: string): Promise<string | null>;
  /**
   * The remote's commit for an exact ref name (tags peeled); null without a remote, or when it has
   * none of them.
   */
  remoteRef(names: readonly string[]): Promise<string | null>;
}

const FIRST_STEP = 50;

const LAST_STEP = 1_000_000;

/** Where history comes from: a store, its remote if it has one (else why not), and how it began. */
export interface HistorySource {
  place: GitPlace;
  reader: ObjectReader;
  remote: Remote | { none: string };
  /** Whether no checkout lends its objects: a fetch then need not take whole histories. */
  empty: boolean;
}

/** Nothing is looked up or fetched before it is asked for; fetches wait for each other. */
export function openHistory(source: HistorySource): CommitHistory {
  const { place, reader } = source;
  const remote = 'none' in source.remote ? null : source.remote;
  const known = new Set<string>();
  const hinted = new Set<string>();
  const wanted = new Set<string>();
  // What one fetch brings, another need not ask for.
  let turn: Promise<unknown> = Promise.resolve();
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const result = turn.then(work);
    turn = result.catch(() => undefined);
    return result;
  };
  const has = async (commit: string): Promise<boolean> => {
    if (!isObjectId(commit)) throw new InternalError(`not a commit id: ${commit.slice(0, 80)}`);
    if (known.has(commit)) return true;
    const found = await hasCommit(reader, commit);
    if (found) known.add(commit);
    return found;
  };
  const missingOf = async (ids: readonly string[]): Promise<string[]> => {
    const here = await Promise.all(ids.map(has));
    return ids.filter((_, at) => here[at] === false);
  };
  const ensure = async (commit: string, hints: FetchHints = {}): Promise<void> => {
    for (const ref of hints.refs ?? []) hinted.add(ref);
    wanted.add(commit);
    try {
      if (await has(commit)) return;
      await inTurn(async () => {
        await fetchTogether(source, await missingOf([...wanted]));
        if (!(await has(commit))) await fetchCommit(source, commit, hints.side, hinted);
      });
      known.add(commit);
    } finally {
      wanted.delete(commit);
    }
  };
  return {
    hasRemote: remote !== null,
    has,
    found: (commit) => void known.add(commit),
    ensure,
    async mergeBase(base, head) {
      await ensure(base, { side: 'base' });
      await ensure(head, { side: 'head' });
      // An ancestor is the best there can be, however much of the history is cut off.
      if (base === head || (await isNearAncestor(reader, base, head))) return base;
      if (await isNearAncestor(reader, head, base)) return head;
      return inTurn(() => findMergeBase(place, remote, [base, head], hinted));
    },
    async remoteRef(names) {
      const listed = await remote?.list(names.flatMap((name) => [name, `${name}^{}`]));
      return (
        names
          .map((name) => listed?.get(`${name}^{}`) ?? listed?.get(name))
          .find((id) => id !== undefined) ?? null
      );
    },
  };
}

/** Whether an id is a commit's that is here, or that of a tag on one. */
async function hasCommit(reader: ObjectReader, id: string): Promise<boolean> {
  return (await peel(reader, id))?.type === 'commit';
}

/** Parents of a commit that is here, read from itself: of cut-off history git says there is none. */
export async function parentsOf(
  reader: Pick<ObjectReader, 'here'>,
  commit: string,
): Promise<string[]> {
  const text = (await peel(reader, commit))?.content.toString('latin1') ?? '';
  const [header = ''] = text.split('\n\n', 1);
  return header
    .split('\n')
    .flatMap((line) => (line.startsWith('parent ') ? [line.slice('parent '.length)] : []))
    .filter(isObjectId);
}

/** Commits that are looked at before git is asked: a branch is mostly no longer. */
const NEAR = 16;

/** Whether a commit is found among the last ones of another's history, as far as that is here. */
async function isNearAncestor(
  reader: ObjectReader,
  ancestor: string,
  commit: string,
): Promise<boolean> {
  const seen = new Set([commit]);
  for (const next of seen) {
    for (const parent of await parentsOf(reader, next)) seen.add(parent);
    if (seen.has(ancestor)) return true;
    if (seen.size > NEAR) return false;
  }
  return false;
}

/** The commits at which the history is cut off; empty where it is whole. */
export async function shallowBoundary(place: GitPlace): Promise<Set<string>> {
  const text = await readFile(join(place.gitDir, 'shallow'), 'utf8').catch(() => '');
  return new Set(text.split('\n').filter((line) => line !== ''));
}

/** Commits by id, without their trees. */
export function fetchIds(
  remote: Remote,
  depth: readonly string[],
  ids: readonly string[],
): Promise<GitAnswer> {
  return remote.fetch(ids, { filter: 'tree:0', depth });
}

/** How much of a commit's history comes along: a depth would cut off that of a whole clone. */
export async function depthOf({ place, empty }: HistorySource): Promise<string[]> {
  return empty || (await shallowBoundary(place)).size > 0 ? ['--depth=1'] : [];
}

/** All that several ask for at a time, in one request; where it fails each asks again. */
async function fetchTogether(source: HistorySource, ids: readonly string[]): Promise<void> {
  if (!('none' in source.remote) && ids.length > 1)
    await fetchIds(source.remote, await depthOf(source), ids);
}

async function fetchCommit(
  source: HistorySource,
  commit: string,
  side: Side | undefined,
  hinted: ReadonlySet<string>,
): Promise<void> {
  const { place, reader, remote } = source;
  const name = side === undefined ? 'commit' : `${side} commit`;
  const failure = (why: string, advice = ''): UserError => {
    const message = `The ${name} ${commit.slice(0, 7)} could not be fetched: ${why}. ${advice}`;
    return new UserError([problem(null, message.trimEnd())]);
  };
  if ('none' in remote) throw failure(remote.none);
  const depth = await depthOf(source);
  const first = await fetchIds(remote, depth, [commit]);
  if (first.code === 0 && (await hasCommit(reader, commit))) return;

  // The server gives no commit by its id: bring in the branches that may hold it, then go down
  // their history.
  for (const tips of await remoteTips(remote, hinted)) {
    const brought = await fetchIds(remote, depth, tips);
    if (brought.code !== 0) continue;
    const found = (): Promise<boolean> => hasCommit(reader, commit);
    if ((await found()) || (await deepenUntil(place, remote, [tips], found))) return;
  }
  const why = lastLine(first.complaint);
  throw failure(why, adviceOn(why, remote.advice));
}

/**
 * Ids at the tips of the hinted refs, then at all branches of the remote; empty when it does not
 * answer.
 */
async function remoteTips(remote: Remote, hinted: ReadonlySet<string>): Promise<string[][]> {
  const listed = await remote.list(['refs/heads/*', ...hinted]);
  if (listed === null) return [];
  const chosen = [...hinted].flatMap((ref) => listed.get(ref) ?? []);
  const branches = [...listed].filter(([ref]) => ref.startsWith('refs/heads/')).map(([, id]) => id);
  return [chosen, branches].filter((tips) => tips.length > 0);
}

/**
 * Fetches older history below `choices` (the first that the server accepts) in growing steps until
 * `done`. False when the clone is whole, or no older history comes.
 */
export async function deepenUntil(
  place: GitPlace,
  remote: Remote,
  choices: readonly string[][],
  done: () => Promise<boolean>,
): Promise<boolean> {
  let boundary = await shallowBoundary(place);
  for (let step = FIRST_STEP; boundary.size > 0; step = Math.min(step * 2, LAST_STEP)) {
    let moved = false;
    for (const ids of choices) {
      const { code } = await fetchIds(remote, [`--deepen=${step}`], ids);
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
  remote: Remote | null,
  [base, head]: readonly [base: string, head: string],
  hinted: ReadonlySet<string>,
): Promise<string | null> {
  let found = await certainMergeBase(place, base, head);
  if (found !== undefined) return found;
  if (remote !== null) {
    const done = async (): Promise<boolean> => {
      found = await certainMergeBase(place, base, head);
      return found !== undefined;
    };
    if (!(await deepenUntil(place, remote, [[base, head]], done))) {
      for (const tips of await remoteTips(remote, hinted)) {
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
