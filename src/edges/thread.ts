import nodeModule from 'node:module';
import {
  Worker,
  isMainThread,
  parentPort,
  workerData,
  type MessagePort,
  type ResourceLimits,
} from 'node:worker_threads';

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
