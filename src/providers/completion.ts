import type { Completion, Requests } from '../types/model.ts';
import type { Tried } from './retry.ts';
import type { Said } from './vendors/vendor.ts';

/** The completion of a call; `label`: the target's name. */
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

/** Requests before the last one, and an unreadable reply, added to the count. */
function requestsOf({ attempts = 1, isUnread }: Requests): Requests {
  return { ...(attempts > 1 ? { attempts } : {}), ...(isUnread ? { isUnread } : {}) };
}

/** `latency_ms` is null for a batch. */
export function answerCompletion(
  { kind: _, ...answer }: Said,
  latency_ms: number | null,
): Completion {
  return { status: 'ok', ...answer, latency_ms, reused: false };
}
