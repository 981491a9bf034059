/**
 * Runs before `npm pack`. Writes the packed commit to dist/commit.txt, for `evaldiff --version`.
 * Writes nothing outside a clone or if dist/ differs from the commit's.
 */
import { execFileSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = process.argv[2] ?? fileURLToPath(new URL('..', import.meta.url));
const stamp = join(root, 'dist', 'commit.txt');

function git(...command: string[]): string {
  return execFileSync('git', ['--git-dir', join(root, '.git'), '--work-tree', root, ...command], {
    cwd: root,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  }).trim();
}

rmSync(stamp, { force: true });
try {
  if (git('status', '--porcelain', '--', 'dist') === '')
    writeFileSync(stamp, `${git('rev-parse', '--verify', 'HEAD')}\n`);
  else process.stderr.write('dist/ has changes, so the package does not name a commit.\n');
} catch {
  process.stderr.write('This is not a clone with git, so the package does not name a commit.\n');
}
