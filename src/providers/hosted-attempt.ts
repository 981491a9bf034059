import type { HostedTarget, Request } from '../types/model.ts';
import { passportOf } from '../types/passports.ts';
import { budgetFault, fault, type Fault } from './fault.ts';
import type { HostedOptions, Server } from './hosted-server.ts';
import type { CallAttempt } from './retry.ts';
import { exhaustedWait, foreignLine, replyFault, sdkFault } from './sdk-fault.ts';
import type { Ask, Said, Vendor, VendorEndpoint } from './vendors/vendor.ts';

/** One request to a server and what its reply comes to. Never rejects. */
export async function attempt(
  server: Server,
  wanted: Ask,
  { request, target }: { request: Request; target: HostedTarget },
  options: HostedOptions,
): Promise<CallAttempt<Said>> {
  const { clock, timeoutMs, redact } = options;
  if (!options.onAttempt(request)) return { status: 'fault', fault: budgetFault(), sent: false };
  const started = clock.now();
  try {
    const post = await server.post();
    const endpoint = endpointOf(server.vendor, request, target) ?? server.vendor;
    const response = await post(endpoint.body(wanted), pathOf(server, endpoint, target));
    const text = withoutEchoedKeys(await response.text(), server);
    const data = parsed(text);
    const now = clock.now();
    const failure = replyFault(data, response, { now, redact });
    if (failure !== null) return { status: 'fault', fault: failure, sent: true };
    const answer = endpoint.read(data, wanted);
    if (answer === null)
      return {
        status: 'fault',
        fault: unreadable(endpoint, { response, text, redact }, data === undefined),
        sent: true,
      };
    if (answer.kind === 'withheld')
      return {
        status: 'fault',
        fault: fault('filtered', 'the answer was withheld by the content filter'),
        sent: true,
      };
    return {
      status: 'ok',
      value: answer,
      latencyMs: now - started,
      waitMs: exhaustedWait(response.headers, now) ?? 0,
    };
  } catch (error) {
    return {
      status: 'fault',
      fault: unproxied(sdkFault(error, { now: clock.now(), timeoutMs, redact }), options),
      sent: true,
    };
  }
}

/** Answers are stored, and read by checks: a server that repeats what it was sent gives no key away. */
function withoutEchoedKeys(text: string, { secrets }: Pick<Server, 'secrets'>): string {
  return secrets.reduce((rest, secret) => rest.replaceAll(secret, '***'), text);
}

/** Where the vendor answers such a request; null when it has nothing of the kind. */
export function endpointOf(
  vendor: Vendor,
  { purpose }: Request,
  target: HostedTarget,
): Vendor | VendorEndpoint | null {
  if (purpose === 'embedding') return vendor.embeddings;
  return passportOf(target)?.api === 'responses' ? vendor.responses : vendor;
}

function pathOf(
  { deployments }: Server,
  endpoint: Vendor | VendorEndpoint,
  { model }: HostedTarget,
): string | undefined {
  const path = 'path' in endpoint ? endpoint.path : undefined;
  return deployments
    ? `/deployments/${encodeURIComponent(model)}${path ?? '/chat/completions'}`
    : path;
}

const PROXY_VARIABLES = ['HTTPS_PROXY', 'https_proxy', 'ALL_PROXY', 'all_proxy'];

/** Whoever is behind a proxy that only the environment names would look for the fault elsewhere. */
function unproxied(found: Fault, { env, proxy }: Pick<HostedOptions, 'env' | 'proxy'>): Fault {
  if (found.kind !== 'network' || proxy) return found;
  const set = PROXY_VARIABLES.find((name) => (env[name] ?? '') !== '');
  return set === undefined
    ? found
    : {
        ...found,
        message: `${found.message}; ${set} is not obeyed: name the proxy in the input proxy (in a terminal --proxy)`,
      };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Whoever reads of bytes alone looks for the fault in the model. */
const WEB_PAGE =
  ': it is a web page; look whether the address leads to the API (most end in /v1), and what before it asks to log in';

/** A reply that is not JSON at all was cut or is somebody else's, and may be a better one next time. */
function unreadable(
  { replyName }: Pick<Vendor, 'replyName'>,
  { response, text, redact }: { response: Response; text: string; redact(text: string): string },
  passing: boolean,
): Fault {
  const type = foreignLine(
    (response.headers.get('content-type') ?? '').split(';')[0] ?? '',
    redact,
    60,
  );
  return fault(
    'reply',
    `the reply is not a ${replyName} (${type || 'no content type'}, ${Buffer.byteLength(text)} bytes)${type === 'text/html' ? WEB_PAGE : ''}`,
    passing ? { retry: 'later' } : {},
  );
}
