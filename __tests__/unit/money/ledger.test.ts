import { createAccount } from '../../../src/money/account.ts';
import type { Cap, Caps } from '../../../src/money/cost-cap.ts';
import { createLedger, type Ledger, type OutgoingHold } from '../../../src/money/ledger.ts';
import type { Request } from '../../../src/types/model.ts';
import fc, { draws } from '../../fuzz.ts';

const target = { provider: 'openai' as const, endpoint: null, model: 'm' };
const request = (content: string, changes: Partial<Request> = {}): Request => ({
  target,
  parameters: {},
  messages: [{ role: 'user', content }],
  try: 0,
  schema: null,
  purpose: 'prompt',
  ...changes,
});
const most = (max_tokens: number) => ({ parameters: { max_tokens } });
type Price = Ledger['price'];
/** A dollar per thousand output tokens; input is free. */
const price: Price = (_target, { output_tokens }) => output_tokens / 1000;
const cap = (limit: number, from: string): Cap => ({ limit, from, isDefault: false });
const used = (output_tokens: number, input_tokens = 10) => ({
  usage: { input_tokens, output_tokens },
});

/** A ledger with a cost cap, and a way to ask it that shows which calls have left. */
function capped(limit: number, of: Price = price, more: Partial<Caps> = {}) {
  const ledger = createLedger({ maxCalls: null, maxCost: cap(limit, '--max-cost'), ...more }, of);
  const open: OutgoingHold[] = [];
  const refused: string[] = [];
  const ask = (content: string, changes: Partial<Request> = {}) => {
    void ledger.reserve([ledger.outgoing(request(content, changes))]).then(([hold]) => {
      if (hold === undefined) refused.push(content);
      else open.push(hold);
    });
  };
  const turn = () => new Promise((resolve) => setImmediate(resolve));
  return {
    ledger,
    refused,
    async asked(count: number, changes: Partial<Request> = {}) {
      for (let index = 0; index < count; index += 1) ask(String(index), changes);
      await turn();
      return open.length;
    },
    /** Answers the oldest open calls with this many output tokens. Returns how many are open then. */
    async answer(count: number, tokens: number) {
      for (let index = 0; index < count; index += 1) open.shift()?.settle(used(tokens));
      await turn();
      return open.length;
    },
    first: () => open.shift(),
  };
}

describe('the limit on calls', () => {
  test('allows exactly the given number of attempts', async () => {
    const ledger = createLedger({ maxCalls: cap(3, '--max-calls'), maxCost: null }, price);
    const calls = Array.from({ length: 5 }, () => ledger.outgoing(request('a')));
    expect(await ledger.reserve(calls)).toHaveLength(3);
    expect(ledger.halt()).toEqual({
      code: 'budget',
      cap: 'max_calls',
      why: 'the limit of 3 model calls (--max-calls) is reached',
    });
    expect(await ledger.reserve(calls)).toEqual([]);
    expect(ledger.attempts()).toBe(3);
  });

  test('does not count a request that a server refused for its parameters', async () => {
    const ledger = createLedger({ maxCalls: cap(1, '--max-calls'), maxCost: null }, price);
    const calls = [ledger.outgoing(request('a'))];
    const [hold] = await ledger.reserve(calls);
    hold?.settle('nothing');
    ledger.refused();
    expect(await ledger.reserve(calls)).toHaveLength(1);
  });

  test.each([
    [1, 1],
    [3, 1],
    [3, 2],
    [20, 5],
  ])(
    'of %i is used up, even if %i of them are refused while another call asks',
    async (limit, count) => {
      const ledger = createLedger({ maxCalls: cap(limit, '--max-calls'), maxCost: null }, price);
      const call = ledger.outgoing(request('a'));
      const holds = await ledger.reserve(Array.from({ length: limit }, () => call));
      expect(await ledger.reserve([call])).toEqual([]);
      for (const hold of holds.slice(0, count)) {
        hold.settle('nothing');
        ledger.refused();
      }
      for (let index = 0; index < count; index += 1)
        expect(await ledger.reserve([call])).toHaveLength(1);
      expect(await ledger.reserve([call])).toEqual([]);
      expect(ledger.attempts()).toBe(limit);
      // A call was refused, so the run is incomplete.
      expect(ledger.halt()).toMatchObject({ cap: 'max_calls' });
    },
  );

  test('that is free again does not let calls pass the cost cap', async () => {
    const caps = { maxCalls: cap(1, '--max-calls'), maxCost: cap(1, '--max-cost') };
    const ledger = createLedger(caps, price);
    const [hold] = await ledger.reserve([ledger.outgoing(request('a'))]);
    expect(await ledger.reserve([ledger.outgoing(request('a'))])).toEqual([]);
    hold?.settle(used(2000));
    ledger.refused();
    expect(await ledger.reserve([ledger.outgoing(request('a'))])).toEqual([]);
    expect(ledger.halt()).toMatchObject({ isPassed: true });
  });

  test('counts what other parts of the run have used', async () => {
    const spent = { calls: 4, cost: 2 };
    const caps = { maxCalls: cap(5, 'a'), maxCost: cap(3, 'b'), spent };
    const ledger = createLedger(caps, price);
    const calls = [1, 2].map(() => ledger.outgoing(request('a', most(10))));
    expect(await ledger.reserve(calls)).toHaveLength(1);
    const passed = createLedger({ ...caps, spent: { calls: 0, cost: 3.5 } }, price);
    expect(passed.halt()).toMatchObject({ isPassed: true });
    expect(await passed.reserve(calls)).toEqual([]);
  });
});

describe('the limit on cost', () => {
  test('reserves max_tokens: calls wait until open ones turn out cheaper', async () => {
    const { asked, answer, ledger } = capped(5);
    expect(await asked(8, most(2000))).toBe(2);
    expect(await answer(1, 100)).toBe(2);
    expect(await answer(2, 2000)).toBe(0);
    expect(ledger.halt()?.why).toBe(
      'another call could cost $2.0000 and exceed the cost cap of $5 (--max-cost); $4.1000 is spent',
    );
  });

  test('is used up exactly, in spite of rounding', async () => {
    const { asked, answer, ledger } = capped(0.3);
    expect(await asked(4, most(100))).toBe(3);
    await answer(3, 100);
    expect(ledger.halt()).not.toHaveProperty('isPassed');
  });

  test('lets one call of a model without a limit go first, then reserves four times its output', async () => {
    const { asked, answer } = capped(10);
    expect(await asked(9)).toBe(1);
    // Each of the others reserves $2, of $9.50.
    expect(await answer(1, 500)).toBe(4);
    // The open calls and new ones then reserve $4.
    expect(await answer(1, 1000)).toBe(3);
  });

  test('learns separately for each model and purpose', async () => {
    const { asked, answer } = capped(1000);
    await asked(2);
    expect(await answer(1, 10)).toBe(1);
    expect(await asked(3, { purpose: 'grader' })).toBe(2);
    expect(await asked(3, { target: { ...target, model: 'n' } })).toBe(3);
  });

  test('does not hold up calls of other models while one goes first', async () => {
    const { asked } = capped(1000);
    await asked(5);
    expect(await asked(5, most(10))).toBe(6);
  });

  test("sends calls one at a time while the model's longest output could pass the cap", async () => {
    const of = { target: { ...target, model: 'gpt-4o' } };
    const { asked, answer } = capped(16.39);
    expect(await asked(6, of)).toBe(1);
    // One call may cost $16.384, which exceeds the remaining $16.38.
    expect(await answer(1, 10)).toBe(1);
    expect(await answer(1, 10)).toBe(1);
    const roomy = capped(20);
    await roomy.asked(6, of);
    expect(await roomy.answer(1, 10)).toBe(5);
  });

  test('stops at once when a call without a limit passes it, and says by how much', async () => {
    const { asked, answer, ledger, refused } = capped(0.5);
    expect(await asked(5)).toBe(1);
    expect(await answer(1, 2000)).toBe(0);
    expect(refused).toHaveLength(4);
    expect(ledger.halt()).toMatchObject({
      isPassed: true,
      why: 'the cost cap of $0.5 (--max-cost) was passed by $1.5000; $2.0000 is spent',
    });
  });

  test('rejects all later calls, even cheaper ones, once it stopped the run', async () => {
    const { asked, answer, refused } = capped(1);
    expect(await asked(2, most(700))).toBe(1);
    await answer(1, 700);
    expect(refused).toHaveLength(1);
    await asked(1, most(1));
    expect(refused).toHaveLength(2);
  });

  test('keeps the reservation of a call whose reply is lost', async () => {
    const { asked, first, ledger } = capped(1);
    await asked(1, most(400));
    first()?.settle('unknown');
    expect(await asked(1, most(400))).toBe(1);
    first()?.settle('nothing');
    expect(await asked(1, most(700))).toBe(0);
    expect(ledger.halt()?.why).toContain(
      '$0.0000 is spent, and calls without a reply may have cost $0.4000',
    );
  });

  test('charges an estimate for an answer without token counts', async () => {
    const perToken: Price = (_, { input_tokens, output_tokens }) => input_tokens + output_tokens;
    const { asked, first, ledger } = capped(180, perToken);
    await asked(1, most(100));
    first()?.settle({ usage: null, parts: [{ type: 'text', text: 'word '.repeat(50) }] });
    await asked(1, most(100));
    expect(ledger.halt()?.why).toMatch(/; \$[56]\d\.0000 is spent$/);
  });

  test('reserves for input what it costs to write it to the cache of the vendor', async () => {
    const written: Price = (_, { input_tokens }, cached) =>
      input_tokens + 0.25 * (cached?.written ?? 0);
    const { ledger } = capped(1e6, written);
    const { usage } = used(0, 800_000);
    const [hold] = await ledger.reserve([
      { target, purpose: 'prompt', input: { usual: 1, most: 800_000 }, output: 1 },
    ]);
    expect(hold).toBeDefined();
    hold?.settle({ usage, cached: { read: 0, written: 800_000 } });
    expect(ledger.halt()).toBeNull();
  });

  test('learns that a server counts more input than the text has bytes', async () => {
    const perInput: Price = (_, { input_tokens }) => input_tokens / 1000;
    const { asked, first } = capped(3, perInput);
    await asked(1, most(1));
    first()?.settle(used(1, 1000));
    expect(await asked(3, most(1))).toBe(2);
  });

  test('does not delay calls with an unknown price, unless a price is assumed', async () => {
    expect(await capped(0.001, () => null).asked(20)).toBe(20);
    const assumed = capped(0.2, () => null, { unknownCall: 0.05 });
    expect(await assumed.asked(20, most(5))).toBe(4);
  });

  test('of zero allows calls that cost nothing', async () => {
    expect(await capped(0, () => 0).asked(3, most(5))).toBe(3);
    const { asked, ledger } = capped(0);
    expect(await asked(1, most(1))).toBe(0);
    expect(ledger.halt()?.why).toContain('exceed the cost cap of $0');
  });

  test('gives room for as many requests of a batch as fit', async () => {
    const { ledger } = capped(1);
    const calls = Array.from({ length: 5 }, () => ledger.outgoing(request('a', most(300))));
    const first = await ledger.reserve(calls);
    expect(first).toHaveLength(3);
    const later = ledger.reserve(calls.slice(3));
    first[0]?.settle(used(10));
    expect(await later).toHaveLength(1);
  });
});

describe("an account of an agent's run", () => {
  const call = { target, purpose: 'prompt', input: { usual: 0, most: 0 } } as const;

  test('refuses one call while other runs continue', async () => {
    const { ledger } = capped(10);
    const own = createAccount(1);
    expect(await ledger.reserve([{ ...call, output: 2000 }], own)).toEqual([]);
    expect(ledger.halt()).toBeNull();
    expect(await ledger.reserve([{ ...call, output: 2000 }])).toHaveLength(1);
  });

  test('lowers the limit of a call to what is left, in both accounts', async () => {
    const { ledger } = capped(1.5);
    const own = createAccount(1);
    const ask = () => ledger.reserve([{ ...call, output: 2000, least: 100 }], own);
    const [first] = await ask();
    expect(first?.output).toBe(1000);
    first?.settle(used(200));
    expect((await ask())[0]?.output).toBe(800);
    const other = createAccount(5);
    const [second] = await ledger.reserve([{ ...call, output: 2000, least: 100 }], other);
    expect(second?.output).toBe(500);
  });

  test('does not charge the run for replayed calls', async () => {
    const { ledger } = capped(0.1);
    const own = createAccount(1);
    const [hold] = await ledger.reserve([{ ...call, output: 900, isReplayed: true }], own);
    hold?.settle(used(900));
    expect([own.spent, ledger.attempts()]).toEqual([0.9, 0]);
  });
});

/** One user of the ledger in the property: answers, a grader, a batch, an agent's run, … */
interface User {
  model: 'a' | 'gpt-4o' | 'c';
  purpose: Request['purpose'];
  limit: number | null;
  size: number;
  /** Output of each of its calls, as a share of the limit, and what happens to the reply. */
  calls: { share: number; ends: 'ok' | 'lost' | 'failed' }[];
  isAgent: boolean;
}

const user: fc.Arbitrary<User> = fc.record({
  model: fc.constantFrom('a', 'gpt-4o', 'c'),
  purpose: fc.constantFrom('prompt', 'grader', 'evaluator', 'qualeval', 'fix'),
  limit: fc.option(fc.integer({ min: 1, max: 3000 }), { freq: 2 }),
  size: fc.integer({ min: 1, max: 6 }),
  calls: fc.array(
    fc.record({
      share: fc.double({ min: 0, max: 1, noNaN: true }),
      ends: fc.constantFrom('ok', 'ok', 'ok', 'lost', 'failed'),
    }),
    { minLength: 1, maxLength: 8 },
  ),
  isAgent: fc.boolean(),
});

/**
 * Sends all calls of all users at once and settles open ones in random order. Returns what they
 * cost, and by how much the calls that were open when the cap was passed cost more than four times
 * the longest output of their kind so far.
 */
async function spend(users: readonly User[], limit: number, order: readonly number[]) {
  const { ledger } = capped(limit, (_, { input_tokens, output_tokens }) => {
    return (input_tokens + output_tokens) / 1000;
  });
  const open: { cost: number; kind: string | null; bill: () => 'ok' | 'lost' | 'failed' }[] = [];
  const longest = new Map<string, number>();
  const beyond = ({ cost: paid, kind }: (typeof open)[number]) =>
    kind === null ? 0 : Math.max(0, paid - (4 * (longest.get(kind) ?? 0)) / 1000);
  let [cost, excess, sentAfter, isOver] = [0, 0, 0, false];
  const sent = users.flatMap(({ calls, limit: given, isAgent, ...of }) => {
    const own = isAgent ? createAccount(limit * 0.7) : null;
    const groups = Array.from({ length: Math.ceil(calls.length / of.size) }, (_, at) =>
      calls.slice(at * of.size, (at + 1) * of.size),
    );
    return groups.map(async (group) => {
      const max_tokens = given ?? (isAgent ? 2000 : null);
      const parameters = max_tokens === null ? {} : { max_tokens };
      const asked = request('question', {
        parameters,
        purpose: of.purpose,
        target: { ...target, model: of.model },
      });
      for (let rest = group; rest.length > 0;) {
        const out = { ...ledger.outgoing(asked), ...(isAgent ? { least: 1 } : {}) };
        const holds = await ledger.reserve(
          rest.map(() => out),
          own,
        );
        if (holds.length === 0) return;
        if (isOver) sentAfter += 1;
        for (const [index, { share, ends }] of rest.slice(0, holds.length).entries()) {
          const hold = holds[index]!;
          const { usage } = used(Math.floor(share * (hold.output ?? 4000)), 8);
          const kind = hold.output === null ? `${of.model} ${of.purpose}` : null;
          open.push({
            kind,
            cost: ends === 'failed' ? 0 : (usage.input_tokens + usage.output_tokens) / 1000,
            bill() {
              hold.settle(ends === 'ok' ? { usage } : ends === 'lost' ? 'unknown' : 'nothing');
              if (ends === 'ok' && kind !== null)
                longest.set(kind, Math.max(longest.get(kind) ?? 0, usage.output_tokens));
              return ends;
            },
          });
        }
        rest = rest.slice(holds.length);
      }
    });
  });
  await new Promise((resolve) => setImmediate(resolve));
  for (let at = 0; open.length > 0; at += 1) {
    const [one] = open.splice((order[at % order.length] ?? 0) % open.length, 1);
    if (one === undefined) break;
    const ofOne = beyond(one);
    cost += one.cost;
    // The cost of a lost call is unknown.
    if (one.bill() === 'lost') excess += ofOne;
    else if (!isOver && ledger.halt()?.isPassed === true) {
      isOver = true;
      excess += ofOne + open.reduce((sum, each) => sum + beyond(each), 0);
    }
    await new Promise((resolve) => setImmediate(resolve));
  }
  await Promise.all(sent);
  return { cost, excess, sentAfter, halt: ledger.halt() };
}

const order = fc.array(fc.nat(50), { minLength: 1, maxLength: 40 });

describe('the promise', () => {
  test('holds with limits: any calls of any users never cost more than the cap', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(user, { minLength: 1, maxLength: 6 }),
        fc.double({ min: 0, max: 12, noNaN: true }),
        order,
        async (users, limit, at) => {
          const limited = users.map((each) => ({ ...each, limit: each.limit ?? 500 }));
          const { cost, halt } = await spend(limited, limit, at);
          expect(cost).toBeLessThanOrEqual(limit + 1e-6);
          expect(halt?.isPassed).toBeUndefined();
        },
      ),
      { numRuns: draws(1000) },
    );
  });

  test('holds without limits: the cap is passed by at most the open calls, and nothing is sent after that', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(user, { minLength: 1, maxLength: 6 }),
        fc.double({ min: 0, max: 12, noNaN: true }),
        order,
        async (users, limit, at) => {
          const { cost, excess, sentAfter, halt } = await spend(users, limit, at);
          expect(cost).toBeLessThanOrEqual(limit + excess + 1e-6);
          const known = halt?.isPassed === true;
          if (known) expect(sentAfter).toBe(0);
          if (known) expect(halt.why).toContain('was passed by');
        },
      ),
      { numRuns: draws(1000) },
    );
  });
});
