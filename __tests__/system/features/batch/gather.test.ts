import { createActivity } from '../../../../src/edges/providers/clock.ts';
import { vendors } from '../../../../src/edges/providers/vendors/index.ts';
import type { ManagedServer } from '../../../../src/features/batch/batch-server.ts';
import { createGatherer, type QueuedRequest } from '../../../../src/features/batch/batches.ts';
import { requestTo, says, until } from '../../../unit/edges/providers/providers-setting.ts';
import { keyOf, turn } from '../../edges/providers/setting.ts';

const asked = (content: string): QueuedRequest => {
  const model = 'm';
  const request = requestTo('openai', { model, messages: says(content) });
  return {
    key: keyOf(request),
    request,
    ask: { model, parameters: {}, messages: request.messages, schema: null, form: 'plain' },
    endpoint: vendors.openai,
    settle: () => undefined,
  };
};

/** A gatherer for small batches and the batches it sent. */
function gatherer(limits: { requests: number; bytes: number }) {
  const activity = createActivity(turn);
  const sent: [string, string[]][] = [];
  let waiting = 0;
  const api = {
    limits,
    bytes: (_: string, body: string) => body.length,
    connect: () => Promise.reject(new Error('nothing is sent here')),
  };
  const call = () => Promise.reject(new Error('nothing is called here'));
  const idle = (): void => undefined;
  const server: ManagedServer = { vendor: vendors.openai, api, call, log: idle, close: idle };
  const { add } = createGatherer({
    activity,
    server,
    waiting: () => waiting,
    send: (model, items) =>
      sent.push([model, items.map(({ ask }) => ask.messages[0]?.content ?? '')]),
  });
  return {
    activity,
    sent,
    add: (question: QueuedRequest) => {
      waiting += 1;
      add(question);
    },
  };
}

describe('the queue for batches', () => {
  test('sends a full batch immediately, and the rest when no work is pending', async () => {
    const { activity, add, sent } = gatherer({ requests: 3, bytes: 1e6 });
    const { promise, resolve: end } = Promise.withResolvers<undefined>();
    const busy = activity.during(() => promise);
    for (const content of ['a', 'b', 'c', 'd']) add(asked(content));
    expect(sent).toEqual([['m', ['a', 'b', 'c']]]);
    for (let index = 0; index < 20; index += 1) await turn();
    expect(sent).toHaveLength(1);
    end(undefined);
    await busy;
    await until(() => sent.length === 2);
    expect(sent[1]).toEqual(['m', ['d']]);
    add(asked('e'));
    await until(() => sent.length === 3);
    expect(sent[2]).toEqual(['m', ['e']]);
  });
});
