import type { MessagePort } from 'node:worker_threads';
import type {
  QuickJSContext,
  QuickJSHandle,
  QuickJSRuntime,
  QuickJSSyncVariant,
  QuickJSWASMModule,
} from 'quickjs-emscripten-core';
import { errorMessage } from '../../errors.ts';
import { isMap, member } from '../../types/plain.ts';
import { serveThread, startThread } from '../thread.ts';
import { answerHostCall, globalsProgram, guestProgram } from './host-calls.ts';
import {
  limits,
  type CodeOutcome,
  type Link,
  type LinkJob,
  type StartLink,
  type ThreadAnswer,
} from './link.ts';
import { moduleLoader } from './modules.ts';
import { oneLine, readPrinted } from './reply.ts';

type ToEngine = { kind: 'job'; job: LinkJob } | { kind: 'run'; id: string; variables: string };

type FromEngine = { kind: 'ready' } | { kind: 'answer'; answer: ThreadAnswer };

interface ThreadSettings {
  timeoutSeconds: number;
  time: number;
  alone: boolean;
}

const engineRole = 'evaldiff-quickjs';

/** Larger than QuickJS's own stack limit, so that deep recursion does not crash the thread. */
const ENGINE_LIMITS = { stackSizeMb: 32, maxOldGenerationSizeMb: 256 };

export function javascriptStarter(settings: ThreadSettings): StartLink {
  return (listener) =>
    new Promise((resolve) => {
      const thread = startThread(import.meta.url, engineRole, ENGINE_LIMITS, settings);
      const refuse = (message: string) =>
        resolve({ status: 'refused', message: `The JavaScript engine did not start: ${message}` });
      const deadline = setTimeout(() => {
        refuse(`it did not respond within ${limits.start / 1000} s`);
        void thread.terminate();
      }, limits.start);
      let ready = false;
      const say = (message: ToEngine) => thread.postMessage(message);
      const link: Link = {
        begin: (job) => say({ kind: 'job', job }),
        send: (id, variables) => say({ kind: 'run', id, variables }),
        kill: () => {
          void thread.terminate();
        },
        close: async () => {
          await thread.terminate();
        },
      };
      thread.on('message', (message: FromEngine) => {
        clearTimeout(deadline);
        if (message.kind === 'answer') return listener.answer(message.answer);
        ready = true;
        resolve({ status: 'started', link });
      });
      const end = (why: string) => {
        clearTimeout(deadline);
        if (ready) listener.ended('exit');
        else refuse(why);
      };
      thread.once('error', (error: unknown) => end(oneLine(errorMessage(error))));
      thread.once('exit', () => end('it ended'));
    });
}

async function serveEngine(
  port: MessagePort,
  { timeoutSeconds, time, alone }: ThreadSettings,
): Promise<void> {
  const newModule = await loadEngine();
  let module: QuickJSWASMModule | null = null;
  let job: LinkJob = { place: '', code: '', outputs: [] };
  let prepared: ReturnType<typeof prepareCode> | null = null;
  let last = Promise.resolve();
  port.on('message', (message: ToEngine) => {
    last = last.then(async () => {
      if (message.kind === 'job') {
        if (JSON.stringify(message.job) !== JSON.stringify(job)) prepared = module = null;
        job = message.job;
        return;
      }
      module ??= await newModule();
      prepared ??= prepareCode(module, job, { timeoutSeconds, time });
      port.postMessage({
        kind: 'answer',
        answer: prepared.evaluate(message.id, message.variables),
      } satisfies FromEngine);
      if (alone) {
        try {
          prepared.end();
        } catch {
          // A broken engine's answer is marked `spent`, which ends the thread.
        }
        prepared = null;
      }
    });
  });
}

const JOBS_AT_ONCE = 1000;

function prepareCode(
  module: QuickJSWASMModule,
  job: Pick<LinkJob, 'code' | 'outputs' | 'modules'>,
  { timeoutSeconds, time }: { timeoutSeconds: number; time: number },
) {
  const runtime = module.newRuntime();
  // A quarter of the thread's stack, because QuickJS must report an overflow before the thread
  // crashes.
  runtime.setMaxStackSize(256 * 1024);
  const { load, resolve } = moduleLoader(job.modules ?? {});
  runtime.setModuleLoader(load, resolve);
  const context = runtime.newContext();
  addGlobals(context, time);
  const guest = context.unwrapResult(context.evalCode(guestProgram, 'guest.js'));
  const bounds = context.unwrapResult(
    context.evalCode(
      `(${JSON.stringify({ reply: limits.reply, printed: limits.printed, remark: limits.remark })})`,
    ),
  );
  const functions = context.unwrapResult(context.callFunction(guest, context.undefined, bounds));
  const evaluate = context.getProp(functions, 'evaluate');
  const settle = context.getProp(functions, 'settle');
  const code = context.newString(job.code);
  const outputs = context.newString(JSON.stringify(job.outputs));

  const call = (variables: string, isLate: () => boolean): CallResult => {
    const given = context.newString(variables);
    const result = context.callFunction(evaluate, context.undefined, code, given, outputs);
    given.dispose();
    if (result.error !== undefined || context.typeof(result.value) !== 'undefined') return result;
    for (let jobs = 1; jobs > 0 && !isLate();) {
      const done = runtime.executePendingJobs(JOBS_AT_ONCE);
      jobs = done.error === undefined ? done.value : 1;
      done.error?.dispose();
    }
    return context.callFunction(settle, context.undefined);
  };
  return {
    evaluate: (id: string, variables: string) =>
      evaluateWithin({ runtime, context, timeoutSeconds, call }, id, variables),
    end(): void {
      const values = [outputs, code, settle, evaluate, functions, bounds, guest];
      for (const owned of [...values, context, runtime]) owned.dispose();
    },
  };
}

type CallResult = ReturnType<QuickJSContext['callFunction']>;

interface Engine {
  runtime: QuickJSRuntime;
  context: QuickJSContext;
  timeoutSeconds: number;
  call(variables: string, isLate: () => boolean): CallResult;
}

function evaluateWithin(
  { runtime, context, timeoutSeconds, call }: Engine,
  id: string,
  variables: string,
): ThreadAnswer {
  const failed = (outcome: CodeOutcome): ThreadAnswer => ({
    id,
    outcome,
    printed: { text: '', cut: false },
    reply: '',
    spent: true,
  });
  let late = false;
  refused = false;
  const deadline = Date.now() + timeoutSeconds * 1000;
  const isLate = () => {
    late ||= Date.now() > deadline;
    return late;
  };
  runtime.setInterruptHandler(isLate);
  try {
    const result = call(variables, isLate);
    if (late) return failed(refused ? 'memory' : 'timeout');
    if (result.error !== undefined)
      return failed(refused || isOutOfMemory(context, result.error) ? 'memory' : 'channel');
    const answer = readGuestReply(context, result.value);
    result.value.dispose();
    return answer === null ? failed('channel') : { id, outcome: 'reply', ...answer };
  } catch {
    // The engine aborted because it had no stack or memory left.
    return failed(refused ? 'memory' : late ? 'timeout' : 'exit');
  }
}

function addGlobals(context: QuickJSContext, time: number): void {
  const add = context.unwrapResult(context.evalCode(globalsProgram, 'globals.js'));
  const host = context.newFunction('host', (question) =>
    context.newString(answerHostCall(context.getString(question))),
  );
  const now = context.newNumber(time);
  context.unwrapResult(context.callFunction(add, context.undefined, host, now)).dispose();
  host.dispose();
  add.dispose();
}

function isOutOfMemory(context: QuickJSContext, error: QuickJSHandle): boolean {
  const message = context.getProp(error, 'message');
  return context.typeof(message) === 'string' && context.getString(message) === 'out of memory';
}

function readGuestReply(
  context: QuickJSContext,
  value: QuickJSHandle,
): Pick<ThreadAnswer, 'printed' | 'reply' | 'spent'> | null {
  if (context.typeof(value) !== 'string') return null;
  const length = context.getProp(value, 'length').consume((handle) => context.getNumber(handle));
  if (length > 6 * (limits.reply + limits.printed) + 4096) return null;
  const said: unknown = JSON.parse(context.getString(value));
  const reply = member(said, 'reply');
  const printed = readPrinted(member(said, 'printed'));
  if (printed === null || !isMap(reply)) return null;
  const hasNoMemory = 'memory' in reply || (refused && 'nothing' in reply);
  return {
    reply: JSON.stringify(hasNoMemory ? { memory: true } : reply),
    printed,
    spent: hasNoMemory,
  };
}

/** Imports two parts of the package, because its main module is four times as large. */
const engine: QuickJSSyncVariant = {
  type: 'sync',
  importFFI: async () => (await import('@jitl/quickjs-singlefile-cjs-release-sync/ffi')).QuickJSFFI,
  importModuleLoader: async () =>
    (await import('@jitl/quickjs-singlefile-cjs-release-sync/emscripten-module')).default,
};

/** Call this once per thread. Each loaded module has its own memory limit. */
async function loadEngine(): Promise<() => Promise<QuickJSWASMModule>> {
  capMemory();
  const { instantiate } = WebAssembly;
  let compiled: Promise<object> | null = null;
  WebAssembly.instantiate = async (bytes, imports) => {
    compiled ??= WebAssembly.compile(bytes);
    const module = await compiled;
    return { module, instance: await instantiate(module, imports) };
  };
  const { newQuickJSWASMModuleFromVariant } = await import('quickjs-emscripten-core');
  return () => newQuickJSWASMModuleFromVariant(engine);
}

interface Memory {
  readonly buffer: ArrayBufferLike;
  grow(pages: number): number;
}

const { WebAssembly } = globalThis as unknown as {
  WebAssembly: {
    Memory: { prototype: Memory };
    compile(bytes: unknown): Promise<object>;
    instantiate(program: unknown, imports: unknown): Promise<object>;
  };
};

let refused = false;

function capMemory(): void {
  const { prototype } = WebAssembly.Memory;
  const { grow } = prototype;
  prototype.grow = function cappedGrow(this: Memory, pages: number): number {
    if (this.buffer.byteLength + pages * 65536 > limits.memory) {
      refused = true;
      throw new RangeError('over the memory limit');
    }
    return grow.call(this, pages);
  };
}

await serveThread(engineRole, serveEngine);
