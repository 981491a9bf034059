import type { Json, Message, Request } from '../../types.ts';
import { canonicalJson } from './canonical.ts';
import { targetIdentity } from './generation.ts';

/**
 * What one paid call is identified by: where it goes, parameters, messages, schema and try index.
 * Equal keys may share one completion; two tries never do. `purpose` is left out, and so is the
 * commit, so that both sides share; a vector is no answer in words, though.
 *
 * @param hash collision-resistant hash of text, for example SHA-256 in hexadecimal.
 */
export function requestKey(request: Request, hash: (text: string) => string): string {
  const { parameters, messages, schema } = request;
  return hash(
    canonicalJson({
      target: targetIdentity(request.target),
      parameters,
      messages: messages.map(plainMessage),
      schema: schema === null ? null : { name: schema.name, json: schema.json },
      try: request.try,
      ...kindOf(request),
    }),
  );
}

/**
 * What a recording is found by: equal text for equal content. The provider is left out, so that
 * what a vendor answered can be replayed.
 */
export function recordingKey({
  model,
  parameters,
  messages,
  try: attempt,
  kind,
}: Pick<Request, 'parameters' | 'messages' | 'try'> & {
  model: string;
  kind?: 'embedding' | undefined;
}): string {
  return canonicalJson({
    model,
    parameters,
    messages: messages.map(plainMessage),
    try: attempt,
    ...(kind === undefined ? {} : { kind }),
  });
}

/** What tells a request for a vector from one for an answer. */
export function kindOf({ purpose }: Pick<Request, 'purpose'>): { kind?: 'embedding' } {
  return purpose === 'embedding' ? { kind: 'embedding' } : {};
}

/** Messages may carry places of the user's file, which are no content. */
function plainMessage({ role, content }: Message): Json {
  return { role, content };
}
