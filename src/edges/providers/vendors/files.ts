import { filesIn, type FilePart } from '../../../types/media.ts';
import type { Message } from '../../../types/model.ts';
import type { Ask } from './vendor.ts';

export type ReadFile = (file: FilePart) => Promise<Uint8Array>;

/** The request with its files as base64. They are read again for each call: memory stays small. */
export async function withFileData(ask: Ask, read: ReadFile): Promise<Ask> {
  const files = filesIn(ask.messages);
  if (files.length === 0) return ask;
  const unique = [...new Map(files.map((file) => [file.id, file])).values()];
  const read64 = async (file: FilePart): Promise<[string, string]> => [
    file.id,
    Buffer.from(await read(file)).toString('base64'),
  ];
  return { ...ask, files: new Map(await Promise.all(unique.map(read64))) };
}

/** Bytes that the files of a request add to its body as base64. */
export function fileBytes({ messages }: Pick<Ask, 'messages'>): number {
  return filesIn(messages).reduce((sum, { bytes }) => sum + 4 * Math.ceil(bytes / 3), 0);
}

/** Messages in a vendor's form; those without files are text. */
export function messagesAs(
  { messages, files }: Pick<Ask, 'messages' | 'files'>,
  form: { text(text: string): object; file(file: FilePart, base64: string): object },
): { role: Message['role']; content: string | object[] }[] {
  return messages.map(({ role, content, parts }) => ({
    role,
    content:
      parts?.map((part) =>
        part.type === 'text' ? form.text(part.text) : form.file(part, files?.get(part.id) ?? ''),
      ) ?? content,
  }));
}

export function dataUri({ media_type }: FilePart, base64: string): string {
  return `data:${media_type};base64,${base64}`;
}

export function fileName({ path }: FilePart): string {
  return path.slice(path.lastIndexOf('/') + 1);
}
