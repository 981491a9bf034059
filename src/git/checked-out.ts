import { gitLine, runGit } from './command.ts';
import type { GitPlace } from './command.ts';
import { isObjectId } from './objects.ts';

/**
 * The commit that is checked out and its parents, full ids; empty in a repository without commits.
 * Parents are read from the commit itself: a shallow clone's own commands do not know them.
 */
export async function checkedOut(place: GitPlace): Promise<string[]> {
  const { code, output } = await runGit(place, [
    'rev-parse',
    '--verify',
    '--quiet',
    '--end-of-options',
    'HEAD^{commit}',
  ]);
  const head = output.toString('latin1').trim();
  if (code !== 0 || !isObjectId(head)) return [];
  const [header = ''] = (await gitLine(place, ['cat-file', 'commit', head])).split('\n\n', 1);
  const parents = header
    .split('\n')
    .flatMap((line) => (line.startsWith('parent ') ? [line.slice('parent '.length)] : []));
  return [head, ...parents.filter((id) => isObjectId(id))];
}
