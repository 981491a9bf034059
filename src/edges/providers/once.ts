import { textOf } from '../../types/answer.ts';
import {
  plainMessage,
  withoutRequests,
  type Complete,
  type Completion,
  type Request,
  type OkCompletion,
} from '../../types/model.ts';

/** `forget`: another store keeps the answers, so this one keeps only errors. */
export function createOnce(
  complete: Complete,
  { keyOf, answers }: { keyOf(request: Request): string; answers: 'keep' | 'forget' },
): Complete {
  const known = new Map<string, Promise<Completion>>();
  const first = async (key: string, request: Request): Promise<Completion> => {
    try {
      const completion = await complete(request);
      if (completion.status === 'error' ? completion.kind === 'aborted' : answers === 'forget')
        known.delete(key);
      return completion;
    } catch (error) {
      known.delete(key);
      throw error;
    }
  };
  return (request) => {
    const { anew = false, secondSession = false } = request;
    const key = `${anew ? 'anew ' : ''}${secondSession ? 'second ' : ''}${keyOf(request)}`;
    const shared = known.get(key);
    if (shared !== undefined)
      return shared.then((known) => {
        const reply = withoutRequests(known);
        return reply.status === 'ok' ? { ...reply, reused: true } : { ...reply, unsent: true };
      });
    const completion = first(key, request);
    known.set(key, completion);
    return completion;
  };
}

export function recordAnswers(
  complete: Complete,
  write: (line: string) => Promise<void>,
): Complete {
  const written = new Set<string>();
  return async (request) => {
    const completion = await complete(request);
    const line = completion.status === 'ok' ? recordingLine(request, completion) : null;
    if (line !== null && !written.has(line)) {
      written.add(line);
      await write(line);
    }
    return completion;
  };
}

function recordingLine(
  { target, parameters, messages, try: attempt, purpose }: Request,
  completion: OkCompletion,
): string {
  const { parts, usage, ended, latency_ms, opaque } = completion;
  const isText = parts.every(({ type }) => type === 'text');
  return JSON.stringify({
    request: {
      provider: target.provider,
      model: target.model,
      parameters,
      messages: messages.map(plainMessage),
      try: attempt,
      ...(purpose === 'embedding' && { kind: 'embedding' }),
    },
    reply: {
      ...(isText ? { output: textOf(completion) } : { parts }),
      usage,
      latency_ms,
      ...(ended !== 'stop' && { ended }),
      ...(opaque && { opaque }),
    },
  });
}
