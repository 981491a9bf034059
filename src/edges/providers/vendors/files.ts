import { filesIn, type FilePart } from '../../../types/media.ts';
import type { Message } from '../../../types/model.ts';
import type { Ask } from './vendor.ts';

export type ReadFile = (file: FilePart) => Promise<Uint8Array>;

type FileData = NonNullable<Ask['files']>;

async function base64Of(files: readonly FilePart[], read: ReadFile): Promise<FileData> {
  const unique = [...new Map(files.map((file) => [file.id, file])).values()];
  const read64 = async (file: FilePart): Promise<[string, string]> => [
    file.id,
    Buffer.from(await read(file)).toString('base64'),
  ];
  return new Map(await Promise.all(unique.map(read64)));
}

/**
 * Bytes of base64 in requests that are in flight. Sending needs about three times as much memory.
 */
const MOST_BYTES = 64_000_000;

export type FileSender = ReturnType<typeof createFileSender>;

export function createFileSender(read: ReadFile, most: number = MOST_BYTES) {
  const held = new Map<string, WeakRef<FileData>>();
  const loading = new Map<string, Promise<FileData>>();
  let waiting: { bytes: number; go(): void }[] = [];
  let used = 0;
  const admit = () => {
    for (let next = waiting[0]; next !== undefined; next = waiting[0]) {
      if (used > 0 && used + next.bytes > most) return;
      waiting = waiting.slice(1);
      used += next.bytes;
      next.go();
    }
  };
  return {
    /** Waits until other requests leave room. Call the returned function after the answer. */
    async room(ask: Pick<Ask, 'messages'>): Promise<() => void> {
      const bytes = fileBytes(ask);
      if (bytes > 0)
        await new Promise<void>((go) => {
          waiting.push({ bytes, go });
          admit();
        });
      return () => {
        used -= bytes;
        admit();
      };
    },
    async load(ask: Ask): Promise<Ask> {
      const files = filesIn(ask.messages);
      if (files.length === 0) return ask;
      const key = files.map(({ id }) => id).join(' ');
      const known = held.get(key)?.deref();
      if (known !== undefined) return { ...ask, files: known };
      const pending = loading.get(key) ?? base64Of(files, read);
      loading.set(key, pending);
      const data = await pending.finally(() => loading.delete(key));
      held.set(key, new WeakRef(data));
      return { ...ask, files: data };
    },
  };
}

export function fileBytes({ messages }: Pick<Ask, 'messages'>): number {
  return filesIn(messages).reduce((sum, { bytes }) => sum + 4 * Math.ceil(bytes / 3), 0);
}

export interface PartForms {
  text(text: string): object;
  file(file: FilePart, base64: string): object;
}

/** Vendors refuse a blank text beside files. */
export function contentAs(
  { content, parts }: Message,
  { files }: Ask,
  form: PartForms,
): string | object[] {
  return (
    parts
      ?.filter((part) => part.type !== 'text' || part.text.trim() !== '')
      .map((part) =>
        part.type === 'text' ? form.text(part.text) : form.file(part, files?.get(part.id) ?? ''),
      ) ?? content
  );
}

export function dataUri({ media_type }: FilePart, base64: string): string {
  return `data:${media_type};base64,${base64}`;
}

export function fileName({ path }: FilePart): string {
  return path.slice(path.lastIndexOf('/') + 1);
}
