import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { InternalError, userError } from '../../errors.ts';
import type { Side } from '../../types/plain.ts';
import type { Origin } from '../../types/repository.ts';
import { git, gitLines, inTurns, lastLine, runGit, type GitPlace } from './command.ts';
import type { TreeSource } from './listing.ts';
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

export interface GitSource extends TreeSource {
  reader: ObjectReader;
  remote: Remote;
  /** Fetches the contents that this clone lacks. */
  fetchContents(ids: readonly string[]): Promise<void>;
  /** True if evaldiff's git store uses no objects of a checkout. Fetches can then be shallow. */
  empty: boolean;
}

export function openHistory(source: GitSource) {
  const { place, reader, remote } = source;
  const known = new Set<string>();
  const hinted = new Set<string>();
  const wanted = new Set<string>();
  const inTurn = inTurns();
  const has = async (commit: string): Promise<boolean> => {
    if (!isObjectId(commit)) throw new InternalError(`not a commit id: ${commit.slice(0, 80)}`);
    if (known.has(commit)) return true;
    const found = await hasCommit(reader, commit);
    if (found) known.add(commit);
    return found;
  };
  const ensure = async (commit: string, hints: FetchHints = {}) => {
    for (const ref of hints.refs ?? []) hinted.add(ref);
    wanted.add(commit);
    try {
      if (await has(commit)) return;
      await inTurn(async () => {
        const absent = await absentOf([...wanted], has);
        if (absent.length > 1) await remote.fetch(absent, { depth: await depthOf(source) });
        if (!(await has(commit))) await fetchCommit(source, commit, hints.side, hinted);
      });
      known.add(commit);
    } finally {
      wanted.delete(commit);
    }
  };
  const complete = (ids: readonly string[]) => inTurn(() => completeHistory(source, ids, hinted));
  return {
    complete,
    found: (commit: string) => void known.add(commit),
    ensure,
    async mergeBase(base: string, head: string): Promise<string | null> {
      await ensure(base, { side: 'base' });
      await ensure(head, { side: 'head' });
      // If base is an ancestor of head, it is the merge base, even in a shallow clone.
      if (base === head || (await isNearAncestor(reader, base, head))) return base;
      if (await isNearAncestor(reader, head, base)) return head;
      const known = await remote.mergeBase(base, head);
      if (known !== null) return known;
      await complete([base, head]);
      return mergeBaseHere(place, base, head);
    },
    async remoteRefs(names: readonly string[]): Promise<NamedCommit[]> {
      const listed = await remote.list(names.flatMap((name) => [name, `${name}^{}`]));
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

export async function isShallow({ gitDir }: GitPlace): Promise<boolean> {
  return (await readFile(join(gitDir, 'shallow'), 'utf8').catch(() => '')) !== '';
}

/** In a full clone, a fetch with a depth would truncate the history. */
async function depthOf({ place, empty }: GitSource): Promise<string[]> {
  return empty || (await isShallow(place)) ? ['--depth=1'] : [];
}

/** The depth that git uses for `--unshallow`, which would fail in a full clone. */
const WHOLE_HISTORY = { filter: 'tree:0', depth: ['--depth=2147483647'] } as const;

/** Fetches the commits that a shallow clone lacks, without their files. */
async function completeHistory(
  { place, remote }: GitSource,
  ids: readonly string[],
  hinted: ReadonlySet<string>,
): Promise<void> {
  if (!(await isShallow(place))) return;
  const { code } = await remote.fetch(ids, WHOLE_HISTORY);
  if (code === 0) return;
  for (const tips of await remoteTips(remote, hinted)) await remote.fetch(tips, WHOLE_HISTORY);
}

async function fetchCommit(
  source: GitSource,
  commit: string,
  side: Side | undefined,
  hinted: ReadonlySet<string>,
): Promise<void> {
  const { reader, remote } = source;
  const name = side === undefined ? 'commit' : `${side} commit`;
  const first = await remote.fetch([commit], { depth: await depthOf(source) });
  if (first.code === 0 && (await hasCommit(reader, commit))) return;
  for (const tips of await remoteTips(remote, hinted)) {
    await remote.fetch(tips, WHOLE_HISTORY);
    if (await hasCommit(reader, commit)) return;
  }
  const why = lastLine(first.stderr);
  const message =
    `The ${name} ${commit.slice(0, 7)} could not be fetched: ${why}. ` +
    adviceOn(why, remote.advice);
  throw userError(null, message.trimEnd());
}

async function remoteTips(remote: Remote, hinted: ReadonlySet<string>): Promise<string[][]> {
  const listed = await remote.list(['refs/heads/*', ...hinted]);
  if (listed === null) return [];
  const chosen = [...hinted].flatMap((ref) => listed.get(ref) ?? []);
  const branches = [...listed].filter(([ref]) => ref.startsWith('refs/heads/')).map(([, id]) => id);
  return [chosen, branches].filter((tips) => tips.length > 0);
}

async function mergeBaseHere(place: GitPlace, base: string, head: string): Promise<string | null> {
  const { code, output, stderr } = await runGit(place, [
    'merge-base',
    '--end-of-options',
    base,
    head,
  ]);
  if (code === 0) return output.toString('latin1').trim();
  if (code === 1) return null;
  throw new InternalError(`git merge-base failed: ${lastLine(stderr)}`);
}

/** Merge queue refs contain unmerged commits, also from forks. */
const QUEUE = 'refs/heads/gh-readonly-queue/';

/** Seconds by which the clocks of commit authors may differ. */
const CLOCKS_DIFFER = 7 * 24 * 3600;

/**
 * Checks whether branches or tags contain a commit, because GitHub also serves every fork's commits
 * by id.
 */
export async function originsOf(
  source: GitSource,
  commits: readonly string[],
  base: string | null,
): Promise<Map<string, Origin>> {
  const tips = await source.remote.tips();
  if (tips === null) return new Map(commits.map((commit) => [commit, 'unknown']));
  const own = [...tips].flatMap(([ref, id]) => (ref.startsWith(QUEUE) ? [] : [id]));
  const baseTip = base === null ? undefined : tips.get(base);
  const origins = new Map<string, Origin>();
  for (const commit of new Set(commits)) {
    const onBase = baseTip !== undefined && (await isReachable(source, commit, [baseTip]));
    if (onBase === true) origins.set(commit, 'base-branch');
    else {
      const found = own.includes(commit) || (await isReachable(source, commit, [...new Set(own)]));
      origins.set(commit, found === null ? 'unknown' : found ? 'own-branch' : 'fork');
    }
  }
  return origins;
}

async function isReachable(
  source: GitSource,
  commit: string,
  tips: readonly string[],
): Promise<boolean | null> {
  const { remote, reader } = source;
  if (tips.includes(commit)) return true;
  if (tips.length === 0) return false;
  const settings = [...source.place.settings, 'core.commitGraph=false'];
  const place = { ...source.place, settings };
  const missing = await absentOf(tips, async (tip) => (await reader.readLocal(tip)) !== null);
  const present = tips.filter((tip) => !missing.includes(tip));
  if (await isAncestor(place, commit, present)) return true;
  const cut = source.empty || (await isShallow(place));
  if (!cut && missing.length === 0) return false;
  const [time = ''] = await gitLines(place, ['rev-list', '-1', '--timestamp', commit, '--']);
  const since = Number(time.split(' ')[0]) - CLOCKS_DIFFER;
  const depth = cut ? [`--shallow-since=${since}`] : [];
  const { code, stderr } = await remote.fetch(tips, { filter: 'tree:0', depth });
  if (code !== 0) return NO_COMMITS.test(stderr) ? false : null;
  return isAncestor(place, commit, tips);
}

/** git's error if no branch or tag has a commit since the time asked for. */
const NO_COMMITS = /no commits selected/;

async function isAncestor(
  place: GitPlace,
  commit: string,
  tips: readonly string[],
): Promise<boolean> {
  const input = Buffer.from([commit, ...tips.map((tip) => `^${tip}`), ''].join('\n'));
  return (await git(place, ['rev-list', '--max-count=1', '--stdin'], { input })).length === 0;
}
