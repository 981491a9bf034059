import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type UserError, InternalError, userError } from '../../errors.ts';
import type { Side } from '../../types/plain.ts';
import { gitLines, lastLine, runGit, type GitResult, type GitPlace } from './command.ts';
import { absentOf, isObjectId, peel, type ObjectReader } from './objects.ts';
import { adviceOn, type Remote } from './remote.ts';

export interface FetchHints {
  side?: Side;
  refs?: readonly string[];
}

export interface NamedCommit {
  ref: string;
  tip: string;
}

export type CommitHistory = ReturnType<typeof openHistory>;

const FIRST_STEP = 50;

const LAST_STEP = 1_000_000;

export interface HistorySource {
  place: GitPlace;
  reader: ObjectReader;
  remote: Remote | { none: string };
  /** True if evaldiff's git store uses no objects of a checkout. Fetches can then be shallow. */
  empty: boolean;
}

export function openHistory(source: HistorySource) {
  const { place, reader } = source;
  const remote = 'none' in source.remote ? null : source.remote;
  const known = new Set<string>();
  const hinted = new Set<string>();
  const wanted = new Set<string>();
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
  const ensure = async (commit: string, hints: FetchHints = {}): Promise<void> => {
    for (const ref of hints.refs ?? []) hinted.add(ref);
    wanted.add(commit);
    try {
      if (await has(commit)) return;
      await inTurn(async () => {
        const absent = await absentOf([...wanted], has);
        if (remote !== null && absent.length > 1)
          await fetchIds(remote, await depthOf(source), absent);
        if (!(await has(commit))) await fetchCommit(source, commit, hints.side, hinted);
      });
      known.add(commit);
    } finally {
      wanted.delete(commit);
    }
  };
  return {
    hasRemote: remote !== null,
    found: (commit: string) => void known.add(commit),
    ensure,
    async mergeBase(base: string, head: string): Promise<string | null> {
      await ensure(base, { side: 'base' });
      await ensure(head, { side: 'head' });
      // If base is an ancestor of head, it is the merge base, even in a shallow clone.
      if (base === head || (await isNearAncestor(reader, base, head))) return base;
      if (await isNearAncestor(reader, head, base)) return head;
      return inTurn(() => findMergeBase(place, remote, [base, head], hinted));
    },
    async remoteRefs(names: readonly string[]): Promise<NamedCommit[]> {
      const listed = await remote?.list(names.flatMap((name) => [name, `${name}^{}`]));
      return names.flatMap((ref) => {
        const tip = listed?.get(`${ref}^{}`) ?? listed?.get(ref);
        return tip === undefined ? [] : [{ ref, tip }];
      });
    },
  };
}

async function hasCommit(reader: ObjectReader, id: string): Promise<boolean> {
  return (await peel(reader, id))?.type === 'commit';
}

/** Reads the commit object, because git hides parents beyond a shallow boundary. */
export async function parentsOf(
  reader: Pick<ObjectReader, 'readLocal'>,
  commit: string,
): Promise<string[]> {
  const text = (await peel(reader, commit))?.content.toString('latin1') ?? '';
  const [header = ''] = text.split('\n\n', 1);
  return header
    .split('\n')
    .flatMap((line) => (line.startsWith('parent ') ? [line.slice('parent '.length)] : []))
    .filter(isObjectId);
}

const MAX_NEAR_COMMITS = 16;

async function isNearAncestor(
  reader: ObjectReader,
  ancestor: string,
  commit: string,
): Promise<boolean> {
  const seen = new Set([commit]);
  for (const next of seen) {
    for (const parent of await parentsOf(reader, next)) seen.add(parent);
    if (seen.has(ancestor)) return true;
    if (seen.size > MAX_NEAR_COMMITS) return false;
  }
  return false;
}

export async function shallowBoundary(place: GitPlace): Promise<Set<string>> {
  const text = await readFile(join(place.gitDir, 'shallow'), 'utf8').catch(() => '');
  return new Set(text.split('\n').filter((line) => line !== ''));
}

export function fetchIds(
  remote: Remote,
  depth: readonly string[],
  ids: readonly string[],
): Promise<GitResult> {
  return remote.fetch(ids, { filter: 'tree:0', depth });
}

/** In a full clone, a fetch with a depth would truncate the history. */
export async function depthOf({ place, empty }: HistorySource): Promise<string[]> {
  return empty || (await shallowBoundary(place)).size > 0 ? ['--depth=1'] : [];
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
    return userError(null, message.trimEnd());
  };
  if ('none' in remote) throw failure(remote.none);
  const depth = await depthOf(source);
  const first = await fetchIds(remote, depth, [commit]);
  if (first.code === 0 && (await hasCommit(reader, commit))) return;

  for (const tips of await remoteTips(remote, hinted)) {
    const brought = await fetchIds(remote, depth, tips);
    if (brought.code !== 0) continue;
    const found = (): Promise<boolean> => hasCommit(reader, commit);
    if ((await found()) || (await deepenUntil(place, remote, [tips], found))) return;
  }
  const why = lastLine(first.stderr);
  throw failure(why, adviceOn(why, remote.advice));
}

async function remoteTips(remote: Remote, hinted: ReadonlySet<string>): Promise<string[][]> {
  const listed = await remote.list(['refs/heads/*', ...hinted]);
  if (listed === null) return [];
  const chosen = [...hinted].flatMap((ref) => listed.get(ref) ?? []);
  const branches = [...listed].filter(([ref]) => ref.startsWith('refs/heads/')).map(([, id]) => id);
  return [chosen, branches].filter((tips) => tips.length > 0);
}

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
  const {
    code,
    output,
    stderr: complaint,
  } = await runGit(place, ['merge-base', '--end-of-options', base, head]);
  const id = output.toString('latin1').trim();
  if (code === 0 && isObjectId(id)) return id;
  if (code === 1) return null;
  throw new InternalError(`git merge-base failed: ${lastLine(complaint)}`);
}

/**
 * If an unfetched commit may be a better merge base, returns undefined. Such a commit can only be
 * behind a shallow boundary that is not an ancestor of the merge base found.
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
  const commits = await gitLines(place, ['rev-list', ...range]);
  return commits.some((commit) => boundary.has(commit)) ? undefined : found;
}
