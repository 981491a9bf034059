/**
 * Runs before `npm pack`. Writes the packed commit to dist/commit.txt, for `evaldiff --version`, and
 * the repository on GitHub that has it, for `evaldiff init`. Writes nothing outside a clone or if
 * dist/ differs from the commit's.
 */
import { execFileSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { STAMP, buildOf } from '../src/app/session/installation.ts';

const root = process.argv[2] ?? fileURLToPath(new URL('..', import.meta.url));
const stamp = join(root, STAMP);

rmSync(stamp, { force: true });
const build = buildOf(root);
if (build === null)
  process.stderr.write('This is not a clone with git, so the package does not name a commit.\n');
else if (changesOfDist() !== '')
  process.stderr.write('dist/ has changes, so the package does not name a commit.\n');
else writeFileSync(stamp, `${[build.commit, build.repository ?? []].flat().join('\n')}\n`);

function changesOfDist(): string {
  const place = ['--git-dir', join(root, '.git'), '--work-tree', root];
  return execFileSync('git', [...place, 'status', '--porcelain', '--', 'dist'], {
    cwd: root,
    encoding: 'utf8',
  }).trim();
}
