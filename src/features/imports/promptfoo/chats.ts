import { partsText } from '../../../text/content.ts';
import type { FilePart } from '../../../types/media.ts';
import { ROLE_NAMES, type Role } from '../../../types/model.ts';
import { isMap, type Json, type JsonMap, ownEntry } from '../../../types/plain.ts';
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

export function messagesIn(text: string): ChatMessage[] | string {
  const isList = /^\s*(?:\[|- *["']?(?:role|content)\b)/.test(text);
  return (isList ? chatIn(yamlValue(text)) : null) ?? [{ role: 'user', content: text }];
}

/** Returns an error text if a message is invalid, or null if these are not messages. */
export function chatIn(list: Json): ChatMessage[] | string | null {
  if (
    !Array.isArray(list) ||
    !list.every((value): value is JsonMap => isMap(value) && typeof value['role'] === 'string')
  )
    return null;
  const messages: ChatMessage[] = [];
  for (const { role, content } of list) {
    const [known, parts] = [ownEntry(CHAT_ROLES, String(role)), partsIn(content)];
    if (known === undefined) return `the role "${String(role)}" is not known`;
    if (typeof parts === 'string') return parts;
    const isText = parts.every(({ type }) => type === 'text');
    messages.push({ role: known, content: partsText(parts), ...(isText ? {} : { parts }) });
  }
  return messages;
}

function partsIn(content: Json | undefined): ChatPart[] | string {
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  if (!Array.isArray(content)) return 'a message contains neither text nor a list of parts';
  const parts: ChatPart[] = [];
  for (const written of content) {
    const part = isMap(written) ? partIn(written) : null;
    if (part === null) return 'a message contains more than text, images and PDFs';
    if (typeof part === 'string') return part;
    parts.push(part);
  }
  return parts;
}

function partIn(part: JsonMap): ChatPart | string | null {
  const { type, text } = part;
  switch (type) {
    case 'text':
    case 'input_text':
      return typeof text === 'string' ? { type: 'text', text } : null;
    case 'image_url':
    case 'input_image':
      return filePart('image', memberOf(part['image_url'], 'url'));
    case 'image':
      return filePart('image', memberOf(part['source'], 'data', 'url'));
    case 'document':
      return filePart('file', memberOf(part['source'], 'data', 'url'));
    case 'file':
      return filePart('file', memberOf(part['file'], 'file_data'));
    case 'input_file':
      return filePart('file', memberOf(part['file_data']));
    default:
      return null;
  }
}

function memberOf(value: Json | undefined, ...names: string[]): Json | undefined {
  if (!isMap(value)) return value;
  const map: JsonMap = value;
  return names.map((name) => map[name]).find((each) => each !== undefined);
}

/** The path of an image or file must come from a variable or start with `file://`. */
function filePart(type: FilePart['type'], written: Json | undefined): ChatPart | string | null {
  if (typeof written !== 'string') return null;
  const path = written.replace(/^data:[^,{]*,|^file:\/\//, '').replace(/^\.\//, '');
  const isPath = written.startsWith('file://') || path.includes('{{');
  return isPath
    ? { type, path }
    : `a message contains an ${type === 'image' ? 'image' : 'attachment'} as data or as a URL; ` +
        'put it into a file of the repository';
}
