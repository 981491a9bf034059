/** A file of the repository. Its bytes are read by `id` when the message is sent. */
export type FilePart = {
  type: 'image' | 'file';
  path: string;
  media_type: string;
  id: string;
  bytes: number;
};

export type MessagePart = { type: 'text'; text: string } | FilePart;

export const MAX_FILE_BYTES = 20_000_000;

export const IMAGE_TYPES = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'] as const;

export const PDF_TYPE = 'application/pdf';

export function mediaTypeOf(content: Uint8Array): string | null {
  const start = String.fromCharCode(...content.subarray(0, 12));
  if (start.startsWith('\x89PNG\r\n')) return 'image/png';
  if (start.startsWith('\xff\xd8\xff')) return 'image/jpeg';
  if (/^GIF8[79]a/.test(start)) return 'image/gif';
  if (/^RIFF.{4}WEBP/s.test(start)) return 'image/webp';
  return start.startsWith('%PDF-') ? PDF_TYPE : null;
}

export function filesIn(messages: readonly { parts?: MessagePart[] }[]): FilePart[] {
  return messages.flatMap(({ parts = [] }) => parts.filter((part) => part.type !== 'text'));
}
