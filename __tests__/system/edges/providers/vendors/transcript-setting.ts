import { callsOf, textOf } from '../../../../../src/types/answer.ts';
import type { Completion, Message } from '../../../../../src/types/model.ts';
import type { Json } from '../../../../../src/types/plain.ts';
import type { VendorName } from '../../../../../src/types/vendors/names.ts';
import { says } from '../../../../unit/edges/providers/providers-setting.ts';

const declared = (name: string) => ({
  type: 'function',
  function: { name, parameters: { type: 'object', properties: { crate: { type: 'integer' } } } },
});
/** The tools `stock` and `price`, as each API declares them. */
export const CHAT_TOOLS: Json = [declared('stock'), declared('price')];
export const CLAUDE_TOOLS: Json = ['stock', 'price'].map((name) => ({
  name,
  input_schema: { type: 'object' },
}));

export const THINKS = { type: 'enabled', budget_tokens: 1024 };

export interface Speaker {
  vendor: VendorName;
  model: string;
  parameters: Record<string, Json>;
}

/** Models of each API and of each vendor that wants something back. */
export const SPEAKERS: readonly (Speaker & { what: string })[] = [
  ...[
    ['chat completions', 'openai', 'gpt-4.1'],
    ['Gemini, which signs its calls', 'gemini', 'gemini-3.5-flash'],
    ['DeepSeek, which wants its reasoning back', 'deepseek', 'deepseek-v4-flash'],
    ['OpenRouter, which wants reasoning details back', 'openrouter', 'minimax/m2'],
    ['Mistral, which accepts ids of nine characters', 'mistral', 'mistral-small-latest'],
  ].map(([what = '', vendor = '', model = '']) => ({
    ...{ what, vendor: vendor as VendorName, model, parameters: { tools: CHAT_TOOLS } },
  })),
  {
    ...{ what: 'the Responses API', vendor: 'openai', model: 'gpt-5.4' },
    parameters: { tools: CHAT_TOOLS, reasoning_effort: 'low' },
  },
  {
    ...{ what: 'Messages', vendor: 'anthropic', model: 'claude-sonnet-4-5' },
    parameters: { tools: CLAUDE_TOOLS },
  },
  {
    ...{ what: 'Messages with thinking', vendor: 'anthropic', model: 'claude-sonnet-4-5' },
    parameters: { tools: CLAUDE_TOOLS, thinking: THINKS },
  },
];

/** A transcript that grows as a dialogue's does, with ids in the order of the calls. */
export function transcript(question: string) {
  let count = 0;
  const messages = says(question);
  return {
    messages,
    user: (content: string) => void messages.push({ role: 'user', content, by: 'reference' }),
    /** Appends the answer, and a result for each of its calls. */
    add(completion: Completion, result: (name: string) => string = (name) => `${name}: 41`) {
      if (completion.status !== 'ok') throw new Error(completion.message);
      const calls = callsOf(completion).map((call) => ({
        ...call,
        id: `call${String((count += 1)).padStart(5, '0')}`,
      }));
      const { opaque } = completion;
      messages.push(
        {
          ...{ role: 'assistant', content: textOf(completion) },
          ...(calls.length > 0 && { tool_calls: calls }),
          ...(opaque && { opaque }),
        },
        ...calls.map(({ id, name }): Message => ({
          role: 'tool',
          id,
          name,
          content: result(name),
        })),
      );
      return completion;
    },
  };
}

/** One call of `stock`, with its result, unless the fields say otherwise. */
export function called({
  content = '',
  given = '{"crate":1}',
  result = '41',
  id = 'call00001',
}: { content?: string; given?: string; result?: string; id?: string } = {}): Message[] {
  return [
    ...says('How many apples?'),
    { role: 'assistant', content, tool_calls: [{ id, name: 'stock', arguments: given }] },
    { role: 'tool', id, name: 'stock', content: result },
  ];
}
