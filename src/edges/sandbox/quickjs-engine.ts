import type {
  QuickJSContext,
  QuickJSHandle,
  QuickJSRuntime,
  QuickJSSyncVariant,
  QuickJSWASMModule,
} from 'quickjs-emscripten-core';
import { answerHostCall, globalsProgram, guestProgram } from './host-calls.ts';
import { limits, type LinkJob, type ThreadAnswer, type CodeOutcome } from './link.ts';
import { moduleLoader } from './modules.ts';
import { readPrinted } from './reply.ts';

const NOTHING_PRINTED = { text: '', cut: false };

const JOBS_AT_ONCE = 1000;

export function prepareCode(
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
    while (!isLate() && runJobs(runtime) > 0);
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
  const failed = (outcome: CodeOutcome): ThreadAnswer => {
    return { id, outcome, printed: NOTHING_PRINTED, reply: '', spent: true };
  };
  let late = false;
  refused = false;
  const deadline = Date.now() + timeoutSeconds * 1000;
  const isLate = (): boolean => {
    late ||= Date.now() > deadline;
    return late;
  };
  runtime.setInterruptHandler(isLate);
  try {
    const result = call(variables, isLate);
    if (late) return failed(outOfTime());
    if (result.error !== undefined)
      return failed(refused || isOutOfMemory(context, result.error) ? 'memory' : 'channel');
    const answer = readGuestReply(context, result.value);
    result.value.dispose();
    return answer === null ? failed('channel') : { id, outcome: 'reply', ...answer };
  } catch {
    // The engine aborted because it had no stack or memory left.
    return failed(late ? outOfTime() : refused ? 'memory' : 'exit');
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

function runJobs(runtime: QuickJSRuntime): number {
  const done = runtime.executePendingJobs(JOBS_AT_ONCE);
  if (done.error === undefined) return done.value;
  done.error.dispose();
  return 1;
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
  if (typeof said !== 'object' || said === null || !('reply' in said) || !('printed' in said))
    return null;
  const printed = readPrinted(said.printed);
  if (printed === null) return null;
  const hasNoMemory = mentionsMemory(said.reply);
  const reply = hasNoMemory ? { memory: true } : said.reply;
  return { reply: JSON.stringify(reply), printed, spent: hasNoMemory };
}

function mentionsMemory(reply: unknown): boolean {
  if (typeof reply !== 'object' || reply === null) return false;
  return 'memory' in reply || (refused && 'nothing' in reply);
}

/** Imports two parts of the package, because its main module is four times as large. */
const engine: QuickJSSyncVariant = {
  type: 'sync',
  importFFI: async () => (await import('@jitl/quickjs-singlefile-cjs-release-sync/ffi')).QuickJSFFI,
  importModuleLoader: async () =>
    (await import('@jitl/quickjs-singlefile-cjs-release-sync/emscripten-module')).default,
};

/** Call this once per thread. Each loaded module has its own memory limit. */
export async function loadEngine(): Promise<() => Promise<QuickJSWASMModule>> {
  capMemory();
  compileOnce();
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

function compileOnce(): void {
  const { instantiate } = WebAssembly;
  let compiled: Promise<object> | null = null;
  WebAssembly.instantiate = async (bytes, imports) => {
    compiled ??= WebAssembly.compile(bytes);
    const module = await compiled;
    return { module, instance: await instantiate(module, imports) };
  };
}

let refused = false;

let memory = 0;

function outOfTime(): CodeOutcome {
  if (refused) return 'memory';
  return memory > limits.memory / 2 ? 'timeout-memory' : 'timeout';
}

function capMemory(): void {
  const { prototype } = WebAssembly.Memory;
  const { grow } = prototype;
  prototype.grow = function cappedGrow(this: Memory, pages: number): number {
    if (this.buffer.byteLength + pages * 65536 > limits.memory) {
      refused = true;
      throw new RangeError('over the memory limit');
    }
    const before = grow.call(this, pages);
    memory = this.buffer.byteLength;
    return before;
  };
}
