import type { Origin } from '../../types/repository.ts';
import { git, gitLines, type GitPlace } from './command.ts';
import { deepenUntil, depthOf, fetchIds, shallowBoundary, type HistorySource } from './history.ts';
import { absentOf } from './objects.ts';

/** Merge queue refs contain unmerged commits, also from forks. */
const QUEUE = 'refs/heads/gh-readonly-queue/';

/** Seconds by which the clocks of commit authors may differ. */
const CLOCKS_DIFFER = 7 * 24 * 3600;

/**
 * Checks whether branches or tags contain a commit, because GitHub also serves every fork's commits
 * by id.
 */
export async function originsOf(
  source: HistorySource,
  tips: ReadonlyMap<string, string> | null,
  commits: readonly string[],
  base: string | null,
): Promise<Map<string, Origin>> {
  if (tips === null || 'none' in source.remote)
    return new Map(commits.map((commit) => [commit, 'unknown']));
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
  source: HistorySource,
  commit: string,
  tips: readonly string[],
): Promise<boolean | null> {
  const { remote, reader } = source;
  if (tips.includes(commit)) return true;
  if (tips.length === 0 || 'none' in remote) return false;
  const settings = [...source.place.settings, 'core.commitGraph=false'];
  const place = { ...source.place, settings };
  const missing = (): Promise<string[]> =>
    absentOf(tips, async (tip) => (await reader.readLocal(tip)) !== null);
  const lacking = await missing();
  const present = tips.filter((tip) => !lacking.includes(tip));
  if (await isAncestor(place, commit, present)) return true;
  if (lacking.length > 0) {
    await fetchIds(remote, await depthOf(source), lacking);
    if ((await missing()).length > 0) return null;
  }
  const [time = ''] = await gitLines(place, ['rev-list', '-1', '--timestamp', commit, '--']);
  const since = Number(time.split(' ')[0]) - CLOCKS_DIFFER;
  let state: 'found' | 'absent' | 'open' = 'open';
  const isSettled = async (): Promise<boolean> => {
    if (await isAncestor(place, commit, tips)) state = 'found';
    else if (!(await lacksRecentCommits(place, tips, since))) state = 'absent';
    return state !== 'open';
  };
  if (!(await isSettled())) await deepenUntil(place, remote, [[...tips]], isSettled);
  return state === 'open' ? null : state === 'found';
}

async function isAncestor(
  place: GitPlace,
  commit: string,
  tips: readonly string[],
): Promise<boolean> {
  const input = Buffer.from([commit, ...tips.map((tip) => `^${tip}`), ''].join('\n'));
  return (await git(place, ['rev-list', '--max-count=1', '--stdin'], { input })).length === 0;
}

async function lacksRecentCommits(
  place: GitPlace,
  tips: readonly string[],
  since: number,
): Promise<boolean> {
  const boundary = await shallowBoundary(place);
  if (boundary.size === 0) return false;
  const walk = ['rev-list', `--max-age=${since}`, '--stdin'];
  const recent = await gitLines(place, walk, { input: Buffer.from(`${tips.join('\n')}\n`) });
  return recent.some((commit) => boundary.has(commit));
}
