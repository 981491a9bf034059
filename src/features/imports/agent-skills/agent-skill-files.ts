import { isUtf8 } from 'node:buffer';
import { valueAt, type Document } from '../../../documents/document.ts';
import type { Files } from '../../../documents/files.ts';
import { folderOf, isPlainRelative, join } from '../../../documents/paths.ts';
import { filledText, isMap, type Json, type JsonMap, type Problem } from '../../../types/plain.ts';
import { lastSteps } from '../shared/draft.ts';
import { importedText } from '../shared/files.ts';
import { refuse } from '../shared/node.ts';

/** In bytes, for each attached file. */
const MAX_ATTACHMENT_BYTES = 200_000;

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
  return found === null ? { tried } : { file: found.file, text: importedText(found.content) };
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

interface SkillFolders {
  files: Files;
  folders: readonly string[];
}

/** What a case's message says about its files. A program gets their paths, a model their texts. */
export async function attachedText(
  written: Json | undefined,
  { isProgram, problems, ...folders }: SkillFolders & { isProgram: boolean; problems: Problem[] },
): Promise<string> {
  const attachments = attachmentsOf(written, folders);
  if (isProgram) {
    const paths = attachments.map(({ found }) => found);
    return paths.length === 0 ? '' : `\n\nFiles:\n${paths.join('\n')}`;
  }
  const parts: string[] = [];
  for (const { path, found } of attachments) {
    const data = await folders.files.data(found, null, problems);
    const text = attachmentText(`its file ${found}`, data?.content);
    parts.push(`\n\n<file path="${path}">\n${text.trimEnd()}\n</file>`);
  }
  return parts.join('');
}

/** Maps paths in the agent's workspace to paths in the repository. */
export function placedFiles(
  written: Json | undefined,
  folders: SkillFolders,
): Record<string, string> {
  const placed = attachmentsOf(written, folders).map(({ path, found }) => [
    path.replace(/^\.\//, ''),
    found,
  ]);
  return Object.fromEntries(placed);
}

/** Paths as the case names them, and where they are found in the repository. */
function attachmentsOf(written: Json | undefined, { files, folders }: SkillFolders) {
  return [written ?? []].flat().map((entry) => {
    const { path, name }: JsonMap = isMap(entry) ? entry : { path: entry };
    const named = filledText(path ?? name) ?? refuse('one of its files has no path');
    const places = isPlainRelative(named)
      ? folders.flatMap((folder) => join(folder, named) ?? [])
      : [];
    const found =
      places.find((place) => files.absence(place) === null) ??
      refuse(`its file ${named.slice(0, 200)} is not a file of the repository`);
    return { path: named, found };
  });
}

function attachmentText(what: string, content: Uint8Array | undefined): string {
  if (content === undefined) return refuse(`${what} cannot be read`);
  if (content.length > MAX_ATTACHMENT_BYTES)
    refuse(`${what} has more than ${MAX_ATTACHMENT_BYTES.toLocaleString('en-US')} bytes`);
  return isUtf8(content) && !content.includes(0)
    ? importedText(content)
    : refuse(
        `${what} is not text, and a model only gets texts; a program (models: ` +
          '{ default: { provider: program, … } }) gets the path',
      );
}
