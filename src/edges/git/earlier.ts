import { DAY_MS } from '../../text/amounts.ts';
import { gitLine, gitLines } from './command.ts';
import { resolveRevision, type Names } from './revision.ts';

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
  const numbers = (tag: string): string => {
    const [, major = '', minor = '', patch = '0'] = VERSION.exec(tag) ?? [];
    return `${major}.${minor}.${patch}`;
  };
  return numbers(b).localeCompare(numbers(a), 'en', { numeric: true });
}
