import { guardProcess } from './edges/sandbox/index.ts';
// Threads start from this file too and go no further than their part: the job is loaded below.
import './app/session/schema-thread.ts';
import './edges/solver/thread.ts';

guardProcess();

// A write to a closed log fails; reporting that to the same log would fail again, without end.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);

const { failStep, runStep } = await import('./app/action/step.ts');
const { FEATURES } = await import('./features.ts');
const { JOBS } = await import('./jobs.ts');

// What fails while nothing waits for it ends the step as any other failure does.
const crash = Promise.withResolvers<never>();
crash.promise.catch(() => undefined);
let isRunning = true;
for (const event of ['uncaughtException', 'unhandledRejection'] as const)
  process.on(event, (error: unknown) => {
    process.exitCode = isRunning ? 1 : failStep(error);
    crash.reject(error);
    // Saves what was paid for and stops further calls.
    process.emit('SIGTERM', 'SIGTERM');
  });

const given = { crashed: crash.promise, features: FEATURES, jobs: JOBS };
const stepExitCode = await runStep(process.env, given);
isRunning = false;
if (stepExitCode !== 0) process.exitCode = stepExitCode;

/** Tools that simulate the runner import this file and call what it exports. */
const nothingLeft = (): Promise<void> => Promise.resolve();

export { nothingLeft as run };
