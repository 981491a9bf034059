import type { FilePart, MessagePart } from '../types/media.ts';
import { fileSize } from './amounts.ts';

/** The text contains each file's path, size and object id, so it changes with the file. */
export function partsText(
  parts: readonly (MessagePart | Pick<FilePart, 'type' | 'path'>)[],
): string {
  return parts.map((part) => (part.type === 'text' ? part.text : fileLine(part))).join('\n');
}

export function partsOfText<Shown extends Pick<FilePart, 'type' | 'path'>>(
  text: string,
  files: readonly Shown[],
): (Shown | { type: 'text'; text: string })[] {
  const byLine = new Map(files.map((file) => [fileLine(file), file]));
  const parts: (Shown | { type: 'text'; text: string })[] = [];
  let words: string[] = [];
  const close = (): void => {
    if (words.length > 0) parts.push({ type: 'text', text: words.join('\n') });
    words = [];
  };
  for (const line of text.split('\n')) {
    const file = byLine.get(line);
    if (file === undefined) words.push(line);
    else {
      close();
      parts.push(file);
    }
  }
  close();
  return parts;
}

function fileLine(file: FilePart | Pick<FilePart, 'type' | 'path'>): string {
  const { type, path } = file;
  const content = 'id' in file ? ` ${file.id.slice(0, 7)}, ${fileSize(file.bytes)}` : '';
  return `[${type} ${path}${content}]`;
}
