import { fault, type Fault } from './fault.ts';

interface HttpFailure {
  status: number;
  code: string;
  said: string;
  page?: boolean;
  waitMs: number | null;
  /** The header `x-should-retry`, which overrides the status. */
  shouldRetry: boolean | null;
}

interface FaultRow extends Pick<Fault, 'kind'> {
  when(failure: HttpFailure): boolean;
  words: string;
  /** The server's message may quote the key, so it is not shown. */
  hidesMessage?: true;
  advice?: string;
  scope?: Fault['scope'];
  noModel?: true;
  /** Another attempt may succeed, as `retryOf` decides. */
  mayPass?: true;
}

const CONTENT_FILTER = {
  kind: 'filtered',
  words: 'the content filter rejected the request',
} as const;

const REJECTED = { kind: 'request', words: 'the server rejected the request' } as const;

const NO_RIGHT = { kind: 'key', words: 'the key lacks permission' } as const;

const QUOTA = {
  kind: 'rate-limit',
  words: "the account's quota is used up",
  scope: 'server',
} as const;

/**
 * The first row that fits decides what a failure means. If none fits, the request was rejected. The
 * comments name the vendors that need a row.
 */
const FAULT_ROWS: readonly FaultRow[] = [
  // OpenAI, Azure, OpenRouter, xAI: the error has a code.
  {
    when: ({ code, said }) => FILTER_CODE.test(code) && !OF_PARAMETER.test(said),
    ...CONTENT_FILTER,
  },
  // OpenRouter, xAI, Bedrock: only the message tells.
  {
    when: ({ status, said }) =>
      (status === 400 || status === 403) && isAboutFilter(said) && !OF_PARAMETER.test(said),
    ...CONTENT_FILTER,
  },
  // OpenAI, Anthropic, llama.cpp by code; xAI, Google, TGI by message.
  {
    when: isTooLong,
    kind: 'too-long',
    words: 'the request is too long',
  },
  // Firewalls, for example of Cloudflare.
  {
    when: ({ status, page = false }) => status === 403 && page,
    kind: 'request',
    words:
      'the reply is a web page: a firewall probably rejected the request because of its sender ' +
      'or its text',
    hidesMessage: true,
  },
  // Bedrock: expired or wrong credentials, or a wrong clock.
  {
    when: ({ status, said }) => status === 403 && /^the security token\b|\bsignature\b/i.test(said),
    kind: 'key',
    words: 'the server rejected the credentials',
    scope: 'server',
  },
  {
    when: ({ status, code, said }) => status === 403 && OF_RIGHTS.test(`${code} ${said}`),
    ...NO_RIGHT,
    scope: 'model',
  },
  // All: a 403 that does not mention rights may be about the text of the prompt.
  {
    when: ({ status }) => status === 403,
    ...NO_RIGHT,
    words: `${NO_RIGHT.words}, or a filter blocked the request`,
  },
  // Google and xAI answer 400 to a wrong key.
  {
    when: ({ status, said }) => status === 401 || (status === 400 && WRONG_KEY.test(said)),
    kind: 'key',
    words: 'the server rejected the key',
    hidesMessage: true,
    scope: 'server',
  },
  // OpenRouter: the credit suffices for a smaller request.
  {
    when: ({ status, said }) => status === 402 && AFFORDABLE.test(said),
    ...REJECTED,
  },
  // DeepSeek, OpenRouter.
  {
    when: ({ status }) => status === 402,
    ...REJECTED,
    scope: 'server',
  },
  // OpenAI and compatible servers.
  {
    when: ({ status, code }) => status === 429 && QUOTA_EXHAUSTED.test(code),
    ...QUOTA,
  },
  // Anthropic.
  {
    when: ({ status, said }) => status === 400 && NO_CREDIT.test(said),
    ...QUOTA,
  },
  {
    when: ({ status }) => status === 429,
    kind: 'rate-limit',
    words: 'rate limited',
    mayPass: true,
  },
  {
    when: (failure) => failure.status >= 500 || retryOf(failure) !== 'never',
    kind: 'server',
    words: 'the server failed',
    mayPass: true,
  },
  // OpenAI by code; Anthropic, Google, Ollama by message.
  {
    when: isUnknownModel,
    ...REJECTED,
    scope: 'model',
    noModel: true,
    advice:
      'If the model was retired, name its successor in the settings: ' +
      'models: { NEW: { provider: …, replaces: [OLD] } }',
  },
  // All: an address without /v1.
  {
    when: ({ status, said }) => status === 404 && (said === '' || NO_ADDRESS.test(said)),
    ...REJECTED,
    advice: 'There is no API at this address: check its path (most end in /v1).',
  },
  // Azure by code; DeepSeek, OpenRouter by message.
  {
    when: ({ code, said }) => code.includes('DeploymentNotFound') || UNKNOWN_MODEL.test(said),
    ...REJECTED,
    scope: 'model',
  },
];

/** The message never contains the key. */
export function httpFault(failure: HttpFailure): Fault {
  const { status, code, said, waitMs } = failure;
  const row = FAULT_ROWS.find(({ when }) => when(failure)) ?? REJECTED;
  const { kind, words, hidesMessage, advice, scope, noModel, mayPass }: Omit<FaultRow, 'when'> =
    row;
  const message = `${status}, ${words}${said === '' || hidesMessage ? '' : `: ${said}`}`;
  const end = /[.!?]$/.test(message) ? ' ' : '. ';
  return fault(kind, advice === undefined ? message : `${message}${end}${advice}`, {
    waitMs,
    status,
    detail: `${code} ${said}`,
    ...(scope !== undefined && { scope }),
    ...(noModel !== undefined && { noModel }),
    ...(mayPass !== undefined && { retry: retryOf(failure) }),
  });
}

/** Words that mean a right of the key, as opposed to the text of the prompt. */
const OF_RIGHTS =
  /key|permi(ssion|tted)|authori[sz]|access|models?\b|project|organi[sz]ation|account|\buser\b|team|country|region|address|subscription|allow|scope|plan\b|flagged/i;

const WRONG_KEY = /^(API key not valid|(incorrect|invalid) API key)\b/i;

const QUOTA_EXHAUSTED = /insufficient_(quota|funds)|billing|credit_balance|spend_limit|usage_limit/;

/** OpenRouter writes this if the account's credit suffices for a smaller request. */
const AFFORDABLE = /\bfewer max_tokens\b|\bcan only afford\b/i;

const NO_CREDIT = /\bcredit balance is too low\b/i;

export const NO_ADDRESS =
  /^((resource|404 page|page|path|route|url)?\W*not found\.?|unknown request url\b.*|invalid url\b.*|unexpected endpoint\b.*|no route\b.*|cannot post\b.*)$/i;

const FILTER_CODE = /content_filter|content_policy|moderation|safety_check/i;

const FILTER_WORDS =
  /\bmoderation\b|\bflagged\b|usage guidelines|safety_check|content_policy|content safety check|\bguardrail\b|\b(prompt|input) (was )?blocked/i;

const FLAGGED_ACCOUNT =
  /\b(account|organi[sz]ation|project|team|key|user(?! (?:input|message|prompt|content|request)s?\b)|IP)\b[^.]{0,60}\bflagged\b/i;

/** Quoted names are ignored, because they can come from the prompt: a schema named `moderation`. */
const QUOTED = /(?<!\w)(['"`])[^'"`]*\1(?!\w)/g;

const OF_PARAMETER =
  /extra inputs|unrecognized|unknown (parameter|name|field)|unsupported (parameter|value)|invalid schema/i;

function isAboutFilter(said: string): boolean {
  return FILTER_WORDS.test(said.replace(QUOTED, '')) && !FLAGGED_ACCOUNT.test(said);
}

function isTooLong({ status, code, said }: HttpFailure): boolean {
  return (
    status === 413 ||
    /context_length_exceeded|string_above_max_length|request_too_large|exceed_context_size/.test(
      code,
    ) ||
    ((status === 400 || status === 422) && TOO_LONG.test(said))
  );
}

const TOO_LONG =
  /(prompt|input) is too long|maximum (context|prompt) length|exceeds? (the )?(available )?context|input token count\b.*\bexceeds|\binputs\W+tokens\b/i;

function isUnknownModel({ status, code, said }: HttpFailure): boolean {
  return (
    (status === 404 || status === 410) &&
    (/model_not_found|model_deprecated/.test(code) ||
      /^model: /.test(said) ||
      (MENTIONS_MODEL.test(said) && NOT_FOUND.test(said)))
  );
}

/** Excludes "File f-1 for this model not found", which concerns one request. */
const MENTIONS_MODEL = /(?<!\b(?:for|of|by|in|with) (?:this |the |your )?)\bmodels?\b/i;

const NOT_FOUND =
  /not found|not exist|not available|no such|no longer|unknown|unable to access|retired|deprecated|decommissioned|end of (its )?life/i;

const UNKNOWN_MODEL =
  /^(model not exist$|the provided model identifier is invalid|invalid model\b(?! (?:input|output|response|reply|answer|param)))|\bis not a valid model id$/i;

const OVERLOADED = /overload|capacity|slow_down|\bUNAVAILABLE\b/i;

function retryOf({ status, code, said, waitMs, shouldRetry }: HttpFailure): Fault['retry'] {
  if (shouldRetry === false) return 'never';
  // Overloaded: 529 at Anthropic, 498 at Groq, or 503 with a time to wait.
  const tooMuch = status === 503 && (waitMs !== null || OVERLOADED.test(`${code} ${said}`));
  if (status === 429 || status === 529 || status === 498 || tooMuch) return 'limited';
  return status === 408 || status === 409 || status >= 500 || shouldRetry === true
    ? 'later'
    : 'never';
}
