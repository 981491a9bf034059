import { logLine } from '../../text/log.ts';
import { filesIn } from '../../types/media.ts';
import type { Completion, HostedTarget, Request } from '../../types/model.ts';
import { fileTypeWords, refusedFile } from '../../types/passports.ts';
import { MOST_LEVELS, isDeeper, member, parsedJson, type Problem } from '../../types/plain.ts';
import { addressOf, keySourceOf } from './address.ts';
import { callCompletion } from './completion.ts';
import { type Fault, fault, faultOfReply } from './fault.ts';
import { type CallOptions, type Server, createServer, pacerOf } from './hosted-server.ts';
import { longerOf, withMoreRoom } from './longer.ts';
import { readModelList } from './model-list.ts';
import type { Pacer } from './pace.ts';
import { paidAttempt } from './paid-attempt.ts';
import { type CallAttempt, withRetries } from './retry.ts';
import { exhaustedWait, foreignLine, replyFault, sdkFault } from './sdk-fault.ts';
import { createFileSender, type FileSender } from './vendors/files.ts';
import { vendors } from './vendors/index.ts';
import { CHAT_PATH } from './vendors/openai-batch.ts';
import { whyInexpressible } from './vendors/transcript.ts';
import {
  answerEndpoint,
  type AnswerEndpoint,
  type Ask,
  type Vendor,
  type VendorOutput,
} from './vendors/vendor.ts';

export function createHosted(options: CallOptions) {
  const servers = new Map<string, Server>();
  const files = createFileSender(options.readFile);
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
    const { lists } = options;
    // Beside the first call, which does not wait for it.
    if (target.endpoint === null && lists !== undefined)
      readModelList(target.provider, address.base, server.bounded, lists).catch(() => undefined);
    return server;
  };
  return {
    async complete(request: Request, target: HostedTarget): Promise<Completion> {
      const server = serverOf(target);
      if ('message' in server)
        return { status: 'error', kind: 'key', message: server.message, unsent: true };
      const refused =
        endpointOf(server.vendor, request, target) === null
          ? `${server.vendor.name} has no ${request.purpose}s`
          : (server.vendor.refuses(request.parameters) ?? whyRefused(request, target));
      const pacer = pacerOf(server, target, options);
      const ask = (of: Request): Promise<Completion> =>
        askHosted({ server, pacer, files, request: of, target, options });
      const work = async (): Promise<Completion> => {
        const completion = await ask(request);
        const longer = withMoreRoom(request, server.vendor.name, completion);
        return longer === null ? completion : longerOf(completion, await ask(longer));
      };
      if (refused === null) return pacer === null ? await work() : await pacer.run(work);
      const found = fault('request', refused);
      return callCompletion({ status: 'fault', fault: found, sent: false }, server.label);
    },
    close(): void {
      for (const { bounded } of servers.values()) bounded.close();
    },
  };
}

interface HostedCall {
  server: Server;
  pacer: Pacer | null;
  files: FileSender;
  request: Request;
  target: HostedTarget;
  options: CallOptions;
}

async function askHosted(call: HostedCall): Promise<Completion> {
  const { server, request, target, options } = call;
  await server.refusals.recall(target);
  await server.post().catch(() => undefined);
  let refused = 0;
  let plainly = false;
  for (;;) {
    const open = server.refusals.open(request);
    const release = await server.opening.lead(open === null ? [KEY] : [KEY, open]);
    if (release === null) continue;
    const asked = await askOnce(call, plainly).finally(release);
    if (asked.status === 'ask-plainly') plainly = true;
    else if (asked.status === 'option-refused') {
      refused += 1;
      options.onRefused(request);
    } else {
      if (asked.status === 'ok') server.refusals.accept(target, plainly ? null : open);
      return refused === 0 ? asked : { ...asked, refused };
    }
  }
}

const KEY = 'key';

/**
 * `ask-plainly`: the model's answer had the wrong form, so ask again without a schema.
 * `option-refused`: ask again without an option that the model refuses.
 */
type AskResult = Completion | { status: 'ask-plainly' } | { status: 'option-refused' };

async function askOnce(call: HostedCall, plainly: boolean): Promise<AskResult> {
  const { server, pacer, files, request, target, options } = call;
  const { model } = target;
  const { refusals, closed, label } = server;
  const known = closed.get(model);
  if (known !== undefined)
    return callCompletion({ status: 'fault', fault: known, sent: false }, label);
  const wanted: Ask = {
    ...refusals.without(request),
    ...(plainly ? { schema: null, form: 'plain' } : {}),
  };
  const { messages: marked, done } = server.prefixes.mark(wanted, target);
  const sent = marked === null ? wanted : { ...wanted, marked };
  const work = async (): Promise<CallAttempt<VendorOutput>> => {
    const release = await files.room(sent);
    try {
      const leaving = { ...request, parameters: sent.parameters };
      return await paidAttempt(leaving, options, () => sendOnce(call, sent));
    } finally {
      release();
    }
  };
  const tried = await withRetries(work, {
    ...server.retry,
    pacers: pacer === null ? [server.pacer] : [server.pacer, pacer],
  });
  done(tried.status === 'ok');
  if (tried.status === 'ok') return callCompletion(tried, label, options.clock.now());
  const { fault: found } = tried;
  if (wanted.schema !== null && MISFORMED.test(found.detail)) return { status: 'ask-plainly' };
  const refused = refusals.learn(found, request, wanted);
  if (refused === null) {
    if (found.scope === 'model' && !refusals.answered(model)) closed.set(model, found);
    return callCompletion(tried, label);
  }
  if (refused.first)
    server.retry.log(`model ${logLine(model)} rejects ${refused.what}; retrying without it`);
  return { status: 'option-refused' };
}

/** Groq sends these codes if the model's answer has the wrong format. */
const MISFORMED = /json_validate_failed|tool_use_failed/;

async function sendOnce(
  { server, files, request, target, options }: HostedCall,
  wanted: Ask,
): Promise<CallAttempt<VendorOutput>> {
  const { clock, timeoutMs, redact } = options;
  const failed = (found: Fault): CallAttempt<VendorOutput> => ({
    status: 'fault',
    fault: withHint(found, server, options),
    sent: true,
  });
  const whole = await files
    .load(wanted)
    .catch((error: unknown) =>
      fault('request', `a file of the prompt cannot be read: ${String(member(error, 'message'))}`),
    );
  if ('retry' in whole) return { status: 'fault', fault: whole, sent: false };
  try {
    const post = await server.post();
    const started = clock.now();
    const endpoint = endpointOf(server.vendor, request, target) ?? server.vendor;
    const response = await post(endpoint.body(whole), endpointPath(server, endpoint, target));
    const received = await response.text();
    // A server may repeat the key in its answer, and answers are stored.
    const text = server.secrets().reduce((rest, key) => rest.replaceAll(key, '***'), received);
    const data = parsedJson(text);
    if (isDeeper(data, MOST_LEVELS))
      return failed(fault('reply', `the reply is nested deeper than ${MOST_LEVELS} levels`));
    const now = clock.now();
    const failure = replyFault(data, response, { now, redact });
    if (failure !== null) return failed(failure);
    const answer = endpoint.read(data, wanted);
    if (answer.kind === 'none') return { status: 'fault', fault: faultOfReply(answer), sent: true };
    if (answer.kind === 'odd') {
      const type = response.headers.get('content-type') ?? '';
      const given = { type: foreignLine(type.split(';')[0] ?? '', redact, 60), text };
      const found = unreadableReply(endpoint, given, answer.member, data === undefined);
      return { status: 'fault', fault: found, sent: true };
    }
    return {
      status: 'ok',
      value: answer,
      latencyMs: now - started,
      waitMs: exhaustedWait(response.headers, now) ?? 0,
    };
  } catch (error) {
    return failed(sdkFault(error, { now: clock.now(), timeoutMs, redact }));
  }
}

export function whyRefused(request: Request, target: HostedTarget): string | null {
  const types = filesIn(request.messages).map(({ type }) => type);
  const type = refusedFile(target, types);
  return type === null
    ? whyInexpressible(request, target)
    : `${target.model} does not accept ${fileTypeWords(type)}; name a model that does`;
}

function endpointOf(
  vendor: Vendor,
  { purpose, parameters }: Request,
  target: HostedTarget,
): AnswerEndpoint | null {
  if (purpose === 'embedding' || purpose === 'moderation') return vendor.texts?.[purpose] ?? null;
  return answerEndpoint(vendor, target, parameters);
}

function endpointPath(
  { deployments }: Server,
  endpoint: AnswerEndpoint,
  { model }: HostedTarget,
): string | undefined {
  const path = endpoint.pathOf?.(model) ?? endpoint.path;
  return deployments ? `/deployments/${encodeURIComponent(model)}${path ?? CHAT_PATH}` : path;
}

const PROXY_VARIABLES = ['HTTPS_PROXY', 'https_proxy', 'ALL_PROXY', 'all_proxy'];

function withHint(found: Fault, { keySource }: Server, { env, proxy }: CallOptions): Fault {
  if (found.kind === 'key') return { ...found, message: `${found.message}; ${keySource}` };
  if (found.kind !== 'network' || proxy) return found;
  const set = PROXY_VARIABLES.find((name) => (env[name] ?? '') !== '');
  return set === undefined
    ? found
    : {
        ...found,
        message:
          `${found.message}; the environment variable ${set} is ignored: name the proxy in ` +
          'the input proxy (in a terminal: --proxy)',
      };
}

const WEB_PAGE =
  ': it is a web page. Check that it is the address of an API (most end in /v1) and that no ' +
  'login page comes first';

function unreadableReply(
  { replyName }: Pick<Vendor, 'replyName'>,
  { type, text }: { type: string; text: string },
  member: string,
  passing: boolean,
): Fault {
  const odd = member === '' ? '' : `; its ${member} is missing or invalid`;
  const isPage = type === 'text/html' || /^\s*<(!doctype html|html)\b/i.test(text);
  return fault(
    'reply',
    `the reply is not a ${replyName} (${type || 'no content type'}, ` +
      `${Buffer.byteLength(text)} bytes)${isPage ? WEB_PAGE : ''}${odd}`,
    passing && !isPage ? { retry: 'later' } : {},
  );
}
