import type { Origin } from '../../types/repository.ts';
import { git, gitLines, type GitPlace } from './command.ts';
import { isShallow, type GitSource } from './history.ts';
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
