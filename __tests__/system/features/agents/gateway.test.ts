import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { openStore } from '../../../../src/edges/store/index.ts';
import { storedReplies } from '../../../../src/features/agents/gateway/stored.ts';
import type { RunRecord } from '../../../../src/features/agents/gateway/terms.ts';
import { createLedger } from '../../../../src/money/ledger.ts';
import type { JsonMap } from '../../../../src/types/plain.ts';
import { afterThisTest } from '../../../stand-ins/after-test.ts';
import {
  ANTHROPIC,
  CHAT,
  eventText,
  GEMINI,
  RESPONSES,
  WIRES,
  type WireCase,
} from '../../../stand-ins/agents/wires.ts';
import { KEY, START } from '../../../unit/edges/providers/providers-setting.ts';
import {
  ask,
  askStream,
  memoryStore,
  numbered,
  startGateway,
  startVendor,
  termsFor,
  unlimited,
  type Vendor,
} from './gateway-setting.ts';

const reasons = ({ refused }: RunRecord): string[] => refused.map(({ why }) => why);
const LONG: Readonly<Record<string, JsonMap>> = {
  [RESPONSES.name]: { max_output_tokens: 4096 },
  [GEMINI.name]: { generationConfig: { maxOutputTokens: 4096 } },
};
const long = ({ name }: WireCase): { body: JsonMap } => ({
  body: LONG[name] ?? { max_tokens: 4096 },
});
const CALL_USD = (100 - 0.9 * 40 + 7) / 1e6;

/** Answers after this number of errors. */
function failing(wire: WireCase, times: number, status: number, body: object): Promise<Vendor> {
  const answered = numbered(wire);
  let left = times;
  return startVendor((request, response) => {
    if (left === 0) return answered(request, response);
    left -= 1;
    response.writeHead(status, { 'content-type': 'application/json' });
    return response.end(JSON.stringify(body));
  });
}

describe.each(WIRES)('a gateway for $name', (wire) => {
  test.each([
    ['JSON', ask],
    ['a stream', askStream],
  ] as const)(
    'forwards %s, counts its tokens and records the model that answered',
    async (_, send) => {
      const vendor = await startVendor(numbered(wire));
      const gateway = await startGateway(vendor);
      const ticket = gateway.open(termsFor(wire));
      const got = await send(gateway, wire, ticket);
      const isStream = send === askStream;
      expect(got.status).toBe(200);
      expect(got.text).toBe(
        isStream
          ? eventText(wire.events('1', 'm-1-2026')).join('')
          : JSON.stringify(wire.reply('1', 'm-1-2026')),
      );
      expect(got.headers['content-type']).toBe(isStream ? 'text/event-stream' : 'application/json');
      const spent = {
        usage: { input_tokens: 100, output_tokens: 7 },
        cached: { read: 40, written: 0 },
        usd: CALL_USD,
      };
      expect(ticket.end()).toEqual({
        ...{ calls: 1, attempts: 1, paid: 1, replayed: 0, whole: spent, spent, refused: [] },
        ...{ served: { model: 'm-1-2026', fingerprint: null, at: START } },
        ...{ failure: null, isDecided: false, isCanarySeen: false },
        ...{ steps: [], hasTools: false, models: ['m-1'] },
        ...{ replies: { own: 1, other: 0, stored: 0 }, requests: expect.any(String) },
      });
      const [request] = vendor.requests;
      expect(request?.headers).toMatchObject(wire.auth(KEY));
      expect(JSON.stringify(request)).not.toContain(ticket.token);
    },
  );

  test('replays the runs of both sides without the vendor, and pays only for calls that differ', async () => {
    const vendor = await startVendor(numbered(wire));
    const stored = memoryStore();
    const gateway = await startGateway(vendor, { stored });
    const first = gateway.open(termsFor(wire));
    const got = [await ask(gateway, wire, first), await askStream(gateway, wire, first)];
    first.end();

    const offline = await startGateway({ url: 'http://127.0.0.1:9' }, { stored, offline: true });
    const second = offline.open(termsFor(wire));
    const again = [await ask(offline, wire, second), await askStream(offline, wire, second)];
    expect(again.map(({ text }) => text)).toEqual(got.map(({ text }) => text));
    const missing = await ask(offline, wire, second, 'edited');
    expect(missing.status).toBe(400);
    const { refused, ...record } = second.end();
    expect(record).toMatchObject({ calls: 2, attempts: 0, paid: 0, replayed: 2 });
    expect(record.whole.usd).toBeCloseTo(2 * CALL_USD);
    expect(record.spent).toEqual({ usage: { input_tokens: 0, output_tokens: 0 }, usd: 0 });
    expect(refused).toEqual([
      {
        why: 'offline',
        message: 'offline, and no reply is stored for call 3 of this run (m-1, try 1)',
      },
    ]);

    const online = await startGateway(vendor, { stored });
    const third = online.open(termsFor(wire));
    await ask(online, wire, third);
    await ask(online, wire, third, 'edited');
    expect(third.end()).toMatchObject({ calls: 2, paid: 1, replayed: 1 });
    expect(vendor.requests).toHaveLength(3);
  });

  test.each([
    ['JSON', ask],
    ['a stream', askStream],
  ] as const)(
    "ends a trigger test at the model's first tool choice or answer (%s), which the agent does not get",
    async (_, send) => {
      const said = { name: 'skill', input: { id: 'notes' } };
      const vendor = await startVendor(numbered(wire, () => said));
      const gateway = await startGateway(vendor);
      const ticket = gateway.open(termsFor(wire, { firstDecisionOnly: true, refusal: 403 }));
      // A request for a title, which agents make without tools.
      expect((await send(gateway, wire, ticket)).status).toBe(200);
      expect(ticket.cut.aborted).toBe(false);
      const tools = { body: { tools: wire.tools } };
      const decision = await send(gateway, wire, ticket, 'task', tools);
      expect(decision.status).toBe(403);
      expect(decision.text).not.toContain('notes');
      expect(ticket.cut.aborted).toBe(true);
      expect((await ask(gateway, wire, ticket, 'more')).status).toBe(403);
      expect(ticket.end()).toMatchObject({
        isDecided: true,
        steps: [{ type: 'tool_call', name: 'skill', arguments: '{"id":"notes"}', result: null }],
        refused: [],
        paid: 2,
      });
      expect(vendor.requests).toHaveLength(2);
    },
  );

  test.each([
    ['JSON', ask],
    ['a stream', askStream],
  ] as const)(
    "records the model's calls (%s) with their results, and who answered",
    async (_, send) => {
      const said = { name: 'skill', input: { id: 'notes' } };
      const vendor = await startVendor(numbered(wire, (n) => (n === 1 ? said : 'Done')));
      const stored = memoryStore();
      const gateway = await startGateway(vendor, { stored });
      const run = async (on: typeof gateway) => {
        const ticket = on.open(termsFor(wire));
        const more = { body: { tools: wire.tools } };
        const results = { ...more.body, ...wire.result(said, 'Be brief.') };
        await send(on, wire, ticket, 'task', more);
        await ask(on, wire, ticket, 'task', { body: results });
        return ticket.end();
      };
      const first = await run(gateway);
      expect(first).toMatchObject({
        steps: [
          { type: 'tool_call', name: 'skill', arguments: '{"id":"notes"}', result: 'Be brief.' },
          { type: 'message', role: 'assistant', text: 'Done' },
        ],
        ...{ hasTools: true, models: ['m-1'], replies: { own: 2, other: 0, stored: 0 } },
      });
      const { steps, requests } = first;
      const other = { own: 0, other: 2, stored: 0 };
      expect(await run(gateway)).toMatchObject({ steps, requests, replies: other });
      const later = { own: 0, other: 0, stored: 2 };
      const again = await startGateway(vendor, { stored });
      expect(await run(again)).toMatchObject({ steps, requests, replies: later });
    },
  );

  test("forwards a vendor's error without the API key, and records it", async () => {
    const vendor = await failing(wire, 1, 400, { error: { message: `no, ${KEY}` } });
    const stored = memoryStore();
    const gateway = await startGateway(vendor, { stored });
    const ticket = gateway.open(termsFor(wire));
    const got = await ask(gateway, wire, ticket);
    expect(got).toMatchObject({ status: 400, text: '{"error":{"message":"no, ***"}}' });
    expect((await ask(gateway, wire, ticket)).status).toBe(200);
    const record = ticket.end();
    expect(record).toMatchObject({ calls: 1, attempts: 2, paid: 1 });
    const message = '400, the server rejected the request: no, ***';
    expect(record.refused).toEqual([{ why: 'upstream', kind: 'request', message }]);
    // The retry is stored as the first call, so that a replay does not miss it.
    const offline = await startGateway(vendor, { stored, offline: true });
    const again = offline.open(termsFor(wire));
    expect((await ask(offline, wire, again)).status).toBe(200);
  });

  test.each([
    ['JSON', 429, { error: { message: 'slow down' } }, ask],
    ['a stream', 529, { error: { type: 'overloaded_error' } }, askStream],
    ['a stream', 503, { error: { status: 'UNAVAILABLE' } }, askStream],
  ] as const)(
    'repeats a call for %s that the vendor refuses with %s, as one turn',
    async (_, status, body, send) => {
      const vendor = await failing(wire, 3, status, body);
      const gateway = await startGateway(vendor);
      const ticket = gateway.open(termsFor(wire, { limits: { turns: 1, usd: 1 } }));
      expect((await send(gateway, wire, ticket)).status).toBe(200);
      expect(ticket.end()).toMatchObject({ calls: 1, attempts: 4, paid: 1, refused: [] });
    },
  );

  test('reports a rate limit that does not end, so that the agent does not repeat the call', async () => {
    const vendor = await failing(wire, 99, 429, { error: { message: 'slow down' } });
    const gateway = await startGateway(vendor);
    const ticket = gateway.open(termsFor(wire, { refusal: 403 }));
    expect((await ask(gateway, wire, ticket)).status).toBe(403);
    expect(vendor.requests).toHaveLength(5);
    const { failure, calls, attempts } = ticket.end();
    expect({ calls, attempts }).toEqual({ calls: 0, attempts: 5 });
    expect(failure).toMatchObject({
      kind: 'rate-limit',
      message: expect.stringContaining('still rate limited after 5 tries'),
    });
  });

  test.each([
    ['turns', { limits: { turns: 1, usd: 1 } }, 'this run reached its limit of 1 model calls'],
    ['usd', { limits: { turns: 9, usd: 0.0014 } }, 'this run would exceed its limit of $'],
  ] as const)(
    "refuses calls above the cap %s with an error in the vendor's format",
    async (why, terms, said) => {
      const vendor = await startVendor(numbered(wire));
      const gateway = await startGateway(vendor);
      const ticket = gateway.open(termsFor(wire, { ...terms, refusal: 403 }));
      expect((await ask(gateway, wire, ticket, 'a', long(wire))).status).toBe(200);
      const got = await ask(gateway, wire, ticket, 'b', long(wire));
      expect(got.status).toBe(403);
      expect(got.headers['x-should-retry']).toBe('false');
      expect((JSON.parse(got.text) as { error: { message: string } }).error.message).toContain(
        said,
      );
      expect(reasons(ticket.end())).toEqual([why]);
      expect(vendor.requests).toHaveLength(1);
    },
  );

  test('reports a truncated stream and does not store it', async () => {
    const vendor = await startVendor((_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const [first = ''] = eventText(wire.events('1', 'm'));
      response.end(first.slice(0, first.length / 2));
    });
    const stored = memoryStore();
    const gateway = await startGateway(vendor, { stored });
    const ticket = gateway.open(termsFor(wire));
    expect((await askStream(gateway, wire, ticket)).isCut).toBe(true);
    const record = ticket.end();
    expect(record.whole).toEqual({ usage: null, usd: null });
    expect(record.refused).toEqual([
      { why: 'upstream', kind: 'reply', message: 'the reply ended before it was complete' },
    ]);
    expect(stored.kept.size).toBe(0);
  });
});

describe('a gateway', () => {
  test('forwards the pieces of a stream as they arrive', async () => {
    const events = eventText(ANTHROPIC.events('slow', 'm'));
    const arrived = Promise.withResolvers<void>();
    const vendor = await startVendor(async (_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(events[0]);
      // The rest is sent only after the agent has the first event.
      await arrived.promise;
      response.end(events.slice(1).join(''));
    });
    const gateway = await startGateway(vendor);
    const ticket = gateway.open(termsFor(ANTHROPIC));
    const got = await askStream(gateway, ANTHROPIC, ticket, 'hello', {
      onPiece: (text) => {
        if (text === events[0]) arrived.resolve();
      },
    });
    expect(got.text).toBe(events.join(''));
  });

  test('sends one of two identical parallel requests, and answers the other from the store', async () => {
    const vendor = await startVendor(numbered(RESPONSES));
    const gateway = await startGateway(vendor);
    const sides = [gateway.open(termsFor(RESPONSES)), gateway.open(termsFor(RESPONSES))];
    const other = gateway.open(termsFor(RESPONSES, { try: 1 }));
    const got = await Promise.all(
      [...sides, other].map((run) => askStream(gateway, RESPONSES, run)),
    );
    expect(got[0]?.text).toBe(got[1]?.text);
    expect(got[2]?.text).not.toBe(got[0]?.text);
    expect(vendor.requests).toHaveLength(2);
    const records = sides.map((run) => run.end());
    expect(records.map(({ paid, replayed }) => paid + replayed)).toEqual([1, 1]);
    expect(records.reduce((sum, { paid }) => sum + paid, 0)).toBe(1);
  });

  test('sends the second of two identical parallel requests if the first one fails', async () => {
    const answered = numbered(RESPONSES);
    let count = 0;
    const vendor = await startVendor((request, response) => {
      count += 1;
      if (count > 1) return answered(request, response);
      response.writeHead(500).end('{}');
    });
    const gateway = await startGateway(vendor);
    const sides = [gateway.open(termsFor(RESPONSES)), gateway.open(termsFor(RESPONSES))];
    const got = await Promise.all(sides.map((run) => ask(gateway, RESPONSES, run)));
    expect(got.map(({ status }) => status).sort()).toEqual([200, 500]);
  });

  test('calls the model again if a run repeats a request', async () => {
    const vendor = await startVendor(numbered(CHAT));
    const gateway = await startGateway(vendor);
    const ticket = gateway.open(termsFor(CHAT));
    const got = [await ask(gateway, CHAT, ticket), await ask(gateway, CHAT, ticket)];
    expect(got[0]?.text).not.toBe(got[1]?.text);
    const again = gateway.open(termsFor(CHAT));
    const replayed = [await ask(gateway, CHAT, again), await ask(gateway, CHAT, again)];
    expect(replayed.map(({ text }) => text)).toEqual(got.map(({ text }) => text));
  });

  test('ignores and replaces stored replies if new ones are requested', async () => {
    const vendor = await startVendor(numbered(CHAT));
    const gateway = await startGateway(vendor);
    await ask(gateway, CHAT, gateway.open(termsFor(CHAT)));
    const anew = await ask(gateway, CHAT, gateway.open(termsFor(CHAT, { anew: true })));
    const last = await ask(gateway, CHAT, gateway.open(termsFor(CHAT)));
    expect(vendor.requests).toHaveLength(2);
    expect(last.text).toBe(anew.text);
  });

  test('does not let parallel calls exceed a cap', async () => {
    const vendor = await startVendor(numbered(CHAT));
    const gateway = await startGateway(vendor);
    const ticket = gateway.open(termsFor(CHAT, { limits: { turns: 10, usd: 1 } }));
    const texts = Array.from({ length: 25 }, (_, index) => `question ${String(index)}`);
    const got = await Promise.all(texts.map((text) => ask(gateway, CHAT, ticket, text)));
    expect(got.filter(({ status }) => status === 200)).toHaveLength(10);
    expect(vendor.requests).toHaveLength(10);
    expect(ticket.end()).toMatchObject({ calls: 10, paid: 10 });
  });

  test('checks the budget before each paid call, but not before a replay or a token count', async () => {
    const vendor = await startVendor(numbered(ANTHROPIC));
    const maxCalls = { limit: 1, from: '--max-calls', isDefault: false };
    const ledger = createLedger({ maxCalls, maxCost: null }, () => null);
    const gateway = await startGateway(vendor, { ledger: () => ledger });
    const ticket = gateway.open(termsFor(ANTHROPIC));
    const count = { path: '/v1/messages/count_tokens?beta=true' };
    expect((await ask(gateway, ANTHROPIC, ticket, 'a', count)).status).toBe(200);
    expect((await ask(gateway, ANTHROPIC, ticket, 'a')).status).toBe(200);
    expect((await ask(gateway, ANTHROPIC, ticket, 'b')).status).toBe(400);
    const record = ticket.end();
    expect(reasons(record)).toEqual(['budget']);
    expect(record).toMatchObject({ calls: 1, attempts: 1 });
    expect(vendor.requests.map(({ path }) => path)).toEqual([
      '/v1/messages/count_tokens?beta=true',
      '/v1/messages',
    ]);
    const again = gateway.open(termsFor(ANTHROPIC));
    expect((await ask(gateway, ANTHROPIC, again, 'a')).status).toBe(200);
  });

  test.each([
    ['a model that the suite does not name', [], 'content', 'write `models: [big]` in the suite'],
    ['a further model if its price is unknown', ['big'], 'usd', 'the price of the further model'],
  ] as const)("refuses %s, but allows the suite's model", async (_, models, why, said) => {
    const vendor = await startVendor(numbered(CHAT));
    const gateway = await startGateway(vendor, { ledger: unlimited(() => null) });
    const ticket = gateway.open(termsFor(CHAT, { models }));
    expect((await ask(gateway, CHAT, ticket)).status).toBe(200);
    const other = await ask(gateway, CHAT, ticket, 'x', { body: { model: 'big' } });
    expect(other.status).toBe(400);
    const { refused, whole } = ticket.end();
    expect(whole).toMatchObject({ usage: { output_tokens: 7 }, usd: null });
    expect(refused).toMatchObject([{ why, message: expect.stringContaining(said) }]);
    expect(vendor.requests).toHaveLength(1);
  });

  test('cancels the call in flight when the run ends', async () => {
    const closed = Promise.withResolvers<void>();
    const vendor = await startVendor((_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(': wait\n\n');
      response.on('close', closed.resolve);
    });
    const gateway = await startGateway(vendor);
    const ticket = gateway.open(termsFor(CHAT));
    const arrived = Promise.withResolvers<void>();
    const asked = askStream(gateway, CHAT, ticket, 'hello', { onPiece: () => arrived.resolve() });
    await arrived.promise;
    const record = ticket.end();
    expect((await asked).isCut).toBe(true);
    await gateway.close();
    await closed.promise;
    expect(record).toMatchObject({ calls: 1, paid: 0, whole: { usage: null }, refused: [] });
    expect(ticket.cut.aborted).toBe(true);
  });

  test('reports a vendor that cannot be reached', async () => {
    const gateway = await startGateway({ url: 'http://127.0.0.1:9' });
    const ticket = gateway.open(termsFor(ANTHROPIC));
    const got = await ask(gateway, ANTHROPIC, ticket);
    expect(got.status).toBe(502);
    expect(JSON.parse(got.text)).toMatchObject({ type: 'error', error: { type: 'api_error' } });
    const record = ticket.end();
    expect(record.refused).toMatchObject([{ why: 'upstream', kind: 'network' }]);
    expect(record.failure).toMatchObject({ kind: 'network' });
    expect(record.whole.usd).toBe(0);
  });

  test("lists the run's model without asking the vendor", async () => {
    const vendor = await startVendor(numbered(CHAT));
    const gateway = await startGateway(vendor);
    const ticket = gateway.open(termsFor(CHAT));
    const got = await ask(gateway, CHAT, ticket, '', { path: '/v1/models', method: 'GET' });
    expect(JSON.parse(got.text)).toMatchObject({ object: 'list', data: [{ id: 'm-1' }] });
    expect(vendor.requests).toEqual([]);
  });

  test('listens on a socket file that other users can open', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'evaldiff-gateway-'));
    afterThisTest(() => rmSync(folder, { recursive: true }));
    const vendor = await startVendor(numbered(CHAT));
    const gateway = await startGateway(vendor, { listen: { socket: join(folder, 'gate') } });
    expect((await ask(gateway, CHAT, gateway.open(termsFor(CHAT)))).status).toBe(200);
  });

  test('keeps replies in the answer store, where the next process finds them', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'evaldiff-gateway-'));
    afterThisTest(() => rmSync(folder, { recursive: true }));
    const vendor = await startVendor(numbered(ANTHROPIC));
    const texts: string[] = [];
    const [opened] = [1, 2].map(() => async () => {
      const store = openStore({
        ...{ file: join(folder, 'store'), maxBytes: 1e9, now: () => START, access: 'read-write' },
        ...{ secret: null, notice: (line) => expect(line).toBe('') },
      });
      const stored = storedReplies(() => Promise.resolve([store]));
      const gateway = await startGateway(vendor, { stored });
      const ticket = gateway.open(termsFor(ANTHROPIC));
      texts.push((await askStream(gateway, ANTHROPIC, ticket)).text);
      await gateway.close();
      store.close();
      return ticket.end();
    });
    const records = [await opened?.(), await opened?.()];
    expect(records.map((record) => record?.paid)).toEqual([1, 0]);
    expect(records[1]?.served).toMatchObject({ model: 'm-1-2026' });
    expect(texts[1]).toBe(texts[0]);
  });
});
