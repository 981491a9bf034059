import { estimateTokens } from '../../money/tokens.ts';
import type { AgentRow } from './rows/agent-row.ts';
import { matcherOf } from './suite/rules.ts';

/**
 * Tokens that every first request of the agent contains: its instruction files, and the names and
 * descriptions of the skills that it offers. Estimated.
 */
export function contextTokens(
  { instructionFiles, skillFolders }: Pick<AgentRow, 'instructionFiles' | 'skillFolders'>,
  texts: ReadonlyMap<string, string>,
): number {
  const isInstruction = matcherOf(instructionFiles);
  const loaded = [...texts].flatMap(([path, text]) => {
    if (isInstruction(path)) return [text];
    return isOffered(path, skillFolders) ? [frontMatter(text)] : [];
  });
  return loaded.reduce((sum, text) => sum + Math.ceil(estimateTokens(text)), 0);
}

/** Paths in the workspace of files that {@link contextTokens} reads. */
export function isContextFile(
  { instructionFiles, skillFolders }: Pick<AgentRow, 'instructionFiles' | 'skillFolders'>,
  path: string,
): boolean {
  return matcherOf(instructionFiles)(path) || isOffered(path, skillFolders);
}

/** Folders are null if unknown: then each SKILL.md counts. */
function isOffered(path: string, folders: readonly string[] | null): boolean {
  const [, folder] = /^(?:(.*)\/)?[^/]+\/SKILL\.md$/.exec(path) ?? [];
  return folder !== undefined && (folders?.includes(folder) ?? true);
}

/** Agents offer the name and the description, which are nearly all of it. */
function frontMatter(text: string): string {
  return /^---\r?\n([\s\S]*?)\r?\n---/.exec(text)?.[1] ?? '';
}
