import type { Request } from '../../types/model.ts';
import type { Fault } from './fault.ts';

interface Suspicion {
  /** For each error text: the messages of the first request that got it. */
  words: Map<string, string>;
  messages: Map<string, Fault>;
  all: Fault | null;
}

/**
 * If the server refuses requests with different messages in the same way, their parameters are to
 * blame.
 */
export function createSuspicions() {
  const kinds = new Map<string, Suspicion>();
  return {
    has: (kind: string) => kinds.has(kind),
    add(kind: string, request: Request, fault: Fault): void {
      const known = kinds.get(kind) ?? { words: new Map(), messages: new Map(), all: null };
      kinds.set(kind, known);
      const messages = JSON.stringify(request.messages);
      const first = known.words.get(fault.said) ?? messages;
      known.words.set(fault.said, first);
      known.messages.set(messages, fault);
      const message = `not sent, because two other requests with these parameters failed: ${fault.message}`;
      if (first !== messages) known.all ??= { ...fault, message };
    },
    faultFor(kind: string, { messages }: Request): Fault | null {
      const known = kinds.get(kind);
      return known?.messages.get(JSON.stringify(messages)) ?? known?.all ?? null;
    },
  };
}

const REFUSES =
  /support|unrecognized|unknown|not permitted|not allowed|unexpected|deprecated|unavailable|invalid|must be/i;

const ABOUT_CONTENT =
  /\b(messages?|prompts?|conversations?|turns?|contents?|context|images?|attachments?|documents?|files?)\b|[`'"]inputs?\b|\binput(\[| (length|tokens?|text)\b)|\bgot -\d/i;

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

function isOfForm(
  { said, detail }: Pick<Fault, 'said' | 'detail'>,
  parameters: RequestParameters,
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

type RequestParameters = Request['parameters'];

export function structuredIn(parameters: RequestParameters): string[] {
  return Object.entries(parameters).flatMap(([name, value]) =>
    typeof value === 'object' && value !== null && /^\w+$/.test(name) ? [name] : [],
  );
}

/**
 * A name that is also an English word (stop, tools) counts only in quotes, or next to a colon or a
 * word such as `parameter`.
 */
function isNamed(name: string, { said, detail }: Pick<Fault, 'said' | 'detail'>): boolean {
  if (namedIn([name], detail.slice(0, detail.length - said.length)) !== undefined) return true;
  if (namedIn([name], said) === undefined) return false;
  if (!/^[a-z]+$/i.test(name)) return true;
  const quoted = `[\`'"]${name}[\`'".\\[]`;
  const begins = `(^|; )${name}(:|\\.\\w)`;
  const nouns = 'parameter|argument|field|property|option|value';
  const before = `(${nouns}|supplied|model|support)s?( for| of)?[\\s:]+${name}\\b`;
  const after = `\\b${name} (${nouns}|is (not|only)|must be|cannot be|may only)\\b`;
  return new RegExp(`${quoted}|${begins}|${before}|${after}`, 'i').test(said);
}

export function namedIn(parameters: readonly string[], detail: string): string | undefined {
  const words = new Set(detail.toLowerCase().match(/\w+/g));
  return parameters.find((name) => {
    const lower = name.toLowerCase();
    // xAI and Google write `presencePenalty` for `presence_penalty`.
    return words.has(lower) || words.has(lower.replaceAll('_', ''));
  });
}
