import type { Bill, Hold, Reserve } from '../../types/hold.ts';
import type { ErrorKind, Request } from '../../types/model.ts';
import { STOPPED, budgetFault, type Fault } from './fault.ts';
import type { CallAttempt } from './retry.ts';
import type { VendorOutput } from './vendors/vendor.ts';

interface Paying {
  reserve: Reserve;
  signal: AbortSignal;
}

/** Null: the signal is aborted. What is reserved after that is returned, for other calls. */
export async function reserveUntilAborted(
  requests: readonly Request[],
  { reserve, signal }: Paying,
): Promise<readonly Hold[] | null> {
  if (signal.aborted) return null;
  const holds = reserve(requests);
  const { promise, resolve } = Promise.withResolvers<null>();
  const stop = () => resolve(null);
  signal.addEventListener('abort', stop);
  const first = await Promise.race([holds, promise]);
  signal.removeEventListener('abort', stop);
  if (!signal.aborted) return first;
  void holds.then((late) => {
    for (const hold of late) hold.settle('nothing');
  });
  return null;
}

/** Sends a request once its cost is reserved, and settles what it cost. */
export async function paidAttempt(
  request: Request,
  paying: Paying,
  send: () => Promise<CallAttempt<VendorOutput>>,
): Promise<CallAttempt<VendorOutput>> {
  const holds = await reserveUntilAborted([request], paying);
  if (holds === null) return { status: 'fault', fault: STOPPED, sent: false };
  const [hold] = holds;
  if (hold === undefined) return { status: 'fault', fault: budgetFault(), sent: false };
  let bill: Bill = 'unknown';
  try {
    const attempt = await send();
    if (attempt.status === 'ok') bill = attempt.value;
    else bill = attempt.sent ? billOfFault(attempt.fault) : 'nothing';
    return attempt;
  } finally {
    hold.settle(bill);
  }
}

/** After these errors, the server may still charge for the request. */
const MAYBE_PAID: ReadonlySet<ErrorKind> = new Set(['timeout', 'reply', 'filtered', 'network']);

export function billOfFault({ kind, status, unreached, spent }: Fault): Bill {
  const paid = spent.find(({ usage }) => usage !== null);
  if (paid !== undefined) return paid;
  const isFree = status !== null || unreached === true || !MAYBE_PAID.has(kind);
  return isFree ? 'nothing' : 'unknown';
}
