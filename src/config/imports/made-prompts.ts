import type { MadePrompt } from '../../suite/suite.ts';
import { isMap, type Json } from '../../types/plain.ts';
import { codeCommand } from './host-code.ts';
import type { ImportedModel } from './models.ts';
import { structuredNames, type ImportContext } from './promptfoo-drafts.ts';
import { chatIn, messagesIn, type ForeignPrompt } from './promptfoo-prompts.ts';
import type { ForeignTest } from './promptfoo-rows.ts';
import { fillIn, inputOf } from './templates.ts';

/** What a prompt's function makes of each test, in their order; null for a prompt that is written. */
export async function madeMessages(
  { code }: ForeignPrompt,
  { label }: Pick<ImportedModel, 'label'>,
  tests: readonly ForeignTest[],
  { code: call, host }: Pick<ImportContext, 'code' | 'host'>,
): Promise<MadePrompt[] | null> {
  if (code === null || typeof call === 'string') return null;
  const command = codeCommand('prompt', code, {
    id: label,
    ...(code.config === undefined ? {} : { config: code.config }),
    json: structuredNames(tests),
  });
  return Promise.all(
    tests.map(async ({ vars }): Promise<MadePrompt> => {
      const made = await call(command, host.setup, inputOf(vars, []));
      if (!made.ok) return { ok: false, why: `${code.file}: ${made.why}` };
      const messages = messagesOf(made.value);
      if (typeof messages === 'string') return { ok: false, why: `${code.file}: ${messages}` };
      const filled = messages.map(({ role, content }) => ({
        role,
        text: fillIn(content, vars, 'empty'),
      }));
      const flawed = filled.map(({ text }) => text).find(({ ok }) => !ok);
      if (flawed !== undefined && !flawed.ok)
        return { ok: false, why: `${code.file}: what it made holds logic: ${flawed.why}` };
      return {
        ok: true,
        messages: filled.flatMap(({ role, text }) =>
          text.ok ? [{ role, content: text.text }] : [],
        ),
      };
    }),
  );
}

/** Text, messages, or a map with one of them as its `prompt`. */
function messagesOf(made: Json): ReturnType<typeof messagesIn> {
  if (typeof made === 'string') return messagesIn(made);
  if (isMap(made) && made['prompt'] !== undefined) return messagesOf(made['prompt']);
  return chatIn(made) ?? 'it made neither text nor a list of messages';
}

export function languageOf({ file }: { file: string }): 'python' | 'javascript' {
  return file.endsWith('.py') ? 'python' : 'javascript';
}
