import { posix } from 'node:path';
import type { SidesRead } from '../../app/run/feature.ts';
import { estimateTokens } from '../../money/tokens.ts';
import { count, counted } from '../../text/amounts.ts';
import type { Notice } from '../../types/plain.ts';
import type { SourceTree } from '../../types/repository.ts';
import type { AgentRow } from './rows/agent-row.ts';
import { agentRow } from './rows/index.ts';
import { matcherOf, placeFiles } from './suite/rules.ts';
import { specOf, type AgentName, type AgentSpec } from './suite/spec.ts';

/** Paths are those in the workspace. */
export interface ContextSource {
  files: Iterable<string>;
  /** Symbolic links and their targets. */
  links: ReadonlyMap<string, string>;
  read(path: string): Promise<string>;
}

interface AgentContext {
  tokens: number;
  /** Set if the agent may load more than what was found. */
  isLeast: boolean;
  files: string[];
}

/** How deep instruction files may import others with `@path`, by the CLI's documentation. */
const IMPORT_DEPTHS: Readonly<Partial<Record<AgentName, number>>> = {
  'claude-code': 5,
  'gemini-cli': 5,
};

/** What every call contains: instruction files with their imports, and descriptions of skills. */
export async function loadedContext(
  { name, instructionFiles, skillFolders }: AgentRow,
  source: ContextSource,
): Promise<AgentContext> {
  const { files, open } = followLinks(source);
  const isInstruction = matcherOf(instructionFiles);
  const depth = IMPORT_DEPTHS[name] ?? 0;
  const loaded = new Map<string, string>();
  let isLeast = open.some(isInstruction);
  const load = async (path: string, level: number): Promise<void> => {
    const file = files.get(path) ?? '';
    if (loaded.has(file)) return;
    const text = await source.read(file);
    loaded.set(file, text);
    if (depth === 0) return;
    for (const { written, isCertain } of importsIn(text)) {
      const at = [path, file].map((from) => posix.join(posix.dirname(from), written));
      const found = at.find((each) => files.has(each));
      if (found !== undefined && isCertain && level < depth) await load(found, level + 1);
      else if (found !== undefined) isLeast = true;
    }
  };
  for (const path of files.keys()) if (isInstruction(path)) await load(path, 0);
  for (const [path, file] of files)
    if (isOffered(path, skillFolders) && !loaded.has(file))
      loaded.set(file, frontMatter(await source.read(file)));
  const tokens = [...loaded.values()].map((text) => Math.ceil(estimateTokens(text)));
  return { tokens: tokens.reduce((sum, own) => sum + own, 0), isLeast, files: [...loaded.keys()] };
}

/** A longer chain of links is probably a cycle. */
const MOST_LINKS = 8;

/** Maps every path that a link gives a file to this file. `open`: links to nothing. */
function followLinks({ files: paths, links }: ContextSource): {
  files: Map<string, string>;
  open: string[];
} {
  const files = new Map([...paths].map((path) => [path, path]));
  let open = [...links];
  for (let round = 0; round < MOST_LINKS && open.length > 0; round += 1)
    open = open.filter(([link, target]) => {
      const to = posix.normalize(posix.join(posix.dirname(link), target)).replace(/\/$/, '');
      const found = [...files].filter(([path]) => path === to || path.startsWith(`${to}/`));
      for (const [path, file] of found) files.set(`${link}${path.slice(to.length)}`, file);
      return found.length === 0;
    });
  return { files, open: open.map(([link]) => link) };
}

/** An import that ends a sentence is not certain: the CLI may not find the file. */
function importsIn(text: string): { written: string; isCertain: boolean }[] {
  const prose = text.replace(/^(```|~~~)[\s\S]*?^\1/gm, '').replace(/`[^`\n]*`/g, '');
  return [...prose.matchAll(/(?:^|\s)@(\S+)/g)].flatMap(([, written = '']) => {
    const plain = written.replace(/[.,;:!?)]+$/, '');
    return plain === '' ? [] : [{ written: plain, isCertain: plain === written }];
  });
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

export async function contextNotices({ base, head }: SidesRead): Promise<Notice[]> {
  const before = base === null ? new Map<string, AgentContext>() : await contextsOf(base);
  const after = await contextsOf(head);
  return [...after].flatMap(([name, { tokens, isLeast }]): Notice[] => {
    const earlier = before.get(name)?.tokens;
    if (earlier === undefined || earlier === tokens) return [];
    const change =
      tokens > earlier ? `${count(tokens - earlier)} more` : `${count(earlier - tokens)} fewer`;
    const message =
      `${name}: the agent's instructions, which every call contains, take ` +
      `${isLeast ? 'at least ' : ''}about ${counted(tokens, 'token')}, ${change} than on base`;
    return [{ kind: 'settings', place: null, message }];
  });
}

async function contextsOf({
  tree,
  project,
}: SidesRead['head']): Promise<Map<string, AgentContext>> {
  const contexts = new Map<string, AgentContext>();
  for (const { prompt } of project.suites) {
    const spec = specOf(project.settings.models.get(prompt.model ?? '')?.command ?? []);
    if (spec !== null) contexts.set(prompt.name, await contextIn(tree, spec));
  }
  return contexts;
}

/** `files`: paths in the repository. */
export async function contextIn(
  tree: SourceTree,
  { agent, workspace }: Pick<AgentSpec, 'agent' | 'workspace'>,
): Promise<AgentContext> {
  const isLink = (path: string): boolean => tree.irregular.get(path) === 'symbolic link';
  const placed = placeFiles([...tree.files.keys(), ...tree.irregular.keys()], workspace);
  const links = [...placed].flatMap(([at, path]) => (isLink(path) ? [[at, path] as const] : []));
  const targets = links.map(
    async ([at, path]) => [at, (await tree.readLink?.(path)) ?? ''] as const,
  );
  const from = (at: string): string => placed.get(at) ?? at;
  const context = await loadedContext(agentRow(agent), {
    files: [...placed].flatMap(([at, path]) => (tree.files.has(path) ? at : [])),
    links: new Map(await Promise.all(targets)),
    read: async (at) => new TextDecoder().decode(await tree.read(from(at))),
  });
  return { ...context, files: context.files.map(from) };
}
