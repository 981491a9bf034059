import type { Halt } from '../kernel/plan/halt.ts';
import type { Price } from '../kernel/plan/price.ts';
import { isBatched } from '../kernel/select/targets.ts';
import type { Complete, Completion, Purpose, Request } from '../types/model.ts';
import { createInputCounter, estimateTokens, expectedOutput } from './tokens.ts';

/** Hard caps of a run; null: none. */
export interface Caps {
  maxCalls: number | null;
  /** US dollars. */ maxCost: number | null;
}

/**
 * Keeps a run within its caps. Once one is reached nothing more is sent, so that base and head stop
 * at the same point.
 */
export interface Guard {
  /** Whether one more paid attempt, repetitions included, may be made; to be asked before each. */
  attempt(): boolean;
  /** An attempt was refused for something that the request can do without: it does not count. */
  refused(): void;
  /**
   * Makes a call that no store answers, once the budget has room for it; without room it ends as an
   * error of kind `budget`.
   */
  ask(request: Request, complete: Complete): Promise<Completion>;
  /** Which cap was reached, as a sentence for people; null while none is. */
  reached(): string | null;
}

/** A call whose cost is held back. */
interface Held {
  request: Request;
  input: number;
}

interface Waiting extends Held {
  go(held: Held | null): void;
}

/**
 * Direct calls under way before the first answer of their purpose and after it: what is not sent
 * yet can still be held back. A batch is sent as a whole, and before its first answer: its requests
 * are held to what they are reckoned to cost.
 */
const UNDER_WAY = { unseen: 8, seen: 256 };

/** After this many answers, the longest of them says more than a usual length does. */
const TELLING = 20;

/** Dead places at the front of the line before it is worth moving the rest. */
const SLACK = 4096;

/** Errors after which the server may have worked, and charged, for the whole input. */
const MAYBE_PAID: ReadonlySet<string> = new Set(['timeout', 'reply', 'filtered', 'network']);

/**
 * Calls are counted by attempt: never one more than `maxCalls`. Cost is reserved before a call (its
 * input, and the longest answer so far for its purpose, or less where the parameters allow no more)
 * and replaced by what the answer cost; a call that has no room waits for those under way. So
 * `maxCost` can be passed only by what answers under way are longer than any before, of which a
 * batch may hold many. Calls without a price are not held to it.
 */
export function createGuard({ maxCalls, maxCost }: Caps, price: Price): Guard {
  const answers = createAnswerLengths();
  const inputOf = createInputCounter();
  const purse = createPurse(maxCost, answers, price);
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
      if (before !== null) return refusal(before);
      if (maxCost === null || price(request.target, { input_tokens: 0, output_tokens: 0 }) === null)
        return complete(request);
      const input = inputOf({ messages: request.messages, schema: request.schema?.json ?? null });
      const held = await purse.reserve({ request, input });
      if (held === null) return refusal(stopped() ?? 'the budget is used up');
      const completion = await complete(request);
      answers.learn(request.purpose, completion);
      purse.settle(held, costOf(request, completion, input, price));
      return completion;
    },
    reached: stopped,
  };
}

interface AnswerLengths {
  seen(purpose: Purpose): boolean;
  /** Tokens to reckon with. */
  expected(request: Request): number;
  learn(purpose: Purpose, completion: Completion): void;
  /** A counter that changes whenever `expected` may answer otherwise than before. */
  lessons(): number;
}

function createAnswerLengths(): AnswerLengths {
  const known = new Map<Purpose, { count: number; longest: number }>();
  let lessons = 0;
  return {
    lessons: () => lessons,
    seen: (purpose) => known.has(purpose),
    expected(request) {
      const { count = 0, longest = 0 } = known.get(request.purpose) ?? {};
      return expectedOutput(
        request,
        count < TELLING
          ? Math.max(longest, expectedOutput({ parameters: {}, purpose: request.purpose }))
          : longest,
      );
    },
    learn(purpose, completion) {
      if (completion.status === 'error') return;
      const { count = 0, longest = 0 } = known.get(purpose) ?? {};
      const output = outputOf(completion, purpose);
      if (output > longest || count + 1 === TELLING) lessons += 1;
      known.set(purpose, { count: count + 1, longest: Math.max(longest, output) });
    },
  };
}

/** Direct calls under way. */
interface Crowd {
  full(request: Request): boolean;
  enter(request: Request): void;
  leave(request: Request): void;
}

function createCrowd(answers: AnswerLengths): Crowd {
  let direct = 0;
  return {
    full: ({ purpose, target }) =>
      !isBatched(target) && direct >= (answers.seen(purpose) ? UNDER_WAY.seen : UNDER_WAY.unseen),
    enter({ target }) {
      if (!isBatched(target)) direct += 1;
    },
    leave({ target }) {
      if (!isBatched(target)) direct -= 1;
    },
  };
}

interface Purse {
  /**
   * Holds back what a call may cost, waiting for room while others are under way; null: there is no
   * room.
   */
  reserve(held: Held): Promise<Held | null>;
  settle(held: Held, cost: number): void;
  /** Why no further call is paid for; null while calls are. */
  empty(): string | null;
}

function noRoom(cap: number | null, spent: number): string {
  return `the cost cap of $${String(cap)} (max-cost) leaves no room for a further call; $${spent.toFixed(4)} are spent`;
}

/** What is held back for the calls under way, in dollars. */
interface Reserve {
  costOf(held: Held): number;
  hold(held: Held): void;
  /** Gives back what was held for a call; false: nothing was held. */
  free(held: Held): boolean;
  /** What an answer teaches of how long they get holds for those under way as well. */
  relearn(): void;
  calls(): number;
  total(): number;
}

function createReserve(answers: AnswerLengths, price: Price): Reserve {
  const underWay = new Map<Held, number>();
  let total = 0;
  let lesson = answers.lessons();
  const costOf = ({ request, input }: Held): number =>
    price(request.target, { input_tokens: input, output_tokens: answers.expected(request) }) ?? 0;
  const hold = (held: Held): void => {
    const cost = costOf(held);
    underWay.set(held, cost);
    total += cost;
  };
  return {
    costOf,
    hold,
    free(held) {
      total -= underWay.get(held) ?? 0;
      const wasHeld = underWay.delete(held);
      // Sums of fractions drift; with nothing under way nothing is held back.
      if (underWay.size === 0) total = 0;
      return wasHeld;
    },
    relearn() {
      if (answers.lessons() === lesson) return;
      lesson = answers.lessons();
      total = 0;
      for (const held of underWay.keys()) hold(held);
    },
    calls: () => underWay.size,
    total: () => total,
  };
}

function createPurse(cap: number | null, answers: AnswerLengths, price: Price): Purse {
  const reserve = createReserve(answers, price);
  const crowd = createCrowd(answers);
  let waiting: Waiting[] = [];
  let first = 0;
  let spent = 0;
  let empty: string | null = null;
  const fits = (held: Held): boolean =>
    cap === null || spent + reserve.total() + reserve.costOf(held) <= cap;
  /** Waits where others under way may still make room. */
  const turn = (next: Waiting): 'go' | 'refuse' | 'wait' => {
    if (empty !== null) return 'refuse';
    if (crowd.full(next.request)) return 'wait';
    if (fits(next)) return 'go';
    if (reserve.calls() > 0) return 'wait';
    empty = noRoom(cap, spent);
    return 'refuse';
  };
  const admit = (): void => {
    for (let next = waiting[first]; next !== undefined; next = waiting[first]) {
      const decided = turn(next);
      if (decided === 'wait') break;
      first += 1;
      if (decided === 'go') {
        crowd.enter(next.request);
        reserve.hold(next);
      }
      next.go(decided === 'go' ? next : null);
    }
    if (first < waiting.length && first < SLACK) return;
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
      if (reserve.free(held)) crowd.leave(held.request);
      spent += cost;
      reserve.relearn();
      admit();
    },
    empty: () => empty,
  };
}

function costOf(request: Request, completion: Completion, input: number, price: Price): number {
  if (completion.status === 'error') {
    return MAYBE_PAID.has(completion.kind)
      ? (price(request.target, { input_tokens: input, output_tokens: 0 }) ?? 0)
      : 0;
  }
  // A server that does not say what it counted is reckoned with by our own estimate.
  const usage = completion.usage ?? {
    input_tokens: input,
    output_tokens: outputOf(completion, request.purpose),
  };
  return price(request.target, usage, completion.cached) ?? 0;
}

/** A vector is not text that a model wrote. */
function outputOf(
  { usage, output }: Extract<Completion, { status: 'ok' }>,
  purpose: Purpose,
): number {
  return usage?.output_tokens ?? (purpose === 'embedding' ? 0 : Math.ceil(estimateTokens(output)));
}

function refusal(reached: string): Completion {
  return { status: 'error', kind: 'budget', message: `not asked: ${reached}` };
}

/**
 * The halt of a run whose cap on calls or cost is reached; null: none is, or nothing was to be held
 * to one.
 */
export function budgetHalt(guard: Guard | null): Halt | null {
  const why = guard?.reached() ?? null;
  return why === null ? null : { title: 'Budget reached', why };
}
