import type { Bill, Reserve } from '../../types/hold.ts';
import type { ErrorKind, Request } from '../../types/model.ts';
import { STOPPED, budgetFault, type Fault } from './fault.ts';
import type { CallAttempt } from './retry.ts';
import type { VendorOutput } from './vendors/vendor.ts';

/** Sends a request once its cost is reserved, and settles what it cost. */
export async function paidAttempt(
  request: Request,
  { reserve, signal }: { reserve: Reserve; signal: AbortSignal },
  send: () => Promise<CallAttempt<VendorOutput>>,
): Promise<CallAttempt<VendorOutput>> {
  if (signal.aborted) return { status: 'fault', fault: STOPPED, sent: false };
  const [hold] = await reserve([request]);
  if (hold === undefined) return { status: 'fault', fault: budgetFault(), sent: false };
  let bill: Bill = 'unknown';
  try {
    // The run may have ended while the request waited.
    const attempt: CallAttempt<VendorOutput> = signal.aborted
      ? { status: 'fault', fault: STOPPED, sent: false }
      : await send();
    bill = billOf(attempt);
    return attempt;
  } finally {
    hold.settle(bill);
  }
}

/** After these errors, the server may still charge for the request. */
const MAYBE_PAID: ReadonlySet<ErrorKind> = new Set(['timeout', 'reply', 'filtered', 'network']);

function billOf(attempt: CallAttempt<VendorOutput>): Bill {
  if (attempt.status === 'ok') return attempt.value;
  return attempt.sent ? billOfFault(attempt.fault) : 'nothing';
}

export function billOfFault({ kind, status, unreached, spent }: Fault): Bill {
  const paid = spent.find(({ usage }) => usage !== null);
  if (paid !== undefined) return paid;
  const isFree = status !== null || unreached === true || !MAYBE_PAID.has(kind);
  return isFree ? 'nothing' : 'unknown';
}
