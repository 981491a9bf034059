import { partsText } from '../../../text/content.ts';
import type { FilePart } from '../../../types/media.ts';
import { ROLE_NAMES, type Role } from '../../../types/model.ts';
import { isMap, type Json, type JsonMap, ownEntry } from '../../../types/plain.ts';
import { refuse } from '../shared/node.ts';
import { yamlValue } from '../shared/text-assertions.ts';

const CHAT_ROLES: Readonly<Record<string, Role>> = {
  ...ROLE_NAMES,
  developer: 'system',
};

type ChatPart = { type: 'text'; text: string } | Pick<FilePart, 'type' | 'path'>;

export interface ChatMessage {
  role: Role;
  content: string;
  parts?: ChatPart[];
}

/** Refuses invalid messages. */
export function messagesIn(text: string): ChatMessage[] {
  const isList = /^\s*(?:\[|- *["']?(?:role|content)\b)/.test(text);
  return (isList ? chatIn(yamlValue(text)) : null) ?? [{ role: 'user', content: text }];
}

/** Null if these are not messages. */
export function chatIn(list: Json): ChatMessage[] | null {
  if (
    !Array.isArray(list) ||
    !list.every((value): value is JsonMap => isMap(value) && typeof value['role'] === 'string')
  )
    return null;
  return list.map(({ role, content }) => {
    const known = ownEntry(CHAT_ROLES, String(role)) ?? refuse(`the role "${role}" is not known`);
    const parts = partsIn(content);
    const isText = parts.every(({ type }) => type === 'text');
    return { role: known, content: partsText(parts), ...(isText ? {} : { parts }) };
  });
}

function partsIn(content: Json | undefined): ChatPart[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  if (!Array.isArray(content)) return refuse('a message contains neither text nor a list of parts');
  return content.map(
    (part) =>
      (isMap(part) ? partIn(part) : null) ??
      refuse('a message contains more than text, images and PDFs'),
  );
}

/** The key of each vendor's part that holds its file, or a map with the file under one of `in`. */
const FILE_PARTS: Readonly<Record<string, { type: FilePart['type']; key: string; in: string }>> = {
  image_url: { type: 'image', key: 'image_url', in: 'url' },
  input_image: { type: 'image', key: 'image_url', in: 'url' },
  image: { type: 'image', key: 'source', in: 'data url' },
  document: { type: 'file', key: 'source', in: 'data url' },
  file: { type: 'file', key: 'file', in: 'file_data' },
  input_file: { type: 'file', key: 'file_data', in: '' },
};

function partIn(part: JsonMap): ChatPart | null {
  const { type = '', text } = part;
  if (type === 'text' || type === 'input_text')
    return typeof text === 'string' ? { type: 'text', text } : null;
  const row = typeof type === 'string' ? ownEntry(FILE_PARTS, type) : undefined;
  if (row === undefined) return null;
  const held = part[row.key] ?? null;
  const path = isMap(held) ? row.in.split(' ').flatMap((key) => held[key] ?? [])[0] : held;
  return filePart(row.type, path);
}

/** The path of an image or file must come from a variable or start with `file://`. */
function filePart(type: FilePart['type'], written: Json | undefined): ChatPart | null {
  if (typeof written !== 'string') return null;
  const path = written.replace(/^data:[^,{]*,|^file:\/\//, '').replace(/^\.\//, '');
  if (!written.startsWith('file://') && !path.includes('{{'))
    refuse(
      `a message contains an ${type === 'image' ? 'image' : 'attachment'} as data or as a URL; ` +
        'put it into a file of the repository',
    );
  return { type, path };
}
