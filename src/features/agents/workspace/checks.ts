import { chmod, lstat, mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { trailOf } from '../../../documents/paths.ts';
import { matcherOf } from '../rules.ts';
import type { Check, CheckResult } from '../spec.ts';
import type { Change } from './changes.ts';
import type { WorkspaceFiles } from './files.ts';
import { giveToAgent } from './folders.ts';
import { listEntries } from './list-entries.ts';
import { openWorkspace, type Workspace, type WorkspaceOptions } from './open.ts';
import { runInside } from './run.ts';

interface CheckOptions extends Omit<WorkspaceOptions, 'home' | 'canary'> {
  /** Patterns of the suite's own files. The agent's changes of them do not count. */
  guard: readonly string[];
  /** Of each check. */
  seconds: number;
}

/** Of the end of a check's output. */
const MAX_OUTPUT_CHARS = 20_000;

/**
 * Runs each command in a fresh tree of `files` with the agent's changes, without network. `ignored`:
 * changed paths that the tree did not get.
 */
export async function runChecks(
  files: WorkspaceFiles,
  changes: readonly Change[],
  checks: readonly Check[],
  options: CheckOptions,
): Promise<{ checks: CheckResult[]; ignored: string[] }> {
  const done: CheckResult[] = [];
  const ignored = new Set<string>();
  for (const { name, run } of checks) {
    const workspace = await openWorkspace(files, { ...options, home: {}, canary: null });
    try {
      const applied = await applyChanges(workspace, changes, options.guard);
      for (const path of applied.ignored) ignored.add(path);
      const ended = await runInside(
        { ...workspace, network: 'off' },
        {
          ...{ command: ['/bin/sh', '-c', run], env: {}, gateway: null },
          ...{ seconds: options.seconds, signal: options.signal },
        },
      );
      const output = `${ended.stdout}${ended.stderr}`.slice(-MAX_OUTPUT_CHARS);
      const timedOut = ended.ended === 'time' ? { timedOut: true as const } : {};
      done.push({ name, code: ended.code, output, ...timedOut });
    } finally {
      await workspace.close();
    }
  }
  return { checks: done, ignored: [...ignored].sort() };
}

/** Deletes first, because a file may have become a folder. */
async function applyChanges(
  workspace: Workspace,
  changes: readonly Change[],
  guard: readonly string[],
): Promise<{ ignored: string[] }> {
  const { work } = workspace.own;
  const isGuarded = matcherOf(guard);
  const wanted = changes.filter(({ left, path }) => left === null && !isGuarded(path));
  const ignored = changes.filter((change) => !wanted.includes(change)).map(({ path }) => path);
  for (const { path } of wanted)
    if (await isBelowFolders(work, path)) await removeFile(join(work, path));
  for (const { path, mode, body } of wanted) {
    if (body === null || mode === null) continue;
    const at = join(work, path);
    await removeFile(at);
    if (!(await isBelowFolders(work, path)) || (await isThere(at))) {
      ignored.push(path);
      continue;
    }
    await mkdir(dirname(at), { recursive: true });
    if (mode === '120000') await symlink(Buffer.from(body), at);
    else {
      await writeFile(at, body, { flag: 'wx' });
      await chmod(at, mode === '100755' ? 0o755 : 0o644);
    }
  }
  await giveToAgent(work, workspace.kind);
  return { ignored };
}

/** A folder only if no file is left in it. */
async function removeFile(path: string): Promise<void> {
  const stat = await lstat(path).catch(() => null);
  if (stat === null || (stat.isDirectory() && (await listEntries(path)).size > 0)) return;
  await rm(path, { recursive: true });
}

/** False if writing there would follow a link, which could lead out of the workspace. */
async function isBelowFolders(work: string, path: string): Promise<boolean> {
  for (const step of trailOf(path).slice(0, -1)) {
    const stat = await lstat(join(work, step)).catch(() => null);
    if (stat === null) return true;
    if (!stat.isDirectory()) return false;
  }
  return true;
}

const isThere = (path: string): Promise<boolean> =>
  lstat(path).then(
    () => true,
    () => false,
  );
