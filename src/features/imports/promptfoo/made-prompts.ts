import { escapeNames, pathsOf, toOurs } from '../../../config/templates.ts';
import { valueAt } from '../../../documents/document.ts';
import type { MadePrompt } from '../../../kernel/suite/suite.ts';
import type { Message } from '../../../types/model.ts';
import { isMap, type Json, type JsonMap } from '../../../types/plain.ts';
import type { ImportedModel } from '../shared/models.ts';
import { templateText } from '../shared/templates.ts';
import { chatIn, messagesIn, type ChatMessage } from './chats.ts';
import { codeCommand } from './foreign-code.ts';
import { structuredNames, type ImportContext } from './promptfoo-drafts.ts';
import type { ForeignPrompt } from './promptfoo-prompts.ts';
import type { ForeignTest } from './promptfoo-values.ts';
import { fillIn, inputOf } from './templates.ts';

/** Null if one prompt with variables can express all messages. */
export async function madeMessages(
  prompt: ForeignPrompt,
  { label }: Pick<ImportedModel, 'label'>,
  tests: readonly ForeignTest[],
  inputs: 'vars' | 'sent',
  { code: call, host }: Pick<ImportContext, 'code' | 'host'>,
): Promise<MadePrompt[] | null> {
  const { made } = prompt;
  if (made === null) return ownMessages(prompt, tests, inputs);
  if (made.kind === 'template')
    return tests.map((test) => {
      const shown = promptFor(prompt, test);
      return prompt.form === 'text' ? expandChat(shown) : shown;
    });
  if (typeof call === 'string') return null;
  const { code, config } = made;
  const command = codeCommand('prompt', code, {
    id: label,
    ...(config === undefined ? {} : { config }),
    json: structuredNames(tests),
  });
  return Promise.all(
    tests.map(async ({ vars, sent }): Promise<MadePrompt> => {
      const answer = await call(command, host.setup, inputOf(vars, []));
      const messages = answer.ok ? toMessages(answer.value) : answer.why;
      const why = typeof messages === 'string' ? messages : MORE_THAN_TEXT;
      const result =
        typeof messages === 'string' || !areTexts(messages)
          ? { ok: false as const, why }
          : fillMessages(messages, sent);
      return result.ok ? result : { ok: false, why: `${code.file}: ${result.why}` };
    }),
  );
}

/** Null if they are the prompt's messages with variables filled in. */
function ownMessages(
  prompt: ForeignPrompt,
  tests: readonly ForeignTest[],
  inputs: 'vars' | 'sent',
): MadePrompt[] | null {
  const { form, messages } = prompt;
  if (messages.some(({ parts }) => parts !== undefined)) return null;
  if (form === 'chat' || (form === 'json' && inputs === 'vars')) return null;
  if (form === 'text' && !mayBeChat(messages)) return null;
  const made = tests.map((test) => promptFor(prompt, test));
  const paths = messages.flatMap(({ template }) => pathsOf(template));
  const isOwn =
    form === 'text'
      ? made.some((shown) => expandChat(shown) !== shown)
      : tests.some(({ vars, sent }) =>
          paths.some((path) => valueAt(vars, path) !== valueAt(sent, path)),
        );
  return isOwn ? made.map(expandChat) : null;
}

const MORE_THAN_TEXT = 'a message generated for a test contains more than text';

/** Generated messages cannot contain files. */
function areTexts(messages: readonly ChatMessage[]): messages is Message[] {
  return messages.every(({ parts }) => parts === undefined);
}

function mayBeChat([first]: ForeignPrompt['messages']): boolean {
  const [part] = first?.template.parts ?? [];
  return part !== undefined && ('path' in part || /^\s*(?:\[|- |$)/.test(part.text));
}

function promptFor(
  { made, messages, form }: ForeignPrompt,
  { vars, sent }: ForeignTest,
): MadePrompt {
  const values = form === 'json' ? vars : sent;
  if (made?.kind === 'template') return fillMessages(made.messages, values);
  return {
    ok: true,
    messages: messages.map(({ role, template: { parts } }) => ({
      role,
      content: parts
        .map((part) =>
          'text' in part ? part.text : templateText(valueAt(values, part.path) ?? null),
        )
        .join(''),
    })),
  };
}

function expandChat(made: MadePrompt): MadePrompt {
  if (!made.ok || made.messages.length !== 1) return made;
  const [{ role, content } = { role: '', content: '' }] = made.messages;
  const messages = role === 'user' ? messagesIn(content) : made.messages;
  if (typeof messages === 'string') return { ok: false, why: messages };
  if (!areTexts(messages)) return { ok: false, why: MORE_THAN_TEXT };
  return messages[0]?.content === content ? made : { ok: true, messages };
}

function fillMessages(messages: readonly Message[], vars: JsonMap): MadePrompt {
  const done: Message[] = [];
  for (const { role, content } of messages) {
    const text = fillIn(content, vars, 'empty');
    if (!text.ok) return text;
    done.push({ role, content: text.text });
  }
  return { ok: true, messages: done };
}

function toMessages(made: Json): ReturnType<typeof messagesIn> {
  if (typeof made === 'string') return messagesIn(made);
  if (isMap(made) && made['prompt'] !== undefined) return toMessages(made['prompt']);
  return chatIn(made) ?? 'it returned neither text nor a list of messages';
}

export function sourceOf({ made, messages }: ForeignPrompt): { role: string; content: Json }[] {
  if (made === null)
    return messages.map(({ role, template, parts }) => ({
      role,
      content:
        parts?.map(({ type, template: own }) => ({ [type]: toOurs(own) })) ?? toOurs(template),
    }));
  return made.kind === 'code'
    ? [{ role: 'user', content: escapeNames(made.source) }]
    : made.messages.map(({ role, content }) => ({ role, content: escapeNames(content) }));
}
