import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { ROOT, namesDeclared, readSources } from './source-graph.ts';

/*
 * Limits on what someone must read to change a part. Make room before adding lines; raise a limit
 * only with a reason in the commit.
 */

const src = readSources(['src']);
const imported = new Map(src.map(({ path, imports }) => [path, imports.map((each) => each.path)]));
const tracked = (folder: string): string[] =>
  execFileSync('git', ['ls-files', '-z', '--', folder], { cwd: ROOT, encoding: 'utf8' })
    .split('\0')
    .filter((path) => /\.(?:ts|js|css|py)$/.test(path));
const textOf = (path: string): string => readFileSync(join(ROOT, path), 'utf8');
const linesIn = (paths: readonly string[]): number =>
  paths.reduce((sum, path) => sum + textOf(path).split('\n').length - 1, 0);

/** A file and everything that it imports, directly or not, including types. */
function closure(start: string): string[] {
  const seen = new Set([start]);
  for (const path of seen) for (const other of imported.get(path) ?? []) seen.add(other);
  return [...seen];
}

test.each<[string, () => number, number]>([
  ['src', () => linesIn(tracked('src')), 107_970],
  ['the tests', () => linesIn(tracked('__tests__')), 93_130],
  ['the kernel', () => linesIn(tracked('src/kernel')), 10_830],
  ['the gate with its imports', () => linesIn(closure('src/kernel/judge/gate.ts')), 3_215],
  ['the run with its imports', () => linesIn(closure('src/app/run/run.ts')), 15_250],
])('%s stays within its budget of lines', (_, lines, most) => {
  expect(lines()).toBeLessThanOrEqual(most);
});

test('src has few lines over 110 columns', () => {
  const long = tracked('src').flatMap((path) =>
    textOf(path)
      .split('\n')
      .filter((line) => line.length > 110),
  );
  expect(long.length).toBeLessThanOrEqual(60);
});

test('src has few top-level names that are declared in several files', () => {
  const files = new Map<string, number>();
  for (const { path } of src)
    for (const name of namesDeclared(path)) files.set(name, (files.get(name) ?? 0) + 1);
  const several = [...files].filter(([, count]) => count > 1).map(([name]) => name);
  expect(several.length).toBeLessThanOrEqual(150);
});
