// The thread starts from this file; in a bundle this module then never finishes loading, so the
// entry does not run again.
import nodeModule from 'node:module';
import {
  Worker,
  isMainThread,
  parentPort,
  type MessagePort,
  workerData,
} from 'node:worker_threads';
import type { QuickJSWASMModule } from 'quickjs-emscripten-core';
import { errorMessage } from '../../errors.ts';
import { limits, type Link, type StartLink, type ThreadAnswer } from './link.ts';
import { prepareCode, loadEngine, type PreparedCode } from './quickjs-engine.ts';
import { oneLine } from './reply.ts';

interface GuestJob {
  place: string;
  code: string;
  outputs: string[];
}

type ToEngine = ({ kind: 'job' } & GuestJob) | { kind: 'run'; id: string; variables: string };

type FromEngine = { kind: 'ready' } | { kind: 'answer'; answer: ThreadAnswer };

interface ThreadSettings {
  timeoutSeconds: number;
  time: number;
  alone: boolean;
}

const engineRole = 'evaldiff-quickjs';

export function javascriptStarter(settings: ThreadSettings): StartLink {
  return (listener) =>
    new Promise((resolve) => {
      const thread = startThread(settings);
      const refuse = (message: string): void =>
        resolve({ status: 'refused', message: `The JavaScript engine did not start: ${message}` });
      const deadline = setTimeout(() => {
        refuse(`no word from it within ${limits.start / 1000} s`);
        void thread.terminate();
      }, limits.start);
      let ready = false;
      const say = (message: ToEngine): void => thread.postMessage(message);
      const link: Link = {
        begin: (job) => say({ kind: 'job', ...job }),
        send: (id, variables) => say({ kind: 'run', id, variables }),
        kill: () => {
          void thread.terminate();
        },
        close: async () => {
          await thread.terminate();
        },
      };
      // QuickJS logs to stderr when it aborts; the answer already reports that.
      thread.stdout.resume();
      thread.stderr.resume();
      thread.on('message', (message: FromEngine) => {
        clearTimeout(deadline);
        if (message.kind === 'answer') return listener.answer(message.answer);
        ready = true;
        resolve({ status: 'started', link });
      });
      const end = (why: string): void => {
        clearTimeout(deadline);
        if (ready) listener.ended('exit');
        else refuse(why);
      };
      thread.once('error', (error: unknown) => end(oneLine(errorMessage(error))));
      thread.once('exit', () => end('it ended'));
    });
}

/** A thread without environment, arguments and streams. Its first message is `ready`. */
function startThread(settings: ThreadSettings): Worker {
  return new Worker(new URL(import.meta.url), {
    name: engineRole,
    workerData: { role: engineRole, ...settings },
    argv: [],
    // Uses Node's compile cache if there is one.
    env: { NODE_COMPILE_CACHE: nodeModule.getCompileCacheDir() ?? '' },
    execArgv: [],
    stdin: false,
    stdout: true,
    stderr: true,
    // Leaves room for QuickJS's own stack limit, so that deep recursion is an error of the code.
    resourceLimits: { stackSizeMb: 32, maxOldGenerationSizeMb: 256 },
  });
}

async function serveEngine(
  port: MessagePort,
  { timeoutSeconds, time, alone }: ThreadSettings,
): Promise<never> {
  const newModule = await loadEngine();
  let module: QuickJSWASMModule | null = null;
  let job: GuestJob = { place: '', code: '', outputs: [] };
  let prepared: PreparedCode | null = null;
  let last = Promise.resolve();
  port.on('message', (message: ToEngine) => {
    last = last.then(async () => {
      if (message.kind === 'job') {
        if (!isSameJob(message, job)) prepared = module = null;
        job = message;
        return;
      }
      // A separate engine per code and place: they share no memory.
      module ??= await newModule();
      prepared ??= prepareCode(module, job, { timeoutSeconds, time });
      port.postMessage({
        kind: 'answer',
        answer: prepared.evaluate(message.id, message.variables),
      } satisfies FromEngine);
      if (alone) {
        endQuietly(prepared);
        prepared = null;
      }
    });
  });
  port.postMessage({ kind: 'ready' } satisfies FromEngine);
  return new Promise<never>(() => undefined);
}

/** An engine too broken to be freed is left to its thread. */
function endQuietly(prepared: PreparedCode): void {
  try {
    prepared.end();
  } catch {
    // Its answer was sent; a broken engine is `spent`, which ends the thread.
  }
}

function isSameJob(left: GuestJob, right: GuestJob): boolean {
  return (
    left.place === right.place &&
    left.code === right.code &&
    left.outputs.join() === right.outputs.join()
  );
}

const engineWorkerData: unknown = workerData;

if (
  !isMainThread &&
  parentPort !== null &&
  typeof engineWorkerData === 'object' &&
  engineWorkerData !== null &&
  'role' in engineWorkerData &&
  engineWorkerData.role === engineRole &&
  'timeoutSeconds' in engineWorkerData &&
  'time' in engineWorkerData &&
  'alone' in engineWorkerData
) {
  await serveEngine(parentPort, {
    timeoutSeconds: Number(engineWorkerData.timeoutSeconds),
    time: Number(engineWorkerData.time),
    alone: engineWorkerData.alone === true,
  });
}
