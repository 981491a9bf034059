import type { QuickJSContext, QuickJSHandle, QuickJSWASMModule } from 'quickjs-emscripten-core';
import { limits } from './limits.ts';
import type { Answer, Outcome } from './link.ts';
import { readPrinted } from './reply.ts';
import { quickjsGuest } from './worker-source.ts';

/** Evaluates one code on one set of variables (a JSON map). Never throws because of the code. */
export type Evaluation = (id: string, variables: string) => Answer;

const silent = { text: '', cut: false };

/**
 * Prepares an engine for one code: the guest (guest.js) runs first and hands out the function that
 * everything else goes through. An answer that is `spent` leaves the engine in an unknown state; it
 * must not be asked again.
 */
export function createEvaluation(
  module: QuickJSWASMModule,
  job: { code: string; outputs: string[] },
  timeout: number,
): Evaluation {
  const runtime = module.newRuntime();
  // A quarter of what the thread's own stack takes: the engine must notice first.
  runtime.setMaxStackSize(256 * 1024);
  const context = runtime.newContext();
  const guest = context.unwrapResult(context.evalCode(quickjsGuest, 'guest.js'));
  const bounds = context.unwrapResult(
    context.evalCode(`(${JSON.stringify({ reply: limits.reply, printed: limits.printed })})`),
  );
  const evaluate = context.unwrapResult(context.callFunction(guest, context.undefined, bounds));
  const code = context.newString(job.code);
  const outputs = context.newString(JSON.stringify(job.outputs));

  return (id, variables) => {
    const failed = (outcome: Outcome): Answer => ({
      id,
      outcome,
      printed: silent,
      reply: '',
      spent: true,
    });
    let late = false;
    const deadline = Date.now() + timeout;
    runtime.setInterruptHandler(() => {
      late ||= Date.now() > deadline;
      return late;
    });
    try {
      const given = context.newString(variables);
      const result = context.callFunction(evaluate, context.undefined, code, given, outputs);
      given.dispose();
      if (late) return failed('timeout');
      if (result.error !== undefined)
        return failed(isOutOfMemory(context, result.error) ? 'memory' : 'channel');
      const answer = read(context, result.value);
      result.value.dispose();
      return answer === null ? failed('channel') : { id, outcome: 'reply', ...answer };
    } catch {
      // The engine itself gave up: no stack or memory was left for it.
      return failed(late ? 'timeout' : 'exit');
    }
  };
}

function isOutOfMemory(context: QuickJSContext, error: QuickJSHandle): boolean {
  const message = context.getProp(error, 'message');
  return context.typeof(message) === 'string' && context.getString(message) === 'out of memory';
}

/** The guest's word, `{ reply, printed }` as JSON; null when user code has got between us. */
function read(
  context: QuickJSContext,
  value: QuickJSHandle,
): Pick<Answer, 'printed' | 'reply' | 'spent'> | null {
  if (context.typeof(value) !== 'string') return null;
  const length = context.getProp(value, 'length').consume((handle) => context.getNumber(handle));
  // JSON writes one character as up to six.
  if (length > 6 * (limits.reply + limits.printed) + 4096) return null;
  const said: unknown = JSON.parse(context.getString(value));
  if (typeof said !== 'object' || said === null || !('reply' in said) || !('printed' in said))
    return null;
  const printed = readPrinted(said.printed);
  if (printed === null) return null;
  const hasNoMemory =
    typeof said.reply === 'object' && said.reply !== null && 'memory' in said.reply;
  return { reply: JSON.stringify(said.reply), printed, spent: hasNoMemory };
}
