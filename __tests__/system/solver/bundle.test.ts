import { execFile } from 'node:child_process';
import { cp, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { placeHighs } from '../../../scripts/place-highs.ts';
import { bundle, type Bundle } from '../../stand-ins/bundle.ts';

const root = new URL('../../../', import.meta.url).pathname;
const run = promisify(execFile);

/**
 * An entry as the product has them, with the other module that starts threads from the bundle
 * beside the solvers.
 */
const entry = `
import { readFileSync } from 'node:fs';
import { assign } from './explain/assign.js';
import { createSandbox } from './sandbox/index.js';
import { createSolver } from './solver/index.js';

console.log('the entry runs');
const program = { rows: [{ members: 2, scores: [5, 1, 3] }, { members: 1, scores: [1, 5, 5] }], perReference: 2, lower: [1, 1, 1], upper: [3, 3, 3] };
const columns = (count) => Array.from({ length: count }, (_, i) => ({ id: 'a' + i, prior: 1 / count }));
const references = (count, each) => Array.from({ length: count }, (_, i) => ({ id: 'r' + i, affinities: Array.from({ length: each }, (_, j) => 1 + (i * 7 + j * 11 + i * j * 3 + (i >> 3) * j) % 5) }));
const assigned = async (count, each, solve) => {
  const result = await assign(references(count, each), columns(each), { slack: 0.1 }, { solve, hash: (text) => text });
  console.log(result.status, result.left.join(), new Set([...result.attributes.values()].map((ids) => ids.length)).size, result.attributes.size);
};
const scenes = {
  async both() {
    for (const solver of ['javascript-lp-solver', 'highs']) console.log(solver, JSON.stringify(await createSolver()(program, solver)));
  },
  async sandbox() {
    const sandbox = createSandbox({ mode: 'sandbox', env: {}, timeoutSeconds: 5, log: console.log });
    const [result] = await sandbox.evaluate({ suite: 'p', side: 'head', language: 'javascript', code: 'metric = a', outputs: ['metric'], inputs: [{ a: 2 }] });
    console.log('sandbox', JSON.stringify(result));
    await sandbox.close();
  },
  large: () => assigned(2000, 15, createSolver()),
  async endless() {
    const endless = JSON.parse(readFileSync(process.env.ENDLESS, 'utf8'));
    await assigned(12, 3, createSolver({ simplex: 500, modelOf: () => endless }));
  },
};
for (const scene of process.argv.slice(2)) await scenes[scene]();
`;

describe('a bundle made by ncc', () => {
  let built: Bundle;
  /** A folder that nothing can be found from but what is put there. */
  let elsewhere = '';

  beforeAll(async () => {
    built = await bundle(entry);
    elsewhere = await mkdtemp(join(tmpdir(), 'evaldiff-elsewhere-'));
    // As scripts/build.ts lays dist/ out, and then the folder of the command line by itself, and
    // without HiGHS.
    await cp(built.folder, join(elsewhere, 'dist/action'), { recursive: true });
    await cp(built.folder, join(elsewhere, 'dist/cli'), { recursive: true });
    placeHighs(join(elsewhere, 'dist/cli'));
    await cp(join(elsewhere, 'dist/cli'), join(elsewhere, 'tools/evaldiff'), { recursive: true });
    await cp(built.folder, join(elsewhere, 'lacking/evaldiff'), { recursive: true });
  }, 120_000);

  afterAll(async () => {
    await built.remove();
    await rm(elsewhere, { recursive: true, force: true });
  });

  /**
   * The lines that a bundle prints before it ends by itself, which a thread that is left over would
   * prevent.
   */
  async function play(bundle: string, ...scenes: string[]): Promise<string[]> {
    const env = {
      PATH: process.env['PATH'],
      ENDLESS: join(root, 'fixtures/qualeval/endless-simplex.json'),
    };
    const { stdout } = await run(
      process.execPath,
      [join(elsewhere, bundle, 'index.js'), ...scenes],
      { cwd: elsewhere, env, timeout: 50_000 },
    );
    return stdout.trim().split('\n');
  }
  const solved = JSON.stringify({
    status: 'solved',
    counts: [
      [2, 0, 2],
      [0, 1, 1],
    ],
  });

  test.each(['dist/cli', 'dist/action', 'tools/evaldiff'])(
    'solves with both solvers from %s of a folder without packages, and its entry runs only once',
    async (bundle) => {
      expect(await play(bundle, 'both', 'sandbox')).toEqual([
        'the entry runs',
        `javascript-lp-solver ${solved}`,
        `highs ${solved}`,
        `sandbox ${JSON.stringify({ status: 'ok', values: { metric: 2 } })}`,
      ]);
    },
    60_000,
  );

  test('gives 2,000 references two of 15 attributes each', async () => {
    expect(await play('dist/action', 'large')).toEqual(['the entry runs', 'assigned  1 2000']);
  }, 60_000);

  test('stops a solver that does not end, and HiGHS answers in its place', async () => {
    expect(await play('dist/action', 'endless')).toEqual([
      'the entry runs',
      'assigned javascript-lp-solver did not end within 0.5 s and was stopped 1 12',
    ]);
  }, 60_000);

  test('looks for HiGHS only when it is asked, and says so where it is not there', async () => {
    const [, simplex, highs] = await play('lacking/evaldiff', 'both');
    expect(simplex).toBe(`javascript-lp-solver ${solved}`);
    expect(highs).toMatch(
      /^highs \{"status":"failed","reason":"failed: Cannot find package 'highs'/,
    );
  }, 60_000);

  test('holds nothing of HiGHS, which lies beside the command line as its package has it', async () => {
    const holding = async (at: string): Promise<string[]> => {
      const names = await readdir(join(elsewhere, at));
      const texts = await Promise.all(
        names.map((name) => readFile(join(elsewhere, at, name), 'latin1')),
      );
      return names.filter(
        (name, index) => name.endsWith('.wasm') || texts[index]!.includes('Highs_run'),
      );
    };
    expect(await holding('dist/action')).toEqual([]);
    expect(await holding('dist/cli')).toEqual(['highs.mjs', 'highs.wasm']);
    for (const name of ['highs.mjs', 'highs.wasm']) {
      expect(
        (await readFile(join(elsewhere, 'dist/cli', name))).equals(
          await readFile(join(root, 'node_modules/highs/build', name)),
        ),
      ).toBe(true);
    }
  });
});
