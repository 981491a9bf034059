import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import ts from 'typescript';
import { placeHighs } from '../../scripts/place-highs.ts';

const root = new URL('../../', import.meta.url).pathname;
const run = promisify(execFile);

/** An entry as the product has them, with the other module that starts threads from the bundle beside the solvers. */
const entry = `
import { createSandbox } from './sandbox/index.js';
import { createSolver } from './solver/index.js';
console.log('the entry runs');
const solve = createSolver();
const program = { rows: [{ members: 2, scores: [5, 1, 3] }, { members: 1, scores: [1, 5, 5] }], perReference: 2, lower: [1, 1, 1], upper: [3, 3, 3] };
for (const solver of ['javascript-lp-solver', 'highs']) console.log(solver, JSON.stringify(await solve(program, solver)));
const sandbox = createSandbox({ mode: 'sandbox', env: {}, timeoutSeconds: 5, log: console.log });
const [result] = await sandbox.evaluate({ side: 'head', language: 'javascript', code: 'metric = a', outputs: ['metric'], inputs: [{ a: 2 }] });
console.log('sandbox', JSON.stringify(result));
await sandbox.close();
`;

describe('a bundle made by ncc', () => {
  let folder = '';

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'evaldiff-bundle-'));
    await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
    await writeFile(join(folder, 'package.json'), '{"type":"module"}');
    for (const part of ['solver', 'sandbox', 'text']) {
      await mkdir(join(folder, 'lib', part), { recursive: true });
      for (const name of await readdir(join(root, 'src', part))) {
        if (name.endsWith('.ts')) await writeFile(join(folder, 'lib', part, name.replace(/ts$/, 'js')), await javascriptOf(join(root, 'src', part, name)));
      }
    }
    await writeFile(join(folder, 'lib/entry.js'), entry);
    await run(process.execPath, [join(root, 'node_modules/@vercel/ncc/dist/ncc/cli.js'), 'build', 'lib/entry.js', '-o', 'out', '--minify'], { cwd: folder });
    placeHighs(join(folder, 'out'));
  }, 120_000);

  afterAll(async () => { await rm(folder, { recursive: true, force: true }); });

  test('solves with both solvers from a folder without node_modules, and its entry runs only once', async () => {
    const elsewhere = await mkdtemp(join(tmpdir(), 'evaldiff-elsewhere-'));
    await cp(join(folder, 'out'), join(elsewhere, 'dist'), { recursive: true });
    const { stdout } = await run(process.execPath, [join(elsewhere, 'dist/index.js')], { cwd: elsewhere });
    await rm(elsewhere, { recursive: true, force: true });
    const solved = JSON.stringify({ status: 'solved', counts: [[2, 0, 2], [0, 1, 1]] });
    expect(stdout.trim().split('\n')).toEqual([
      'the entry runs', `javascript-lp-solver ${solved}`, `highs ${solved}`, `sandbox ${JSON.stringify({ status: 'ok', values: { metric: 2 } })}`,
    ]);
  }, 60_000);

  test('holds HiGHS once', async () => {
    const names = await readdir(join(folder, 'out'));
    expect(names.filter((name) => name.endsWith('.wasm'))).toEqual(['highs.wasm']);
    const holding = await Promise.all(names.map(async (name) => (await readFile(join(folder, 'out', name), 'latin1')).includes('Highs_run')));
    expect(names.filter((_, index) => holding[index])).toEqual(['highs.mjs']);
  });
});

async function javascriptOf(path: string): Promise<string> {
  return ts.transpileModule(await readFile(path, 'utf8'), {
    compilerOptions: {
      target: ts.ScriptTarget.ES2024, module: ts.ModuleKind.ESNext, verbatimModuleSyntax: true, rewriteRelativeImportExtensions: true,
    },
  }).outputText;
}
