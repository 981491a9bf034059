import type { Request } from '../types/model.ts';
import type { Fault } from './fault.ts';

/** What prompts were told of their parameters, by the kind of their request. */
interface Suspicions {
  has(kind: string): boolean;
  add(kind: string, request: Request, fault: Fault): void;
  faultFor(kind: string, request: Request): Fault | null;
}

/**
 * Remembers refusals: from a single one it cannot be told whether the vendor refused the parameters
 * or the messages of the request.
 */
export function createSuspicions(): Suspicions {
  const kinds = new Map<
    string,
    {
      /** The messages of the first request that was told so, by the words. */
      words: Map<string, string>;
      /** What requests were told, by their messages. */
      messages: Map<string, Fault>;
      /** What all of the kind would be told. */
      all: Fault | null;
    }
  >();
  return {
    has: (kind) => kinds.has(kind),
    add(kind, request, fault) {
      const known = kinds.get(kind) ?? { words: new Map(), messages: new Map(), all: null };
      kinds.set(kind, known);
      const messages = JSON.stringify(request.messages);
      const first = known.words.get(fault.said) ?? messages;
      known.words.set(fault.said, first);
      known.messages.set(messages, fault);
      if (first !== messages) known.all ??= asUnsent(fault);
    },
    faultFor(kind, { messages }) {
      const known = kinds.get(kind);
      if (known === undefined) return null;
      return known.messages.get(JSON.stringify(messages)) ?? known.all;
    },
  };
}

/** The same fault for a request that was not sent because of it. */
function asUnsent(told: Fault): Fault {
  return {
    ...told,
    message: `not sent, for two others with these parameters were told: ${told.message}`,
  };
}

/** The vendors' words for a parameter that they do not take, or not with this value. */
const REFUSES =
  /support|unrecognized|unknown|not permitted|not allowed|unexpected|deprecated|unavailable|invalid|must be/i;

/** Words for what a request asks, not for how: another one may be answered. */
const ABOUT_CONTENT =
  /\b(messages?|prompts?|conversations?|turns?|contents?|context|images?|attachments?|documents?|files?)\b|[`'"]inputs?\b|\binput(\[| (length|tokens?|text)\b)|\bgot -\d/i;

/** Whether a fault is about a parameter of the prompt, as far as its words say. */
export function isOfParameter(
  { kind, status, said, detail }: Fault,
  { purpose, parameters }: Request,
): boolean {
  return (
    purpose === 'prompt' &&
    kind === 'request' &&
    (status === 400 || status === 422) &&
    (isOfForm({ said, detail }, parameters) ||
      (REFUSES.test(said) &&
        !ABOUT_CONTENT.test(detail) &&
        Object.keys(parameters).some((name) => isNamed(name, { said, detail }))))
  );
}

/**
 * Whether a map or list of the prompt's, such as its tools, is itself faulty: whatever its schema
 * calls its members, the messages have no part in it.
 */
function isOfForm(
  { said, detail }: Pick<Fault, 'said' | 'detail'>,
  parameters: Parameters,
): boolean {
  const names = structuredIn(parameters);
  if (names.length === 0) return false;
  const field = detail.slice(0, detail.length - said.length);
  const within = (name: string): boolean => new RegExp(`\\b${name}(\\[|\\.\\w)`).test(said);
  return (
    /\binvalid (json )?schema\b/i.test(said) ||
    namedIn(names, field) !== undefined ||
    names.some(within)
  );
}

type Parameters = Request['parameters'];

/** The parameters that are maps and lists: tools, the form of the answer and the like. */
export function structuredIn(parameters: Parameters): string[] {
  return Object.entries(parameters).flatMap(([name, value]) =>
    typeof value === 'object' && value !== null && /^\w+$/.test(name) ? [name] : [],
  );
}

/**
 * Whether a parameter is meant. What is a word of the language as well (stop, tools, user) has to be
 * written as a name is: quoted, with a colon, beside what it is, or in the field that vendors have
 * for it.
 */
function isNamed(name: string, { said, detail }: Pick<Fault, 'said' | 'detail'>): boolean {
  if (namedIn([name], detail.slice(0, detail.length - said.length)) !== undefined) return true;
  if (namedIn([name], said) === undefined) return false;
  if (!/^[a-z]+$/i.test(name)) return true;
  const quoted = `[\`'"]${name}[\`'".\\[]`;
  const begins = `(^|; )${name}(:|\\.\\w)`;
  const before = `(parameter|argument|field|property|option|value|supplied|model|support)s?( for| of)?[\\s:]+${name}\\b`;
  const after = `\\b${name} (parameter|argument|field|property|option|value|is (not|only)|must be|cannot be|may only)\\b`;
  return new RegExp(`${quoted}|${begins}|${before}|${after}`, 'i').test(said);
}

/** The first of these parameters that a vendor's words are about. */
export function namedIn(parameters: readonly string[], detail: string): string | undefined {
  const words = new Set(detail.toLowerCase().match(/\w+/g));
  return parameters.find((name) => words.has(name.toLowerCase()) || words.has(plainName(name)));
}

/** xAI and Google write `presencePenalty` where OpenAI writes `presence_penalty`. */
function plainName(name: string): string {
  return name.replaceAll('_', '').toLowerCase();
}
