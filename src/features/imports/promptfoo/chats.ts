import { readYaml } from '../../../documents/yaml.ts';
import type { Message, Role } from '../../../types/model.ts';
import { isMap, type Json, type JsonMap, ownEntry } from '../../../types/plain.ts';

const CHAT_ROLES: Readonly<Record<string, Role>> = {
  system: 'system',
  developer: 'system',
  user: 'user',
  human: 'user',
  assistant: 'assistant',
  ai: 'assistant',
};

export function messagesIn(text: string): Message[] | string {
  return /^\s*(?:\[|- *["']?(?:role|content)\b)/.test(text)
    ? chatOf(text)
    : [{ role: 'user', content: text }];
}

function chatOf(text: string): Message[] | string {
  const read = readYaml('', text);
  return (read.ok ? chatIn(read.value.value) : null) ?? [{ role: 'user', content: text }];
}

/** The messages of a list, or why they cannot be read; null if it is not a list of messages. */
export function chatIn(list: Json): Message[] | string | null {
  if (
    !Array.isArray(list) ||
    !list.every((value): value is JsonMap => isMap(value) && typeof value['role'] === 'string')
  )
    return null;
  const messages: Message[] = [];
  for (const { role, content } of list) {
    const [known, words] = [ownEntry(CHAT_ROLES, String(role)), textContent(content)];
    if (known === undefined) return `the role "${String(role)}" is not known`;
    if (words === null) return 'a message holds more than text';
    messages.push({ role: known, content: words });
  }
  return messages;
}

function textContent(content: Json | undefined): string | null {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return null;
  const parts = content.map((part) =>
    isMap(part) && part['type'] === 'text' && typeof part['text'] === 'string'
      ? part['text']
      : null,
  );
  return parts.includes(null) ? null : parts.join('\n');
}
