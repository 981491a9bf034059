import type {
  Complete,
  Completion,
  Purpose,
  Request,
  Target,
  Usage,
  UsageTotals,
} from '../../types.ts';

/** Dollars for one call, or null when no price is known. */
export type Price = (target: Target, usage: Usage) => number | null;

interface Count {
  calls: number;
  reused: number;
  input: number;
  output: number;
  cost: number;
  unpriced: boolean;
  elsewhere: boolean;
  saved: number;
  unknownSaved: boolean;
}

/**
 * Counts what is asked: calls that were paid for, answers that were reused, tokens and cost, by
 * purpose.
 */
export interface Meter {
  complete: Complete;
  /**
   * An answer that was shared without asking at all, and what was thereby not paid, where that is
   * known.
   */
  shared(purpose: Purpose, saved?: { target: Target; usage: Usage } | null): void;
  totals(): UsageTotals;
}

/** Passes calls on to `complete` and sums up what came of them. */
export function createMeter(complete: Complete, price: Price): Meter {
  const counts = new Map<Purpose, Count>();
  const of = (purpose: Purpose): Count => {
    const found = counts.get(purpose) ?? {
      calls: 0,
      reused: 0,
      input: 0,
      output: 0,
      cost: 0,
      unpriced: false,
      elsewhere: false,
      saved: 0,
      unknownSaved: false,
    };
    counts.set(purpose, found);
    return found;
  };
  return {
    complete: async (request) => {
      const completion = await complete(request);
      record(of(request.purpose), request, completion, price);
      return completion;
    },
    shared: (purpose, saved = null) => {
      reuse(of(purpose), saved === null ? null : price(saved.target, saved.usage));
    },
    totals: () => totalsOf(counts),
  };
}

function record(count: Count, { target }: Request, completion: Completion, price: Price): void {
  if (completion.status === 'error') {
    // A call that was never made is none, whoever stopped it.
    if (completion.kind === 'budget' || completion.kind === 'aborted') return;
    count.calls += 1;
    count.elsewhere ||= isElsewhere(target, null);
    return;
  }
  if (completion.reused)
    reuse(count, completion.usage === null ? null : price(target, completion.usage));
  else paid(count, target, completion.usage, price);
}

function paid(count: Count, target: Target, usage: Usage | null, price: Price): void {
  const cost = usage === null ? null : price(target, usage);
  count.calls += 1;
  count.input += usage?.input_tokens ?? 0;
  count.output += usage?.output_tokens ?? 0;
  count.elsewhere ||= isElsewhere(target, cost);
  if (cost === null) count.unpriced = true;
  else count.cost += cost;
}

/**
 * A call that somebody is paid for, as far as is known: neither a recording's, nor a program's that
 * nobody gave a price.
 */
function isElsewhere({ provider }: Target, cost: number | null): boolean {
  return provider !== 'replay' && (provider !== 'program' || cost !== null);
}

function reuse(count: Count, saved: number | null): void {
  count.reused += 1;
  if (saved === null) count.unknownSaved = true;
  else count.saved += saved;
}

function totalsOf(counts: ReadonlyMap<Purpose, Count>): UsageTotals {
  const all = [...counts.values()];
  const sum = (pick: (count: Count) => number): number =>
    all.reduce((total, count) => total + pick(count), 0);
  const costOf = ({ cost, unpriced }: Count): number | null => (unpriced ? null : cost);
  const savedBy = ({ saved, unknownSaved }: Count): number | null => (unknownSaved ? null : saved);
  return {
    calls: sum(({ calls }) => calls),
    reused: sum(({ reused }) => reused),
    input_tokens: sum(({ input }) => input),
    output_tokens: sum(({ output }) => output),
    cost_usd: all.some(({ unpriced }) => unpriced) ? null : sum(({ cost }) => cost),
    ...(all.some(({ unpriced }) => unpriced) && !all.some(({ elsewhere }) => elsewhere)
      ? { unpriced: 'programs' as const }
      : {}),
    saved_usd: all.some(({ unknownSaved }) => unknownSaved) ? null : sum(({ saved }) => saved),
    by_purpose: Object.fromEntries(
      [...counts].map(([purpose, count]) => [
        purpose,
        {
          calls: count.calls,
          reused: count.reused,
          cost_usd: costOf(count),
          saved_usd: savedBy(count),
        },
      ]),
    ),
  };
}
