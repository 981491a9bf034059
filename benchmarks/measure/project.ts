import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

export type Files = Readonly<Record<string, string>>;

/** A repository of its own in the temporary folder, with one commit on `main`. */
export function createProject(files: Files): string {
  const folder = mkdtempSync(join(tmpdir(), 'evaldiff-bench-'));
  writeFiles(folder, files);
  git(folder, 'init', '--quiet', '--initial-branch', 'main');
  commit(folder);
  return folder;
}

export function writeFiles(folder: string, files: Files): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
}

export function commit(folder: string): void {
  git(folder, 'add', '--all');
  git(
    folder,
    '-c',
    'user.name=bench',
    '-c',
    'user.email=bench@example.invalid',
    'commit',
    '--quiet',
    '--allow-empty',
    '--message',
    'files',
  );
}

export function git(folder: string, ...args: string[]): void {
  execFileSync('git', args, { cwd: folder, stdio: 'ignore' });
}

export function removeProject(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
}
