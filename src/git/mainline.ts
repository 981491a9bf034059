import { git, gitLine, runGit } from './command.ts';
import type { GitPlace } from './command.ts';
import { isObjectId } from './objects.ts';

/**
 * The states that a branch has had: its tip, and from each commit on the first parent, as `git
 * rev-list --first-parent` has them.
 */
export interface Mainline {
  /** The branch as a person names it. */
  name: string;
  /** By full id: how many commits lie above it, and when it was committed (ISO, UTC). */
  commits: ReadonlyMap<string, { behind: number; at: string }>;
  /** The clone was made without older history, so older states may be missing. */
  shallow: boolean;
  /**
   * Which of these ids reached the branch, but only as part of a merge. Texts that are no commit
   * ids are none of them.
   */
  merged(ids: readonly string[]): Promise<ReadonlySet<string>>;
}

/**
 * Where the default branch is looked for when nobody names one; the first that exists. No remote is
 * asked.
 */
const DEFAULTS = [
  'refs/remotes/origin/HEAD',
  'refs/heads/main',
  'refs/remotes/origin/main',
  'refs/heads/master',
  'refs/remotes/origin/master',
  'HEAD',
];

/**
 * Name and tip of the default branch as this clone knows it, or of `preferred` where that exists;
 * null in a repository without commits.
 */
export async function defaultBranch(
  place: GitPlace,
  preferred: string | null = null,
): Promise<{ name: string; tip: string } | null> {
  for (const ref of [...(preferred === null ? [] : [preferred]), ...DEFAULTS]) {
    const { code, output } = await runGit(place, [
      'rev-parse',
      '--verify',
      '--quiet',
      '--end-of-options',
      `${ref}^{commit}`,
    ]);
    const tip = output.toString('latin1').trim();
    if (code === 0 && isObjectId(tip))
      return { name: await gitLine(place, ['rev-parse', '--abbrev-ref', ref]), tip };
  }
  return null;
}

/** The branch whose last state is `tip`, a full commit id that this clone has. */
export async function mainlineOf(place: GitPlace, name: string, tip: string): Promise<Mainline> {
  const rows = (await git(place, ['rev-list', '--first-parent', '--timestamp', tip, '--']))
    .toString('latin1')
    .split('\n')
    .filter((row) => row !== '');
  const commits = new Map(
    rows.map((row, behind) => {
      const [seconds, id = ''] = row.split(' ');
      return [id, { behind, at: new Date(Number(seconds) * 1000).toISOString() }];
    }),
  );
  return {
    name,
    commits,
    shallow: (await gitLine(place, ['rev-parse', '--is-shallow-repository'])) === 'true',
    async merged(ids) {
      const asked = ids.filter((id) => isObjectId(id) && !commits.has(id));
      if (asked.length === 0) return new Set();
      const reachable = new Set(
        (await git(place, ['rev-list', tip, '--'])).toString('latin1').split('\n'),
      );
      return new Set(asked.filter((id) => reachable.has(id)));
    },
  };
}
