import type { Complete, Completion, Purpose, Request } from '../types.ts';
import type { Price } from './meter.ts';
import { createInputCounter, estimateTokens, expectedOutput } from './tokens.ts';

/** Hard caps of a run; null: none. */
export interface Caps { maxCalls: number | null; /** US dollars. */ maxCost: number | null }

/** Keeps a run within its caps. Once one is reached nothing more is sent, so that base and head stop at the same point. */
export interface Guard {
  /** Asked before every paid attempt, repetitions included. False: it is not made. */
  attempt(): boolean;
  /** Makes a call that nothing stored answers, once the budget has room for it; else it ends as an error of kind `budget`. */
  ask(request: Request, complete: Complete): Promise<Completion>;
  /** Which cap was reached, as a sentence for people; null while none is. */
  reached(): string | null;
}

interface Waiting { cost: number; go(room: boolean): void }

/** Errors after which the server may have worked, and be paid, for the whole input. */
const MAYBE_PAID: ReadonlySet<string> = new Set(['timeout', 'reply', 'filtered', 'network']);

/**
 * Calls are counted by attempt: never one more than `maxCalls`. Cost is reserved before a call (its input, and the longest
 * answer seen so far for its purpose or the parameters' own limit) and replaced by what the answer cost; a call that has no
 * room waits for those under way. So `maxCost` can be passed only by what answers under way are longer than any before.
 */
export function createGuard({ maxCalls, maxCost }: Caps, price: Price): Guard {
  const longest = new Map<Purpose, number>();
  const waiting: Waiting[] = [];
  const inputOf = createInputCounter();
  let attempts = 0;
  let spent = 0;
  let reserved = 0;
  let underWay = 0;
  let reached: string | null = null;

  const admit = (): void => {
    for (let next = waiting[0]; next !== undefined; next = waiting[0]) {
      const fits = maxCost === null || spent + reserved + next.cost <= maxCost;
      if (!fits && underWay > 0 && reached === null) return;
      if (!fits) reached ??= `the cost cap of $${String(maxCost)} (max-cost) leaves no room for a further call; $${spent.toFixed(4)} are spent`;
      waiting.shift();
      if (reached === null) {
        reserved += next.cost;
        underWay += 1;
      }
      next.go(reached === null);
    }
  };
  const room = (cost: number): Promise<boolean> => new Promise((go) => {
    waiting.push({ cost, go });
    admit();
  });
  const learn = ({ purpose }: Request, completion: Completion): void => {
    if (completion.status === 'ok' && completion.usage !== null) longest.set(purpose, Math.max(longest.get(purpose) ?? 0, completion.usage.output_tokens));
  };
  return {
    attempt() {
      if (reached !== null) return false;
      if (maxCalls !== null && attempts >= maxCalls) reached = `the limit of ${String(maxCalls)} model calls (max-calls) is reached`;
      else attempts += 1;
      return reached === null;
    },
    async ask(request, complete) {
      if (reached !== null) return refusal(reached);
      if (maxCost === null) return complete(request);
      const input = inputOf({ messages: request.messages, schema: request.schema?.json ?? null });
      const cost = price(request.target, { input_tokens: input, output_tokens: expectedOutput(request, longest.get(request.purpose)) }) ?? 0;
      if (!await room(cost)) return refusal(reached ?? 'the budget is used up');
      const completion = await complete(request);
      learn(request, completion);
      underWay -= 1;
      reserved = underWay === 0 ? 0 : reserved - cost;
      spent += costOf(request, completion, input, price);
      admit();
      return completion;
    },
    reached: () => reached,
  };
}

function costOf(request: Request, completion: Completion, input: number, price: Price): number {
  if (completion.status === 'error') {
    return MAYBE_PAID.has(completion.kind) ? price(request.target, { input_tokens: input, output_tokens: 0 }) ?? 0 : 0;
  }
  // A server that does not say what it counted is reckoned with by our own estimate.
  const usage = completion.usage ?? { input_tokens: input, output_tokens: Math.ceil(estimateTokens(completion.output)) };
  return price(request.target, usage) ?? 0;
}

function refusal(reached: string): Completion {
  return { status: 'error', kind: 'budget', message: `not asked: ${reached}` };
}
