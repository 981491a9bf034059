import { logLine } from '../text/log.ts';
import type { Completion, HostedTarget, Request } from '../types/model.ts';
import type { Problem } from '../types/plain.ts';
import { addressOf, keySourceOf } from './address.ts';
import { fault } from './fault.ts';
import { attempt, endpointOf } from './hosted-attempt.ts';
import { createServer, pacerOf, type HostedOptions, type Server } from './hosted-server.ts';
import type { Limiter } from './limit.ts';
import type { Pacer } from './pacer.ts';
import { withRetries, type Tried } from './retry.ts';
import { vendors } from './vendors/index.ts';
import type { Said } from './vendors/vendor.ts';

interface Hosted {
  complete(request: Request, target: HostedTarget): Promise<Completion>;
  limiters(): { name: string; limiter: Limiter }[];
  close(): void;
}

/** Calls to the vendors' servers and to whatever speaks like them. */
export function createHosted(options: HostedOptions): Hosted {
  const servers = new Map<string, Server>();
  const serverOf = (target: HostedTarget): Server | Problem => {
    const label =
      target.endpoint === null ? target.provider : `${target.provider} (${target.endpoint})`;
    const known = servers.get(label);
    if (known !== undefined) return known;
    const address = addressOf(target, options);
    if ('message' in address) return address;
    const server = createServer(label, vendors[target.provider], address, {
      ...options,
      keySource: keySourceOf(target, options),
    });
    servers.set(label, server);
    return server;
  };
  return {
    async complete(request, target) {
      const server = serverOf(target);
      if ('message' in server) return { status: 'error', kind: 'key', message: server.message };
      const refused =
        endpointOf(server.vendor, request, target) === null
          ? `${server.vendor.name} has no embeddings`
          : server.vendor.refuses(request.parameters);
      const pacer = pacerOf(server, target, options);
      const work = (): Promise<Completion> => ask({ server, pacer }, request, target, options);
      if (refused === null) return pacer === null ? await work() : await pacer.run(work);
      return toCompletion({ status: 'fault', fault: fault('request', refused) }, server.label);
    },
    limiters: () => [...servers.values()].map(({ label, limiter }) => ({ name: label, limiter })),
    close() {
      for (const { bounded } of servers.values()) bounded.close();
    },
  };
}

/**
 * Asks, and asks again without what the model turns out not to know (a form of answers, a grader's
 * temperature). The first request to a server finds out alone whether its key is good, the first
 * of a kind to an unknown model what that model takes.
 */
async function ask(
  asked: Asked,
  request: Request,
  target: HostedTarget,
  options: HostedOptions,
): Promise<Completion> {
  const { server } = asked;
  await server.refusals.recall(target);
  let refused = 0;
  for (;;) {
    const open = server.refusals.open(request);
    const release = await server.opening.lead(open === null ? [KEY] : [KEY, open]);
    if (release === null) continue;
    const completion = await askOnce(asked, request, target, options).finally(release);
    if (completion === null) {
      refused += 1;
      options.onRefused(request);
      continue;
    }
    if (open !== null && completion.status === 'ok') server.refusals.accept(open);
    return refused === 0 ? completion : { ...completion, refused };
  }
}

/** A server, and the pace at which one of its models is asked. */
interface Asked {
  server: Server;
  pacer: Pacer | null;
}

/** What the first request to a server finds out. */
const KEY = 'key';

/** Null: the model refused something that the request can do without. */
async function askOnce(
  { server, pacer }: Asked,
  request: Request,
  target: HostedTarget,
  options: HostedOptions,
): Promise<Completion | null> {
  const { model } = target;
  const { refusals, keyFaults, label } = server;
  const locked = keyFaults.get('') ?? keyFaults.get(model);
  if (locked !== undefined) return toCompletion({ status: 'fault', fault: locked }, label);
  const wanted = refusals.without(request);
  const { messages: marked, done } = server.prefixes.mark(wanted, target);
  const sent = marked === null ? wanted : { ...wanted, marked };
  const tried = await withRetries(() => attempt(server, sent, { request, target }, options), {
    ...server.retry,
    async turn() {
      await server.pacer.turn();
      await pacer?.turn();
    },
  });
  done(tried.status === 'ok');
  if (tried.status === 'ok') return toCompletion(tried, label);
  const { fault: found } = tried;
  if (found.kind === 'key') {
    const fault = { ...found, message: `${found.message}; ${server.keySource}` };
    // Without a valid key nothing can be asked; what one model does not allow, another may.
    keyFaults.set(found.status === 403 ? model : '', fault);
    return toCompletion({ status: 'fault', fault }, label);
  }
  const refused = refusals.learn(found, request, wanted);
  if (refused === null) return toCompletion(tried, label);
  if (refused.first)
    server.retry.log(`model ${logLine(model)} refuses ${refused.what}; asking without it`);
  return null;
}

function toCompletion(tried: Tried<Said>, label: string): Completion {
  if (tried.status === 'fault')
    return { status: 'error', kind: tried.fault.kind, message: `${label}: ${tried.fault.message}` };
  const { output, finish_reason, tool_calls, usage, cached } = tried.value;
  return {
    status: 'ok',
    output,
    finish_reason,
    tool_calls,
    usage,
    ...(cached === undefined ? {} : { cached }),
    latency_ms: Math.max(0, Math.round(tried.latencyMs)),
    reused: false,
  };
}
