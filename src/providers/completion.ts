import type { Completion, Requests } from '../types/model.ts';
import type { Tried } from './retry.ts';
import type { Said } from './vendors/vendor.ts';

/** What a call comes to; `label`: who was asked. */
export function callCompletion(tried: Tried<Said>, label: string): Completion {
  const requests = requestsOf(tried);
  if (tried.status === 'ok')
    return {
      ...answerCompletion(tried.value, Math.max(0, Math.round(tried.latencyMs))),
      ...requests,
    };
  const { kind, message } = tried.fault;
  const before = tried.before ? { before: `${label}: ${tried.before.message}` } : {};
  const error = {
    status: 'error',
    kind,
    message: `${label}: ${message}`,
    ...requests,
    ...before,
  } as const;
  return tried.sent ? error : { ...error, unsent: true };
}

/** What the requests before the last one, and a reply that could not be read, add to the count. */
function requestsOf({ attempts = 1, isUnread }: Requests): Requests {
  return { ...(attempts > 1 ? { attempts } : {}), ...(isUnread ? { isUnread } : {}) };
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
