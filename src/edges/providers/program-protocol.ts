import { chatMessage } from '../../types/message-list.ts';
import type { Request } from '../../types/model.ts';
import { parsedJson } from '../../types/plain.ts';
import { createDeadlines, type Clock } from './clock.ts';
import { fault, type Fault } from './fault.ts';
import { readReply } from './program-reply.ts';
import type { CallAttempt } from './retry.ts';
import { foreignLine } from './sdk-fault.ts';
import type { VendorOutput } from './vendors/vendor.ts';

export const MAX_QUOTED_CHARS = 200;

export function askLine(
  id: string,
  { target: { model }, parameters, messages, variables }: Request,
): string {
  const told = messages.map((message) => ({ ...chatMessage(message), parts: message.parts }));
  return `${JSON.stringify({ id, model, parameters, messages: told, variables })}\n`;
}

function parseAnswerLine(
  line: string,
  at: number,
  redact: (text: string) => string,
): { id: string | null; result: CallAttempt<VendorOutput> } {
  const reply = readReply(parsedJson(line));
  const { id } = reply;
  if (reply.kind === 'answer')
    return { id, result: { status: 'ok', value: reply.answer, latencyMs: 0, waitMs: 0 } };
  if (reply.kind === 'odd') {
    const problem = foreignLine(reply.problem, redact, MAX_QUOTED_CHARS);
    return { id, result: failedCall(fault('program', `line ${at} of its stdout: ${problem}`)) };
  }
  const text = foreignLine(reply.error, redact, MAX_QUOTED_CHARS) || 'an error without a message';
  const reason = reply.retryable
    ? fault('program', text, { retry: 'later' })
    : fault('program-answer', text);
  return { id, result: failedCall(reason) };
}

export function failedCall(reason: Fault): CallAttempt<VendorOutput> {
  return { status: 'fault', fault: reason, sent: true };
}

export type Calls = ReturnType<typeof createCalls>;

export function createCalls({
  clock,
  timeoutMs,
  redact,
}: {
  clock: Clock;
  timeoutMs: number;
  redact(text: string): string;
}) {
  const open = new Map<string, (result: CallAttempt<VendorOutput>) => void>();
  const startDeadline = createDeadlines(clock, timeoutMs);
  let last = 0;
  let lines = 0;
  const settle = (id: string, result: CallAttempt<VendorOutput>): void => open.get(id)?.(result);
  return {
    open(late: () => void) {
      const id = String(++last);
      const started = clock.now();
      const disarm = startDeadline(() => {
        const why = `no answer after ${timeoutMs / 1000} s; it must flush stdout after each line`;
        settle(id, failedCall(fault('timeout', why)));
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
    /** Returns true for an answer to an open call. An unexpected line fails the oldest call. */
    receive(line: string): boolean {
      const { id, result } = parseAnswerLine(line, ++lines, redact);
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
    settleAll(reason: Fault): void {
      for (const id of [...open.keys()]) settle(id, failedCall(reason));
    },
  };
}
