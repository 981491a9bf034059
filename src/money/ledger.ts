import type { Halt } from '../kernel/plan/halt.ts';
import { formatDollars } from '../text/amounts.ts';
import { estimateTokens } from '../text/estimated-tokens.ts';
import { textOf } from '../types/answer.ts';
import type { Bill, Hold } from '../types/hold.ts';
import { placeOf, type Completion, type Request, type Target } from '../types/model.ts';
import type { Purpose } from '../types/plain.ts';
import type { Price } from '../types/price.ts';
import { createAccount, isPassed, roomIn, type Account } from './account.ts';
import type { Cap, Caps } from './cost-cap.ts';
import {
  createInputCounter,
  expectedOutput,
  mostInput,
  mostOutput,
  outputLimit,
} from './tokens.ts';

/** A request that is about to leave, in tokens. */
interface Outgoing {
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
  /** Why no further call is sent. */
  halt(): Halt | null;
  price: Price;
}

interface Open {
  call: Outgoing;
  accounts: readonly Account[];
  cost: number;
}

/** Calls of one model and purpose. `longest` and `open` cover only calls without an output limit. */
interface Kind {
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

interface Book {
  caps: Caps;
  price: Price;
  whole: Account;
  kinds: Map<string, Kind>;
  attempts: number;
  waiting: Waiting[];
  reached: Halt | null;
}

export function createLedger(caps: Caps, known: Price): Ledger {
  const { maxCost, unknownCall = null, spent = { calls: 0, cost: 0 } } = caps;
  const book: Book = {
    caps,
    price: (...of) => known(...of) ?? unknownCall,
    whole: createAccount(maxCost?.limit ?? null, spent.cost),
    kinds: new Map(),
    attempts: spent.calls,
    waiting: [],
    reached: null,
  };
  const inputOf = createInputCounter();
  return {
    reserve(calls, own = null) {
      const holds = takeAll(book, { calls, own });
      if (holds !== 'wait') return Promise.resolve(holds);
      return new Promise((go) => book.waiting.push({ calls, own, go }));
    },
    outgoing: (request) => outgoingOf(request, inputOf),
    refused() {
      book.attempts -= 1;
    },
    attempts: () => book.attempts,
    halt: () => ledgerHalt(book),
    price: known,
  };
}

function ledgerHalt({ caps, whole, reached }: Book): Halt | null {
  return isPassed(whole) ? passedHalt(caps, whole) : reached;
}

function takeAll(
  book: Book,
  { calls, own }: Pick<Waiting, 'calls' | 'own'>,
): OutgoingHold[] | 'wait' {
  const taken: OutgoingHold[] = [];
  for (const call of calls) {
    const next = take(book, call, own);
    if (next === 'wait' && taken.length === 0) return 'wait';
    if (typeof next === 'string') break;
    taken.push(next);
  }
  return taken;
}

function take(book: Book, call: Outgoing, own: Account | null): OutgoingHold | 'wait' | 'refuse' {
  const { caps, whole, price } = book;
  const isPaid = call.isReplayed !== true;
  if (isPaid && !mayCall(book)) return 'refuse';
  if (isPaid && mustBeAlone(book, call)) return 'wait';
  const accounts = [...(own === null ? [] : [own]), ...(isPaid ? [whole] : [])];
  const offer = offerFor(call, callKind(book, call), Math.min(...accounts.map(roomIn)), price);
  const full = accounts.filter((account) => offer.cost > roomIn(account));
  if (full.length === 0) return openCall(book, { call, accounts, cost: offer.cost }, offer.output);
  if (full.every(({ open }) => open > 0)) return 'wait';
  if (full.includes(whole) && whole.open === 0) book.reached = costHalt(caps, whole, offer.cost);
  return 'refuse';
}

function mayCall(book: Book): boolean {
  const { maxCalls } = book.caps;
  const isUsedUp = maxCalls !== null && book.attempts >= maxCalls.limit;
  if (isUsedUp) book.reached ??= callsHalt(maxCalls);
  // After that, a server may refuse a parameter. The place of that attempt is free again.
  return !isUsedUp && ledgerHalt(book)?.cap !== 'max_cost_usd';
}

function openCall(book: Book, open: Open, output: number | null): OutgoingHold {
  const { call, accounts } = open;
  for (const account of accounts) {
    account.reserved += open.cost;
    account.open += 1;
  }
  if (call.output === null) callKind(book, call).open.add(open);
  if (call.isReplayed !== true) book.attempts += 1;
  let isOpen = true;
  return {
    output,
    settle(bill) {
      if (!isOpen) return;
      isOpen = false;
      settle(book, open, bill);
    },
  };
}

function settle(book: Book, open: Open, bill: Bill): void {
  const { call, accounts } = open;
  callKind(book, call).open.delete(open);
  for (const account of accounts) {
    account.open -= 1;
    // Removes the accumulated rounding error.
    account.reserved = account.open === 0 ? 0 : account.reserved - open.cost;
    if (bill === 'unknown') account.unknown += open.cost;
  }
  if (typeof bill !== 'string') charge(book, open, bill);
  const { waiting } = book;
  book.waiting = [];
  for (const each of waiting) {
    const holds = takeAll(book, each);
    if (holds === 'wait') book.waiting.push(each);
    else each.go(holds);
  }
}

function charge(book: Book, { call, accounts }: Open, bill: Exclude<Bill, string>): void {
  const { price } = book;
  const output = billedOutput(bill, call.purpose);
  const usage = bill.usage ?? { input_tokens: call.input.usual, output_tokens: output };
  const cost = price(call.target, usage, bill.cached) ?? 0;
  for (const account of accounts) account.spent += cost;
  const kind = callKind(book, call);
  if (call.output !== null)
    kind.excess = Math.max(kind.excess, usage.input_tokens - call.input.most);
  else if (output > (kind.longest ?? -1)) {
    kind.longest = output;
    for (const each of kind.open) {
      const raised = reservedFor(each.call, kind, price);
      for (const account of each.accounts) account.reserved += raised - each.cost;
      each.cost = raised;
    }
  }
}

function callKind({ kinds }: Book, { target, purpose }: Outgoing): Kind {
  const command = target.provider === 'program' ? target.command.join(' ') : '';
  const key = `${purpose} ${placeOf(target)} ${target.model} ${command}`;
  const kind = kinds.get(key) ?? { longest: null, excess: 0, open: new Set() };
  kinds.set(key, kind);
  return kind;
}

/**
 * The first call of a model without a limit is made alone, and so is each call once the model's
 * longest output could pass the cap.
 */
function mustBeAlone(book: Book, call: Outgoing): boolean {
  const { whole, price } = book;
  if (call.output !== null || whole.cap === null) return false;
  const { longest, open } = callKind(book, call);
  if (longest === null && open.size > 0) return outgoingCost(call, 0, price) !== null;
  const most = call.longest ?? null;
  if (most === null || (outgoingCost(call, most, price) ?? 0) <= roomIn(whole)) return false;
  return [...book.kinds.values()].some((kind) => kind.open.size > 0);
}

/** Output is expected to be at most this many times the longest output so far. */
const MARGIN = 4;

function offerFor(call: Outgoing, kind: Kind, room: number, price: Price) {
  const { output, least = output } = call;
  const cost = reservedFor(call, kind, price);
  if (cost <= room || output === null || least === null) return { cost, output };
  const costWith = (tokens: number) => outgoingCost(call, tokens, price, kind.excess) ?? 0;
  const input = costWith(0);
  const lower = Math.min(output, Math.floor(((room - input) * output) / (cost - input)));
  const lowered = Math.max(least, lower);
  return { cost: costWith(lowered), output: lowered };
}

function reservedFor(call: Outgoing, { longest, excess }: Kind, price: Price): number {
  const expected = longest === null ? expectedOutput(call.purpose) : MARGIN * longest;
  const output = call.output ?? Math.min(expected, call.longest ?? expected);
  return outgoingCost(call, output, price, excess) ?? 0;
}

function outgoingOf(request: Request, inputOf: ReturnType<typeof createInputCounter>): Outgoing {
  const { target, purpose } = request;
  const schema = request.schema?.json ?? null;
  const output = outputLimit(request);
  return {
    target,
    purpose,
    output,
    input: {
      usual: inputOf({ ...request, schema }),
      most: output === null ? 0 : mostInput(request),
    },
    longest: mostOutput(target),
  };
}

/** With a limit, the most that the call can cost: vendors charge more for input that they cache. */
function outgoingCost(
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

function billedOutput({ usage, parts }: Exclude<Bill, string>, purpose: Purpose): number {
  if (usage !== null) return usage.output_tokens;
  if (purpose === 'embedding' || parts === undefined) return 0;
  return Math.ceil(estimateTokens(textOf({ parts })));
}

function callsHalt({ limit, from }: Cap): Halt {
  const why = `the limit of ${limit} model calls (${from}) is reached`;
  return { code: 'budget', why, cap: 'max_calls' };
}

function costHalt({ maxCost }: Caps, { spent, unknown }: Account, cost: number): Halt {
  const open = unknown === 0 ? '' : `, and calls without a reply may have cost ${exact(unknown)}`;
  const why =
    `another call could cost ${exact(cost)} and exceed the cost cap of ` +
    `$${maxCost?.limit} (${maxCost?.from ?? ''}); ${exact(spent)} is spent${open}`;
  return { code: 'budget', why, cap: 'max_cost_usd' };
}

function passedHalt({ maxCost }: Caps, { cap, spent, reserved }: Account): Halt {
  const open = reserved === 0 ? '' : `, and ${formatDollars(reserved)} is reserved for open calls`;
  const why =
    `the cost cap of $${maxCost?.limit} (${maxCost?.from ?? ''}) was passed by ` +
    `${exact(spent - (cap ?? 0))}; ${exact(spent)} is spent${open}`;
  return { code: 'budget', why, cap: 'max_cost_usd', isPassed: true };
}

function exact(dollars: number): string {
  return `$${dollars.toFixed(4)}`;
}

export function budgetRefusal({ why }: Halt): Completion {
  return { status: 'error', kind: 'budget', message: `no call was made: ${why}` };
}
