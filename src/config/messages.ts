import { z } from 'zod';
import type { Message, Role } from '../types.ts';
import { oneOf, text } from './schema.ts';

/** FlexEval counts what a tool says to the assistant's side. */
const ROLES: Readonly<Record<string, Role>> = {
  system: 'system',
  human: 'user',
  user: 'user',
  ai: 'assistant',
  assistant: 'assistant',
  tool: 'assistant',
};

/** A message of a recorded dialogue. FlexEval's carry more keys than we use. */
export const recordedMessage = z.object(
  { role: oneOf(['system', 'human', 'user', 'ai', 'assistant', 'tool']), content: text() },
  { error: 'must be a map with role and content' },
);

export function messageOf({ role, content }: { role: string; content: string }): Message {
  return { role: ROLES[role] ?? 'user', content };
}
