import { escapeNames, pathsOf, toOurs } from '../../../config/templates.ts';
import { valueAt } from '../../../documents/document.ts';
import type { MadePrompt } from '../../../kernel/suite/suite.ts';
import type { PromptText } from '../../../types/model.ts';
import { isMap, type Json, type JsonMap } from '../../../types/plain.ts';
import type { ImportedModel } from '../shared/models.ts';
import { tryConvert, refuse } from '../shared/node.ts';
import { chatIn, messagesIn, type ChatMessage } from './chats.ts';
import { codeCommand } from './foreign-code.ts';
import type { ModelContext } from './promptfoo-models.ts';
import type { ForeignPrompt } from './promptfoo-prompts.ts';
import type { ForeignTest } from './promptfoo-values.ts';
import { fillIn, inputOf } from './templates.ts';

/** Returns each test's messages, or null if one prompt with variables can express them. */
export async function madeMessages(
  prompt: ForeignPrompt,
  { label }: Pick<ImportedModel, 'label'>,
  tests: readonly ForeignTest[],
  inputs: 'vars' | 'sent',
  { code: call, host, structured: json }: ModelContext,
): Promise<MadePrompt[] | null> {
  const { made, form } = prompt;
  if (made === null) return ownMessages(prompt, tests, inputs);
  if (made.kind === 'template')
    return tests.map((test) =>
      madePrompt(() => {
        const filled = filledPrompt(prompt, test);
        return form === 'text' ? expandChat(filled) : filled;
      }),
    );
  if (typeof call === 'string') return null;
  const { code, config } = made;
  const command = codeCommand('prompt', code, { id: label, config, json });
  return Promise.all(
    tests.map(async ({ vars, sent }): Promise<MadePrompt> => {
      const answer = await call(command, host.setup, inputOf(vars, []));
      const result = madePrompt(() =>
        fillMessages(onlyTexts(answer.ok ? toMessages(answer.value) : refuse(answer.why)), sent),
      );
      return result.ok ? result : { ok: false, why: `${code.file}: ${result.why}` };
    }),
  );
}

const madePrompt = (make: () => PromptText[]): MadePrompt =>
  tryConvert<MadePrompt, MadePrompt>(
    () => ({ ok: true, messages: make() }),
    (why) => ({ ok: false, why }),
  );

function ownMessages(
  prompt: ForeignPrompt,
  tests: readonly ForeignTest[],
  inputs: 'vars' | 'sent',
): MadePrompt[] | null {
  const { form, messages } = prompt;
  if (messages.some(({ parts }) => parts !== undefined)) return null;
  if (form === 'chat' || (form === 'json' && inputs === 'vars')) return null;
  if (form === 'text' && !mayBeChat(messages)) return null;
  const filled = tests.map((test) => filledPrompt(prompt, test));
  const made = filled.map((each) => madePrompt(() => expandChat(each)));
  const paths = messages.flatMap(({ template }) => pathsOf(template));
  const isOwn =
    form === 'text'
      ? made.some((each, index) => !each.ok || each.messages !== filled[index])
      : tests.some(({ vars, sent }) =>
          paths.some((path) => valueAt(vars, path) !== valueAt(sent, path)),
        );
  return isOwn ? made : null;
}

/** Messages generated for a test may not contain images or files. */
function onlyTexts(messages: readonly ChatMessage[]): PromptText[] {
  return messages.map(({ role, content, parts }) =>
    parts === undefined
      ? { role, content }
      : refuse('a message generated for a test contains more than text'),
  );
}

function mayBeChat([first]: ForeignPrompt['messages']): boolean {
  const [part] = first?.template.parts ?? [];
  return part !== undefined && ('path' in part || /^\s*(?:\[|- |$)/.test(part.text));
}

function filledPrompt(
  { made, messages, form }: ForeignPrompt,
  { vars, sent }: ForeignTest,
): PromptText[] {
  const texts = messages.map(({ role, template }) => ({ role, content: template.text }));
  return fillMessages(
    made?.kind === 'template' ? made.messages : texts,
    form === 'json' ? vars : sent,
  );
}

function expandChat(messages: PromptText[]): PromptText[] {
  const [first] = messages;
  if (first === undefined || messages.length !== 1 || first.role !== 'user') return messages;
  const own = onlyTexts(messagesIn(first.content));
  return own[0]?.content === first.content ? messages : own;
}

function fillMessages(messages: readonly PromptText[], vars: JsonMap): PromptText[] {
  return messages.map(({ role, content }) => ({ role, content: fillIn(content, vars, 'empty') }));
}

function toMessages(made: Json): ChatMessage[] {
  if (typeof made === 'string') return messagesIn(made);
  if (isMap(made) && made['prompt'] !== undefined) return toMessages(made['prompt']);
  return chatIn(made) ?? refuse('it returned neither text nor a list of messages');
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
