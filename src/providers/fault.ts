import type { ErrorKind } from '../types/model.ts';
import { proxyWords } from './tunnel.ts';

/** Why an attempt gave no answer, and what may be done about it. */
export interface Fault {
  kind: ErrorKind;
  /** One filtered line without the provider's name. */
  message: string;
  /**
   * `never`: the same request would fail again. `later`: this call may be repeated after a pause of
   * its own. `limited`: the server wants less from everybody, so all calls to it pause, and then
   * fewer are made at once.
   */
  retry: 'never' | 'later' | 'limited';
  /** What the server asked for, in milliseconds; null: it asked for nothing. */
  waitMs: number | null;
  /**
   * Who would be told the same: this request alone, any for the same model, or any at all. These
   * are not sent.
   */
  scope: 'request' | 'model' | 'server';
  /**
   * HTTP status, where there was one, and what the server said about it, for recognising what it
   * refuses: its words alone, and after its codes. Never shown.
   */
  status: number | null;
  said: string;
  detail: string;
}

/** What can go wrong below HTTP's status, and with the body. `late`: the deadline passed. */
type TransportCode =
  | 'late'
  | 'redirect'
  | 'too-large'
  | 'too-deep'
  | 'cut'
  | 'connection'
  | 'encoding'
  | 'host'
  | 'aborted';

/**
 * Thrown through the vendors' SDKs, which keep it as a cause. The message is constant because they
 * replace, without a cause, whatever has "timeout" in its text.
 */
export class TransportError extends Error {
  override readonly name = 'TransportError';
  readonly code: TransportCode;
  /** For `connection`: the system's error code. */
  readonly system: string;

  constructor(code: TransportCode, system = '') {
    super('no reply');
    this.code = code;
    this.system = system;
  }
}

export const MAX_REPLY_BYTES = 8 * 1024 * 1024;

export const MAX_REPLY_DEPTH = 100;

/**
 * Errors of the system that a moment later may be gone; a wrong name or certificate is not among
 * them.
 */
const PASSING = new Set([
  'ECONNRESET',
  'ECONNREFUSED',
  'ECONNABORTED',
  'EPIPE',
  'ETIMEDOUT',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
]);

/**
 * A fault that is neither repeated nor waited for, unless `more` says so. `message` is one filtered
 * line.
 */
export function fault(kind: ErrorKind, message: string, more: Partial<Fault> = {}): Fault {
  return {
    kind,
    message,
    retry: 'never',
    waitMs: null,
    scope: 'request',
    status: null,
    said: '',
    detail: '',
    ...more,
  };
}

/** A call that the end of the run cut short, or kept from being made. */
export const STOPPED = fault('aborted', 'stopped before an answer came');

/** A call that the run's caps leave no room for. */
export function budgetFault(): Fault {
  return fault('budget', 'the limit of model calls is reached; this call was not made');
}

/**
 * The fault of a connection or of a body that could not be read. `timeoutMs` is the deadline that
 * was set.
 */
export function transportFault(error: TransportError, timeoutMs: number): Fault {
  switch (error.code) {
    // Not repeated: the server may have worked, and been paid, for all of that time.
    case 'late':
      return fault('timeout', `no complete reply after ${timeoutMs / 1000} s`);
    case 'redirect':
      return fault('reply', 'the server redirects to another address; refused');
    case 'too-large':
      return fault('reply', `the reply is larger than ${MAX_REPLY_BYTES / 1024 / 1024} MiB`);
    case 'too-deep':
      return fault('reply', `the reply is nested deeper than ${MAX_REPLY_DEPTH} levels`);
    case 'encoding':
      return fault('reply', 'the reply is packed in a way that cannot be unpacked');
    case 'cut':
      return fault('network', 'the connection was cut before the reply was complete', {
        retry: 'later',
      });
    case 'connection':
      return connectionFault(error.system);
    case 'host':
      return fault(
        'request',
        'the request would have gone to another host than the key belongs to; refused',
      );
    case 'aborted':
      return STOPPED;
  }
}

/** The system's words for a certificate that no authority it knows has signed. */
const UNTRUSTED =
  /^(SELF_SIGNED_CERT_IN_CHAIN|DEPTH_ZERO_SELF_SIGNED_CERT|UNABLE_TO_VERIFY_LEAF_SIGNATURE|UNABLE_TO_GET_ISSUER_CERT(_LOCALLY)?)$/;

function connectionFault(system: string): Fault {
  const proxy = proxyWords(system);
  if (proxy !== null)
    return fault(
      'network',
      `no connection through the proxy (${proxy.words})`,
      proxy.passing ? { retry: 'later' } : { scope: 'server' },
    );
  return fault(
    'network',
    `no connection (${system})${remedyOf(system)}`,
    PASSING.has(system) ? { retry: 'later' } : {},
  );
}

function remedyOf(system: string): string {
  if (UNTRUSTED.test(system))
    return '; for a certificate authority of your own set NODE_EXTRA_CA_CERTS to its file (in a workflow in the env of the step)';
  return system === 'ENOTFOUND'
    ? '; nobody has heard of this server’s name: is this machine online, and its address right?'
    : '';
}

interface HttpFailure {
  status: number;
  /** The server's own word for the error, such as `insufficient_quota`; empty when it gave none. */
  code: string;
  /** What the server said, already filtered and cut; empty when it said nothing. */
  said: string;
  /** Milliseconds the server asked to wait, null when it asked for nothing. */
  waitMs: number | null;
  /** `x-should-retry`, by which both vendors overrule the status; null when absent. */
  shouldRetry: boolean | null;
}

/**
 * The fault of an HTTP status other than success. The key is never repeated, whatever the server
 * wrote.
 */
export function httpFault(failure: HttpFailure): Fault {
  const { status, said, waitMs } = failure;
  const tail = said === '' ? '' : `: ${said}`;
  const more = { waitMs, status, said, detail: `${failure.code} ${said}` };
  const refusal = refusalOf(failure, tail);
  if (refusal !== null) return fault(refusal.kind, refusal.message, more);
  const closed = closedFault(failure, tail);
  if (closed !== null) return { ...closed, ...more };
  const retry =
    failure.shouldRetry === false ? 'never' : retryOf(failure, waitMs, failure.shouldRetry);
  if (status === 429) return fault('rate-limit', `429, rate limited${tail}`, { ...more, retry });
  if (status >= 500 || retry !== 'never')
    return fault('server', `${status}, the server failed${tail}`, { ...more, retry });
  const refused = `${status}, the request was refused${tail}`;
  if (isUnknownModel(failure))
    return fault('request', withSuccessor(refused), { ...more, scope: 'model' });
  const unknown = UNKNOWN_MODEL.test(said) || failure.code.includes('DeploymentNotFound');
  return fault('request', refused, { ...more, scope: unknown ? 'model' : 'request' });
}

/** What may help where a vendor does not know the model; its sentence may have ended already. */
function withSuccessor(refused: string): string {
  return `${refused}${/[.!?]$/.test(refused) ? '' : '.'} ${SUCCESSOR}`;
}

/**
 * Whoever has no good key or no credit need not ask again. What was said of a key that is not known
 * is not repeated: it may be the key.
 */
function closedFault(failure: HttpFailure, tail: string): Fault | null {
  const { status, code, said } = failure;
  if (status === 403)
    return fault('key', `403, the key may not do this${tail}`, { scope: 'model' });
  if (status === 401 || (status === 400 && WRONG_KEY.test(said)))
    return fault('key', `${status}, the key was refused`, { scope: 'server' });
  if (status === 402)
    return fault('request', `402, the request was refused${tail}`, {
      scope: AFFORDABLE.test(said) ? 'request' : 'server',
    });
  return (status === 429 && USED_UP.test(code)) || (status === 400 && NO_CREDIT.test(said))
    ? fault('rate-limit', `${status}, the account's quota is used up${tail}`, { scope: 'server' })
    : null;
}

/** Google's and xAI's words for a key that they do not know: to them it is a request like another. */
const WRONG_KEY = /\bAPI key not valid|\b(incorrect|invalid) API key\b/i;

/** Not a limit that passes in a minute. */
const USED_UP = /insufficient_(quota|funds)|billing|credit_balance|spend_limit|usage_limit/;

/** OpenRouter's words where the credit does for a request that asks for less. */
const AFFORDABLE = /\bfewer max_tokens\b|\bcan only afford\b/i;

/** Anthropic's words. */
const NO_CREDIT = /\bcredit balance is too low\b/i;

const SUCCESSOR =
  'If the model was retired, name its successor in the settings: models: { NEW: { provider: …, replaces: [OLD] } }';

/** What the vendor will not answer, whenever it is asked; null: it is another failure. */
function refusalOf(
  failure: HttpFailure,
  tail: string,
): { kind: 'filtered' | 'too-long'; message: string } | null {
  if (isFiltered(failure))
    return {
      kind: 'filtered',
      message: `${failure.status}, the content filter refused the request${tail}`,
    };
  return isTooLong(failure)
    ? { kind: 'too-long', message: `${failure.status}, the request is too long${tail}` }
    : null;
}

const FILTER_CODE = /content_filter|content_policy|moderation|safety_check/i;

/** OpenAI's, OpenRouter's and xAI's words for what stands in a request. */
const FILTER_WORDS = /moderation|\bflagged\b|usage guidelines|safety_check|content_policy/i;

/** Words for what somebody did: it is the key that is refused. */
const FLAGGED_ACCOUNT =
  /\b(account|organi[sz]ation|project|team|key|user(?! (?:input|message|prompt|content|request)s?\b)|IP)\b[^.]{0,60}\bflagged\b/i;

function isFiltered({ status, code, said }: HttpFailure): boolean {
  return (
    FILTER_CODE.test(code) ||
    ((status === 400 || status === 403) && FILTER_WORDS.test(said) && !FLAGGED_ACCOUNT.test(said))
  );
}

/** The vendors' own words for a request that does not fit into the model's context. */
function isTooLong({ status, code, said }: HttpFailure): boolean {
  return (
    status === 413 ||
    /context_length_exceeded|string_above_max_length|request_too_large/.test(code) ||
    ((status === 400 || status === 422) &&
      /prompt is too long|maximum context length|exceeds? (?:the )?context|\binputs\W+tokens\b/i.test(
        said,
      ))
  );
}

/** OpenAI's and Anthropic's own words for a model they do not have, or have no more. */
function isUnknownModel({ status, code, said }: HttpFailure): boolean {
  return (
    (status === 404 || status === 410) &&
    (/model_not_found|model_deprecated/.test(code) ||
      /^model: /.test(said) ||
      (A_MODEL.test(said) && NOT_THERE.test(said)))
  );
}

/** Not "File f-1 for this model not found", which is about one request. */
const A_MODEL = /(?<!\b(?:for|of|by|in|with) (?:this |the |your )?)\bmodels?\b/i;

const NOT_THERE =
  /not found|not exist|not available|no such|no longer|unknown|unable to access|retired|deprecated|decommissioned|end of (its )?life/i;

/** DeepSeek's, Mistral's, Perplexity's and OpenRouter's words for it, as of any bad request. */
const UNKNOWN_MODEL =
  /^(model not exist$|invalid model\b(?! (?:input|output)))|\bis not a valid model id$/i;

/** Google's, DeepSeek's, OpenAI's and OpenRouter's words for a server that has too much to do. */
const OVERLOADED = /overload|capacity|slow_down|\bUNAVAILABLE\b/i;

function retryOf(
  { status, code, said }: HttpFailure,
  waitMs: number | null,
  shouldRetry: boolean | null,
): Fault['retry'] {
  // 529 is Anthropic's "overloaded", 498 Groq's; a 503 that names a time, or says that it is too
  // much, speaks for the whole server.
  const tooMuch = status === 503 && (waitMs !== null || OVERLOADED.test(`${code} ${said}`));
  if (status === 429 || status === 529 || status === 498 || tooMuch) return 'limited';
  return status === 408 || status === 409 || status >= 500 || shouldRetry === true
    ? 'later'
    : 'never';
}
