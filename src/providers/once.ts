import type { Complete, Completion, Request } from '../types/model.ts';

interface OnceOptions {
  /** Equal for requests that may share one completion. */
  keyOf(request: Request): string;
  /**
   * What is kept of answers that came: `keep` all of them, or `forget` them because a store below
   * gives them again. Errors are kept in both cases, so that what was refused is not asked for
   * again.
   */
  answers: 'keep' | 'forget';
}

/**
 * One completion per distinct request within a run: whoever asks while or after another did gets
 * the same, marked as reused. A call that was only stopped is not an answer to anybody who asks later.
 */
export function createOnce(complete: Complete, { keyOf, answers }: OnceOptions): Complete {
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
    const key = keyOf(request);
    const shared = known.get(key);
    if (shared !== undefined) return shared.then(asReused);
    const completion = first(key, request);
    known.set(key, completion);
    return completion;
  };
}

function asReused({ attempts: _, isUnread: __, ...completion }: Completion): Completion {
  return completion.status === 'ok'
    ? { ...completion, reused: true }
    : { ...completion, unsent: true };
}

/**
 * Passes calls on and hands each answer to `write` as one line of a recordings file (no line end),
 * in the form that `replay` reads, once per request: also an answer that an earlier run paid for,
 * so that the file is whole. Errors are not recorded.
 */
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
  completion: Extract<Completion, { status: 'ok' }>,
): string {
  const { output, usage, finish_reason, tool_calls, latency_ms } = completion;
  return JSON.stringify({
    request: {
      provider: target.provider,
      model: target.model,
      parameters,
      messages: messages.map(({ role, content }) => ({ role, content })),
      try: attempt,
      ...(purpose === 'embedding' ? { kind: 'embedding' } : {}),
    },
    reply: {
      output,
      usage,
      latency_ms,
      ...(finish_reason === 'stop' ? {} : { finish_reason }),
      ...(tool_calls.length === 0 ? {} : { tool_calls }),
    },
  });
}
