import { z } from 'zod';
import { problem } from '../errors.ts';
import type { ToolCall } from '../types/answer.ts';
import type { Message, Role } from '../types/model.ts';
import type { Json, JsonMap, Place, Problem } from '../types/plain.ts';
import { anyText, anything, filled, listOf, oneOf } from './schema.ts';

/** FlexEval treats a tool's messages as the assistant's. */
const ANSWER_ROLES: Readonly<Record<string, Role>> = {
  system: 'system',
  human: 'user',
  user: 'user',
  ai: 'assistant',
  assistant: 'assistant',
  tool: 'assistant',
};

const TOOL_CALL_FIELDS = {
  name: filled().describe('Name of the tool.'),
  arguments: anything()
    .describe('The arguments of the call: a map, or its JSON as text.')
    .optional(),
};

const calledTool = z
  .union([
    z.looseObject({ function: z.looseObject(TOOL_CALL_FIELDS).describe('What was called.') }),
    z.looseObject(TOOL_CALL_FIELDS),
  ])
  .describe('A call: name and arguments, or as OpenAI writes it.');

export const recordedMessage = z
  .looseObject(
    {
      role: oneOf(['system', 'human', 'user', 'ai', 'assistant', 'tool']).describe(
        'Role of the message.',
      ),
      content: anyText()
        .nullable()
        .default(null)
        .describe('The text; may be missing if the message calls tools.'),
      tool_calls: listOf(calledTool, 'a list of calls, each with its name')
        .describe('The tool calls of the message.')
        .optional(),
    },
    { error: 'must be a map with role and content' },
  )
  .refine(({ content, tool_calls: calls = [] }) => content !== null || calls.length > 0, {
    error: 'must be text',
    path: ['content'],
  });

export function messageOf({
  role,
  content,
  tool_calls: calls,
  ...rest
}: z.output<typeof recordedMessage>): Message {
  const kept = { ...(role === 'tool' ? { role } : {}), ...rest } as JsonMap;
  const message = {
    role: ANSWER_ROLES[role] ?? 'user',
    content: content ?? '',
    ...(calls === undefined || calls.length === 0 ? {} : { tool_calls: calls.map(callOf) }),
    ...(Object.keys(kept).length === 0 ? {} : { metadata: kept }),
  };
  return message as Message;
}

function callOf(call: z.output<typeof calledTool>): ToolCall {
  const { name, arguments: given } = ('function' in call ? call['function'] : call) as {
    name: string;
    arguments?: Json;
  };
  const rest = Object.entries(call).filter(
    ([key]) => !['function', 'name', 'arguments', 'type'].includes(key),
  ) as [string, Json][];
  return {
    name,
    arguments: typeof given === 'string' ? given : JSON.stringify(given ?? {}),
    ...(rest.length === 0 ? {} : { metadata: Object.fromEntries(rest) }),
  };
}

interface LabelledContent {
  what: string;
  label: string;
  place: Place;
}

/** An error, because no grader can give equal content different labels. */
export function reportContradictions(
  labelled: readonly LabelledContent[],
  problems: Problem[],
): void {
  const first = new Map<string, LabelledContent>();
  for (const answer of labelled) {
    const earlier = first.get(answer.what);
    if (earlier === undefined) first.set(answer.what, answer);
    else if (earlier.label !== answer.label) {
      const message =
        `the same answer is labelled "${earlier.label}" at ${earlier.place.file}:` +
        `${String(earlier.place.line)} and "${answer.label}" here; keep one of the two`;
      problems.push(problem(answer.place, message));
    }
  }
}
