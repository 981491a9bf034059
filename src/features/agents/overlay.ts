import type { FileOverlay } from '../../types/model.ts';
import { placeFiles } from './suite/rules.ts';
import type { WorkspaceRules } from './suite/spec.ts';
import type { WorkspaceFile, WorkspaceFiles } from './workspace/files.ts';

export function overlaidFiles(
  files: WorkspaceFiles,
  other: WorkspaceFiles,
  overlay: FileOverlay,
  placed: ReadonlyMap<string, string>,
): WorkspaceFiles {
  const all = new Map(files);
  for (const [at, from] of placed) {
    const given = overlay.files[from] ?? null;
    const body = given === null ? null : replacement(given, files.get(at), other.get(at));
    if (body === null) all.delete(at);
    else all.set(at, body);
  }
  return all;
}

export function placedOverlay(
  { files }: FileOverlay,
  { hide, own, ...rules }: WorkspaceRules,
  attached: Readonly<Record<string, string>>,
): Map<string, string> {
  const given = Object.entries(attached).filter(([, from]) => Object.hasOwn(files, from));
  const placed = placeFiles(Object.keys(files), { ...rules, hide: [...hide, ...own] });
  return new Map([...placed, ...given]);
}

function replacement(
  given: { text: string } | { id: string },
  own: WorkspaceFile | undefined,
  other: WorkspaceFile | undefined,
): WorkspaceFile | null {
  if (!('text' in given)) return other ?? null;
  const { mode } = own ?? other ?? { mode: '100644' as const };
  return { mode, body: new TextEncoder().encode(given.text) };
}
