import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const made = new Map<string, string>();

/** The `.git` of a new repository, created once per worker. Copy it; do not use it directly. */
export function emptyRepository(branch: string, format: 'sha1' | 'sha256'): string {
  const known = made.get(`${format} ${branch}`);
  if (known !== undefined) return known;
  const directory = mkdtempSync(join(tmpdir(), 'evaldiff-empty-'));
  process.once('exit', () => {
    rmSync(directory, { recursive: true, force: true });
  });
  const options = [`--initial-branch=${branch}`, `--object-format=${format}`];
  execFileSync('git', ['init', '--quiet', '--template=', ...options, directory], {
    env: { PATH: process.env['PATH'], GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' },
  });
  made.set(`${format} ${branch}`, join(directory, '.git'));
  return join(directory, '.git');
}
