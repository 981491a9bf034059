import type { Complete, Completion, Request } from '../types.ts';

/**
 * Passes calls on and hands each answer to `write` as one line of a recordings file (no line end),
 * in the form that `replay` reads, once per request: also an answer that an earlier run paid for,
 * so that the file is whole. Errors are not recorded.
 */
export function recorded(complete: Complete, write: (line: string) => Promise<void>): Complete {
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
