/**
 * The thread in which solvers run, both ends of it. A solver may run for ever and never looks up; a
 * thread can be ended from outside. It is started from this very file, which in a bundle is the
 * whole bundle: there this module never finishes loading, and so the entry that waits for it does
 * not run a second time.
 */
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import type { MessagePort } from 'node:worker_threads';
import type { AssignmentAnswer, AssignmentProgram } from '../types.ts';
import { solveWithHighs } from './highs.ts';
import { simplexCounts, type SimplexModel } from './simplex-model.ts';

export type Job =
  | { solver: 'javascript-lp-solver'; program: AssignmentProgram; model: SimplexModel }
  | { solver: 'highs'; program: AssignmentProgram };

/** Milliseconds a thread may take: to start, and then to solve. */
export interface Patience {
  start: number;
  solve: number;
}

interface ToThread {
  job: Job;
  seconds: number;
}
type FromThread = { kind: 'ready' } | { kind: 'answer'; answer: AssignmentAnswer };

const role = 'evaldiff-solver';
/** Far above what 250 references need, and below what a runner has. */
const MEMORY_MB = 1024;

/**
 * Solves in a thread of its own, and ends the thread before it answers, whatever the thread is
 * doing.
 */
export async function solveInThread(job: Job, patience: Patience): Promise<AssignmentAnswer> {
  const worker = new Worker(new URL(import.meta.url), {
    name: role,
    workerData: { role },
    argv: [],
    env: {},
    execArgv: [],
    stdin: false,
    stdout: true,
    stderr: true,
    resourceLimits: { maxOldGenerationSizeMb: MEMORY_MB },
  });
  worker.stdout.resume();
  worker.stderr.resume();
  const answer = await new Promise<AssignmentAnswer>((resolve) => {
    const give = (reason: string): void => resolve({ status: 'failed', reason });
    let timer = setTimeout(
      () => give(`did not start within ${patience.start / 1000} s`),
      patience.start,
    );
    const settle = (given: AssignmentAnswer): void => {
      clearTimeout(timer);
      resolve(given);
    };
    worker.on('message', (message: FromThread) => {
      if (message.kind === 'answer') return settle(message.answer);
      worker.postMessage({ job, seconds: patience.solve / 1000 } satisfies ToThread);
      clearTimeout(timer);
      timer = setTimeout(
        () => give(`did not end within ${patience.solve / 1000} s and was stopped`),
        patience.solve,
      );
    });
    worker.once('error', (error: unknown) =>
      settle({ status: 'failed', reason: `failed: ${firstLine(error)}` }),
    );
    worker.once('exit', () => settle({ status: 'failed', reason: 'ended without an answer' }));
  });
  await worker.terminate();
  return answer;
}

function serve(port: MessagePort): Promise<never> {
  // Listening also keeps the thread from ending by itself, which is told as a fault on stderr.
  port.on('message', (message: ToThread) => {
    void answerTo(message).then((answer) =>
      port.postMessage({ kind: 'answer', answer } satisfies FromThread),
    );
  });
  port.postMessage({ kind: 'ready' } satisfies FromThread);
  return new Promise<never>(() => undefined);
}

async function answerTo({ job, seconds }: ToThread): Promise<AssignmentAnswer> {
  try {
    return job.solver === 'highs'
      ? await solveWithHighs(job.program, seconds)
      : await solveWithSimplex(job.program, job.model);
  } catch (error) {
    return { status: 'failed', reason: `failed: ${firstLine(error)}` };
  }
}

async function solveWithSimplex(
  program: AssignmentProgram,
  model: SimplexModel,
): Promise<AssignmentAnswer> {
  const { default: solver } = await import('javascript-lp-solver');
  const solution: unknown = solver.Solve(model);
  if (
    typeof solution !== 'object' ||
    solution === null ||
    !('feasible' in solution) ||
    solution.feasible !== true
  ) {
    return { status: 'failed', reason: 'found no solution' };
  }
  return { status: 'solved', counts: simplexCounts({ ...solution }, program) };
}

function firstLine(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).split('\n', 1)[0] ?? '';
}

const started: unknown = workerData;
if (
  !isMainThread &&
  parentPort !== null &&
  typeof started === 'object' &&
  started !== null &&
  'role' in started &&
  started.role === role
) {
  await serve(parentPort);
}
