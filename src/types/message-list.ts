import type { Message } from './model.ts';
import type { JsonMap } from './plain.ts';

/**
 * A message in the form of OpenAI's chat completions, without its files. `custom`: names of tools
 * whose calls have text instead of JSON.
 */
export function chatMessage(message: Message, custom?: ReadonlySet<unknown>): JsonMap {
  const { role, content, tool_calls: calls = [] } = message;
  if (role === 'tool') return { role, tool_call_id: message.id, content };
  if (calls.length === 0) return { role, content };
  return {
    role,
    content: content === '' ? null : content,
    tool_calls: calls.map(({ id = null, name, arguments: given }) =>
      custom?.has(name) === true
        ? { id, type: 'custom', custom: { name, input: given } }
        : { id, type: 'function', function: { name, arguments: given } },
    ),
  };
}
