import { shorten, visibleLine } from '../../../text/visible.ts';
import type { Opaque, ToolCall } from '../../../types/answer.ts';
import type { HostedTarget, Message, Request } from '../../../types/model.ts';
import { isMap, member, parsedJson, type Json, type JsonMap } from '../../../types/plain.ts';
import { factsOf } from '../../../types/vendors.ts';
import type { Ask } from './vendor.ts';

export type SentMessage = Message & { tool_calls?: (ToolCall & { id: string })[] };

/**
 * Replaces the transcript's call ids by ids that the vendor accepts: the vendor's own in its opaque
 * form, else numbers, because recordings repeat ids. Omits calls without an id, which have no
 * result, and results of calls that the vendor itself has run.
 */
export function sentMessages(
  { messages, model }: Pick<Ask, 'messages' | 'model'>,
  api: Opaque['api'],
): SentMessage[] {
  const ids = new Map<string, string | null>();
  let count = 0;
  return messages.flatMap((message): SentMessage[] => {
    if (message.role === 'tool') {
      const id = ids.get(message.id);
      return id === null ? [] : [{ ...message, id: id ?? message.id }];
    }
    if (message.role !== 'assistant') return [message];
    const { opaque, tool_calls: calls = [], ...plain } = message;
    const own = opaque?.api === api && opaque.model === model ? wholeForm(opaque) : null;
    const given = own === null ? null : callIds(own.data);
    const sent = calls.flatMap((call, index) => {
      count += 1;
      const number = `call${String(count).padStart(5, '0')}`;
      const id = given === null ? number : (given[index] ?? null);
      if (call.id === undefined) return [];
      ids.set(call.id, id);
      return id === null ? [] : [{ ...call, id }];
    });
    return [{ ...plain, tool_calls: sent, ...(own && { opaque: own }) }];
  });
}

/** The calls in an opaque form, in the answer's order. Null: run by the vendor. */
function callIds(data: Json): (string | null)[] {
  const items: unknown = Array.isArray(data) ? data : member(data, 'tool_calls');
  return (Array.isArray(items) ? items.filter(isMap) : []).flatMap(({ type, id, call_id = id }) =>
    OWN_CALL.test(String(type)) ? [String(call_id)] : /_use$/.test(String(type)) ? [null] : [],
  );
}

/** Of all three APIs. */
const OWN_CALL = /^(function|custom|tool_use)/;

function wholeForm(opaque: Opaque): Opaque {
  const { data } = opaque;
  return typeof data === 'string' ? { ...opaque, data: parsedJson(data) as Json } : opaque;
}

/** Names of custom tools, whose calls have text instead of JSON. */
export function customTools({ tools }: Ask['parameters']): ReadonlySet<unknown> {
  const custom = Array.isArray(tools) ? tools.filter(isMap) : [];
  return new Set(
    custom.flatMap(({ type, name, custom: own }) =>
      type === 'custom' ? [isMap(own) ? own['name'] : name] : [],
    ),
  );
}

/** The arguments as a map. Null if they are not one. */
export function argumentsMap({ arguments: text }: ToolCall): JsonMap | null {
  const parsed = parsedJson(text.trim() === '' ? '{}' : text);
  return isMap(parsed) ? parsed : null;
}

/** Why the vendor's API cannot express one of the messages. */
export function whyInexpressible(
  { messages }: Pick<Request, 'messages'>,
  { provider, model }: Pick<HostedTarget, 'provider' | 'model'>,
): string | null {
  const isMapOnly = factsOf(provider).speaks === 'anthropic';
  const isSentBack = (opaque: Opaque | undefined): boolean =>
    opaque?.model === model && (opaque.api === 'messages') === isMapOnly;
  for (const [index, message] of messages.entries()) {
    if (message.role !== 'assistant' || isSentBack(message.opaque)) continue;
    const calls = (message.tool_calls ?? []).filter(({ id }) => id !== undefined);
    const where = `message ${String(index + 1)} (assistant)`;
    if (message.content.trim() === '' && calls.length === 0)
      return `${where} has neither text nor a tool call with a result; add one, or remove it`;
    const odd = isMapOnly ? calls.find((call) => argumentsMap(call) === null) : undefined;
    if (odd !== undefined)
      return (
        `${where} calls ${shorten(visibleLine(odd.name), 60)} with arguments that are not a JSON ` +
        `object, which ${provider} requires: ${shorten(visibleLine(odd.arguments), 80)}`
      );
  }
  return null;
}
