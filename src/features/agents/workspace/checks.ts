import { isBelow } from '../../../documents/paths.ts';
import type { CheckResult } from '../../../wording/agent-runs.ts';
import type { Change } from './changes.ts';
import type { WorkspaceFile, WorkspaceFiles } from './files.ts';
import { linkTarget, type DiskEntry } from './layers.ts';
import { followLinks } from './links.ts';
import { foldersAbove, openWorkspace, type Edits, type WorkspaceOptions } from './open.ts';
import { runInside } from './run.ts';

interface CheckOptions extends Omit<WorkspaceOptions, 'home' | 'canary' | 'edits'> {
  agents: AgentTree;
  seconds: number;
}

interface AgentTree {
  changes: readonly Change[];
  /** Whether the agent's workspace had the path at the end. */
  isShown(path: string): boolean;
  /** Whether to ignore the agent's change to a path. */
  isSuiteFile(path: string): boolean;
}

const MAX_CHECK_CHARS = 20_000;

export async function runChecks(
  files: WorkspaceFiles,
  checks: readonly string[],
  { agents, seconds, ...options }: CheckOptions,
): Promise<CheckResult[]> {
  const { signal } = options;
  const edits: WorkspaceOptions['edits'] = (entries) => cleanEdits(agents, entries);
  const done: CheckResult[] = [];
  for (const name of checks) {
    const workspace = await openWorkspace(files, { ...options, home: {}, canary: null, edits });
    try {
      const job = { command: ['/bin/sh', '-c', name], env: {}, gateway: null, seconds, signal };
      const { code, ended, stdout, stderr } = await runInside(
        { ...workspace, network: 'off' },
        job,
      );
      const output = `${stdout}${stderr}`.slice(-MAX_CHECK_CHARS);
      done.push({ name, code, output, ...(ended === 'time' && { timedOut: true }) });
    } finally {
      await workspace.close();
    }
  }
  return done;
}

/**
 * The agent's changes to the clean tree of checks, which has the entries. Omits changes to the
 * suite's files, and links that reach anything that the agent was not shown.
 */
export function cleanEdits(
  { changes, isShown, isSuiteFile }: AgentTree,
  entries: ReadonlyMap<string, DiskEntry>,
): Edits {
  const allowed = changes.filter(({ left, path }) => left === null && !isSuiteFile(path));
  const deleted = new Set(
    allowed.flatMap(({ kind, path }) => (kind === 'deleted' && entries.has(path) ? path : [])),
  );
  const kept = [...entries.keys()].filter((path) => !deleted.has(path));
  const files = new Set(kept);
  const folders = foldersAbove(kept);
  const isBlocked = (path: string): boolean =>
    folders.has(path) || [...foldersAbove([path])].some((step) => files.has(step));
  const written = new Map<string, WorkspaceFile>();
  for (const { path, mode, body } of allowed)
    if (mode !== null && body !== null && !isBlocked(path)) written.set(path, { mode, body });
  const linkAt = (path: string): string | null => {
    const { mode, body = '' } = written.get(path) ?? {};
    if (mode === undefined) return files.has(path) ? linkTarget(entries.get(path)) : null;
    return mode === '120000' ? Buffer.from(body).toString() : null;
  };
  const all = [...new Set([...kept, ...written.keys()])];
  const isAllShown = (reached: string): boolean => {
    const found = all.filter((path) => path === reached || isBelow(path, reached));
    return found.length > 0 && found.every((path) => isShown(path) && !isSuiteFile(path));
  };
  for (const [path, { mode }] of written) {
    const reached = mode === '120000' ? followLinks(path, linkAt) : path;
    if (reached === null || (mode === '120000' && !isAllShown(reached))) written.delete(path);
  }
  return { deleted, written };
}
