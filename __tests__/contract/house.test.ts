import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { filePathsBelow } from '../../scripts/entries-below.ts';
import { ROOT, circles, loadedWith, readSources, type SourceFile } from './source-graph.ts';

/** Import rules shared with the lint configuration. */
const { ROWS, ROOMS, EDGES, EDGES_MAY_IMPORT, importFault } = (await import(
  join(ROOT, 'scripts/rooms.js')
)) as Record<'ROOMS' | 'EDGES' | 'EDGES_MAY_IMPORT', string[]> & {
  ROWS: string[][];
  importFault(from: string, to: string): string | null;
};

const src = readSources(['src']);
const everything = [...src, ...readSources(['__tests__', 'scripts', 'benchmarks'])];

const folderOf = (path: string) => path.slice(0, path.lastIndexOf('/'));
const roomOf = (path: string) =>
  ROOMS.find((room) => path === `src/${room}.ts` || path.startsWith(`src/${room}/`));

interface Arrow {
  from: string;
  to: string;
}
const arrows = (files: readonly SourceFile[]): Arrow[] =>
  files.flatMap(({ path, imports }) => imports.map(({ path: to }) => ({ from: path, to })));
const shown = ({ from, to }: Arrow) => `${from} → ${to}`;

describe('the source code', () => {
  test('is parsed into files, declared names and imports', () => {
    const outcome = src.find(({ path }) => path === 'src/kernel/result/result.ts');
    expect(src.length).toBeGreaterThan(250);
    expect(outcome?.declared).toEqual(expect.arrayContaining(['resultSchema', 'Result']));
    expect(outcome?.imports).toContainEqual({
      path: 'src/kernel/result/feature-parts.ts',
      names: ['FeatureParts', 'OwnKeys'],
    });
  });

  test('consists of exactly the entry points and folders that the import rules list', () => {
    const homeless = src.filter(({ path }) => roomOf(path) === undefined).map(({ path }) => path);
    expect(homeless).toEqual(['src/action.ts', 'src/cli.ts', 'src/features.ts', 'src/jobs.ts']);
    expect(ROOMS.filter((room) => src.every(({ path }) => roomOf(path) !== room))).toEqual([]);
  });

  test('has the layers, and the folders in src/edges, that CONTRIBUTING.md shows', () => {
    const page = readFileSync(join(ROOT, 'CONTRIBUTING.md'), 'utf8');
    const table = page.slice(page.indexOf('| folder in `src`'), page.indexOf('\n\nThe edges are'));
    const names = (text: string) =>
      [...text.matchAll(/`([\w/*-]+)`/g)].map(([, name = '']) => name);
    const drawn = table.split('\n').slice(2);
    const [, ...below] = ROWS;
    expect(drawn.map((line) => names(line.split('|')[1] ?? ''))).toEqual([
      ['features/*'],
      ...below,
    ]);
    const edges = /The edges are (.*?)\. They import (.*?) and their own SDK/.exec(page);
    expect(names(edges?.[1] ?? '').filter((name) => name !== 'vendors')).toEqual(EDGES);
    expect(names(edges?.[2] ?? '')).toEqual(EDGES_MAY_IMPORT);
  });

  test('imports only from lower layers, even types', () => {
    const wrong = arrows(src).flatMap((arrow) => {
      const why = importFault(arrow.from, arrow.to);
      return why === null ? [] : [`${shown(arrow)}: ${why}`];
    });
    expect(wrong).toEqual([]);
  });

  test.each([
    ['src/money/plan.ts', 'src/kernel/select/select.ts', true],
    ['src/money/plan.ts', 'src/kernel/judge/gate.ts', false],
    ['src/kernel/judge/gate.ts', 'src/kernel/ask/score.ts', false],
    ['src/money/plan.ts', 'src/edges/store/index.ts', false],
    ['src/app/session/edges.ts', 'src/edges/store/index.ts', true],
    ['src/edges/store/index.ts', 'src/app/session/edges.ts', false],
    ['src/edges/store/index.ts', 'src/edges/git/tree.ts', false],
    ['src/cli.ts', 'src/app/commands/program.ts', true],
    ['src/report/html.ts', 'node:fs', false],
    ['src/report/viewer-files.ts', 'node:fs', true],
    ['src/viewer/row.tsx', 'src/report/sections/phrases.ts', true],
    ['src/viewer/row.tsx', 'src/report/comment.ts', false],
    ['src/viewer/row.tsx', 'src/project/settings.ts', false],
  ])('in %s may import %s: %s', (from, to, may) => {
    expect(importFault(from, to) === null).toBe(may);
  });

  test('has no import cycles, even through types', () => {
    expect(circles(src).map((way) => way.join(' → '))).toEqual([]);
  });

  test('with an import cycle is reported once, with the path of the cycle', () => {
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

  test("starts a run without loading other commands, unused reports, or readers of other tools' formats", () => {
    const loaded = ['src/app/commands/plain.ts', 'src/features.ts'].flatMap((path) =>
      loadedWith(path, src),
    );
    expect(loaded).toEqual(
      expect.arrayContaining(['src/app/run/run.ts', 'src/edges/git/repository.ts']),
    );
    expect(
      loaded.filter((path) =>
        /^src\/features\/(?:imports|workbench)\/(?!(?:index|formats|flexeval\/is-flexeval)\.ts)|^src\/report\/(?:html|viewer-files)\.ts$|\/report\/(?:terminal|comment)\.ts$|\/kernel\/result\/result\.ts$|\/(?:app|features)\/.*(?:demo|dev|import|init|command)\.ts$/.test(
          path,
        ),
      ),
    ).toEqual([]);
    const program = src.find(({ path }) => path === 'src/app/commands/program.ts');
    expect(program?.loads.filter((path) => path.startsWith('src/app/commands/'))).toEqual([]);
  });

  test('has no two folders that import each other', () => {
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

  test('exports nothing that no other file imports', () => {
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

  test('renders answers only through report/answers', () => {
    const surfaces =
      /^src\/(report|wording|app\/commands|app\/action|features\/(workbench|causes|attributes|graders|history|noise))\//;
    const rendering = /^src\/report\/(answers\/|sections\/answers\.ts)/;
    const knowing = src
      .filter(({ path }) => surfaces.test(path) && !rendering.test(path))
      .filter(({ path }) =>
        /'tool_call'|types\/answer\.ts/.test(readFileSync(join(ROOT, path), 'utf8')),
      );
    expect(knowing.map(({ path }) => path)).toEqual([]);
  });

  test('creates parent folders with makeFolders, because the recursive mkdir of Node hangs below /proc', () => {
    const recursive = src.filter(({ path }) =>
      /\bmkdir(?:Sync)?\([^;]*recursive: true/.test(readFileSync(join(ROOT, path), 'utf8')),
    );
    // Folders that evaldiff made itself, in the temporary folder.
    expect(recursive.map(({ path }) => path)).toEqual([
      'src/app/action/publish.ts',
      'src/edges/git/checkout.ts',
      'src/edges/git/store.ts',
      'src/features/agents/workspace/layers.ts',
      'src/features/agents/workspace/walls.ts',
    ]);
  });

  test('starts other programs only where it must: none reads what an agent or an outsider wrote', () => {
    const start =
      /(?<![.\w])(?:spawn|spawnSync|exec|execFile|execFileSync|execSync|fork|runTool)\(|promisify\(execFile\)|os\.(?:fork|system|exec\w*|posix_spawn\w*)\(|subprocess\.\w+\(/g;
    const found = filePathsBelow(join(ROOT, 'src')).map((path) => {
      const text = readFileSync(join(ROOT, 'src', path), 'utf8');
      return [path, /\.(?:ts|js|py)$/.test(path) ? [...text.matchAll(start)].length : 0] as const;
    });
    const starts = Object.fromEntries(found.filter(([, count]) => count > 0));
    expect(starts).toEqual({
      // The example of evaldiff itself, in a folder that it made.
      'app/commands/demo.ts': 2,
      // The browser, with a page that evaldiff made.
      'app/commands/view.ts': 1,
      // git, in evaldiff's own folder, which is not a repository of the user.
      'app/session/installation.ts': 1,
      // git, which never runs in a user's folder.
      'edges/git/command.ts': 1,
      // The user's program, only with `code: host`; and taskkill, which ends it on Windows.
      'edges/providers/program-child.ts': 2,
      // A prompt function of promptfoo, in such a program.
      'edges/providers/promptfoo-adapter.py': 1,
      // The sandbox of metric code, and its own worker.
      'edges/sandbox/python.ts': 1,
      'edges/sandbox/worker.py': 4,
      // chmod, which does not follow links.
      'features/agents/workspace/changes.ts': 1,
      // chown, du, rm and chmod, which do not follow links.
      'features/agents/workspace/folders.ts': 8,
      // Inside the namespaces: the mounts, and the command of the run.
      'features/agents/workspace/inside.js': 2,
      // mknod, and in new namespaces: mount and find.
      'features/agents/workspace/layers.ts': 2,
      // The words of the loader, which starts the run's command.
      'features/agents/workspace/filter.ts': 1,
      // cp, which does not follow links.
      'features/agents/workspace/open.ts': 1,
      // The sandbox.
      'features/agents/workspace/walls.ts': 1,
    });
  });

  test('uses straight apostrophes everywhere', () => {
    const pages = readdirSync(join(ROOT, 'docs')).filter((name) => name.endsWith('.md'));
    const files = [
      ...everything.map(({ path }) => path),
      'README.md',
      'CHANGELOG.md',
      'action.yml',
      ...pages.map((name) => join('docs', name)),
    ];
    const curly = files.filter((path) =>
      /[\p{L}\p{N}}`]’\p{L}/u.test(readFileSync(join(ROOT, path), 'utf8')),
    );
    expect(curly).toEqual([]);
  });
});
