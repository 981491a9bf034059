import { shorten, visibleLine } from '../../../text/visible.ts';
import {
  partsOf,
  type Answer,
  type Ended,
  type Opaque,
  type Part,
  type ToolCall,
} from '../../../types/answer.ts';
import { LIMITS } from '../../../types/passports.ts';
import type { Json } from '../../../types/plain.ts';
import type { SaidText } from './thinking.ts';
import type { NoAnswer, ReadAs, VendorOutput, VendorAnswer } from './vendor.ts';

export type EndKind =
  | 'whole'
  | 'called'
  | 'cut'
  | 'full'
  | 'filtered'
  | 'refused'
  | 'broken'
  | 'unfinished'
  | 'unknown';

/** Vendors' reasons for the end of an answer. docs/vendors.md explains each. */
export const ENDINGS: Readonly<Record<EndKind, readonly [Ended, string]>> = {
  whole: [
    'stop',
    'stop stop_sequence end_turn eos eos_token eos_found endoftext complete completed finished normal',
  ],
  called: [
    'tool_calls',
    'tool_calls tool_call tool_use function_call malformed_function_call ' +
      'malformed_tool_use unexpected_tool_call too_many_tool_calls',
  ],
  cut: [
    'length',
    'length max_tokens max_output_tokens max_completion_tokens max_new_tokens max_length token_limit limit',
  ],
  full: [
    'length',
    'model_length model_context_window_exceeded context_window_exceeded ' +
      'context_length_exceeded context_length error_limit',
  ],
  filtered: [
    'filtered',
    'content_filter content_filtered safety recitation language blocklist ' +
      'prohibited_content spii model_armor image_safety image_recitation ' +
      'image_prohibited_content guardrail_intervened sensitive error_toxic',
  ],
  refused: ['refused', 'refusal refused'],
  broken: [
    'other',
    'error abort aborted cancelled canceled user_cancel timeout time_limit failed load ' +
      'unload network_error insufficient_system_resource',
  ],
  unfinished: ['other', 'in_progress queued pause_turn compaction not_finished'],
  unknown: ['other', ''],
};

const BY_WORD = new Map(
  Object.entries(ENDINGS).flatMap(([ending, [, words]]) =>
    words.split(' ').map((word) => [word, ending as EndKind] as const),
  ),
);

/** Google appends details after a colon: `content_filter: PROHIBITED_CONTENT`. */
function endKindOf(reason: string): EndKind {
  const [word = ''] = reason.replace(/([a-z])([A-Z])/g, '$1_$2').split(':');
  const plain = word
    .trim()
    .toLowerCase()
    .replace(/[\s-]+/g, '_')
    .replace(/^finish_reason[_.]/, '');
  return BY_WORD.get(plain) ?? 'unknown';
}

interface ReplyParts extends SaidText, Pick<VendorOutput, 'usage' | 'cached'> {
  refusal: string;
  calls: readonly (ToolCall | OddCall)[];
  reason: string | null | undefined;
  member: string;
  details?: string | null | undefined;
  ownLimit?: number;
  model: string | null | undefined;
  fingerprint?: string | null | undefined;
  others: readonly Part[];
  /** `data`: the reply as the vendor wants it back, or null. */
  opaque: { api: Opaque['api']; data: Json | null };
}

interface OddCall {
  odd: string;
}

export function classifyReply(reading: ReplyParts, ask: ReadAs): VendorAnswer {
  const { said, refusal, reason, others } = reading;
  const text = said.trim() === '' && refusal !== '' ? refusal : said;
  const calls = reading.calls.filter((call): call is ToolCall => !('odd' in call));
  const ending = refusal.trim() === '' ? endKindOf(reason ?? '') : 'refused';
  const found =
    unusableEnding(ending, calls.length, reading) ??
    (BLANK_TEXT.test(text) && calls.length + others.length === 0
      ? whySilent(ending, reading, ask)
      : null);
  if (found !== null) return { kind: 'none', ...found, ...besideAnswer(reading) };
  const [ended] = ENDINGS[ending];
  return {
    kind: 'answer',
    ...withoutForced({ parts: [...partsOf(text, calls), ...others], ended }, ask),
    ...besideAnswer(reading),
    served: { model: named(reading.model), fingerprint: named(reading.fingerprint) },
    ...(ending === 'unknown' && reason ? { ended_as: shortVisible(reason) } : {}),
    ...opaqueOf(reading, ask),
  };
}

/** Vendors want their opaque forms back only where tools are in use. */
function opaqueOf(
  { opaque: { api, data }, calls }: ReplyParts,
  { model, parameters, schema }: ReadAs,
): Pick<Answer, 'opaque'> {
  const isWanted = schema === null && (calls.length > 0 || 'tools' in (parameters ?? {}));
  if (!isWanted || data === null) return {};
  const text = JSON.stringify(data);
  const plain = JSON.parse(text) as Json;
  return { opaque: { api, model, data: JSON.stringify(plain) === text ? plain : text } };
}

function besideAnswer({ usage, cached }: ReplyParts): Pick<VendorOutput, 'usage' | 'cached'> {
  return cached === undefined ? { usage } : { usage, cached };
}

function named(text: string | null | undefined): string | null {
  return text ? shortVisible(text) : null;
}

const BLANK_TEXT = /^[\s\p{Cf}]*$/u;

type Core = Pick<VendorOutput, 'parts' | 'ended'>;

/** If evaldiff forced the model to call a tool, the call's arguments are the answer. */
function withoutForced(answer: Core, { schema }: ReadAs): Core {
  if (schema === null) return answer;
  const forced = answer.parts.find(
    (part) => part.type === 'tool_call' && part.name === schema.name,
  );
  if (forced?.type !== 'tool_call') return answer;
  const ended = answer.ended === 'length' ? 'length' : 'stop';
  return { parts: partsOf(forced.arguments), ended };
}

function shortVisible(text: string): string {
  return shorten(visibleLine(text), 100);
}

function reasonWord({ reason }: ReplyParts): string {
  return shortVisible(reason ?? '');
}

function reasonMember(reading: ReplyParts): string {
  const word = reasonWord(reading);
  return `${reading.member}: ${word === '' ? 'none' : word}`;
}

function unusableEnding(ending: EndKind, calls: number, reading: ReplyParts): NoAnswer | null {
  const odd = reading.calls.find((call) => 'odd' in call);
  if (ending === 'broken')
    return {
      fails: 'server',
      why: `the server aborted its answer (${reasonWord(reading)})`,
      again: 'later',
    };
  if (ending === 'unfinished')
    return createNoAnswer(`the server sent an unfinished answer (${reasonMember(reading)})`);
  // An unreadable tool call must not count as "no tool call".
  if (odd !== undefined)
    return createNoAnswer(`${odd.odd} of the reply is a tool call that cannot be read`);
  return ending === 'called' && calls === 0
    ? createNoAnswer(
        `the reply says that it contains a tool call, but it contains none (${reasonMember(reading)})`,
      )
    : null;
}

function createNoAnswer(why: string, more: Partial<NoAnswer> = {}): NoAnswer {
  return { fails: 'reply', why, again: 'never', ...more };
}

function whySilent(ending: EndKind, reading: ReplyParts, { parameters }: ReadAs): NoAnswer {
  const { thinking, details } = reading;
  const [ended] = ENDINGS[ending];
  switch (ending) {
    case 'filtered':
    case 'refused': {
      const about = details ? ` (${shortVisible(details)})` : '';
      const why = `the answer was withheld by the content filter${about}`;
      return createNoAnswer(why, { fails: 'filtered', ended });
    }
    case 'full':
      return createNoAnswer(
        'the context window was full before the answer contained text ' +
          `(${reasonMember(reading)}); shorten the input`,
        { ended },
      );
    case 'cut':
      return createNoAnswer(
        'the answer reached its token limit before it contained text ' +
          `(${limitOf(reading, parameters)})${thinking === null ? '' : '; thinking used it up'}`,
        { ended },
      );
    default:
      return createNoAnswer(
        `the answer is empty (${reasonMember(reading)})${thinking === null ? '' : whereTextIs(thinking)}`,
        { again: 'once', ended },
      );
  }
}

function whereTextIs(thinking: string): string {
  const lost = /^\w+$/.test(thinking) ? '; the server failed to separate the answer from it' : '';
  return `: the text is in ${thinking}${lost}`;
}

const LIMIT_NAMES = [...LIMITS, 'max_output_tokens', 'max_new_tokens', 'num_predict'];

function limitOf({ ownLimit }: ReplyParts, parameters: Record<string, Json> | null): string {
  const name = LIMIT_NAMES.find((each) => typeof parameters?.[each] === 'number');
  if (ownLimit !== undefined && name !== undefined && parameters?.['stream'] === true)
    return (
      `${name}: ${parameters[name]}, which evaldiff sends in the second request if no ` +
      'limit is set; set a higher one'
    );
  if (name !== undefined) return `${name}: ${parameters?.[name]}; raise it`;
  if (parameters === null) return 'max_tokens; raise it';
  return ownLimit === undefined
    ? "the server's own limit, because the request had none; set max_tokens, or shorten the input"
    : `max_tokens: ${ownLimit}, which evaldiff sends if no limit is set; set a higher one`;
}

export function unknownParts(parts: readonly Record<string, unknown>[], known: RegExp): Part[] {
  return parts.flatMap((part): Part[] => {
    const kind = String(part['type'] ?? 'none');
    return typeof part['text'] === 'string' || /think|reason/i.test(kind) || known.test(kind)
      ? []
      : [{ type: 'unknown', kind: shortVisible(kind), json: JSON.stringify(part) }];
  });
}

export function callIn(entry: unknown, place: string): ToolCall | OddCall {
  const { function: called, custom, ...flat } = (entry ?? {}) as Record<string, unknown>;
  const {
    name,
    args,
    parameters = args,
    arguments: given = parameters,
    input = given,
  } = (called ?? custom ?? flat) as Record<string, unknown>;
  if (typeof name !== 'string' || name === '') return { odd: place };
  return { name, arguments: typeof input === 'string' ? input : JSON.stringify(input ?? {}) };
}
