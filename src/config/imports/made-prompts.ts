import type { MadePrompt } from '../../suite/suite.ts';
import type { Message } from '../../types/model.ts';
import { isMap, type Json, type JsonMap } from '../../types/plain.ts';
import { codeCommand } from './host-code.ts';
import type { ImportedModel } from './models.ts';
import { structuredNames, type ImportContext } from './promptfoo-drafts.ts';
import { chatIn, messagesIn, type ForeignPrompt } from './promptfoo-prompts.ts';
import type { ForeignTest } from './promptfoo-rows.ts';
import { escaped, fillIn, inputOf, toOurs } from './templates.ts';

/**
 * What is sent for each test, in their order, where a function or a template with logic makes it;
 * null for a prompt whose variables are filled in.
 */
export async function madeMessages(
  { made }: ForeignPrompt,
  { label }: Pick<ImportedModel, 'label'>,
  tests: readonly ForeignTest[],
  { code: call, host }: Pick<ImportContext, 'code' | 'host'>,
): Promise<MadePrompt[] | null> {
  if (made === null) return null;
  if (made.kind === 'template') return tests.map(({ vars }) => filled(made.messages, vars));
  if (typeof call === 'string') return null;
  const { code, config } = made;
  const command = codeCommand('prompt', code, {
    id: label,
    ...(config === undefined ? {} : { config }),
    json: structuredNames(tests),
  });
  return Promise.all(
    tests.map(async ({ vars }): Promise<MadePrompt> => {
      const answer = await call(command, host.setup, inputOf(vars, []));
      const messages = answer.ok ? messagesOf(answer.value) : answer.why;
      const result =
        typeof messages === 'string'
          ? { ok: false as const, why: messages }
          : filled(messages, vars);
      return result.ok ? result : { ok: false, why: `${code.file}: ${result.why}` };
    }),
  );
}

/** The messages with a test's variables in them. */
function filled(messages: readonly Message[], vars: JsonMap): MadePrompt {
  const done: Message[] = [];
  for (const { role, content } of messages) {
    const text = fillIn(content, vars, 'empty');
    if (!text.ok) return text;
    done.push({ role, content: text.text });
  }
  return { ok: true, messages: done };
}

/** Text, messages, or a map with one of them as its `prompt`. */
function messagesOf(made: Json): ReturnType<typeof messagesIn> {
  if (typeof made === 'string') return messagesIn(made);
  if (isMap(made) && made['prompt'] !== undefined) return messagesOf(made['prompt']);
  return chatIn(made) ?? 'it made neither text nor a list of messages';
}

/** The messages as they are written in our form: what is filled in, or what messages are made from. */
export function sourceOf({ made, messages }: ForeignPrompt): { role: string; content: string }[] {
  if (made === null)
    return messages.map(({ role, template }) => ({ role, content: toOurs(template) }));
  return made.kind === 'code'
    ? [{ role: 'user', content: escaped(made.source) }]
    : made.messages.map(({ role, content }) => ({ role, content: escaped(content) }));
}
