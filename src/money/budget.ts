import type { Halt } from '../kernel/plan/halt.ts';
import { textOf } from '../types/answer.ts';
import {
  type Complete,
  type Completion,
  type Request,
  isBatched,
  type OkCompletion,
  type Target,
} from '../types/model.ts';
import type { Purpose } from '../types/plain.ts';
import type { Price } from '../types/price.ts';
import { createInputCounter, estimateTokens, expectedOutput } from './tokens.ts';

/** Null means no limit. */
export interface Caps {
  maxCalls: number | null;
  maxCost: number | null;
  /** Assumed cost of a call without a known price, in US dollars. Absent: the call is free. */
  unknownCall?: number | null;
}

/** Once a cap is reached, no further call is sent on either side. */
export interface Guard {
  /** Call this before each attempt, including retries. */
  attempt(): boolean;
  /** Call this if the server refused an optional parameter, because that attempt does not count. */
  refused(): void;
  /**
   * Sends the request once there is room in the budget. If there never is, returns an error of kind
   * `budget`.
   */
  ask(request: Request, complete: Complete): Promise<Completion>;
  reached(): string | null;
  cap(): NonNullable<Halt['cap']>;
  price: Price;
}

interface ReservedCall {
  request: Request;
  input: number;
}

interface Waiting extends ReservedCall {
  go(held: ReservedCall | null): void;
}

/**
 * Limits of concurrent direct calls, before and after the first answer with the same purpose. Sent
 * calls cannot be stopped, so more calls could exceed the cap.
 */
const MAX_CONCURRENT = { unseen: 8, seen: 256 };

/** Until there are this many answers, a call reserves at least a default cost. */
const MIN_ANSWERS = 20;

const MAX_EMPTY_PLACES = 4096;

/** After these errors, the server may still charge for the input. */
const MAYBE_PAID: ReadonlySet<string> = new Set(['timeout', 'reply', 'filtered', 'network']);

/**
 * Reserves the cost of the longest answer so far with the same purpose, so only a longer answer can
 * exceed `maxCost`. Calls without a price are not limited if `unknownCall` is null.
 */
export function createGuard({ maxCalls, maxCost, unknownCall = null }: Caps, known: Price): Guard {
  const price: Price = (...of) => known(...of) ?? unknownCall;
  const answers = createAnswerLengths();
  const inputOf = createInputCounter();
  const purse = createBudgetRoom(maxCost, answers, price);
  let attempts = 0;
  let reached: string | null = null;
  const stopped = (): string | null => reached ?? purse.empty();
  return {
    attempt() {
      if (stopped() !== null) return false;
      if (maxCalls !== null && attempts >= maxCalls)
        reached = `the limit of ${String(maxCalls)} model calls (max-calls) is reached`;
      else attempts += 1;
      return reached === null;
    },
    refused() {
      attempts -= 1;
    },
    async ask(request, complete) {
      const before = stopped();
      if (before !== null) return budgetRefusal(before);
      if (maxCost === null || price(request.target, { input_tokens: 0, output_tokens: 0 }) === null)
        return complete(request);
      const input = inputOf({ ...request, schema: request.schema?.json ?? null });
      const held = await purse.reserve({ request, input });
      if (held === null) return budgetRefusal(stopped() ?? 'the budget is used up');
      const completion = await complete(request);
      answers.learn(request.purpose, completion);
      purse.settle(held, costOfCompletion(request, completion, input, price));
      return completion;
    },
    reached: stopped,
    cap: () => (reached === null ? 'max_cost_usd' : 'max_calls'),
    price: known,
  };
}

interface AnswerLengths {
  seen(purpose: Purpose): boolean;
  expected(request: Request): number;
  learn(purpose: Purpose, completion: Completion): void;
  version(): number;
}

function createAnswerLengths(): AnswerLengths {
  const known = new Map<Purpose, { count: number; longest: number }>();
  let lessons = 0;
  return {
    version: () => lessons,
    seen: (purpose) => known.has(purpose),
    expected(request) {
      const { count = 0, longest = 0 } = known.get(request.purpose) ?? {};
      return expectedOutput(
        request,
        count < MIN_ANSWERS
          ? Math.max(longest, expectedOutput({ parameters: {}, purpose: request.purpose }))
          : longest,
      );
    },
    learn(purpose, completion) {
      if (completion.status === 'error') return;
      const { count = 0, longest = 0 } = known.get(purpose) ?? {};
      const output = outputOf(completion, purpose);
      if (output > longest || count + 1 === MIN_ANSWERS) lessons += 1;
      known.set(purpose, { count: count + 1, longest: Math.max(longest, output) });
    },
  };
}

interface BudgetRoom {
  reserve(held: ReservedCall): Promise<ReservedCall | null>;
  settle(held: ReservedCall, cost: number): void;
  empty(): string | null;
}

function noRoom(cap: number | null, spent: number): string {
  return (
    `another call could exceed the cost cap of $${String(cap)} (max-cost); ` +
    `$${spent.toFixed(4)} is spent`
  );
}

interface RunningCalls {
  isFull(request: Request): boolean;
  costOf(held: ReservedCall): number;
  start(held: ReservedCall): void;
  end(held: ReservedCall): void;
  relearn(): void;
  count(): number;
  cost(): number;
}

function createRunningCalls(answers: AnswerLengths, price: Price): RunningCalls {
  const reserved = new Map<ReservedCall, number>();
  let [total, direct, lesson] = [0, 0, answers.version()];
  const costOf = ({ request, input }: ReservedCall): number =>
    runLimit(request.target) ??
    price(request.target, { input_tokens: input, output_tokens: answers.expected(request) }) ??
    0;
  const reserve = (held: ReservedCall): void => {
    const cost = costOf(held);
    reserved.set(held, cost);
    total += cost;
  };
  return {
    isFull: ({ purpose, target }) =>
      !isBatched(target) &&
      direct >= (answers.seen(purpose) ? MAX_CONCURRENT.seen : MAX_CONCURRENT.unseen),
    costOf,
    start(held) {
      if (!isBatched(held.request.target)) direct += 1;
      reserve(held);
    },
    end(held) {
      total -= reserved.get(held) ?? 0;
      if (reserved.delete(held) && !isBatched(held.request.target)) direct -= 1;
      // Removes the accumulated rounding error.
      if (reserved.size === 0) total = 0;
    },
    relearn() {
      if (answers.version() === lesson) return;
      lesson = answers.version();
      total = 0;
      for (const held of reserved.keys()) reserve(held);
    },
    count: () => reserved.size,
    cost: () => total,
  };
}

function createBudgetRoom(cap: number | null, answers: AnswerLengths, price: Price): BudgetRoom {
  const running = createRunningCalls(answers, price);
  let waiting: Waiting[] = [];
  let first = 0;
  let spent = 0;
  let empty: string | null = null;
  const fits = (held: ReservedCall): boolean =>
    cap === null || spent + running.cost() + running.costOf(held) <= cap;
  const turn = (next: Waiting): 'go' | 'refuse' | 'wait' => {
    if (empty !== null) return 'refuse';
    if (running.isFull(next.request)) return 'wait';
    if (fits(next)) return 'go';
    if (running.count() > 0) return 'wait';
    empty = noRoom(cap, spent);
    return 'refuse';
  };
  const admit = (): void => {
    for (let next = waiting[first]; next !== undefined; next = waiting[first]) {
      const decided = turn(next);
      if (decided === 'wait') break;
      first += 1;
      if (decided === 'go') running.start(next);
      next.go(decided === 'go' ? next : null);
    }
    if (first < waiting.length && first < MAX_EMPTY_PLACES) return;
    waiting = waiting.slice(first);
    first = 0;
  };
  return {
    reserve: ({ request, input }) =>
      new Promise((go) => {
        waiting.push({ request, input, go });
        admit();
      }),
    settle(held, cost) {
      running.end(held);
      spent += cost;
      running.relearn();
      admit();
    },
    empty: () => empty,
  };
}

function runLimit(target: Target): number | null {
  return (target.provider === 'program' ? target.calls?.usd : null) ?? null;
}

function costOfCompletion(
  request: Request,
  completion: Completion,
  input: number,
  price: Price,
): number {
  const limit = runLimit(request.target);
  if (limit !== null) return costOfRun(request.target, completion, limit, price);
  if (completion.status === 'error') {
    return MAYBE_PAID.has(completion.kind)
      ? (price(request.target, { input_tokens: input, output_tokens: 0 }) ?? 0)
      : 0;
  }
  const usage = completion.usage ?? {
    input_tokens: input,
    output_tokens: outputOf(completion, request.purpose),
  };
  return price(request.target, usage, completion.cached) ?? 0;
}

/** If a run's usage is unknown, for example because it was killed, returns the run's cost limit. */
function costOfRun(target: Target, completion: Completion, limit: number, price: Price): number {
  const { spent = [], paid, attempts = 0 } = completion;
  const metered = [...spent, ...(paid === undefined ? [] : [paid])];
  if (metered.length === 0 && attempts > 0) return limit;
  return metered.reduce(
    (sum, { usage, cached }) => sum + (usage === null ? 0 : (price(target, usage, cached) ?? 0)),
    0,
  );
}

function outputOf(completion: OkCompletion, purpose: Purpose): number {
  const { usage } = completion;
  if (usage !== null) return usage.output_tokens;
  return purpose === 'embedding' ? 0 : Math.ceil(estimateTokens(textOf(completion)));
}

function budgetRefusal(reached: string): Completion {
  return { status: 'error', kind: 'budget', message: `no call was made: ${reached}` };
}

export function budgetHalt(guard: Guard | null): Halt | null {
  const why = guard?.reached() ?? null;
  return guard === null || why === null ? null : { code: 'budget', why, cap: guard.cap() };
}
