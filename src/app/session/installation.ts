import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { InternalError } from '../../errors.ts';
import { VERSION } from './runtime.ts';

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

export function versionLine(root: string): string {
  // Without `--git-dir`, git would find the repository around an installed package.
  const ask = ['--git-dir', join(root, '.git'), 'rev-parse', '--verify', 'HEAD'];
  const clone = spawnSync('git', ask, { encoding: 'utf8' });
  const stamp = join(root, 'dist', 'commit.txt');
  const packed = existsSync(stamp) ? readFileSync(stamp, 'utf8') : '';
  const commit = (clone.status === 0 ? clone.stdout : packed).trim();
  return commit === '' ? VERSION : `${VERSION} (commit ${commit})`;
}
