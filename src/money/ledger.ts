import type { Halt } from '../kernel/plan/halt.ts';
import { formatDollars } from '../text/amounts.ts';
import { textOf } from '../types/answer.ts';
import type { Bill, Hold } from '../types/hold.ts';
import { placeOf, type Completion, type Request, type Target } from '../types/model.ts';
import type { Purpose } from '../types/plain.ts';
import type { Price } from '../types/price.ts';
import { createAccount, isPassed, roomIn, type Account } from './account.ts';
import type { Caps } from './cost-cap.ts';
import {
  createInputCounter,
  estimateTokens,
  expectedOutput,
  mostInput,
  mostOutput,
  outputLimit,
} from './tokens.ts';

/** A request that is about to leave, in tokens. */
export interface Outgoing {
  target: Target;
  purpose: Purpose;
  /** `most`: an upper limit. */
  input: { usual: number; most: number };
  /** The limit that the request sets. Null: none. */
  output: number | null;
  /** The request's limit may be lowered to this, to fit into the budget. Default: `output`. */
  least?: number;
  /** The most output of the model, if known. */
  longest?: number | null;
  /** The request is answered by a stored reply, so only an agent's own limit applies. */
  isReplayed?: true;
}

export interface OutgoingHold extends Hold {
  /** The request's limit, lowered to fit into the budget. */
  output: number | null;
}

/**
 * The money of one run. Every request that costs money asks it immediately before it leaves. If
 * requests limit their output, the cap is never passed. Otherwise it is passed by at most what the
 * open calls cost beyond their reservation.
 */
export interface Ledger {
  /** `own`: an account with a further cap, such as the limit of an agent's run. */
  reserve(calls: readonly Outgoing[], own?: Account | null): Promise<readonly OutgoingHold[]>;
  outgoing(request: Request): Outgoing;
  /** Call this if the server refused an optional parameter, because that attempt does not count. */
  refused(): void;
  attempts(): number;
  /** Why no call leaves any more. */
  halt(): Halt | null;
  price: Price;
}

interface Open {
  call: Outgoing;
  accounts: readonly Account[];
  cost: number;
}

/** Calls of one model and purpose. `longest` and `open`: those that do not limit their output. */
interface Output {
  /** The longest output so far, in tokens. Null: there is no answer yet. */
  longest: number | null;
  /** Input tokens that the server counted beyond the upper limit of a call. */
  excess: number;
  open: Set<Open>;
}

interface Waiting {
  calls: readonly Outgoing[];
  own: Account | null;
  go(holds: readonly OutgoingHold[]): void;
}

type Taken = OutgoingHold | 'wait' | 'refuse';

export function createLedger(caps: Caps, known: Price): Ledger {
  const { maxCalls, maxCost, unknownCall = null, spent = { calls: 0, cost: 0 } } = caps;
  const whole = createAccount(maxCost?.limit ?? null, spent.cost);
  const outputs = createOutputs();
  let unlimited = 0;
  const inputOf = createInputCounter();
  const price: Price = (...of) => known(...of) ?? unknownCall;
  let attempts = spent.calls;
  let waiting: Waiting[] = [];
  let reached: Halt | null = null;
  const halt = (): Halt | null => (isPassed(whole) ? passedHalt(caps, whole) : reached);

  const start = (call: Outgoing, own: Account | null, offer: Offer): OutgoingHold => {
    const accounts = accountsOf(call, own, whole);
    const open: Open = { call, accounts, cost: offer.cost };
    for (const account of accounts) hold(account, open.cost);
    if (call.output === null) {
      outputs(call).open.add(open);
      unlimited += 1;
    }
    if (call.isReplayed !== true) attempts += 1;
    let isOpen = true;
    return {
      output: offer.output,
      settle(bill) {
        if (!isOpen) return;
        isOpen = false;
        settle(open, bill);
      },
    };
  };
  const take = (call: Outgoing, own: Account | null): Taken => {
    if (call.isReplayed !== true) {
      if (halt() !== null) return 'refuse';
      if (maxCalls !== null && attempts >= maxCalls.limit) {
        reached = callsHalt(maxCalls.limit, maxCalls.from);
        return 'refuse';
      }
      const others = { ...outputs(call), unlimited };
      if (mustBeAlone(call, others, whole, price)) return 'wait';
    }
    const accounts = accountsOf(call, own, whole);
    const offer = offerFor(call, outputs(call), Math.min(...accounts.map(roomIn)), price);
    if (!('lacking' in offer)) return start(call, own, offer);
    const full = accounts.filter((account) => offer.lacking > roomIn(account));
    if (full.every(({ open }) => open > 0)) return 'wait';
    if (full.some((account) => account === whole && account.open === 0))
      reached = costHalt(caps, whole, offer.lacking);
    return 'refuse';
  };
  const takeAll = ({ calls, own }: Pick<Waiting, 'calls' | 'own'>): OutgoingHold[] | 'wait' => {
    const taken: OutgoingHold[] = [];
    for (const call of calls) {
      const next = take(call, own);
      if (next === 'wait' && taken.length === 0) return 'wait';
      if (typeof next === 'string') break;
      taken.push(next);
    }
    return taken;
  };
  const admit = (): void => {
    const before = waiting;
    waiting = [];
    for (const each of before) {
      const holds = takeAll(each);
      if (holds === 'wait') waiting.push(each);
      else each.go(holds);
    }
  };
  const settle = (open: Open, bill: Bill): void => {
    const { call, accounts } = open;
    for (const account of accounts) release(account, open.cost);
    const known = outputs(call);
    if (known.open.delete(open)) unlimited -= 1;
    if (bill === 'unknown') for (const account of accounts) account.unknown += open.cost;
    else if (bill !== 'nothing') {
      const output = writtenTokens(bill, call.purpose);
      const usage = bill.usage ?? { input_tokens: call.input.usual, output_tokens: output };
      const cost = price(call.target, usage, bill.cached) ?? 0;
      for (const account of accounts) account.spent += cost;
      if (call.output !== null)
        known.excess = Math.max(known.excess, usage.input_tokens - call.input.most);
      if (call.output === null && output > (known.longest ?? -1)) {
        known.longest = output;
        for (const each of known.open) raise(each, reservedFor(each.call, known, price));
      }
    }
    if (waiting.length > 0) admit();
  };
  return {
    halt,
    reserve: (calls, own = null) => {
      const asked = { calls, own };
      const holds = takeAll(asked);
      if (holds !== 'wait') return Promise.resolve(holds);
      return new Promise((go) => waiting.push({ ...asked, go }));
    },
    outgoing: (request) => outgoingOf(request, inputOf),
    refused() {
      attempts -= 1;
    },
    attempts: () => attempts,
    price: known,
  };
}

function outgoingOf(
  request: Request,
  inputOf: ReturnType<typeof createInputCounter>,
): Outgoing {
  const { target, purpose } = request;
  const schema = request.schema?.json ?? null;
  const output = outputLimit(request);
  return {
    ...{ target, purpose, output },
    input: {
      usual: inputOf({ ...request, schema }),
      most: output === null ? 0 : mostInput(request),
    },
    longest: mostOutput(target),
  };
}

function accountsOf(
  { isReplayed }: Outgoing,
  own: Account | null,
  whole: Account,
): readonly Account[] {
  return [...(own === null ? [] : [own]), ...(isReplayed === true ? [] : [whole])];
}

function hold(account: Account, cost: number): void {
  account.reserved += cost;
  account.open += 1;
}

function release(account: Account, cost: number): void {
  account.open -= 1;
  // Removes the accumulated rounding error.
  account.reserved = account.open === 0 ? 0 : account.reserved - cost;
}

function raise(open: Open, cost: number): void {
  for (const account of open.accounts) account.reserved += cost - open.cost;
  open.cost = cost;
}

/** Output is expected to be at most this many times the longest output so far. */
const MARGIN = 4;

/**
 * The first call of a model without a limit is made alone, and so is each call once the model's
 * longest output could pass the cap.
 */
function mustBeAlone(
  call: Outgoing,
  { longest, open, unlimited }: Output & { unlimited: number },
  whole: Account,
  price: Price,
): boolean {
  if (call.output !== null || whole.cap === null) return false;
  if (longest === null && open.size > 0) return costOf(call, 0, price) !== null;
  if (call.longest === undefined || call.longest === null || unlimited === 0) return false;
  return (costOf(call, call.longest, price) ?? 0) > roomIn(whole);
}

function createOutputs(): (call: Pick<Outgoing, 'target' | 'purpose'>) => Output {
  const known = new Map<string, Output>();
  return ({ target, purpose }) => {
    const command = target.provider === 'program' ? target.command.join(' ') : '';
    const key = `${purpose} ${placeOf(target)} ${target.model} ${command}`;
    const found = known.get(key) ?? { longest: null, excess: 0, open: new Set() };
    known.set(key, found);
    return found;
  };
}

interface Offer {
  cost: number;
  output: number | null;
}

function offerFor(
  call: Outgoing,
  known: Output,
  room: number,
  price: Price,
): Offer | { lacking: number } {
  const { output, least = output } = call;
  const cost = reservedFor(call, known, price);
  if (cost <= room) return { cost, output };
  if (output === null || least === null || least >= output) return { lacking: cost };
  const costWith = (tokens: number): number => costOf(call, tokens, price, known.excess) ?? 0;
  const input = costWith(0);
  const lower = Math.floor(((room - input) * output) / (cost - input));
  if (lower < least) return { lacking: costWith(least) };
  const lowered = { cost: costWith(lower), output: lower };
  return lowered.cost <= room ? lowered : { lacking: cost };
}

function reservedFor(call: Outgoing, { longest, excess }: Output, price: Price): number {
  const expected =
    longest === null
      ? expectedOutput(call.purpose)
      : MARGIN * longest;
  const output = call.output ?? Math.min(expected, call.longest ?? expected);
  return costOf(call, output, price, excess) ?? 0;
}

/** With a limit, the most that the call can cost: vendors charge more for input that they cache. */
function costOf(
  { target, input, output }: Outgoing,
  tokens: number,
  price: Price,
  excess = 0,
): number | null {
  const input_tokens = output === null ? input.usual : input.most + excess;
  const usage = { input_tokens, output_tokens: tokens };
  const cost = price(target, usage);
  if (cost === null || output === null) return cost;
  return Math.max(cost, price(target, usage, { read: 0, written: input_tokens }) ?? 0);
}

function writtenTokens({ usage, parts }: Exclude<Bill, string>, purpose: Purpose): number {
  if (usage !== null) return usage.output_tokens;
  if (purpose === 'embedding' || parts === undefined) return 0;
  return Math.ceil(estimateTokens(textOf({ parts })));
}

function callsHalt(limit: number, from: string): Halt {
  const why = `the limit of ${String(limit)} model calls (${from}) is reached`;
  return { code: 'budget', why, cap: 'max_calls' };
}

function costHalt({ maxCost }: Caps, { spent, unknown }: Account, cost: number): Halt {
  const open = unknown === 0 ? '' : `, and calls without a reply may have cost ${exact(unknown)}`;
  const why =
    `another call could cost ${exact(cost)} and exceed the cost cap of ` +
    `$${String(maxCost?.limit)} (${maxCost?.from ?? ''}); ${exact(spent)} is spent${open}`;
  return { code: 'budget', why, cap: 'max_cost_usd' };
}

function passedHalt({ maxCost }: Caps, { cap, spent, reserved }: Account): Halt {
  const open = reserved === 0 ? '' : `, and ${formatDollars(reserved)} is reserved for open calls`;
  const why =
    `the cost cap of $${String(maxCost?.limit)} (${maxCost?.from ?? ''}) was passed by ` +
    `${exact(spent - (cap ?? 0))}; ${exact(spent)} is spent${open}`;
  return { code: 'budget', why, cap: 'max_cost_usd', isPassed: true };
}

function exact(dollars: number): string {
  return `$${dollars.toFixed(4)}`;
}

export function budgetRefusal({ why }: Halt): Completion {
  return { status: 'error', kind: 'budget', message: `no call was made: ${why}` };
}
