import { createAccount, isPassed, type Account } from '../../../money/account.ts';
import type { Ledger } from '../../../money/ledger.ts';
import type { Usage } from '../../../types/answer.ts';
import type { Bill, Hold } from '../../../types/hold.ts';
import type { AskedModel, CachedTokens, MeteredUsage } from '../../../types/model.ts';
import { normaliserFor, type Normalise } from './normalise.ts';
import { callInput, outputOf, withOutput } from './output-limit.ts';
import type { Witness } from './record.ts';
import type { Call, Refused, RunRecord, RunTerms, SpentUsage } from './terms.ts';

/** Updates are synchronous, so that parallel calls cannot together exceed a limit. */
export interface RunLedger extends Pick<
  RunRecord,
  'served' | 'refused' | 'failure' | 'isDecided' | 'isCanarySeen'
> {
  terms: RunTerms;
  normalise: Normalise;
  sent: Map<string, number>;
  /** `repeats`: attempts of the gateway after the vendor refused a call because of its load. */
  counts: Record<'calls' | 'attempts' | 'repeats' | 'paid' | 'replayed', number>;
  whole: UsageTally;
  spent: UsageTally;
  /** What the run may cost: `limits.usd`. */
  account: Account;
  density: number | null;
  witness: Witness;
  cut: AbortController;
  open: Set<() => void>;
  heldBytes: number;
}

interface UsageTally {
  usage: Usage;
  cached: CachedTokens;
  usd: number;
  isCounted: boolean;
  isPriced: boolean;
}

function emptyTally(): UsageTally {
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
    normalise: normaliserFor(terms.agent, []),
    sent: new Map(),
    counts: { calls: 0, attempts: 0, repeats: 0, paid: 0, replayed: 0 },
    whole: emptyTally(),
    spent: emptyTally(),
    account: createAccount(terms.limits.usd),
    density: null,
    served: { model: null, fingerprint: null, at: null },
    refused: [],
    failure: null,
    isDecided: false,
    witness: {
      steps: [],
      hasTools: false,
      models: [],
      open: [],
      replies: { own: 0, other: 0, stored: 0 },
    },
    isCanarySeen: false,
    cut: new AbortController(),
    open: new Set(),
    heldBytes: 0,
  };
}

export function runRecord(run: RunLedger, hash: (text: string) => string): RunRecord {
  const { repeats: _, ...counts } = run.counts;
  const { served, refused, failure, isDecided, isCanarySeen } = run;
  const { open: __, ...seen } = run.witness;
  const asked = [...run.sent].filter(([, times]) => times > 0).sort();
  if (counts.calls > counts.paid + counts.replayed)
    for (const each of [run.whole, run.spent]) addTo(each, UNCOUNTED, null);
  const whole = spentOf(run.whole);
  const spent = spentOf(run.spent);
  if (isPassed(run.account))
    refused.push({
      why: 'content',
      message:
        `this run cost $${run.account.spent.toFixed(4)}, ` +
        `more than its limit of $${run.terms.limits.usd}`,
    });
  return {
    ...counts,
    whole,
    spent,
    served,
    refused,
    failure,
    isDecided,
    isCanarySeen,
    ...seen,
    requests: hash(JSON.stringify(asked)),
  };
}

function spentOf({ usage, cached, usd, isCounted, isPriced }: UsageTally): SpentUsage {
  return {
    usage: isCounted ? usage : null,
    ...(isCounted && cached.read + cached.written > 0 && { cached }),
    usd: isPriced ? usd : null,
  };
}

function addTo(tally: UsageTally, { usage, cached }: MeteredUsage, usd: number | null): void {
  if (usage === null) tally.isCounted = false;
  if (usd === null) tally.isPriced = false;
  tally.usage.input_tokens += usage?.input_tokens ?? 0;
  tally.usage.output_tokens += usage?.output_tokens ?? 0;
  tally.cached.read += cached?.read ?? 0;
  tally.cached.written += cached?.written ?? 0;
  tally.usd += usd ?? 0;
}

const UNCOUNTED: MeteredUsage = { usage: null };

/** Attempts per allowed turn. A refused request is an attempt, but not a turn. */
const ATTEMPTS_PER_TURN = 3;

/** An allowed call. Only the first reported outcome counts. `sent`: the body, with a limit. */
export interface Held {
  sent: string;
  replayed(metered: MeteredUsage): void;
  paid(metered: MeteredUsage): void;
  failed(bill?: Bill): void;
  lost(): void;
}

/**
 * Counts the call, unless the run has made too many. Replayed calls count, too, so that a replay
 * ends where the recorded run did.
 */
export function takeTurn({ counts, terms: { limits } }: RunLedger): Refused | null {
  const attempts = counts.attempts - counts.repeats;
  if (counts.calls >= limits.turns || attempts >= limits.turns * ATTEMPTS_PER_TURN)
    return { why: 'turns', message: `this run reached its limit of ${limits.turns} model calls` };
  counts.calls += 1;
  return null;
}

/** Waits until the run's limit and the cap have room for the call, or refuses it. */
export async function holdCall(
  run: RunLedger,
  call: Call,
  ledger: Ledger,
  isReplayed: boolean,
): Promise<Held | Refused> {
  const { terms, account } = run;
  const target = targetOf(terms, call.model);
  const isPriced = ledger.price(target, { input_tokens: 0, output_tokens: 0 }) !== null;
  if (!isPriced && call.model !== terms.target.model)
    return { why: 'content', message: `the price of the further model ${call.model} is unknown` };
  const most = callInput(call, run.density);
  const asked = { target, purpose: 'prompt', input: { usual: most, most } } as const;
  const [hold] = await ledger.reserve(
    [{ ...asked, ...outputOf(call, target), ...(isReplayed && { isReplayed }) }],
    account,
  );
  const halt = isReplayed ? null : ledger.halt();
  if (hold === undefined)
    return halt === null
      ? { why: 'usd', message: `this run would exceed its limit of $${terms.limits.usd}` }
      : { why: 'budget', message: halt.why };
  const { output } = hold;
  const sent = isPriced && output !== null ? withOutput(call, target, output) : call.sent;
  return heldCall(run, { ...hold, sent }, ({ usage, cached }) =>
    usage === null ? null : ledger.price(target, usage, cached),
  );
}

function heldCall(
  run: RunLedger,
  { sent, settle: pay }: Hold & Pick<Held, 'sent'>,
  priceOf: (metered: MeteredUsage) => number | null,
): Held {
  let isOpen = true;
  const settle = (bill: Bill, metered: MeteredUsage, tallies: readonly UsageTally[]) => {
    if (!isOpen) return;
    isOpen = false;
    pay(bill);
    for (const each of tallies) addTo(each, metered, priceOf(metered));
  };
  const counted = (metered: MeteredUsage, tallies: readonly UsageTally[]) => {
    const { usage } = metered;
    settle(usage === null ? 'unknown' : metered, metered, tallies);
    if (usage === null) return;
    const density = usage.input_tokens / Buffer.byteLength(sent);
    run.density = Math.max(run.density ?? 0, density);
  };
  return {
    sent,
    replayed(metered) {
      if (isOpen) run.counts.replayed += 1;
      counted(metered, [run.whole]);
    },
    paid(metered) {
      if (isOpen) run.counts.paid += 1;
      counted(metered, [run.whole, run.spent]);
    },
    failed(bill = 'nothing') {
      if (isOpen) run.counts.calls -= 1;
      settle(bill, UNCOUNTED, []);
    },
    lost: () => settle('unknown', UNCOUNTED, [run.whole, run.spent]),
  };
}

export function targetOf({ target }: RunTerms, model: string): AskedModel {
  if (model === target.model) return target;
  const { provider, endpoint } = target;
  return { provider, endpoint, model };
}
