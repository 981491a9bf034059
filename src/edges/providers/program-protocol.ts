import { z } from 'zod';
import { partsOf } from '../../types/answer.ts';
import type { Request } from '../../types/model.ts';
import { parsedJson } from '../../types/plain.ts';
import { createDeadlines, type Clock } from './clock.ts';
import { fault, type Fault } from './fault.ts';
import type { CallAttempt } from './retry.ts';
import { foreignLine } from './sdk-fault.ts';
import type { VendorOutput } from './vendors/vendor.ts';

/** Characters of foreign text in messages. */
export const MAX_QUOTED_CHARS = 200;

const count = z.int().nonnegative();

const replyId = z.union([z.string(), z.number()]).transform(String);

const programReply = z.union([
  z.object({
    id: replyId,
    output: z.string(),
    usage: z.object({ input_tokens: count, output_tokens: count }).nullish().catch(null),
  }),
  z.object({ id: replyId, error: z.string(), retryable: z.boolean().optional() }),
]);

const anyReply = z.object({ id: replyId });

export function askLine(
  id: string,
  { target: { model }, parameters, messages, variables }: Request,
): string {
  const plain = messages.map(({ role, content, parts }) => ({ role, content, parts }));
  return `${JSON.stringify({ id, model, parameters, messages: plain, variables })}\n`;
}

function parseAnswerLine(
  line: string,
  redact: (text: string) => string,
): { id: string | null; result: CallAttempt<VendorOutput> } {
  const data = parsedJson(line);
  const full = programReply.safeParse(data);
  if (!full.success)
    return {
      id: anyReply.safeParse(data).data?.id ?? null,
      result: failedCall(
        fault('program', 'answered with neither "output" (text) nor "error" (text)'),
      ),
    };
  const said = full.data;
  if ('error' in said) {
    const text = foreignLine(said.error, redact, MAX_QUOTED_CHARS) || 'an error without a text';
    const reason =
      said.retryable === true
        ? fault('program', text, { retry: 'later' })
        : fault('program-answer', text);
    return { id: said.id, result: failedCall(reason) };
  }
  const value: VendorOutput = {
    kind: 'answer',
    parts: partsOf(said.output),
    ended: 'stop',
    usage: said.usage ?? null,
    served: { model: null, fingerprint: null },
  };
  return { id: said.id, result: { status: 'ok', value, latencyMs: 0, waitMs: 0 } };
}

export function failedCall(reason: Fault): CallAttempt<VendorOutput> {
  return { status: 'fault', fault: reason, sent: true };
}

export interface Calls {
  /** `late` is called when the timeout ended the call. */
  open(late: () => void): { id: string; result: Promise<CallAttempt<VendorOutput>> };
  /** True for an answer to an open call. A stray line fails the oldest call; a late one none. */
  hear(line: string): boolean;
  settleAll(reason: Fault): void;
}

export function createCalls({
  clock,
  timeoutMs,
  redact,
}: {
  clock: Clock;
  timeoutMs: number;
  redact(text: string): string;
}): Calls {
  const open = new Map<string, (result: CallAttempt<VendorOutput>) => void>();
  const startDeadline = createDeadlines(clock, timeoutMs);
  let last = 0;
  const settle = (id: string, result: CallAttempt<VendorOutput>): void => open.get(id)?.(result);
  return {
    open(late) {
      const id = String(++last);
      const started = clock.now();
      const disarm = startDeadline(() => {
        settle(id, failedCall(fault('timeout', `no answer after ${timeoutMs / 1000} s`)));
        late();
      });
      const result = new Promise<CallAttempt<VendorOutput>>((resolve) => {
        open.set(id, (attempt) => {
          disarm();
          open.delete(id);
          resolve(
            attempt.status === 'ok' ? { ...attempt, latencyMs: clock.now() - started } : attempt,
          );
        });
      });
      return { id, result };
    },
    hear(line) {
      const { id, result } = parseAnswerLine(line, redact);
      if (id !== null && open.has(id)) {
        settle(id, result);
        return true;
      }
      const late = id !== null && /^[1-9]\d{0,15}$/.test(id) && Number(id) <= last;
      if (late) return false;
      const quoted = foreignLine(line, redact, MAX_QUOTED_CHARS);
      const message = `wrote a line on stdout that is not an answer: "${quoted}"`;
      const stray = fault('program', `${message}; messages belong on stderr`);
      settle(open.keys().next().value ?? '', failedCall(stray));
      return false;
    },
    settleAll(reason) {
      for (const id of [...open.keys()]) settle(id, failedCall(reason));
    },
  };
}
