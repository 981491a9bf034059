import { guardProcess } from './edges/sandbox/index.ts';
// Node also runs this file as a worker thread. A thread never gets past these imports, so it does
// not load the job.
import './edges/solver/thread.ts';

guardProcess();

// A write to a closed log fails, and reporting that failure to the log would fail again, forever.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);

const { failStep, runStep } = await import('./app/action/step.ts');
const { FEATURES } = await import('./features.ts');
const { JOBS } = await import('./jobs.ts');

// A rejected promise that no code awaits must end the step, too.
const crash = Promise.withResolvers<never>();
crash.promise.catch(() => undefined);
let isRunning = true;
for (const event of ['uncaughtException', 'unhandledRejection'] as const)
  process.on(event, (error: unknown) => {
    process.exitCode = isRunning ? 1 : failStep(error);
    crash.reject(error);
    // On this signal, the run saves paid answers and stops further calls.
    process.emit('SIGTERM', 'SIGTERM');
  });

const given = { crashed: crash.promise, features: FEATURES, jobs: JOBS };
const stepExitCode = await runStep(process.env, given);
isRunning = false;
if (stepExitCode !== 0) process.exitCode = stepExitCode;

/** Tools that simulate the runner import this file and call `run`. */
const nothingLeft = (): Promise<void> => Promise.resolve();

export { nothingLeft as run };
