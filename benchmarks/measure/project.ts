import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

export type Files = Readonly<Record<string, string>>;

/** A new repository in the temporary folder, with one commit on `main`. */
export function createProject(files: Files): string {
  const folder = mkdtempSync(join(tmpdir(), 'evaldiff-bench-'));
  writeFiles(folder, files);
  git(folder, 'init', '--quiet', '--initial-branch', 'main');
  git(folder, 'add', '--all');
  const who = ['-c', 'user.name=bench', '-c', 'user.email=bench@example.invalid'];
  git(folder, ...who, 'commit', '--quiet', '--message', 'files');
  return folder;
}

export function writeFiles(folder: string, files: Files): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
}

/**
 * Creates a branch from `main` with only these files, in one git process and without a checkout.
 */
export function branchOff(folder: string, branch: string, files: Files): void {
  const data = (text: string): string => `data ${String(Buffer.byteLength(text))}\n${text}\n`;
  const stream = [
    `commit refs/heads/${branch}\ncommitter bench <bench@example.invalid> now\n${data('files')}`,
    'from refs/heads/main^0\ndeleteall\n',
    ...Object.entries(files).map(([path, text]) => `M 100644 inline ${path}\n${data(text)}`),
  ];
  execFileSync('git', ['fast-import', '--quiet', '--date-format=now'], {
    cwd: folder,
    input: stream.join(''),
  });
}

function git(folder: string, ...args: string[]): void {
  execFileSync('git', args, { cwd: folder, stdio: 'ignore' });
}

export function removeProject(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
}
