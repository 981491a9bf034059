import {
  isAbandoned,
  type Completion,
  type MeteredUsage,
  type OkCompletion,
  type Request,
  type Requests,
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
  // If an answer was cut before it reached our limit, the context window was full.
  const isCut = completion.ended === 'length' && writtenTokens(completion) >= ownLimit.first;
  return isCut
    ? { ...request, parameters: { ...parameters, max_tokens: ownLimit.second, stream: true } }
    : null;
}

function writtenTokens(completion: Completion): number {
  const used = completion.status === 'ok' ? completion : completion.spent?.at(-1);
  return used?.usage?.output_tokens ?? 0;
}

export function longerOf(first: Completion, second: Completion): Completion {
  const made = (of: Completion): number => of.attempts ?? (isAbandoned(of) ? 0 : 1);
  const unused: MeteredUsage[] = [first, second].flatMap((of) => of.spent ?? []);
  const isBetter =
    second.status === 'ok' || (first.status === 'error' && second.ended === 'length');
  const dropped = isBetter ? first : second;
  const requests: Requests = {
    attempts: made(first) + made(second),
    spent: dropped.status === 'ok' ? [...unused, usageOf(dropped)] : unused,
  };
  return { ...(isBetter ? second : first), ...requests };
}

function usageOf({ usage, cached }: OkCompletion): MeteredUsage {
  return cached === undefined ? { usage } : { usage, cached };
}
