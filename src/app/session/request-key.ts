import { canonicalJson } from '../../kernel/suite/canonical-json.ts';
import { plainMessage, type Request, targetIdentity } from '../../types/model.ts';

/**
 * The key does not contain the commit, so that base and head share answers.
 *
 * @param hash must be collision-resistant, such as SHA-256 in hexadecimal.
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
      ...(request.purpose === 'embedding' ? { kind: 'embedding' } : {}),
    }),
  );
}

/**
 * The key does not contain the provider, so that recorded answers of any vendor can be replayed.
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
