import type { Served, Usage } from '../../../types/answer.ts';
import type { AskedModel, CachedTokens, MeteredUsage } from '../../../types/model.ts';
import type { Price } from '../../../types/price.ts';
import { normaliserFor, type Normalise } from './normalise.ts';
import type { Refused, RunRecord, RunTerms, SpentUsage } from './terms.ts';

/** Updates are synchronous, so that parallel calls cannot together exceed a limit. */
export interface RunLedger {
  terms: RunTerms;
  normalise: Normalise;
  sent: Map<string, number>;
  counts: { calls: number; attempts: number; paid: number; replayed: number; free: number };
  whole: Account;
  spent: Account;
  reserved: number;
  largest: number;
  served: Served;
  refused: Refused[];
  failure: RunRecord['failure'];
  decision: RunRecord['decision'];
  isCanarySeen: boolean;
  cut: AbortController;
  open: Set<() => void>;
}

interface Account {
  usage: Usage;
  cached: CachedTokens;
  usd: number;
  isCounted: boolean;
  isPriced: boolean;
}

function emptyAccount(): Account {
  return {
    usage: { input_tokens: 0, output_tokens: 0 },
    cached: { read: 0, written: 0 },
    usd: 0,
    isCounted: true,
    isPriced: true,
  };
}

export function openRun(terms: RunTerms): RunLedger {
  return {
    terms,
    normalise: normaliserFor(terms.agent, terms.known),
    sent: new Map(),
    counts: { calls: 0, attempts: 0, paid: 0, replayed: 0, free: 0 },
    whole: emptyAccount(),
    spent: emptyAccount(),
    reserved: 0,
    largest: 0,
    served: { model: null, fingerprint: null, at: null },
    refused: [],
    failure: null,
    decision: null,
    isCanarySeen: false,
    cut: new AbortController(),
    open: new Set(),
  };
}

export function runRecord(run: RunLedger): RunRecord {
  const { calls, attempts, paid, replayed } = run.counts;
  const { served, refused, failure, decision, isCanarySeen } = run;
  if (calls > paid + replayed)
    for (const each of [run.whole, run.spent]) addTo(each, UNCOUNTED, null);
  const [whole, spent] = [spentOf(run.whole), spentOf(run.spent)];
  return {
    ...{ calls, attempts, paid, replayed, whole, spent },
    ...{ served, refused, failure, decision, isCanarySeen },
  };
}

function spentOf({ usage, cached, usd, isCounted, isPriced }: Account): SpentUsage {
  return {
    usage: isCounted ? usage : null,
    ...(isCounted && cached.read + cached.written > 0 ? { cached } : {}),
    usd: isPriced ? usd : null,
  };
}

function addTo(account: Account, { usage, cached }: MeteredUsage, usd: number | null): void {
  if (usage === null) account.isCounted = false;
  if (usd === null) account.isPriced = false;
  account.usage.input_tokens += usage?.input_tokens ?? 0;
  account.usage.output_tokens += usage?.output_tokens ?? 0;
  account.cached.read += cached?.read ?? 0;
  account.cached.written += cached?.written ?? 0;
  account.usd += usd ?? 0;
}

const UNCOUNTED: MeteredUsage = { usage: null };

/** Characters of JSON per token. A high value, so cost estimates are low. */
const CHARS_PER_TOKEN = 4;

/** Limit of an estimate, because an image has far more characters than tokens. */
const MAX_ESTIMATED_TOKENS = 200_000;

/** Token-counting requests per allowed turn. */
const FREE_PER_TURN = 20;

/** Attempts per allowed turn. A refused request is an attempt, but not a turn. */
const ATTEMPTS_PER_TURN = 3;

interface PricedCall {
  model: string;
  chars: number;
  isFree: boolean;
}

/** An allowed call. Only the first reported outcome counts. */
export interface Hold {
  replayed(metered: MeteredUsage): void;
  paid(metered: MeteredUsage): void;
  failed(): void;
  lost(): void;
}

/**
 * Refuses the call, or reserves its estimated cost. Replayed calls count, too, so that a replay
 * ends where the recorded run did.
 */
export function holdCall(run: RunLedger, call: PricedCall, price: Price): Hold | Refused {
  const { counts, terms } = run;
  const { limits } = terms;
  if (call.isFree) {
    counts.free += 1;
    return counts.free > limits.turns * FREE_PER_TURN
      ? { why: 'turns', message: 'this run requested too many token counts' }
      : FREE;
  }
  if (counts.calls >= limits.turns || counts.attempts >= limits.turns * ATTEMPTS_PER_TURN)
    return { why: 'turns', message: `this run reached its limit of ${limits.turns} model calls` };
  const target = targetOf(terms, call.model);
  const estimate = estimateOf(run, call, (metered) => costOf(price, target, metered));
  if (estimate === null && call.model !== terms.target.model)
    return {
      why: 'usd',
      message: 'the price of this model is unknown, and the suite names another model',
    };
  if (run.whole.usd + run.reserved + (estimate ?? 0) > limits.usd)
    return { why: 'usd', message: `this run would exceed its limit of $${limits.usd}` };
  counts.calls += 1;
  return heldCall(run, estimate ?? 0, (metered) => costOf(price, target, metered));
}

const FREE: Hold = {
  replayed: () => undefined,
  paid: () => undefined,
  failed: () => undefined,
  lost: () => undefined,
};

function heldCall(
  run: RunLedger,
  estimate: number,
  priceOf: (metered: MeteredUsage) => number | null,
): Hold {
  let isOpen = true;
  const settle = (metered: MeteredUsage | null, account: readonly Account[]): void => {
    if (!isOpen) return;
    isOpen = false;
    const usd = metered === null ? null : priceOf(metered);
    // If a finished call's cost is unknown, its estimate stays reserved.
    if (metered === null || usd !== null) run.reserved -= estimate;
    if (metered === null) return;
    run.largest = Math.max(run.largest, usd ?? 0);
    for (const each of account) addTo(each, metered, usd);
  };
  run.reserved += estimate;
  return {
    replayed(metered) {
      if (isOpen) run.counts.replayed += 1;
      settle(metered, [run.whole]);
    },
    paid(metered) {
      if (isOpen) run.counts.paid += 1;
      settle(metered, [run.whole, run.spent]);
    },
    failed() {
      if (isOpen) run.counts.calls -= 1;
      settle(null, []);
    },
    lost: () => settle(UNCOUNTED, [run.whole, run.spent]),
  };
}

/** Assumes that the vendor caches input from the second call on. */
function estimateOf(
  { largest }: RunLedger,
  { chars }: PricedCall,
  priceOf: (metered: MeteredUsage) => number | null,
): number | null {
  const input_tokens = Math.min(MAX_ESTIMATED_TOKENS, Math.ceil(chars / CHARS_PER_TOKEN));
  const usage = { input_tokens, output_tokens: 0 };
  const cached = { read: largest === 0 ? 0 : input_tokens, written: 0 };
  const usd = priceOf({ usage, cached });
  return usd === null ? null : Math.max(largest, usd);
}

function costOf(price: Price, target: AskedModel, { usage, cached }: MeteredUsage): number | null {
  return usage === null ? null : price(target, usage, cached);
}

/** Agents also call smaller models than the suite's, for example for titles. */
export function targetOf({ target }: RunTerms, model: string): AskedModel {
  if (model === target.model) return target;
  const { provider, endpoint } = target;
  return { provider, endpoint, model };
}
