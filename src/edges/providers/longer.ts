import {
  isAbandoned,
  type Completion,
  type MeteredUsage,
  type Request,
} from '../../types/model.ts';
import { LIMITS } from '../../types/passports.ts';
import type { VendorName } from '../../types/vendors/names.ts';
import { factsOf } from '../../types/vendors.ts';

export function withMoreRoom(
  request: Request,
  vendor: VendorName,
  completion: Completion,
): Request | null {
  const { ownLimit } = factsOf(vendor);
  const { parameters } = request;
  if (ownLimit === undefined || LIMITS.some((name) => name in parameters)) return null;
  const used = completion.status === 'ok' ? completion : completion.spent?.at(-1);
  const written = used?.usage?.output_tokens ?? 0;
  // If an answer was cut before it reached our limit, the context window was full.
  const isCut = completion.ended === 'length' && written >= ownLimit.first;
  return isCut
    ? { ...request, parameters: { ...parameters, max_tokens: ownLimit.second, stream: true } }
    : null;
}

export function longerOf(first: Completion, second: Completion): Completion {
  const made = (of: Completion) => of.attempts ?? (isAbandoned(of) ? 0 : 1);
  const unused: MeteredUsage[] = [first, second].flatMap((of) => of.spent ?? []);
  const isBetter =
    second.status === 'ok' || (first.status === 'error' && second.ended === 'length');
  const dropped = isBetter ? first : second;
  if (dropped.status === 'ok') {
    const { usage, cached } = dropped;
    unused.push(cached === undefined ? { usage } : { usage, cached });
  }
  return {
    ...(isBetter ? second : first),
    attempts: made(first) + made(second),
    spent: unused,
  };
}
