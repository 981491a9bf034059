import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { InternalError } from '../../errors.ts';
import { isRepository, type CopyOrigin } from './origin.ts';
import { VERSION } from './runtime.ts';

/** A line each for `commit` and `repository` of a `Build`. */
export const STAMP = join('dist', 'commit.txt');

/** The folder that contains action.yml, whether the code runs from dist/ or src/. */
export function packageRoot(): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, 'action.yml'))) {
    if (dirname(folder) === folder)
      throw new InternalError(
        'this file is not in the package evaldiff: no folder above it contains action.yml',
      );
    folder = dirname(folder);
  }
  return folder;
}

/** The commit of a copy of evaldiff, and its repository on GitHub if that has the commit. */
interface Build {
  commit: string;
  /** `OWNER/REPO` */
  repository: string | null;
}

const GITHUB_REMOTE =
  /^(?:https:\/\/(?:[^@/]*@)?|ssh:\/\/git@|git@)github\.com[/:](.+?)(?:\.git)?\/?$/i;

/** Null if neither the clone nor the file that `npm pack` adds names a commit. */
export function buildOf(root: string): Build | null {
  const git = (...command: string[]) => {
    // Without `--git-dir`, git would find the repository around an installed package.
    const args = ['--git-dir', join(root, '.git'), ...command];
    const { status, stdout } = spawnSync('git', args, { encoding: 'utf8' });
    return status === 0 ? stdout.trim() : '';
  };
  const head = git('rev-parse', '--verify', 'HEAD');
  if (head !== '') {
    const isPushed =
      git('for-each-ref', '--count=1', '--contains', head, 'refs/remotes/origin') !== '';
    const address = isPushed ? git('remote', 'get-url', 'origin') : '';
    const name = GITHUB_REMOTE.exec(address)?.[1] ?? '';
    return { commit: head, repository: isRepository(name) ? name : null };
  }
  const stamp = join(root, STAMP);
  const [commit = '', repository = ''] = existsSync(stamp)
    ? readFileSync(stamp, 'utf8').split('\n')
    : [];
  return commit === '' ? null : { commit, repository: repository === '' ? null : repository };
}

/** Null if this copy of evaldiff does not know a repository on GitHub that has its commit. */
export function ownOrigin(): CopyOrigin | null {
  const { commit: ref = '', repository = null } = buildOf(packageRoot()) ?? {};
  return repository === null ? null : { repository, ref };
}

export function versionLine(root: string): string {
  const build = buildOf(root);
  return build === null ? VERSION : `${VERSION} (commit ${build.commit})`;
}
