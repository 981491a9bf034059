import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';
import { compileAtOnce } from '../../../scripts/compile-at-once.ts';
import { simplexModel } from '../../../src/edges/solver/thread.ts';
import type { Result } from '../../../src/kernel/result/result.ts';
import type { AssignmentAnswer, AssignmentProgram } from '../../../src/types/solver.ts';
import { createRepository, temporaryFolder } from '../../stand-ins/repository.ts';
import { LP_INSTANCES } from '../../unit/features/attributes/lp-instances.ts';
import { obedient, quiz } from './projects.ts';
import { bareEnvironment, ROOT, start } from './runner.ts';
import { MODEL_KEY, modelServer, commandEnvironment } from './stage.ts';

const { scores, lower, upper, objective } = LP_INSTANCES.at(-1)!;
const program: AssignmentProgram = {
  rows: scores.map((row) => ({ members: 1, scores: row })),
  perReference: 2,
  columns: lower.map((least, column) => ({ least, most: upper[column]! })),
};

/** `dist/` as in a checkout of the action, and only the folder of the command line. */
const whole = temporaryFolder('dist');
cpSync(join(ROOT, 'dist'), whole, { recursive: true });
const alone = temporaryFolder('cli');
cpSync(join(ROOT, 'dist/cli'), alone, { recursive: true });
/** The same folder without HiGHS. */
const lacking = temporaryFolder('lacking');
cpSync(alone, lacking, { recursive: true });
rmSync(join(lacking, 'highs.mjs'));

const jobs = {
  'javascript-lp-solver': { solver: 'javascript-lp-solver', program, model: simplexModel(program) },
  highs: { solver: 'highs', program, seconds: 600 },
} as const;

/**
 * Starts a solver thread from the bundle's own entry, as the product does. The thread reports that
 * it is ready and then waits for a program.
 */
async function thread(entry: string) {
  const worker = new Worker(pathToFileURL(entry), {
    workerData: { role: 'evaldiff-solver' },
    argv: [],
    env: {},
    execArgv: [],
    stdout: true,
    stderr: true,
  });
  let text = '';
  for (const stream of [worker.stdout, worker.stderr])
    stream.on('data', (chunk: Buffer) => {
      text += chunk.toString();
    });
  const first = await messageOf(worker);
  expect(first).toEqual({ kind: 'ready' });
  return { worker, printed: () => text };
}

function messageOf(worker: Worker) {
  return new Promise((resolve, reject) => {
    worker.once('message', resolve);
    worker.once('error', reject);
    worker.once('exit', (code) => {
      reject(new Error(`the thread ended with ${code}`));
    });
  });
}

describe.each([
  ['the action', join(whole, 'action/index.js')],
  ['the command line', join(whole, 'cli/index.js')],
  ["the command line's folder alone", join(alone, 'index.js')],
])('the bundle of %s, copied away from its packages,', (_, entry) => {
  test.each(['javascript-lp-solver', 'highs'] as const)(
    'solves a linear program with %s to its known optimum, and its worker thread prints nothing',
    async (solver) => {
      const { worker, printed } = await thread(entry);
      worker.postMessage(jobs[solver]);
      const answer = (await messageOf(worker)) as AssignmentAnswer;
      await worker.terminate();
      expect(answer.status === 'solved' ? total(answer.counts) : answer).toBeCloseTo(objective, 6);
      expect(printed()).toBe('');
    },
  );
});

test('a bundle without the solver HiGHS uses javascript-lp-solver, and looks for HiGHS only when needed', async () => {
  const entry = join(lacking, 'index.js');
  const simplex = await thread(entry);
  simplex.worker.postMessage(jobs['javascript-lp-solver']);
  expect(await messageOf(simplex.worker)).toMatchObject({ status: 'solved' });
  await simplex.worker.terminate();
  const { worker } = await thread(entry);
  worker.postMessage(jobs.highs);
  await expect(messageOf(worker)).rejects.toThrow("Cannot find package 'highs'");
});

/** Metrics in both languages. They run in the sandboxes that the bundle contains. */
const METRICS = `n_tries: 1
metrics:
  - { name: in python, code: "metric = len(actual)\\nresult = actual == expected" }
  - { name: in javascript, language: javascript, code: "metric = actual.length; result = actual === expected" }`;

test('the command-line bundle, copied away from its packages, runs Python and JavaScript metrics', async () => {
  const models = await modelServer({ answer: obedient, key: MODEL_KEY });
  const repository = createRepository();
  repository.commit('Base', quiz({ questions: 1, metrics: METRICS }));
  const env = commandEnvironment(models);
  const run = await start(join(alone, 'index.js'), ['run', '--json'], env, repository.directory);
  const [suite] = (JSON.parse(run.stdout) as Result).suites;
  expect(
    suite?.references[0]?.head?.tries[0]?.scores.map(({ metric, status, value }) => [
      metric,
      status,
      value,
    ]),
  ).toEqual([
    ['in python', 'pass', 8],
    ['in javascript', 'pass', 8],
  ]);
});

test('both bundles contain the files of the sandbox exactly as in the source', () => {
  for (const bundle of ['action', 'cli'])
    for (const name of ['worker.py', 'globals.js', 'guest.js'])
      expect(readFileSync(join(ROOT, 'dist', bundle, name), 'utf8')).toBe(
        readFileSync(join(ROOT, 'src/edges/sandbox', name), 'utf8'),
      );
});

test("the action's bundle does not contain HiGHS (a solver), and the CLI's bundle has an unchanged copy", () => {
  expect(readdirSync(join(ROOT, 'dist/cli')).filter((name) => name.startsWith('highs'))).toEqual([
    'highs.LICENSE.txt',
    'highs.mjs',
    'highs.wasm',
  ]);
  for (const name of ['highs.mjs', 'highs.wasm'])
    expect(
      readFileSync(join(ROOT, 'dist/cli', name)).equals(
        readFileSync(join(ROOT, 'node_modules/highs/build', name)),
      ),
    ).toBe(true);
  expect(
    readdirSync(join(ROOT, 'dist/action')).filter(
      (name) => name.startsWith('highs') || name.endsWith('.wasm'),
    ),
  ).toEqual([]);
});

function total(counts: readonly (readonly number[])[]) {
  return counts.reduce(
    (sum, row, i) => sum + row.reduce((own, count, j) => own + count * scores[i]![j]!, 0),
    0,
  );
}

test("a tool that simulates the runner can import the action's bundle and call its run function", async () => {
  const output = join(temporaryFolder('outputs'), 'output');
  writeFileSync(output, '');
  const player = join(temporaryFolder('player'), 'player.mjs');
  writeFileSync(
    player,
    'const { run } = await import(process.argv[2]); await run(); console.log("ran", process.exitCode);',
  );
  const { code, stdout } = await start(
    player,
    [pathToFileURL(join(whole, 'action/index.js')).href],
    { ...bareEnvironment(), GITHUB_OUTPUT: output },
    whole,
  );
  // Without an event, the step reports that once.
  expect([code, stdout.trimEnd().split('\n').at(-1)]).toEqual([1, 'ran 1']);
  expect(readFileSync(output, 'utf8').match(/^conclusion<</gm)).toHaveLength(1);
});

test('the build only adds parentheses around functions, so that Node compiles them all at startup', () => {
  const bundle =
    'var t={12:t=>{t.exports=[1,2].map((e)=>({5:t=>e}))},345:function(t){t.exports=this},' +
    '6:(e,t,n)=>{n.a(e,async(e,r)=>{try{r()}catch(e){r(e)}})},7:other};';
  expect(compileAtOnce(bundle)).toBe(
    'var t={12:(t=>{t.exports=[1,2].map((e)=>({5:t=>e}))}),345:(function(t){t.exports=this}),' +
      '6:((e,t,n)=>{n.a(e,(async(e,r)=>{try{r()}catch(e){r(e)}}))}),7:other};',
  );
});
