import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { ROOT, circles, loadedWith, readSources, type SourceFile } from './source-graph.ts';

/** The order that lint holds while one types. */
const { ROWS, EDGES, EDGES_MAY_IMPORT, MAY_IMPORT_EDGES } = (await import(
  join(ROOT, 'eslint.config.js')
)) as Record<'EDGES' | 'EDGES_MAY_IMPORT' | 'MAY_IMPORT_EDGES', string[]> & { ROWS: string[][] };

const src = readSources(['src']);
const everything = [...src, ...readSources(['__tests__', 'scripts', 'benchmarks'])];

/** The folder of `src` that a file lies in; of a file beside the folders its own name. */
const roomOf = (path: string): string => path.split('/')[1]?.replace(/\.ts$/, '') ?? '';
const folderOf = (path: string): string => path.slice(0, path.lastIndexOf('/'));
const row = (room: string): number => ROWS.findIndex((rooms) => rooms.includes(room));

interface Arrow {
  from: string;
  to: string;
}
const arrows = (files: readonly SourceFile[]): Arrow[] =>
  files.flatMap(({ path, imports }) => imports.map(({ path: to }) => ({ from: path, to })));
const shown = ({ from, to }: Arrow): string => `${from} → ${to}`;

/** Why a file may not import another one; null when it may. */
function fault({ from, to }: Arrow): string | null {
  const [above, below] = [roomOf(from), roomOf(to)];
  // The entries beside the folders stand above all of them.
  if (above === below || (row(above) === -1 && !EDGES.includes(above))) return null;
  if (EDGES.includes(above)) return EDGES_MAY_IMPORT.includes(below) ? null : 'an edge';
  if (EDGES.includes(below)) return MAY_IMPORT_EDGES.includes(above) ? null : 'into an edge';
  return row(below) > row(above) ? null : 'not downwards';
}

describe('the house', () => {
  test('is read as it stands: files, their names and their imports', () => {
    const outcome = src.find(({ path }) => path === 'src/result/result.ts');
    expect(src.length).toBeGreaterThan(250);
    expect(outcome?.declared).toEqual(expect.arrayContaining(['resultSchema', 'Result']));
    expect(outcome?.imports).toContainEqual({
      path: 'src/result/conversations.ts',
      names: ['evaluatorResultSchema', 'graderResultSchema'],
    });
  });

  test('has only rooms that the order of eslint.config.js knows', () => {
    const rooms = new Set(
      src
        .map(({ path }) => path.split('/'))
        .flatMap(([, room, file]) => (file === undefined ? [] : [room ?? ''])),
    );
    expect([...rooms].filter((room) => row(room) === -1 && !EDGES.includes(room))).toEqual([]);
  });

  test('is drawn in CONTRIBUTING.md row by row, with the same edges', () => {
    const page = readFileSync(join(ROOT, 'CONTRIBUTING.md'), 'utf8');
    const table = page.slice(page.indexOf('| folder '), page.indexOf('\n\nThe edges are'));
    const names = (text: string): string[] =>
      [...text.matchAll(/`(\w+)`/g)].map(([, name = '']) => name);
    const drawn = table.split('\n').slice(2);
    expect(drawn.map((line) => names(line.split('|')[1] ?? ''))).toEqual(ROWS);
    const edges = /The edges are (.*?)\. They import (.*?) and their own SDK/.exec(page);
    expect(names(edges?.[1] ?? '').filter((name) => name !== 'vendors')).toEqual(EDGES);
    expect(edges?.[2]?.split(', ')).toEqual(EDGES_MAY_IMPORT);
  });

  test('points down its rows, type imports included', () => {
    const wrong = arrows(src).flatMap((arrow) => {
      const why = fault(arrow);
      return why === null ? [] : [`${shown(arrow)} (${why})`];
    });
    expect(wrong).toEqual([]);
  });

  test.each<[string, string, boolean]>([
    ['src/plan/plan.ts', 'src/select/select.ts', true],
    ['src/plan/plan.ts', 'src/judge/gate.ts', false],
    ['src/judge/gate.ts', 'src/ask/score.ts', false],
    ['src/plan/plan.ts', 'src/store/index.ts', false],
    ['src/session/edges.ts', 'src/store/index.ts', true],
    ['src/store/index.ts', 'src/session/edges.ts', false],
    ['src/store/index.ts', 'src/git/tree.ts', false],
    ['src/cli.ts', 'src/commands/program.ts', true],
  ])('by that rule %s imports %s: %s', (from, to, may) => {
    expect(fault({ from, to }) === null).toBe(may);
  });

  test('has no circle of files, type imports counted', () => {
    expect(circles(src).map((way) => way.join(' → '))).toEqual([]);
  });

  test('would show a circle once, as the way around it', () => {
    const file = (path: string, ...to: string[]): SourceFile => ({
      path,
      declared: [],
      imports: to.map((name) => ({ path: name, names: null })),
      loads: to,
    });
    expect(circles([file('a', 'b', 'c'), file('b', 'c'), file('c', 'b'), file('d', 'a')])).toEqual([
      ['b', 'c', 'b'],
    ]);
  });

  test('begins a run without other commands, the reports and the formats of other tools', () => {
    const loaded = loadedWith('src/commands/plain.ts', src);
    expect(loaded).toEqual(expect.arrayContaining(['src/run/run.ts', 'src/git/repository.ts']));
    expect(
      loaded.filter((path) =>
        /^src\/(?:workbench|report\/page)\/|\/report\/(?:terminal|comment)\.ts$|\/result\/result\.ts$|\/imports\/(?:promptfoo|flexeval)\.ts$|\/commands\/(?:demo|dev|import|init)\.ts$/.test(
          path,
        ),
      ),
    ).toEqual([]);
    const program = src.find(({ path }) => path === 'src/commands/program.ts');
    expect(program?.loads.filter((path) => path.startsWith('src/commands/'))).toEqual([]);
  });

  test('has no two folders that import each other both ways', () => {
    const pairs = new Map(
      arrows(src)
        .map(({ from, to }) => ({ from: folderOf(from), to: folderOf(to) }))
        .filter(({ from, to }) => from !== to && from !== 'src' && to !== 'src')
        .map((arrow) => [shown(arrow), arrow]),
    );
    const both = [...pairs.values()].filter(({ from, to }) =>
      pairs.has(shown({ from: to, to: from })),
    );
    expect(both.map(shown)).toEqual([]);
  });

  test('declares no exported name in two files', () => {
    const files = new Map<string, string[]>();
    for (const { path, declared } of src)
      for (const name of new Set(declared)) files.set(name, [...(files.get(name) ?? []), path]);
    const twice = [...files].filter(([, paths]) => paths.length > 1).map(([name]) => name);
    expect(twice).toEqual([]);
  });

  test('exports nothing that no other file takes', () => {
    const taken = new Set<string>();
    const whole = new Set<string>();
    for (const { path, names } of everything.flatMap(({ imports }) => imports)) {
      if (names === null) whole.add(path);
      for (const name of names ?? []) taken.add(`${path} ${name}`);
    }
    const unused = src.flatMap(({ path, declared }) =>
      declared
        .filter((name) => !whole.has(path) && !taken.has(`${path} ${name}`))
        .map((name) => `${path} ${name}`),
    );
    expect(unused).toEqual([]);
  });

  test('writes apostrophes in one form, the straight one, whoever reads them', () => {
    const pages = readdirSync(join(ROOT, 'docs')).filter((name) => name.endsWith('.md'));
    const files = [
      ...everything.map(({ path }) => path),
      ...['README.md', 'CHANGELOG.md', 'action.yml'],
      ...pages.map((name) => join('docs', name)),
    ];
    const curly = files.filter((path) =>
      /[\p{L}\p{N}}`]’\p{L}/u.test(readFileSync(join(ROOT, path), 'utf8')),
    );
    expect(curly).toEqual([]);
  });
});
