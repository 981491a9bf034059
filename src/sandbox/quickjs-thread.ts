/**
 * The thread in which users' JavaScript runs, both ends of it: `startThread` for the main thread,
 * and what the thread does. It is started from this very file, which in a bundle is the whole
 * bundle: there this module is the only one that goes on, because it never finishes loading in the
 * thread, and so the entry that waits for it never runs a second time.
 */
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import type { MessagePort } from 'node:worker_threads';
import type { QuickJSSyncVariant } from 'quickjs-emscripten-core';
import { limits } from './limits.ts';
import type { Answer } from './link.ts';
import { createEvaluation } from './quickjs-engine.ts';
import type { Evaluation } from './quickjs-engine.ts';

export type ToThread =
  { kind: 'job'; code: string; outputs: string[] } | { kind: 'run'; id: string; variables: string };
export type FromThread = { kind: 'ready' } | { kind: 'answer'; answer: Answer };

const role = 'evaldiff-quickjs';

/** A thread without environment, arguments and streams of its own. Its first message is `ready`. */
export function startThread(timeoutSeconds: number): Worker {
  return new Worker(new URL(import.meta.url), {
    name: role,
    workerData: { role, timeoutSeconds },
    argv: [],
    env: {},
    execArgv: [],
    stdin: false,
    stdout: true,
    stderr: true,
    // QuickJS counts its own stack, and this leaves it room, so that too deep a recursion is an
    // error of the code.
    resourceLimits: { stackSizeMb: 32, maxOldGenerationSizeMb: 256 },
  });
}

/**
 * The engine by its parts: in the package's main module, which holds the same, each byte of the
 * engine is written as four.
 */
const engine: QuickJSSyncVariant = {
  type: 'sync',
  importFFI: async () => (await import('@jitl/quickjs-singlefile-cjs-release-sync/ffi')).QuickJSFFI,
  importModuleLoader: async () =>
    (await import('@jitl/quickjs-singlefile-cjs-release-sync/emscripten-module')).default,
};

interface Job {
  code: string;
  outputs: string[];
}

async function serve(port: MessagePort, timeoutSeconds: number): Promise<never> {
  capMemory();
  const { newQuickJSWASMModuleFromVariant } = await import('quickjs-emscripten-core');
  let job: Job = { code: '', outputs: [] };
  let evaluate: Evaluation | null = null;
  let last = Promise.resolve();
  port.on('message', (message: ToThread) => {
    last = last.then(async () => {
      if (message.kind === 'job') {
        if (!isSame(message, job)) evaluate = null;
        job = message;
        return;
      }
      // An engine of its own for each code: one code's objects and mishaps are never another's.
      evaluate ??= createEvaluation(
        await newQuickJSWASMModuleFromVariant(engine),
        job,
        timeoutSeconds * 1000,
      );
      port.postMessage({
        kind: 'answer',
        answer: evaluate(message.id, message.variables),
      } satisfies FromThread);
    });
  });
  port.postMessage({ kind: 'ready' } satisfies FromThread);
  return new Promise<never>(() => undefined);
}

function isSame(one: Job, other: Job): boolean {
  return one.code === other.code && one.outputs.join() === other.outputs.join();
}

interface Memory {
  readonly buffer: ArrayBufferLike;
  grow(pages: number): number;
}

/**
 * The engine's memory grows by this call alone; what it is refused, it reports to the code as an
 * error.
 */
function capMemory(): void {
  // Node's own declarations do not have it.
  const { prototype } = (
    globalThis as unknown as { WebAssembly: { Memory: { prototype: Memory } } }
  ).WebAssembly.Memory;
  const { grow } = prototype;
  prototype.grow = function cappedGrow(this: Memory, pages: number): number {
    if (this.buffer.byteLength + pages * 65536 > limits.memory)
      throw new RangeError('over the memory limit');
    return grow.call(this, pages);
  };
}

const started: unknown = workerData;
if (
  !isMainThread &&
  parentPort !== null &&
  typeof started === 'object' &&
  started !== null &&
  'role' in started &&
  started.role === role &&
  'timeoutSeconds' in started
) {
  await serve(parentPort, Number(started.timeoutSeconds));
}
