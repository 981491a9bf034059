import { valueAt, type Document } from '../../../documents/document.ts';
import type { Files } from '../../../documents/files.ts';
import { folderOf, isPlainRelative, join } from '../../../documents/paths.ts';
import { filledText, isMap, jsonText, type Json, type Problem } from '../../../types/plain.ts';
import { lastSteps } from '../shared/draft.ts';

/** In bytes, for each attached file. Folders are limited to 100 files. */
const MAX_ATTACHMENT_BYTES = 200_000;
const MAX_ATTACHMENTS = 100;

export async function findSkill(
  document: Document,
  files: Files,
  problems: Problem[],
): Promise<{ file: string; text: string } | { tried: string[] }> {
  const above = folderOf(folderOf(document.file));
  const name = skillName(document.value) ?? lastSteps(above).name;
  const tried = [
    ...new Set(
      [
        join(above, 'SKILL.md'),
        join(folderOf(document.file), 'SKILL.md'),
        ...['skills', '.claude/skills'].flatMap((folder) =>
          isPlainRelative(name)
            ? [join(above, `${folder}/${name}/SKILL.md`), join('', `${folder}/${name}/SKILL.md`)]
            : [],
        ),
      ].filter((path) => path !== null),
    ),
  ];
  const file = tried.find((path) => files.absence(path) === null);
  const found = file === undefined ? null : await files.data(file, null, problems);
  return found === null
    ? { tried }
    : { file: found.file, text: new TextDecoder().decode(found.content) };
}

export function skillName(value: Json): string | null {
  const name = [
    ['skill_name'],
    ['skill'],
    ['skills', 0],
    [0, 'skills', 0],
    ['evals', 0, 'skills', 0],
  ]
    .map((path) => valueAt(value, path))
    .find((found) => found !== undefined);
  return filledText(name);
}

interface AttachOptions {
  files: Files;
  folders: readonly string[];
  isProgram: boolean;
  problems: Problem[];
}

export async function attachedFiles(
  written: Json | undefined,
  options: AttachOptions,
): Promise<{ text: string } | { why: string }> {
  const list = Array.isArray(written) ? written : written === undefined ? [] : [written];
  const parts: string[] = [];
  const entries = list.flatMap((entry) => filesOfFolder(entry, options) ?? [entry]);
  if (entries.length > list.length + MAX_ATTACHMENTS)
    return { why: `its folders contain more than ${String(MAX_ATTACHMENTS)} files` };
  for (const entry of entries) {
    const part = await attachedFile(entry, options);
    if ('why' in part) return part;
    parts.push(part.text);
  }
  if (parts.length === 0) return { text: '' };
  return { text: options.isProgram ? `\n\nFiles:\n${parts.join('\n')}` : parts.join('') };
}

function filesOfFolder(
  entry: Json,
  { files, folders }: Pick<AttachOptions, 'files' | 'folders'>,
): string[] | null {
  const written = isMap(entry) ? entry['path'] : entry;
  const path = typeof written === 'string' ? written.replace(/\/$/, '') : '';
  if (!isPlainRelative(path)) return null;
  const places = folders.flatMap((folder) => join(folder, path) ?? []);
  if (places.some((place) => files.absence(place) === null)) return null;
  const folder = places.find((place) => files.below(place).length > 0);
  if (folder === undefined) return null;
  return files.below(folder).map((file) => `${path}${file.slice(folder.length)}`);
}

async function attachedFile(
  entry: Json,
  { files, folders, isProgram, problems }: AttachOptions,
): Promise<{ text: string } | { why: string }> {
  const path = isMap(entry) ? (entry['path'] ?? entry['name']) : entry;
  if (typeof path !== 'string' || path === '') return { why: 'one of its files has no path' };
  const inline = isMap(entry) ? entry['content'] : undefined;
  if (typeof inline === 'string' && !isProgram) return { text: fileText(path, inline) };
  const found = findAttached(path, { files, folders });
  if (found === undefined)
    return { why: `its file ${path.slice(0, 200)} is not in the repository` };
  if (isProgram) return { text: found };
  const text = attachmentText((await files.data(found, null, problems))?.content);
  return 'why' in text
    ? { why: `its file ${found} ${text.why}` }
    : { text: fileText(path, text.text) };
}

/** Maps paths in the agent's workspace to paths in the repository. */
export function placedFiles(
  written: Json | undefined,
  options: Pick<AttachOptions, 'files' | 'folders'>,
): { placed: Record<string, string> } | { why: string } {
  const list = Array.isArray(written) ? written : written === undefined ? [] : [written];
  const placed: Record<string, string> = {};
  for (const entry of list.flatMap((each) => filesOfFolder(each, options) ?? [each])) {
    const path = isMap(entry) ? (entry['path'] ?? entry['name']) : entry;
    const found = typeof path === 'string' ? findAttached(path, options) : undefined;
    if (typeof path !== 'string' || found === undefined)
      return { why: `its file ${jsonText(path ?? null).slice(0, 200)} is not in the repository` };
    placed[path.replace(/^\.\//, '')] = found;
  }
  return { placed };
}

function findAttached(
  path: string,
  { files, folders }: Pick<AttachOptions, 'files' | 'folders'>,
): string | undefined {
  if (!isPlainRelative(path)) return undefined;
  const places = folders.flatMap((folder) => join(folder, path) ?? []);
  return places.find((candidate) => files.absence(candidate) === null);
}

function fileText(path: string, text: string): string {
  return `\n\n<file path="${path}">\n${text.trimEnd()}\n</file>`;
}

function attachmentText(content: Uint8Array | undefined): { text: string } | { why: string } {
  if (content === undefined) return { why: 'cannot be read' };
  if (content.length > MAX_ATTACHMENT_BYTES)
    return { why: `has more than ${MAX_ATTACHMENT_BYTES.toLocaleString('en-US')} bytes` };
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(content);
    if (!text.includes('\0')) return { text: text.replaceAll('\r\n', '\n') };
  } catch {}
  return {
    why:
      'is not text, and a model only gets texts; a program (models: ' +
      '{ default: { provider: program, … } }) gets the path',
  };
}
