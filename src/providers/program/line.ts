import { z } from 'zod';
import type { Message, Request } from '../../types.ts';
import { fault } from '../fault.ts';
import type { Fault } from '../fault.ts';
import type { Attempt } from '../retry.ts';
import { foreignLine } from '../sdk-fault.ts';
import type { Said } from '../vendor.ts';

/** Of foreign text in messages, this much is shown. */
export const SHOWN = 200;

const count = z.int().nonnegative();
const replyId = z.union([z.string(), z.number()]).transform(String);
const reply = z.union([
  z.object({
    id: replyId,
    output: z.string(),
    usage: z.object({ input_tokens: count, output_tokens: count }).nullish().catch(null),
  }),
  z.object({ id: replyId, error: z.string(), retryable: z.boolean().optional() }),
]);
const anyReply = z.object({ id: replyId });

/** The line that asks a program. */
export function askLine(id: string, { target: { model }, parameters, messages }: Request): string {
  const plain = messages.map(({ role, content }): Message => ({ role, content }));
  return `${JSON.stringify({ id, model, parameters, messages: plain })}\n`;
}

/** The call a line answers and how; `id` null when the line is no answer to anything. */
export function understood(
  line: string,
  redact: (text: string) => string,
): { id: string | null; result: Attempt<Said> } {
  const data = parsed(line);
  const full = reply.safeParse(data);
  if (!full.success)
    return {
      id: anyReply.safeParse(data).data?.id ?? null,
      result: failure(fault('program', 'answered with neither "output" (text) nor "error" (text)')),
    };
  const said = full.data;
  if ('error' in said) {
    const retry = said.retryable === true ? 'later' : 'never';
    return {
      id: said.id,
      result: failure(
        fault('program', foreignLine(said.error, redact, SHOWN) || 'an error without a text', {
          retry,
        }),
      ),
    };
  }
  const value: Said = {
    kind: 'answer',
    output: said.output,
    finish_reason: 'stop',
    tool_calls: [],
    usage: said.usage ?? null,
  };
  return { id: said.id, result: { status: 'ok', value, latencyMs: 0, waitMs: 0 } };
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

/** What a line that answers nothing says about the call it is counted against. */
export function stray(line: string, redact: (text: string) => string): Fault {
  return fault(
    'program',
    `wrote a line on stdout that is no answer: "${foreignLine(line, redact, SHOWN)}"; messages belong on stderr`,
  );
}

/** An attempt that was made and failed. */
export function failure(reason: Fault): Attempt<Said> {
  return { status: 'fault', fault: reason, sent: true };
}
