import { logLine } from '../text/log.ts';
import type { Completion, HostedTarget, Request } from '../types/model.ts';
import type { Problem } from '../types/plain.ts';
import { addressOf, keySourceOf } from './address.ts';
import { fault, type Fault } from './fault.ts';
import { attempt, endpointOf } from './hosted-attempt.ts';
import { createServer, pacerOf, type HostedOptions, type Server } from './hosted-server.ts';
import type { Limiter } from './limit.ts';
import type { Pacer } from './pacer.ts';
import { errorCompletion, withRetries, type Tried } from './retry.ts';
import { vendors } from './vendors/index.ts';
import type { Ask, Said } from './vendors/vendor.ts';

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
      if ('message' in server)
        return { status: 'error', kind: 'key', message: server.message, unsent: true };
      const refused =
        endpointOf(server.vendor, request, target) === null
          ? `${server.vendor.name} has no embeddings`
          : server.vendor.refuses(request.parameters);
      const pacer = pacerOf(server, target, options);
      const work = (): Promise<Completion> => ask({ server, pacer }, request, target, options);
      if (refused === null) return pacer === null ? await work() : await pacer.run(work);
      const found = fault('request', refused);
      return toCompletion({ status: 'fault', fault: found, sent: false }, server.label);
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
 * of a kind to an unknown model what that model takes; what they are told in vain, the others are
 * not sent for.
 */
async function ask(
  asked: Asked,
  request: Request,
  target: HostedTarget,
  options: HostedOptions,
): Promise<Completion> {
  const { server } = asked;
  await server.refusals.recall(target);
  // Loading the vendor's client takes its time, and is not a part of anybody's head start.
  await server.post().catch(() => undefined);
  let refused = 0;
  let plainly = false;
  for (;;) {
    const open = server.refusals.open(request);
    const release = await server.opening.lead(open === null ? [KEY] : [KEY, open.ahead]);
    if (release === null) continue;
    const asking = { request, target, open, plainly };
    const completion = await askOnce(asked, asking, options).finally(release);
    if (completion === 'plainly') {
      plainly = true;
      continue;
    }
    if (completion === null) {
      refused += 1;
      options.onRefused(request);
      continue;
    }
    if (completion.status === 'ok') server.refusals.accept(target, plainly ? null : open);
    return refused === 0 ? completion : { ...completion, refused };
  }
}

/** A server, and the pace at which one of its models is asked. */
interface Asked {
  server: Server;
  pacer: Pacer | null;
}

interface Asking {
  request: Request;
  target: HostedTarget;
  /** What the request finds out of its model; null: nothing. */
  open: ReturnType<Server['refusals']['open']>;
  /** In plain text, whatever forms the model knows. */
  plainly: boolean;
}

/** What the first request to a server finds out. */
const KEY = 'key';

/**
 * Null: the model refused something that the request can do without. `plainly`: what it said was not
 * in the form that was asked for, and the server kept it.
 */
async function askOnce(
  { server, pacer }: Asked,
  asking: Asking,
  options: HostedOptions,
): Promise<Completion | 'plainly' | null> {
  const { request, target, open, plainly } = asking;
  const { model } = target;
  const { refusals, closed, label } = server;
  const known = closed.get('') ?? closed.get(model) ?? refusals.faultFor(request, open);
  if (known !== null) return toCompletion({ status: 'fault', fault: known, sent: false }, label);
  const wanted: Ask = {
    ...refusals.without(request),
    ...(plainly ? { schema: null, form: 'plain' } : {}),
  };
  const { messages: marked, done } = server.prefixes.mark(wanted, target);
  const sent = marked === null ? wanted : { ...wanted, marked };
  const tried = await withRetries(() => attempt(server, sent, { request, target }, options), {
    ...server.retry,
    pacers: pacer === null ? [server.pacer] : [server.pacer, pacer],
  });
  done(tried.status === 'ok');
  if (tried.status === 'ok') return toCompletion(tried, label);
  const { fault: found } = tried;
  if (wanted.schema !== null && MISFORMED.test(found.detail)) return 'plainly';
  const refused = refusals.learn(found, request, wanted);
  if (refused === null)
    return toCompletion({ ...tried, fault: closedBy(found, asking, server) }, label);
  if (refused.first)
    server.retry.log(`model ${logLine(model)} refuses ${refused.what}; asking without it`);
  return null;
}

/** Groq's words for an answer that is none of the form; what is said is lost, and nothing refused. */
const MISFORMED = /json_validate_failed|tool_use_failed/;

/** The fault as it is told, kept for all who would be told the same. */
function closedBy(
  found: Fault,
  { request, target: { model }, open }: Asking,
  { closed, refusals, keySource }: Server,
): Fault {
  const told =
    found.kind === 'key' ? { ...found, message: `${found.message}; ${keySource}` } : found;
  if (found.scope === 'server') closed.set('', told);
  else if (found.scope === 'model' && !refusals.answered(model)) closed.set(model, told);
  else refusals.refuse(told, request, open);
  return told;
}

function toCompletion(tried: Tried<Said>, label: string): Completion {
  if (tried.status === 'fault') return errorCompletion(tried, label);
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
