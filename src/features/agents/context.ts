import type { SidesRead } from '../../app/run/feature.ts';
import { estimateTokens } from '../../money/tokens.ts';
import { count, counted } from '../../text/amounts.ts';
import type { Notice } from '../../types/plain.ts';
import type { AgentRow } from './rows/agent-row.ts';
import { agentRow } from './rows/index.ts';
import { matcherOf, placeFiles } from './suite/rules.ts';
import { specOf } from './suite/spec.ts';

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

export function contextMatcher({
  instructionFiles,
  skillFolders,
}: Pick<AgentRow, 'instructionFiles' | 'skillFolders'>): (path: string) => boolean {
  const isInstruction = matcherOf(instructionFiles);
  return (path) => isInstruction(path) || isOffered(path, skillFolders);
}

/** If `folders` is null (unknown), the agent may see every SKILL.md. */
function isOffered(path: string, folders: readonly string[] | null): boolean {
  const [, folder] = /^(?:(.*)\/)?[^/]+\/SKILL\.md$/.exec(path) ?? [];
  return folder !== undefined && (folders?.includes(folder) ?? true);
}

export function frontMatter(text: string): string {
  return /^---\r?\n([\s\S]*?)\r?\n---/.exec(text)?.[1] ?? '';
}

export async function contextNotices({ base, head }: SidesRead): Promise<Notice[]> {
  const before = base === null ? new Map<string, number>() : await contextsOf(base);
  const after = await contextsOf(head);
  return [...after].flatMap(([name, tokens]): Notice[] => {
    const earlier = before.get(name);
    if (earlier === undefined || earlier === tokens) return [];
    const change =
      tokens > earlier ? `${count(tokens - earlier)} more` : `${count(earlier - tokens)} fewer`;
    const message =
      `${name}: the agent's instructions, which every call contains, take about ` +
      `${counted(tokens, 'token')}, ${change} than on base`;
    return [{ kind: 'settings', place: null, message }];
  });
}

async function contextsOf({ tree, project }: SidesRead['head']): Promise<Map<string, number>> {
  const contexts = new Map<string, number>();
  for (const { prompt } of project.suites) {
    const spec = specOf(project.settings.models.get(prompt.model ?? '')?.command ?? []);
    if (spec === null) continue;
    const row = agentRow(spec.agent);
    const isContext = contextMatcher(row);
    const read = [...placeFiles(tree.files.keys(), spec.workspace)]
      .filter(([at]) => isContext(at))
      .map(async ([at, path]) => [at, new TextDecoder().decode(await tree.read(path))] as const);
    contexts.set(prompt.name, contextTokens(row, new Map(await Promise.all(read))));
  }
  return contexts;
}
