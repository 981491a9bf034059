import type { Message } from './model.ts';
import type { JsonMap } from './plain.ts';

/** A message in the form of OpenAI's chat completions, without its files. */
export function chatMessage(message: Message): JsonMap {
  const { role, content, tool_calls: calls = [] } = message;
  if (role === 'tool') return { role, tool_call_id: message.id, content };
  if (calls.length === 0) return { role, content };
  return {
    role,
    content: content === '' ? null : content,
    tool_calls: calls.map(({ id = null, name, arguments: given }) => ({
      id,
      type: 'function',
      function: { name, arguments: given },
    })),
  };
}
