import { shorten, visibleLine } from '../../../text/visible.ts';
import { callId, type Opaque, type ToolCall } from '../../../types/answer.ts';
import type { HostedTarget, Message, Request } from '../../../types/model.ts';
import { isMap, member, parsedJson, type Json, type JsonMap } from '../../../types/plain.ts';
import { factsOf } from '../../../types/vendors.ts';
import type { Ask } from './vendor.ts';

/** `own`: the vendor's form of the message, or the type of the call in the vendor's form. */
export type SentMessage = Message & { own?: Json | undefined };

/**
 * Replaces the transcript's call ids by ids that the vendor accepts: the vendor's own in its opaque
 * form, else numbers, because recordings repeat ids. Omits calls without an id, which have no
 * result, and results of calls that the vendor itself has run.
 */
export function vendorMessages({ messages, model }: Ask, api: Opaque['api']): SentMessage[] {
  const ids = new Map<string, OwnCall | undefined>();
  let count = 0;
  return messages.flatMap((message): SentMessage[] => {
    if (message.role === 'tool') {
      const { id } = message;
      const call = ids.has(id) ? ids.get(id) : { id, type: 'function_call' };
      return call === undefined ? [] : [{ ...message, id: call.id, own: call.type }];
    }
    if (message.role !== 'assistant') return [message];
    const { opaque, tool_calls: calls = [] } = message;
    const isOwn = opaque?.api === api && opaque.model === model;
    const data = isOwn ? opaque.data : undefined;
    const own = typeof data === 'string' ? (parsedJson(data) as Json) : data;
    const sent = calls.flatMap((call, index): ToolCall[] => {
      const id = callId((count += 1));
      if (call.id === undefined) return [];
      ids.set(call.id, own === undefined ? { id, type: 'function_call' } : ownCalls(own)[index]);
      return [{ ...call, id }];
    });
    return [{ ...message, tool_calls: sent, own }];
  });
}

interface OwnCall {
  id: string;
  type: string;
}

/** The calls in an opaque form, in the answer's order. Undefined: run by the vendor. */
function ownCalls(own: Json): (OwnCall | undefined)[] {
  const items: unknown = Array.isArray(own) ? own : member(own, 'tool_calls');
  const calls = (Array.isArray(items) ? items.filter(isMap) : []).filter(({ type }) =>
    /^(function|custom)|_use$/.test(String(type)),
  );
  return calls.map(({ type, id, call_id = id }) =>
    /._tool_use$/.test(String(type)) ? undefined : { id: String(call_id), type: String(type) },
  );
}

/** The arguments as a map. Null if they are not one. */
export function argumentsMap(text: string): JsonMap | null {
  const parsed = parsedJson(text.trim() === '' ? '{}' : text);
  return isMap(parsed) ? parsed : null;
}

/** Why the vendor's API cannot express one of the messages. */
export function whyInexpressible(
  { messages }: Request,
  { provider, model }: HostedTarget,
): string | null {
  const takesText = factsOf(provider).speaks === 'openai';
  for (const [index, message] of messages.entries()) {
    if (message.role !== 'assistant' || message.opaque?.model === model) continue;
    const calls = (message.tool_calls ?? []).filter(({ id }) => id !== undefined);
    const where = `message ${index + 1} (assistant)`;
    if (message.content.trim() === '' && calls.length === 0)
      return `${where} has neither text nor a tool call with a result; add one, or remove it`;
    const odd = calls.find((call) => !takesText && argumentsMap(call.arguments) === null);
    if (odd !== undefined)
      return (
        `${where} calls ${shorten(visibleLine(odd.name), 60)} with arguments that are not a JSON ` +
        `object, which ${provider} requires: ${shorten(visibleLine(odd.arguments), 80)}`
      );
  }
  return null;
}
