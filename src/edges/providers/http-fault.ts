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

/** The message never contains the key. */
export function httpFault(failure: HttpFailure): Fault {
  const { status, said, waitMs } = failure;
  const tail = said === '' ? '' : `: ${said}`;
  const more = { waitMs, status, said, detail: `${failure.code} ${said}` };
  if (isFiltered(failure))
    return fault('filtered', `${status}, the content filter rejected the request${tail}`, more);
  if (isTooLong(failure))
    return fault('too-long', `${status}, the request is too long${tail}`, more);
  const closed = closedFault(failure, tail);
  if (closed !== null) return { ...closed, ...more };
  const retry = retryOf(failure);
  if (status === 429) return fault('rate-limit', `429, rate limited${tail}`, { ...more, retry });
  if (status >= 500 || retry !== 'never')
    return fault('server', `${status}, the server failed${tail}`, { ...more, retry });
  return { ...refusedFault(failure, `${status}, the server rejected the request${tail}`), ...more };
}

function refusedFault(failure: HttpFailure, refused: string): Fault {
  const { status, code, said } = failure;
  if (isUnknownModel(failure)) {
    const end = /[.!?]$/.test(refused) ? '' : '.';
    return fault('request', `${refused}${end} ${SUCCESSOR}`, { scope: 'model', noModel: true });
  }
  if (status === 404 && (said === '' || NO_ADDRESS.test(said)))
    return fault('request', `${refused}${OTHER_ADDRESS}`);
  const unknown = UNKNOWN_MODEL.test(said) || code.includes('DeploymentNotFound');
  return fault('request', refused, { scope: unknown ? 'model' : 'request' });
}

/** The server's message about a wrong key may quote the key, so it is not shown. */
function closedFault(failure: HttpFailure, tail: string): Fault | null {
  const { status, code, said } = failure;
  if (status === 403) return forbiddenFault(failure, tail);
  if (status === 401 || (status === 400 && WRONG_KEY.test(said)))
    return fault('key', `${status}, the server rejected the key`, { scope: 'server' });
  if (status === 402)
    return fault('request', `402, the server rejected the request${tail}`, {
      scope: AFFORDABLE.test(said) ? 'request' : 'server',
    });
  return (status === 429 && QUOTA_EXHAUSTED.test(code)) || (status === 400 && NO_CREDIT.test(said))
    ? fault('rate-limit', `${status}, the account's quota is used up${tail}`, { scope: 'server' })
    : null;
}

/** A 403 that does not mention the key or its rights may be about the prompt's text. */
function forbiddenFault({ said, code, page = false }: HttpFailure, tail: string): Fault {
  if (page)
    return fault(
      'request',
      '403, the reply is a web page: a firewall probably rejected the request because of its ' +
        'sender or its text',
    );
  return OF_RIGHTS.test(`${code} ${said}`)
    ? fault('key', `403, the key lacks permission${tail}`, { scope: 'model' })
    : fault('key', `403, the key lacks permission, or a filter blocked the request${tail}`);
}

const OF_RIGHTS =
  /key|permi(ssion|tted)|authori[sz]|access|models?\b|project|organi[sz]ation|account|\buser\b|team|country|region|address|subscription|allow|scope|plan\b|flagged/i;

const WRONG_KEY = /^(API key not valid|(incorrect|invalid) API key)\b/i;

const QUOTA_EXHAUSTED = /insufficient_(quota|funds)|billing|credit_balance|spend_limit|usage_limit/;

/** OpenRouter writes this if the account's credit suffices for a smaller request. */
const AFFORDABLE = /\bfewer max_tokens\b|\bcan only afford\b/i;

const NO_CREDIT = /\bcredit balance is too low\b/i;

export const NO_ADDRESS =
  /^((resource|404 page|page|path|route|url)?\W*not found\.?|unknown request url\b.*|invalid url\b.*|unexpected endpoint\b.*|no route\b.*|cannot post\b.*)$/i;

const OTHER_ADDRESS = '; there is no API at this address: check its path (most end in /v1)';

const SUCCESSOR =
  'If the model was retired, name its successor in the settings: ' +
  'models: { NEW: { provider: …, replaces: [OLD] } }';

const FILTER_CODE = /content_filter|content_policy|moderation|safety_check/i;

const FILTER_WORDS =
  /\bmoderation\b|\bflagged\b|usage guidelines|safety_check|content_policy|content safety check|\bguardrail\b|\b(prompt|input) (was )?blocked/i;

const FLAGGED_ACCOUNT =
  /\b(account|organi[sz]ation|project|team|key|user(?! (?:input|message|prompt|content|request)s?\b)|IP)\b[^.]{0,60}\bflagged\b/i;

/** Quoted names are ignored, because they can come from the prompt: a schema named `moderation`. */
const QUOTED = /(?<!\w)(['"`])[^'"`]*\1(?!\w)/g;

const OF_PARAMETER =
  /extra inputs|unrecognized|unknown (parameter|name|field)|unsupported (parameter|value)|invalid schema/i;

function isFiltered({ status, code, said }: HttpFailure): boolean {
  if (OF_PARAMETER.test(said)) return false;
  return (
    FILTER_CODE.test(code) ||
    ((status === 400 || status === 403) &&
      FILTER_WORDS.test(said.replace(QUOTED, '')) &&
      !FLAGGED_ACCOUNT.test(said))
  );
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
  /^(model not exist$|invalid model\b(?! (?:input|output|response|reply|answer|param)))|\bis not a valid model id$/i;

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
