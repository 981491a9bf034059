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
  const ended = tried.fault.ended ?? (kind === 'filtered' ? 'filter' : null);
  const error = {
    status: 'error',
    kind,
    message: `${label}: ${message}`,
    ...requests,
    ...before,
    ...(ended === null ? {} : { finish_reason: ended }),
  } as const;
  return tried.sent ? error : { ...error, unsent: true };
}

/** What the requests before the last one, and a reply that could not be read, add to the count. */
function requestsOf({ attempts = 1, isUnread }: Requests): Requests {
  return { ...(attempts > 1 ? { attempts } : {}), ...(isUnread ? { isUnread } : {}) };
}

/** An answer as it came; `latency_ms`: null where it waited in a batch. */
export function answerCompletion(
  { kind: _, ...answer }: Said,
  latency_ms: number | null,
): Completion {
  return {
    status: 'ok',
    ...answer,
    latency_ms,
    reused: false,
  };
}
