import type { Completion } from '../types/model.ts';
import type { Tried } from './retry.ts';
import type { Said } from './vendors/vendor.ts';

/** What a call comes to; `label`: who was asked. */
export function callCompletion(tried: Tried<Said>, label: string): Completion {
  if (tried.status === 'ok')
    return answerCompletion(tried.value, Math.max(0, Math.round(tried.latencyMs)));
  const { kind, message } = tried.fault;
  const error = { status: 'error', kind, message: `${label}: ${message}` } as const;
  return tried.sent ? error : { ...error, unsent: true };
}

/** An answer as it came; `latency_ms`: null where it waited in a batch. */
export function answerCompletion(
  { output, finish_reason, tool_calls, usage, cached }: Said,
  latency_ms: number | null,
): Completion {
  return {
    status: 'ok',
    output,
    finish_reason,
    tool_calls,
    usage,
    ...(cached === undefined ? {} : { cached }),
    latency_ms,
    reused: false,
  };
}
