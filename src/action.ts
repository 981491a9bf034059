import { guardProcess } from './sandbox/index.ts';
// Threads start from this file too and go no further than their part: the job is loaded below.
import './session/schema-thread.ts';
import './solver/thread.ts';

guardProcess();

// A write to a closed log fails; reporting that to the same log would fail again, without end.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);

const { fail, runStep } = await import('./action/step.ts');

for (const event of ['uncaughtException', 'unhandledRejection'] as const)
  process.on(event, (error: unknown) => {
    process.exitCode = fail(error);
  });

const code = await runStep(process.env);
if (code !== 0) process.exitCode = code;

/** Tools that play the runner import this file, which is the step, and call what it exports. */
const nothingLeft = (): Promise<void> => Promise.resolve();

export { nothingLeft as run };
