/**
 * The thread in which users' JavaScript runs, both ends of it: `javascriptStarter` for the main
 * thread, and what the thread does. It is started from this very file, which in a bundle is the
 * whole bundle: there this module is the only one that goes on, because it never finishes loading in
 * the thread, and so the entry that waits for it never runs a second time.
 */
import nodeModule from 'node:module';
import {
  Worker,
  isMainThread,
  parentPort,
  type MessagePort,
  workerData,
} from 'node:worker_threads';
import type { QuickJSWASMModule } from 'quickjs-emscripten-core';
import { errorMessage } from '../errors.ts';
import { limits, type Link, type StartLink, type ThreadAnswer } from './link.ts';
import { prepareCode, loadEngine, type PreparedCode } from './quickjs-engine.ts';
import { oneLine } from './reply.ts';

interface Job {
  place: string;
  code: string;
  outputs: string[];
}

type ToThread = ({ kind: 'job' } & Job) | { kind: 'run'; id: string; variables: string };

type FromThread = { kind: 'ready' } | { kind: 'answer'; answer: ThreadAnswer };

interface ThreadSettings {
  timeoutSeconds: number;
  /** Milliseconds since 1970 at which the clock of code stands. */
  time: number;
  /** An engine of its own for each evaluation. */
  alone: boolean;
}

const role = 'evaldiff-quickjs';

/** Starts QuickJS in threads that can be ended from outside whatever the engine is doing. */
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
      const say = (message: ToThread): void => thread.postMessage(message);
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
      // The engine's library complains on stderr when it gives up; the answer says so already.
      thread.stdout.resume();
      thread.stderr.resume();
      thread.on('message', (message: FromThread) => {
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

/** A thread without environment, arguments and streams of its own. Its first message is `ready`. */
function startThread(settings: ThreadSettings): Worker {
  return new Worker(new URL(import.meta.url), {
    name: role,
    workerData: { role, ...settings },
    argv: [],
    // It starts from what Node keeps compiled, where it keeps anything; else without environment.
    env: { NODE_COMPILE_CACHE: nodeModule.getCompileCacheDir() ?? '' },
    execArgv: [],
    stdin: false,
    stdout: true,
    stderr: true,
    // QuickJS counts its own stack, and this leaves it room, so that too deep a recursion is an
    // error of the code.
    resourceLimits: { stackSizeMb: 32, maxOldGenerationSizeMb: 256 },
  });
}

async function serve(
  port: MessagePort,
  { timeoutSeconds, time, alone }: ThreadSettings,
): Promise<never> {
  const newModule = await loadEngine();
  let module: QuickJSWASMModule | null = null;
  let job: Job = { place: '', code: '', outputs: [] };
  let prepared: PreparedCode | null = null;
  let last = Promise.resolve();
  port.on('message', (message: ToThread) => {
    last = last.then(async () => {
      if (message.kind === 'job') {
        if (!isSame(message, job)) prepared = module = null;
        job = message;
        return;
      }
      // Each code and place has an engine of its own, so that they share nothing, not even memory.
      module ??= await newModule();
      prepared ??= prepareCode(module, job, { timeoutSeconds, time });
      port.postMessage({
        kind: 'answer',
        answer: prepared.evaluate(message.id, message.variables),
      } satisfies FromThread);
      if (alone) {
        endQuietly(prepared);
        prepared = null;
      }
    });
  });
  port.postMessage({ kind: 'ready' } satisfies FromThread);
  return new Promise<never>(() => undefined);
}

/** An engine that user code has spoilt so far that it cannot be ended is left with its thread. */
function endQuietly(prepared: PreparedCode): void {
  try {
    prepared.end();
  } catch {
    // The answer it gave is on its way; one that spoilt it is `spent`, and the thread ends.
  }
}

function isSame(left: Job, right: Job): boolean {
  return (
    left.place === right.place &&
    left.code === right.code &&
    left.outputs.join() === right.outputs.join()
  );
}

const started: unknown = workerData;

if (
  !isMainThread &&
  parentPort !== null &&
  typeof started === 'object' &&
  started !== null &&
  'role' in started &&
  started.role === role &&
  'timeoutSeconds' in started &&
  'time' in started &&
  'alone' in started
) {
  await serve(parentPort, {
    timeoutSeconds: Number(started.timeoutSeconds),
    time: Number(started.time),
    alone: started.alone === true,
  });
}
