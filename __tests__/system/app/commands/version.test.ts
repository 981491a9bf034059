import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { versionLine } from '../../../../src/app/session/installation.ts';
import { VERSION } from '../../../../src/app/session/runtime.ts';
import { commandIn } from '../../../stand-ins/command-line.ts';
import { createRepository, temporaryFolder, writeFiles } from '../../../stand-ins/repository.ts';

const PACKAGE = fileURLToPath(new URL('../../../..', import.meta.url));
const STAMPED = '0123456789abcdef0123456789abcdef01234567';
const stampedFiles = { 'dist/commit.txt': `${STAMPED}\n` };

function cloneOf(files: Record<string, string>) {
  const repository = createRepository();
  return { repository, commit: repository.commit('First', files) };
}

describe('the version line', () => {
  test('names the commit of the clone that it runs in', () => {
    const { repository, commit } = cloneOf({ 'action.yml': '' });
    expect(versionLine(repository.directory)).toBe(`${VERSION} (commit ${commit})`);
  });

  test('names the commit of a worktree, whose .git is a file', () => {
    const { repository, commit } = cloneOf({ 'action.yml': '' });
    const worktree = join(temporaryFolder('trees'), 'other');
    repository.git('worktree', 'add', '--quiet', worktree);
    repository.commit('Second', { 'action.yml': 'name: x' });
    expect(versionLine(worktree)).toBe(`${VERSION} (commit ${commit})`);
  });

  test("names the clone's commit, not the one in a file left by an earlier npm pack", () => {
    const { repository, commit } = cloneOf({ 'action.yml': '' });
    repository.write(stampedFiles);
    expect(versionLine(repository.directory)).toBe(`${VERSION} (commit ${commit})`);
  });

  test.each([
    ['names the packed commit', stampedFiles, `${VERSION} (commit ${STAMPED})`],
    ['is the version alone where no commit is known', { 'action.yml': '' }, VERSION],
  ])('of a package installed inside another repository %s', (_name, files, line) => {
    const { repository } = cloneOf({ 'package.json': '{}' });
    const installed = join(repository.directory, 'node_modules', 'evaldiff');
    writeFiles(installed, files);
    expect(versionLine(installed)).toBe(line);
  });

  test.each(['--version', '-V'])('is printed by evaldiff %s', async (option) => {
    const { code, out, err } = await commandIn(temporaryFolder(), [option]);
    expect([code, out, err]).toEqual([0, `${versionLine(PACKAGE)}\n`, '']);
  });
});

describe('the commit in a packed package', () => {
  const stamp = (folder: string) => {
    execFileSync(process.execPath, [join(PACKAGE, 'scripts/stamp-commit.ts'), folder], {
      stdio: 'ignore',
    });
    const path = join(folder, 'dist', 'commit.txt');
    return existsSync(path) ? readFileSync(path, 'utf8') : null;
  };
  const files = { '.gitignore': 'dist/commit.txt\n', 'dist/index.js': 'a' };

  test('is the commit of the packed dist/, even after other changes', () => {
    const { repository, commit } = cloneOf(files);
    repository.write({ ...stampedFiles, 'package.json': '{}' });
    expect(stamp(repository.directory)).toBe(`${commit}\n`);
  });

  test.each([
    ['has a change', { 'dist/index.js': 'b' }],
    ['has another file', { 'dist/new.js': 'b' }],
    ['lacks a file', { 'dist/index.js': null }],
  ])('is missing if dist/ %s', (_name, change) => {
    const { repository } = cloneOf(files);
    repository.write({ ...stampedFiles, ...change });
    expect(stamp(repository.directory)).toBeNull();
  });

  test('is not the commit of another repository around exported sources', () => {
    const { repository } = cloneOf(files);
    const folder = join(repository.directory, 'vendor');
    writeFiles(folder, files);
    expect(stamp(folder)).toBeNull();
  });
});
