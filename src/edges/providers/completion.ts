import type { Completion, Requests } from '../../types/model.ts';
import type { RetriedResult } from './retry.ts';
import type { VendorOutput } from './vendors/vendor.ts';

/** `at`: when the answer arrived, in milliseconds since 1970. */
export function callCompletion(
  tried: RetriedResult<VendorOutput>,
  label: string,
  at: number | null = null,
): Completion {
  if (tried.status === 'ok')
    return {
      ...answerCompletion(tried.value, Math.max(0, Math.round(tried.latencyMs)), at),
      ...requestCounts(tried, 1),
    };
  const { kind, message, noModel } = tried.fault;
  const before = tried.before ? { before: `${label}: ${tried.before.message}` } : {};
  const ended = tried.fault.ended ?? (kind === 'filtered' ? 'filtered' : null);
  const error = {
    status: 'error',
    kind,
    message: `${label}: ${message}`,
    ...requestCounts(tried, kind === 'budget' || kind === 'aborted' ? 0 : 1),
    ...before,
    ...(ended !== null && { ended }),
    ...(noModel && { noModel }),
  } as const;
  return tried.sent ? error : { ...error, unsent: true };
}

function requestCounts({ attempts = 0, spent = [] }: Requests, assumed: 0 | 1): Requests {
  return {
    ...(attempts > assumed && { attempts }),
    ...(spent.length > 0 && { spent }),
  };
}

export function answerCompletion(
  { kind: _, served, steps = [], ...answer }: VendorOutput,
  latency_ms: number | null,
  at: number | null,
): Completion {
  return { status: 'ok', ...answer, served: { ...served, at }, steps, latency_ms, reused: false };
}
