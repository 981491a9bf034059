import { NOT_MADE, type ErrorKind, type FinishReason } from '../types/model.ts';
import { proxyWords } from './tunnel.ts';
import type { NoAnswer } from './vendors/vendor.ts';

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
  /** A reply came, whole or in part, that nobody could read: what it cost is not known. */
  isUnread: boolean;
  /** Asked once more at most, whatever tries are left. */
  once?: true;
  /** How the answer ended that said nothing. */
  ended?: FinishReason;
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
  | 'charset'
  | 'stream'
  | 'host'
  | 'aborted';

/**
 * Thrown through the vendors' SDKs, which keep it as a cause. The message is constant because they
 * replace, without a cause, whatever has "timeout" in its text.
 */
export class TransportError extends Error {
  override readonly name = 'TransportError';
  readonly code: TransportCode;
  /** For `connection`: the system's error code. For `charset`: its name. */
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
    isUnread: kind === 'reply',
    ...more,
  };
}

/** The fault of a reply without an answer. */
export function faultOfReply({ fails, why, again, ended }: NoAnswer): Fault {
  return fault(fails, why, {
    retry: again === 'never' ? 'never' : 'later',
    ...(again === 'once' ? { once: true } : {}),
    ...(ended === undefined ? {} : { ended }),
  });
}

/** A call that the end of the run cut short, or kept from being made. */
export const STOPPED = fault('aborted', NOT_MADE.aborted);

/** A call that the run's caps leave no room for. */
export function budgetFault(): Fault {
  return fault('budget', NOT_MADE.budget);
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
    case 'charset':
      return fault('reply', `the reply is not text in its charset (${error.system})`);
    // Not repeated: the server would stream, and be paid, again.
    case 'stream':
      return fault('reply', `the server streams its answer unasked${UNSTREAM}`);
    case 'cut':
      return fault('network', 'the connection was cut before the reply was complete', {
        retry: 'later',
        isUnread: true,
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

const UNSTREAM =
  '; turn that off in the server, or write "stream: false" into the prompt, as some servers want it';

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
    ? "; nobody has heard of this server's name: is this machine online, and its address right?"
    : '';
}
