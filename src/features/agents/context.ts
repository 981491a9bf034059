import { posix } from 'node:path';
import { estimateTokens } from '../../text/estimated-tokens.ts';
import type { SourceTree } from '../../types/repository.ts';
import type { AgentRow } from './rows/agent-row.ts';
import { agentRow } from './rows/index.ts';
import { matcherOf, placeFiles } from './suite/rules.ts';
import type { AgentName, AgentSpec } from './suite/spec.ts';
import { followLinks } from './workspace/links.ts';

/** The files and links of a workspace. */
interface ContextSource {
  paths: Iterable<string>;
  isLink(path: string): boolean;
  /** For links, reads the target. */
  read(path: string): Promise<string>;
}

interface AgentContext {
  tokens: number;
  files: string[];
}

/** Agents whose instruction files may import others with `@path`. */
const IMPORTING: readonly AgentName[] = ['claude-code', 'gemini-cli'];

/** How deep they import, by their documentation. */
const MOST_IMPORTS = 5;

/** What every call contains: instruction files with their imports, and descriptions of skills. */
export async function loadedContext(
  { name, instructionFiles, skillFolders }: AgentRow,
  source: ContextSource,
): Promise<AgentContext> {
  const files = await linkedFiles(source);
  const isInstruction = matcherOf(instructionFiles);
  const loaded = new Map<string, string>();
  const load = async (file: string, level: number) => {
    if (loaded.has(file)) return;
    const text = await source.read(file);
    loaded.set(file, text);
    if (!IMPORTING.includes(name) || level === MOST_IMPORTS) return;
    for (const written of importsIn(text)) {
      const found = files.get(posix.join(posix.dirname(file), written));
      if (found !== undefined) await load(found, level + 1);
    }
  };
  for (const [path, file] of files) if (isInstruction(path)) await load(file, 0);
  for (const [path, file] of files)
    if (isOffered(path, skillFolders) && !loaded.has(file))
      loaded.set(file, frontMatter(await source.read(file)));
  const tokens = [...loaded.values()].map((text) => Math.ceil(estimateTokens(text)));
  return { tokens: tokens.reduce((sum, own) => sum + own, 0), files: [...loaded.keys()] };
}

/** Maps every path that a link gives a file to this file. */
async function linkedFiles({ paths, isLink, read }: ContextSource): Promise<Map<string, string>> {
  const all = [...paths];
  const links = all.filter(isLink).map(async (path) => [path, await read(path)] as const);
  const targets = new Map(await Promise.all(links));
  const regular = all.filter((path) => !targets.has(path));
  const files = new Map(regular.map((path) => [path, path]));
  for (const link of targets.keys()) {
    const reached = followLinks(link, (path) => targets.get(path) ?? null);
    const found =
      reached === null ? [] : regular.filter((path) => `${path}/`.startsWith(`${reached}/`));
    for (const path of found) files.set(`${link}${path.slice(reached?.length)}`, path);
  }
  return files;
}

function importsIn(text: string): string[] {
  const prose = text.replace(/^(```|~~~)[\s\S]*?^\1/gm, '').replace(/`[^`\n]*`/g, '');
  return [...prose.matchAll(/(?:^|\s)@(\S+)/g)].map(([, written = '']) => written);
}

/** If `folders` is null (unknown), the agent may see every SKILL.md. */
function isOffered(path: string, folders: readonly string[] | null): boolean {
  const [, folder] = /^(?:(.*)\/)?[^/]+\/SKILL\.md$/.exec(path) ?? [];
  return folder !== undefined && (folders?.includes(folder) ?? true);
}

function frontMatter(text: string): string {
  return /^---\r?\n([\s\S]*?)\r?\n---/.exec(text)?.[1] ?? '';
}

/** The start of a field, which may be a block (`>`, `|`). Many descriptions are not valid YAML. */
export function skillField(text: string, key: 'name' | 'description'): string {
  const field = new RegExp(`^${key}: *(?:[>|][-+\\d]*\\s+)?["']?(.*?)["']?\\s*$`, 'm');
  return field.exec(frontMatter(text))?.[1] ?? '';
}

/** `files`: paths in the repository. */
export async function contextIn(
  tree: SourceTree,
  { agent, workspace }: Pick<AgentSpec, 'agent' | 'workspace'>,
): Promise<AgentContext> {
  const isLink = (path: string) => tree.irregular.get(path) === 'symbolic link';
  const links = [...tree.irregular.keys()].filter(isLink);
  const placed = placeFiles([...tree.files.keys(), ...links], workspace);
  const from = (at: string) => placed.get(at) ?? at;
  const context = await loadedContext(agentRow(agent), {
    paths: placed.keys(),
    isLink: (at) => isLink(from(at)),
    read: async (at) =>
      isLink(from(at))
        ? ((await tree.readLink?.(from(at))) ?? '')
        : new TextDecoder().decode(await tree.read(from(at))),
  });
  return { ...context, files: context.files.map(from) };
}
