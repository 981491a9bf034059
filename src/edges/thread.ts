import nodeModule from 'node:module';
import { setTimeout } from 'node:timers/promises';
import {
  Worker,
  isMainThread,
  parentPort,
  workerData,
  type MessagePort,
  type ResourceLimits,
} from 'node:worker_threads';
import { errorMessage } from '../errors.ts';

/**
 * Starts a thread for work that may never end. The thread gets no environment variables except
 * Node's compile cache. In a bundle, `url` is the bundle itself, so its entry point must import the
 * thread's file.
 */
export function startThread(
  url: string,
  role: string,
  resourceLimits: ResourceLimits,
  data: object = {},
): Worker {
  const worker = new Worker(new URL(url), {
    name: role,
    workerData: { role, ...data },
    argv: [],
    env: { NODE_COMPILE_CACHE: nodeModule.getCompileCacheDir() ?? '' },
    execArgv: [],
    stdin: false,
    stdout: true,
    stderr: true,
    resourceLimits,
  });
  worker.stdout.resume();
  worker.stderr.resume();
  return worker;
}

interface JobThread {
  url: string;
  role: string;
  memoryMb: number;
  startMs: number;
  sleep?(ms: number, signal: AbortSignal): Promise<void>;
}

type Silence = { ended: 'unstarted' | 'timeout' | 'gone'; why: string };

/** Starts a thread that does one job at a time. A job without an answer ends the thread. */
export async function startJobThread<Job, Answer>({
  url,
  role,
  memoryMb,
  startMs,
  sleep = (ms, signal) => setTimeout(ms, undefined, { signal }),
}: JobThread) {
  const worker = startThread(url, role, { maxOldGenerationSizeMb: memoryMb });
  let receive: ((heard: { message: unknown } | Silence) => void) | null = null;
  const next = (ms: number, late: string): Promise<{ message: unknown } | Silence> =>
    new Promise((resolve) => {
      const over = new AbortController();
      receive = (heard) => {
        over.abort();
        receive = null;
        resolve(heard);
      };
      const expire = (): void => {
        if (!over.signal.aborted) receive?.({ ended: 'timeout', why: late });
      };
      sleep(ms, over.signal).then(expire, expire);
    });
  worker.on('message', (message: unknown) => receive?.({ message }));
  worker.on('error', (error: unknown) => {
    const [reason = ''] = errorMessage(error).split('\n', 1);
    receive?.({ ended: 'gone', why: `failed: ${reason}` });
  });
  worker.on('exit', () => receive?.({ ended: 'gone', why: 'ended without an answer' }));
  const ready = await next(startMs, `did not start within ${startMs / 1000} s`);
  return {
    async run(job: Job, ms: number): Promise<{ answer: Answer } | Silence> {
      if ('message' in ready) worker.postMessage(job);
      const heard =
        'message' in ready
          ? await next(ms, `did not finish within ${ms / 1000} s and was stopped`)
          : ({ ...ready, ended: 'unstarted' } as const);
      if ('message' in heard) return { answer: heard.message as Answer };
      await worker.terminate();
      return heard;
    },
    async end(): Promise<void> {
      await worker.terminate();
    },
  };
}

/**
 * Does nothing outside of a thread with this role. Inside one, it never returns, so that the rest
 * of the bundle does not run again.
 */
export async function serveThread<Data>(
  role: string,
  serve: (port: MessagePort, data: Data) => unknown,
): Promise<void> {
  const started = workerData as { role?: unknown } | null;
  if (isMainThread || parentPort === null || started?.role !== role) return;
  await serve(parentPort, started as Data);
  parentPort.postMessage({ kind: 'ready' });
  await new Promise<never>(() => undefined);
}
