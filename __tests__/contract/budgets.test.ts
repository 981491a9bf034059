import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { sizesBelow, totalTokens } from '../../scripts/size.ts';
import { ROOT, namesDeclared, readSources } from './source-graph.ts';

/*
 * Limits on what someone must read to change a part. Make room before adding code. Only the owner
 * of the project raises a limit.
 */

const src = readSources(['src']);
const imported = new Map(src.map(({ path, imports }) => [path, imports.map((each) => each.path)]));
const tracked = (folder: string) =>
  execFileSync('git', ['ls-files', '-z', '--', folder], { cwd: ROOT, encoding: 'utf8' })
    .split('\0')
    .filter((path) => /\.(?:tsx?|js|css|py)$/.test(path));
const textOf = (path: string) => readFileSync(join(ROOT, path), 'utf8');

/** A file and everything that it imports, directly or not, including types. */
function closure(start: string) {
  const seen = new Set([start]);
  for (const path of seen) for (const other of imported.get(path) ?? []) seen.add(other);
  return seen;
}

/** The most tokens of `src` and `__tests__`, today and after each milestone. */
const MILESTONES = [
  { after: 'one transcript, one reader of verdicts, one ledger', src: 861_000, tests: 872_000 },
  { after: 'agents and the card are true', src: 861_000, tests: 855_000 },
  { after: 'one mechanism for each job', src: 740_000, tests: 765_000 },
  { after: 'one viewer', src: 720_000, tests: 755_000 },
  { after: 'clouds, any CI, switching, coverage, site', src: 755_000, tests: 775_000 },
];

const { src: mostSource = 0, tests: mostTests = 0 } = MILESTONES[0] ?? {};

const sizes = sizesBelow('src');
const sizeOf = (paths: ReadonlySet<string>) =>
  totalTokens(sizes.filter(({ path }) => paths.has(path)));

test.each([
  ['src', () => totalTokens(sizes), mostSource],
  ['the tests', () => totalTokens(sizesBelow('__tests__')), mostTests],
  ['the kernel', () => sizeOf(new Set(tracked('src/kernel'))), 86_000],
  ['the gate with its imports', () => sizeOf(closure('src/kernel/judge/gate.ts')), 26_000],
  ['the run with its imports', () => sizeOf(closure('src/app/run/run.ts')), 122_000],
])('the size of %s stays within its budget of tokens', (_, tokens, most) => {
  expect(tokens()).toBeLessThanOrEqual(most);
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
