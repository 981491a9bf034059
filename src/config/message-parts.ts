import { z } from 'zod';
import type { Field } from '../documents/document.ts';
import type { Files } from '../documents/files.ts';
import { folderOf } from '../documents/paths.ts';
import type { FileTemplate, PromptPart, Reference, Suite } from '../kernel/suite/suite.ts';
import { fill, placeholders, shownKey } from '../kernel/suite/template.ts';
import { partsText } from '../text/content.ts';
import type { FilePart } from '../types/media.ts';
import { closed, filled, listOf } from './schema.ts';

const PART_FORMS = '{ text: … }, { image: path } or { file: path }';

const partSchema = closed({
  text: filled().describe("Text, in which {name} stands for a variable's value."),
  image: filled().describe(
    'Path of a PNG, JPEG, GIF or WebP file in the repository, or a variable {name} with such ' +
      'a path.',
  ),
  file: filled().describe(
    'Path of a PDF in the repository, or a variable {name} with such a path.',
  ),
})
  .exactPartial()
  .refine((part) => Object.values(part).filter((value) => value !== undefined).length === 1, {
    error: `must be one of ${PART_FORMS}`,
  })
  .transform(({ text, image, file = '' }): PromptPart => {
    if (text !== undefined) return { type: 'text', text };
    return image === undefined ? { type: 'file', path: file } : { type: 'image', path: image };
  });

const FORMS = `must be text, or a list of ${PART_FORMS}`;

export const contentSchema = z
  .union([filled(), listOf(partSchema).min(1)], { error: FORMS })
  .describe(
    "The text, in which {name} stands for a variable's value and {{name}} for the text {name}; " +
      'or a list of parts.',
  );

export interface LocatedContent {
  content: string;
  parts?: PromptPart[];
  /** The texts in which variables can be. */
  texts: { text: string; field: Field }[];
}

export function locatedContent(
  written: z.output<typeof contentSchema>,
  message: Field,
): LocatedContent {
  const field = message.at('content');
  if (typeof written === 'string') return { content: written, texts: [{ text: written, field }] };
  const texts = written.map((part, index) => ({
    text: part.type === 'text' ? part.text : part.path,
    field: field.at(index, part.type),
  }));
  const isText = written.every(({ type }) => type === 'text');
  return { content: partsText(written), ...(!isText && { parts: written }), texts };
}

export async function withShownFiles(suite: Suite, file: Field, files: Files): Promise<Suite> {
  const { prompt, tests } = suite;
  if (prompt.messages.every(({ parts }) => parts === undefined)) return suite;
  const templates: FileTemplate[] = [];
  const messages: Suite['prompt']['messages'] = [];
  for (const [index, message] of prompt.messages.entries()) {
    const parts: PromptPart[] = [];
    for (const [at, part] of (message.parts ?? []).entries()) {
      const isWritten = part.type === 'text' || 'id' in part;
      if (isWritten || placeholders(part.path).length > 0) {
        if (!isWritten) templates.push(part);
        parts.push(part);
        continue;
      }
      const path = fill(part.path, {});
      const found = await files.shown(part.type, path, [folderOf(message.place.file)]);
      if (typeof found === 'string') {
        const field = file.at('messages', index, 'content', at, part.type);
        field.refuse(`${field.name}: ${found}`);
      } else parts.push(found);
    }
    messages.push(parts.length === 0 ? message : { ...message, content: partsText(parts), parts });
  }
  const references = await inGroups(tests.references, (reference) =>
    referenceWithFiles(reference, templates, { files, folder: folderOf(prompt.file) }),
  );
  return { prompt: { ...prompt, messages }, tests: { ...tests, references } };
}

async function referenceWithFiles(
  reference: Reference,
  templates: readonly FileTemplate[],
  { files, folder }: { files: Files; folder: string },
): Promise<Reference> {
  if (templates.length === 0 || reference.problem !== null || reference.thread !== null)
    return reference;
  const shown: Record<string, FilePart> = {};
  const folders = [folderOf(reference.place.file), folder];
  for (const { type, path: template } of templates) {
    const path = fill(template, reference.input);
    const found = await files.shown(type, path, folders);
    if (typeof found === 'string') {
      const names = placeholders(template).map(({ name }) => `{${name}}`);
      return { ...reference, problem: `${type}: ${found} (input of ${names.join(', ')})` };
    }
    shown[shownKey(type, path)] = found;
  }
  return { ...reference, shown };
}

const GROUP = 16;

async function inGroups<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const done: R[] = [];
  for (let from = 0; from < items.length; from += GROUP)
    done.push(...(await Promise.all(items.slice(from, from + GROUP).map(work))));
  return done;
}
