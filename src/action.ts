import { guardProcess } from './sandbox/index.ts';
import { keepHeapSmall } from './session/runtime.ts';
// Threads start from this file too and go no further than their part: the job is loaded below.
import './session/schema-thread.ts';
import './solver/thread.ts';

guardProcess();

// A log that nobody reads any more: saying so there would fail again, without end.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);

const { fail, runStep } = await import('./action/step.ts');

for (const event of ['uncaughtException', 'unhandledRejection'] as const)
  process.on(event, (error: unknown) => {
    process.exitCode = fail(error);
  });

keepHeapSmall();

async function step(): Promise<void> {
  const code = await runStep(process.env);
  if (code !== 0) process.exitCode = code;
}

const job = step();

/** The step, which begins with the import: tools that play the runner import this file and call it. */
export function run(): Promise<void> {
  return job;
}

await job;
