import { join } from 'node:path';
import { openStore } from '../../../../src/edges/store/index.ts';
import { storedReplies } from '../../../../src/features/agents/gateway/stored.ts';
import { createLedger } from '../../../../src/money/ledger.ts';
import type { JsonMap } from '../../../../src/types/plain.ts';
import {
  ANTHROPIC,
  CHAT,
  GEMINI,
  replyOf,
  RESPONSES,
  WIRES,
} from '../../../stand-ins/agents/wires.ts';
import { temporaryFolder } from '../../../stand-ins/repository.ts';
import { KEY, START } from '../../../unit/edges/providers/providers-setting.ts';
import {
  failing,
  memoryStore,
  numbered,
  openRun,
  SENDS,
  startGateway,
  startRun,
  startVendor,
  unlimited,
} from './gateway-setting.ts';

const LONG: Readonly<Record<string, JsonMap>> = {
  [RESPONSES.name]: { max_output_tokens: 4096 },
  [GEMINI.name]: { generationConfig: { maxOutputTokens: 4096 } },
};
const CALL_USD = (100 - 0.9 * 40 + 7) / 1e6;
const SKILL = { name: 'skill', input: { id: 'notes' } };

describe.each(WIRES)('a gateway for $name', (wire) => {
  const tools = { body: { tools: wire.tools } };

  test.each(SENDS)(
    'forwards a reply, counts its tokens and records the model that answered (%s)',
    async (send) => {
      const run = await startRun(wire);
      const got = await run[send]();
      const isStream = send === 'stream';
      const { json, events } = replyOf(wire, '1', { model: 'm-1-2026' });
      expect(got).toMatchObject({
        ...{ status: 200, text: isStream ? events.join('') : json },
        headers: { 'content-type': isStream ? 'text/event-stream' : 'application/json' },
      });
      const spent = {
        usage: { input_tokens: 100, output_tokens: 7 },
        cached: { read: 40, written: 0 },
        usd: CALL_USD,
      };
      expect(run.end()).toEqual({
        ...{ calls: 1, attempts: 1, paid: 1, replayed: 0, whole: spent, spent, refused: [] },
        ...{ served: { model: 'm-1-2026', fingerprint: null, at: START } },
        ...{ failure: null, isDecided: false, isCanarySeen: false },
        ...{ steps: [], hasTools: false, models: ['m-1'] },
        ...{ replies: { own: 1, other: 0, stored: 0 }, requests: expect.any(String) },
      });
      const [request] = run.requests;
      expect(request?.headers).toMatchObject(wire.auth(KEY));
      expect(JSON.stringify(request)).not.toContain(run.token);
    },
  );

  test('replays the runs of both sides without the vendor, and pays only for calls that differ', async () => {
    const stored = memoryStore();
    const first = await startRun(wire, { stored });
    const got = [await first.ask(), await first.stream()];
    first.end();

    const second = await startRun(wire, { stored, offline: true });
    const again = [await second.ask(), await second.stream()];
    expect(again.map(({ text }) => text)).toEqual(got.map(({ text }) => text));
    expect((await second.ask('edited')).status).toBe(400);
    const record = second.end();
    expect(record).toMatchObject({
      ...{ calls: 2, attempts: 0, paid: 0, replayed: 2 },
      spent: { usage: { input_tokens: 0, output_tokens: 0 }, usd: 0 },
    });
    expect(record.whole.usd).toBeCloseTo(2 * CALL_USD);
    expect(record.refused).toEqual([
      {
        why: 'offline',
        message: 'offline, and no reply is stored for call 3 of this run (m-1, try 1)',
      },
    ]);
    expect(second.requests).toEqual([]);

    const third = await startRun(wire, { stored });
    await third.ask();
    await third.ask('edited');
    expect(third.end()).toMatchObject({ calls: 2, paid: 1, replayed: 1 });
    expect(third.requests).toHaveLength(1);
  });

  test.each(SENDS)(
    "ends a trigger test at the model's first tool choice or answer (%s), which the agent does not get",
    async (send) => {
      const run = await startRun(wire, {
        vendor: numbered(wire, () => SKILL),
        terms: { firstDecisionOnly: true, refusal: 403 },
      });
      // A request for a title, which agents make without tools.
      expect((await run[send]()).status).toBe(200);
      expect(run.cut.aborted).toBe(false);
      const decision = await run[send]('task', tools);
      expect(decision.status).toBe(403);
      expect(decision.text).not.toContain('notes');
      expect(run.cut.aborted).toBe(true);
      expect((await run.ask('more')).status).toBe(403);
      expect(run.end()).toMatchObject({
        isDecided: true,
        steps: [{ type: 'tool_call', name: 'skill', arguments: '{"id":"notes"}', result: null }],
        refused: [],
        paid: 2,
      });
      expect(run.requests).toHaveLength(2);
    },
  );

  test.each(SENDS)(
    "records the model's calls (%s) with their results, and who answered",
    async (send) => {
      const stored = memoryStore();
      const vendor = numbered(wire, (n) => (n === 1 ? SKILL : 'Done'));
      const first = await startRun(wire, { stored, vendor });
      const recorded = async (run: Pick<typeof first, 'ask' | 'stream' | 'end'>) => {
        await run[send]('task', tools);
        await run.ask('task', { body: { ...tools.body, ...wire.result(SKILL, 'Be brief.') } });
        return run.end();
      };
      const { steps, requests, ...record } = await recorded(first);
      expect(steps).toEqual([
        { type: 'tool_call', name: 'skill', arguments: '{"id":"notes"}', result: 'Be brief.' },
        { type: 'message', role: 'assistant', text: 'Done' },
      ]);
      expect(record).toMatchObject({
        ...{ hasTools: true, models: ['m-1'], replies: { own: 2, other: 0, stored: 0 } },
      });
      const other = { own: 0, other: 2, stored: 0 };
      const same = await recorded(openRun(first.gateway, wire));
      expect(same).toMatchObject({ steps, requests, replies: other });
      const later = { own: 0, other: 0, stored: 2 };
      const again = await recorded(await startRun(wire, { stored, offline: true }));
      expect(again).toMatchObject({ steps, requests, replies: later });
    },
  );

  test("forwards a vendor's error without the API key, and records it", async () => {
    const stored = memoryStore();
    const vendor = failing(wire, 1, 400, { error: { message: `no, ${KEY}` } });
    const { ask, end } = await startRun(wire, { stored, vendor });
    expect(await ask()).toMatchObject({ status: 400, text: '{"error":{"message":"no, ***"}}' });
    expect((await ask()).status).toBe(200);
    const message = '400, the server rejected the request: no, ***';
    expect(end()).toMatchObject({
      ...{ calls: 1, attempts: 2, paid: 1 },
      refused: [{ why: 'upstream', kind: 'request', message }],
    });
    // The retry is stored as the first call, so that a replay does not miss it.
    const again = await startRun(wire, { stored, offline: true });
    expect((await again.ask()).status).toBe(200);
  });

  test.each([
    ['ask', 429, { error: { message: 'slow down' } }],
    ['stream', 529, { error: { type: 'overloaded_error' } }],
    ['stream', 503, { error: { status: 'UNAVAILABLE' } }],
  ] as const)(
    'repeats a call (%s) that the vendor refuses with %s, as one turn',
    async (send, status, body) => {
      const vendor = failing(wire, 3, status, body);
      const run = await startRun(wire, { vendor, terms: { limits: { turns: 1, usd: 1 } } });
      expect((await run[send]()).status).toBe(200);
      expect(run.end()).toMatchObject({ calls: 1, attempts: 4, paid: 1, refused: [] });
    },
  );

  test('reports a rate limit that does not end, so that the agent does not repeat the call', async () => {
    const vendor = failing(wire, 99, 429, { error: { message: 'slow down' } });
    const { ask, end, requests } = await startRun(wire, { vendor, terms: { refusal: 403 } });
    expect((await ask()).status).toBe(403);
    expect(requests).toHaveLength(5);
    const message = expect.stringContaining('still rate limited after 5 tries');
    const failure = { kind: 'rate-limit', message };
    expect(end()).toMatchObject({ calls: 0, attempts: 5, failure });
  });

  test.each([
    ['turns', { turns: 1, usd: 1 }, 'this run reached its limit of 1 model calls'],
    ['usd', { turns: 9, usd: 0.0014 }, 'this run would exceed its limit of $'],
  ])(
    "refuses calls above the cap %s with an error in the vendor's format",
    async (why, limits, said) => {
      const { ask, end, requests } = await startRun(wire, { terms: { limits, refusal: 403 } });
      const long = { body: LONG[wire.name] ?? { max_tokens: 4096 } };
      expect((await ask('a', long)).status).toBe(200);
      const got = await ask('b', long);
      expect(got).toMatchObject({ status: 403, headers: { 'x-should-retry': 'false' } });
      const message = expect.stringContaining(said);
      expect(JSON.parse(got.text)).toMatchObject({ error: { message } });
      expect(end().refused).toMatchObject([{ why }]);
      expect(requests).toHaveLength(1);
    },
  );

  test('reports a truncated stream and does not store it', async () => {
    const stored = memoryStore();
    const { stream, end } = await startRun(wire, {
      stored,
      vendor(_, response) {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        const [first = ''] = replyOf(wire, '1').events;
        response.end(first.slice(0, first.length / 2));
      },
    });
    expect((await stream()).isCut).toBe(true);
    expect(end()).toMatchObject({
      whole: { usage: null, usd: null },
      refused: [
        { why: 'upstream', kind: 'reply', message: 'the reply ended before it was complete' },
      ],
    });
    expect(stored.kept.size).toBe(0);
  });
});

describe('a gateway', () => {
  test('forwards the pieces of a stream as they arrive', async () => {
    const [first = '', ...rest] = replyOf(ANTHROPIC, 'slow').events;
    const arrived = Promise.withResolvers<void>();
    const { stream } = await startRun(ANTHROPIC, {
      async vendor(_, response) {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        response.write(first);
        // The rest is sent only after the agent has the first event.
        await arrived.promise;
        response.end(rest.join(''));
      },
    });
    const got = await stream('hello', {
      onPiece: (text) => {
        if (text === first) arrived.resolve();
      },
    });
    expect(got.text).toBe([first, ...rest].join(''));
  });

  test('sends one of two identical parallel requests, and answers the other from the store', async () => {
    const first = await startRun(RESPONSES);
    const { gateway, requests } = first;
    const sides = [first, openRun(gateway, RESPONSES)];
    const other = openRun(gateway, RESPONSES, { try: 1 });
    const got = await Promise.all([...sides, other].map(({ stream }) => stream()));
    expect(got[0]?.text).toBe(got[1]?.text);
    expect(got[2]?.text).not.toBe(got[0]?.text);
    expect(requests).toHaveLength(2);
    const records = sides.map((run) => run.end());
    expect(records.map(({ paid, replayed }) => paid + replayed)).toEqual([1, 1]);
    expect(records.reduce((sum, { paid }) => sum + paid, 0)).toBe(1);
  });

  test('sends the second of two identical parallel requests if the first one fails', async () => {
    const first = await startRun(RESPONSES, { vendor: failing(RESPONSES, 1, 500, {}) });
    const sides = [first, openRun(first.gateway, RESPONSES)];
    const got = await Promise.all(sides.map(({ ask }) => ask()));
    expect(got.map(({ status }) => status).sort()).toEqual([200, 500]);
  });

  test('calls the model again if a run repeats a request', async () => {
    const first = await startRun(CHAT);
    const again = openRun(first.gateway, CHAT);
    const texts: string[] = [];
    for (const { ask } of [first, first, again, again]) texts.push((await ask()).text);
    expect(texts[0]).not.toBe(texts[1]);
    expect(texts.slice(2)).toEqual(texts.slice(0, 2));
  });

  test('ignores and replaces stored replies if new ones are requested', async () => {
    const { ask, gateway, requests } = await startRun(CHAT);
    await ask();
    const anew = await openRun(gateway, CHAT, { anew: true }).ask();
    const last = await openRun(gateway, CHAT).ask();
    expect(requests).toHaveLength(2);
    expect(last.text).toBe(anew.text);
  });

  test('does not let parallel calls exceed a cap', async () => {
    const run = await startRun(CHAT, { terms: { limits: { turns: 10, usd: 1 } } });
    const texts = Array.from({ length: 25 }, (_, index) => `question ${index}`);
    const got = await Promise.all(texts.map((text) => run.ask(text)));
    expect(got.filter(({ status }) => status === 200)).toHaveLength(10);
    expect(run.requests).toHaveLength(10);
    expect(run.end()).toMatchObject({ calls: 10, paid: 10 });
  });

  test('checks the budget before each paid call, but not before a replay, and estimates token counts itself', async () => {
    const maxCalls = { limit: 1, from: '--max-calls', isDefault: false };
    const ledger = createLedger({ maxCalls, maxCost: null }, () => null);
    const run = await startRun(ANTHROPIC, { ledger: () => ledger });
    const count = { path: '/v1/messages/count_tokens?beta=true' };
    expect(await run.ask('a', count)).toMatchObject({
      status: 200,
      text: expect.stringMatching(/^{"input_tokens":\d+}$/),
    });
    expect((await run.ask('a')).status).toBe(200);
    expect((await run.ask('b')).status).toBe(400);
    expect(run.end()).toMatchObject({ calls: 1, attempts: 1, refused: [{ why: 'budget' }] });
    expect(run.requests.map(({ path }) => path)).toEqual([ANTHROPIC.path]);
    expect((await openRun(run.gateway, ANTHROPIC).ask('a')).status).toBe(200);
  });

  test.each([
    ['a model that the suite does not name', [], 'content', 'write `models: [big]` in the suite'],
    [
      'a further model if its price is unknown',
      ['big'],
      'content',
      'the price of the further model',
    ],
  ])("refuses %s, but allows the suite's model", async (_, models, why, said) => {
    const run = await startRun(CHAT, { ledger: unlimited(() => null), terms: { models } });
    expect((await run.ask()).status).toBe(200);
    expect((await run.ask('x', { body: { model: 'big' } })).status).toBe(400);
    expect(run.end()).toMatchObject({
      whole: { usage: { output_tokens: 7 }, usd: null },
      refused: [{ why, message: expect.stringContaining(said) }],
    });
    expect(run.requests).toHaveLength(1);
  });

  test('cancels the call in flight when the run ends', async () => {
    const closed = Promise.withResolvers<void>();
    const arrived = Promise.withResolvers<void>();
    const run = await startRun(CHAT, {
      vendor(_, response) {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        response.write(': wait\n\n');
        response.on('close', closed.resolve);
      },
    });
    const asked = run.stream('hello', { onPiece: () => arrived.resolve() });
    await arrived.promise;
    const record = run.end();
    expect((await asked).isCut).toBe(true);
    await run.gateway.close();
    await closed.promise;
    expect(record).toMatchObject({ calls: 1, paid: 0, whole: { usage: null }, refused: [] });
    expect(run.cut.aborted).toBe(true);
  });

  test('reports a vendor that cannot be reached', async () => {
    const gateway = await startGateway({ url: 'http://127.0.0.1:9' });
    const { ask, end } = openRun(gateway, ANTHROPIC);
    const got = await ask();
    expect(got.status).toBe(502);
    expect(JSON.parse(got.text)).toMatchObject({ type: 'error', error: { type: 'api_error' } });
    expect(end()).toMatchObject({
      refused: [{ why: 'upstream', kind: 'network' }],
      failure: { kind: 'network' },
      whole: { usd: 0 },
    });
  });

  test("lists the run's model without asking the vendor", async () => {
    const { ask, requests } = await startRun(CHAT);
    const got = await ask('', { path: '/v1/models', method: 'GET' });
    expect(JSON.parse(got.text)).toMatchObject({ object: 'list', data: [{ id: 'm-1' }] });
    expect(requests).toEqual([]);
  });

  test('keeps replies in the answer store, where the next process finds them', async () => {
    const file = join(temporaryFolder('gateway'), 'store');
    const vendor = await startVendor(numbered(ANTHROPIC));
    const texts: string[] = [];
    const again = async () => {
      const store = openStore({
        ...{ file, maxBytes: 1e9, now: () => START, access: 'read-write', secret: null },
        notice: (line) => expect(line).toBe(''),
      });
      const stored = storedReplies(() => Promise.resolve([store]));
      const gateway = await startGateway(vendor, { stored });
      const { stream, end } = openRun(gateway, ANTHROPIC);
      texts.push((await stream()).text);
      await gateway.close();
      store.close();
      return end();
    };
    expect(await again()).toMatchObject({ paid: 1 });
    expect(await again()).toMatchObject({ paid: 0, served: { model: 'm-1-2026' } });
    expect(texts[1]).toBe(texts[0]);
  });
});
