import type { Complete, Completion, Request } from '../types.ts';

/**
 * Passes calls on and hands each answer to `write` as one line of a recordings file (no line end), in the form that
 * `replay` reads. Errors are not recorded, and neither is an answer that was reused, for its line is there already.
 */
export function recorded(complete: Complete, write: (line: string) => Promise<void>): Complete {
  return async (request) => {
    const completion = await complete(request);
    if (completion.status === 'ok' && !completion.reused) await write(recordingLine(request, completion));
    return completion;
  };
}

function recordingLine({ target, parameters, messages, try: attempt }: Request, completion: Extract<Completion, { status: 'ok' }>): string {
  const { output, usage, finish_reason, tool_calls, latency_ms } = completion;
  return JSON.stringify({
    request: {
      provider: target.provider, model: target.model, parameters,
      messages: messages.map(({ role, content }) => ({ role, content })), try: attempt,
    },
    reply: {
      output, usage, latency_ms,
      ...(finish_reason === 'stop' ? {} : { finish_reason }),
      ...(tool_calls.length === 0 ? {} : { tool_calls }),
    },
  });
}
