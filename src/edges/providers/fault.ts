import type { Ended } from '../../types/answer.ts';
import { NOT_MADE_MESSAGES, type MeteredUsage, type ErrorKind } from '../../types/model.ts';
import { proxyWords } from './tunnel.ts';
import type { VendorAnswer } from './vendors/vendor.ts';

export interface Fault {
  kind: ErrorKind;
  message: string;
  /**
   * `later`: retry after a backoff. `once`: the same, but not twice in a row. `limited`: also slow
   * down all calls to the server.
   */
  retry: 'never' | 'once' | 'later' | 'limited';
  waitMs: number | null;
  /** Other requests of this scope would fail too, so they are not sent. */
  scope: 'request' | 'model' | 'server';
  status: number | null;
  detail: string;
  spent: MeteredUsage[];
  unreached?: true;
  noModel?: true;
  ended?: Ended;
}

type TransportCode =
  | keyof typeof UNUSABLE_REPLY
  | 'late'
  | 'cut'
  | 'connection'
  | 'host'
  | 'exchange'
  | 'identity'
  | 'aborted';

/** The message is constant because the SDKs drop errors whose text contains "timeout". */
export class TransportError extends Error {
  override readonly name = 'TransportError';
  readonly code: TransportCode;
  readonly system: string;

  constructor(code: TransportCode, system = '') {
    super('no reply');
    this.code = code;
    this.system = system;
  }
}

export const MAX_REPLY_BYTES = 8 * 1024 * 1024;

const PASSING = new Set(['ECONNRESET', 'ECONNABORTED', 'EPIPE', 'ETIMEDOUT']);

export function fault(kind: ErrorKind, message: string, more: Partial<Fault> = {}): Fault {
  return {
    kind,
    message,
    retry: 'never',
    waitMs: null,
    scope: 'request',
    status: null,
    detail: '',
    spent: kind === 'reply' ? [{ usage: null }] : [],
    ...more,
  };
}

export function faultOfReply({
  fails,
  why,
  again,
  ended,
  usage,
  cached,
}: Extract<VendorAnswer, { kind: 'none' }>): Fault {
  return fault(fails, why, {
    retry: again,
    spent: [{ usage, ...(cached ? { cached } : {}) }],
    ...(ended !== undefined && { ended }),
  });
}

export const STOPPED = fault('aborted', NOT_MADE_MESSAGES.aborted);

export function budgetFault(): Fault {
  return fault('budget', NOT_MADE_MESSAGES.budget);
}

export function transportFault({ code, system }: TransportError, timeoutMs: number): Fault {
  switch (code) {
    // Not retried, because the server may have worked and charged until the timeout.
    case 'late':
      return fault('timeout', `no complete reply after ${timeoutMs / 1000} s`);
    case 'cut':
      return fault('network', 'the connection was cut before the reply was complete', {
        retry: 'later',
        spent: [{ usage: null }],
      });
    case 'connection':
      return connectionFault(system);
    case 'host':
      return fault('request', 'the request was stopped, because the key belongs to another host');
    case 'exchange':
      return fault('network', system, UNMADE);
    case 'identity':
      return fault('key', system, { scope: 'server' });
    case 'aborted':
      return STOPPED;
    default:
      return fault('reply', UNUSABLE_REPLY[code](system));
  }
}

const UNUSABLE_REPLY = {
  redirect: () => 'the server redirects to another address, which evaldiff does not follow',
  'too-large': () => `the reply is larger than ${MAX_REPLY_BYTES / 1024 / 1024} MiB`,
  encoding: (name: string) => `the reply has an invalid or unsupported content encoding (${name})`,
  charset: (name: string) => `the reply is not valid text in its charset (${name})`,
  // Not retried, because the server would stream and charge again.
  stream: () =>
    `the server streams its answer although evaldiff did not ask for a stream${DISABLE_STREAMING}`,
};

const DISABLE_STREAMING =
  '; disable streaming in the server, or set "stream: false" in the prompt if the server needs it';

const UNMADE = { retry: 'later', unreached: true } as const;

const CHECK_PROXY = '; check the address of the proxy (input proxy, or --proxy in a terminal)';

const UNREACHED =
  /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|EPROTO|UNABLE_TO_.*|.*CERT.*|ERR_(TLS|SSL)_.*)$/;

const UNTRUSTED =
  /^(SELF_SIGNED_CERT_IN_CHAIN|DEPTH_ZERO_SELF_SIGNED_CERT|UNABLE_TO_VERIFY_LEAF_SIGNATURE|UNABLE_TO_GET_ISSUER_CERT(_LOCALLY)?)$/;

function connectionFault(system: string): Fault {
  const proxy = proxyWords(system);
  if (proxy !== null)
    return fault(
      'network',
      `no connection through the proxy (${proxy.words})${proxy.passing ? CHECK_PROXY : ''}`,
      proxy.passing ? UNMADE : { scope: 'server' },
    );
  const message = `no connection (${system})${remedyOf(system)}`;
  if (UNREACHED.test(system)) return fault('network', message, UNMADE);
  return fault('network', message, PASSING.has(system) ? { retry: 'later' } : {});
}

function remedyOf(system: string): string {
  if (UNTRUSTED.test(system))
    return (
      '; for your own certificate authority, set NODE_EXTRA_CA_CERTS to its file (in a ' +
      'workflow: under env of the step)'
    );
  if (!UNREACHED.test(system)) return '';
  const why = /^(ENOTFOUND|EAI_AGAIN)$/.test(system) ? 'the host name is not found: ' : '';
  return `; ${why}check the network, the proxy and the server's address`;
}
