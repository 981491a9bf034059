import { plainMessage } from '../../kernel/select/generation.ts';
import { canonicalJson } from '../../kernel/suite/canonical-json.ts';
import { type Request, targetIdentity } from '../../types/model.ts';

/**
 * What one paid call is identified by: where it goes, parameters, messages, schema and try index.
 * Equal keys may share one completion; two tries never do. `purpose` is left out, and so is the
 * commit, so that both sides share; a vector is not an answer in words, though.
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
      ...(request.variables === undefined ? {} : { variables: request.variables }),
      ...embeddingField(request),
    }),
  );
}

/** Equal for equal content, without the provider, so that a vendor's answers can be replayed. */
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

function embeddingField({ purpose }: Pick<Request, 'purpose'>): { kind?: 'embedding' } {
  return purpose === 'embedding' ? { kind: 'embedding' } : {};
}
