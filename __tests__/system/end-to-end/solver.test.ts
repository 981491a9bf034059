import { cpSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';
import { afterAll, describe, expect, jest, test } from '@jest/globals';
import { simplexModel } from '../../../src/solver/thread.ts';
import type { AssignmentAnswer, AssignmentProgram } from '../../../src/types/solver.ts';
import { removeTemporaryFolders, temporaryFolder } from '../../stand-ins/repository.ts';
import { ROOT } from './runner.ts';

jest.setTimeout(60_000);
afterAll(removeTemporaryFolders);

interface Instance {
  scores: number[][];
  lower: number[];
  upper: number[];
  objective: number;
}
const { instances } = JSON.parse(
  readFileSync(join(ROOT, 'fixtures/qualeval/lp-instances.json'), 'utf8'),
) as { instances: Instance[] };
const { scores, lower, upper, objective } = instances.at(-1)!;
const program: AssignmentProgram = {
  rows: scores.map((row) => ({ members: 1, scores: row })),
  perReference: 2,
  lower,
  upper,
};

/** `dist/` as a checkout of the action has it, and the command line's folder by itself. */
const whole = temporaryFolder('dist');
cpSync(join(ROOT, 'dist'), whole, { recursive: true });
const alone = temporaryFolder('cli');
cpSync(join(ROOT, 'dist/cli'), alone, { recursive: true });

const jobs = {
  'javascript-lp-solver': { solver: 'javascript-lp-solver', program, model: simplexModel(program) },
  highs: { solver: 'highs', program },
} as const;

/**
 * A thread as the product starts it: from the bundle's own entry, which says that it is ready and
 * then waits for a program.
 */
async function thread(entry: string): Promise<{ worker: Worker; printed: () => string }> {
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

function messageOf(worker: Worker): Promise<unknown> {
  return new Promise((resolve, reject) => {
    worker.once('message', resolve);
    worker.once('error', reject);
    worker.once('exit', (code) => {
      reject(new Error(`the thread ended with ${String(code)}`));
    });
  });
}

describe.each([
  ['the action', join(whole, 'action/index.js')],
  ['the command line', join(whole, 'cli/index.js')],
  ["the command line's folder alone", join(alone, 'index.js')],
])('the bundle of %s, far from its packages,', (_, entry) => {
  test.each(['javascript-lp-solver', 'highs'] as const)(
    'solves with %s to the known optimum, and nothing else of it runs in the thread',
    async (solver) => {
      const { worker, printed } = await thread(entry);
      worker.postMessage({ job: jobs[solver], seconds: 30 });
      const { answer } = (await messageOf(worker)) as { answer: AssignmentAnswer };
      await worker.terminate();
      expect(answer.status === 'solved' ? total(answer.counts) : answer).toBeCloseTo(objective, 6);
      expect(printed()).toBe('');
    },
  );
});

test("the action's folder holds nothing of HiGHS, which is there once", () => {
  expect(readdirSync(join(ROOT, 'dist/cli')).filter((name) => name.startsWith('highs'))).toEqual([
    'highs.LICENSE.txt',
    'highs.mjs',
    'highs.wasm',
  ]);
  expect(
    readdirSync(join(ROOT, 'dist/action')).filter(
      (name) => name.startsWith('highs') || name.endsWith('.wasm'),
    ),
  ).toEqual([]);
});

function total(counts: readonly (readonly number[])[]): number {
  return counts.reduce(
    (sum, row, i) => sum + row.reduce((own, count, j) => own + count * scores[i]![j]!, 0),
    0,
  );
}
