import { join } from 'node:path';
import { matcherOf } from '../suite/rules.ts';
import type { Check, CheckResult } from '../suite/spec.ts';
import type { Change } from './changes.ts';
import type { WorkspaceFiles } from './files.ts';
import { giveToAgent, isBelowFolders, placeFile, removeEntry } from './folders.ts';
import { openWorkspace, type Workspace, type WorkspaceOptions } from './open.ts';
import { runInside } from './run.ts';

interface CheckOptions extends Omit<WorkspaceOptions, 'home' | 'canary'> {
  /** The suite's own files. The agent's changes to them are ignored. */
  guard: readonly string[];
  seconds: number;
}

const MAX_CHECK_CHARS = 20_000;

/**
 * Runs each command without network, in a fresh copy of the workspace with the agent's changes.
 * `ignored`: changes that were not applied.
 */
export async function runChecks(
  files: WorkspaceFiles,
  changes: readonly Change[],
  checks: readonly Check[],
  options: CheckOptions,
): Promise<{ checks: CheckResult[]; ignored: string[] }> {
  const { guard, seconds, signal } = options;
  const done: CheckResult[] = [];
  const ignored = new Set<string>();
  for (const { name, run } of checks) {
    const workspace = await openWorkspace(files, { ...options, home: {}, canary: null });
    try {
      for (const path of await applyChanges(workspace, changes, guard)) ignored.add(path);
      const job = { command: ['/bin/sh', '-c', run], env: {}, gateway: null, seconds, signal };
      const { code, ended, stdout, stderr } = await runInside(
        { ...workspace, network: 'off' },
        job,
      );
      const output = `${stdout}${stderr}`.slice(-MAX_CHECK_CHARS);
      done.push({ name, code, output, ...(ended === 'time' ? { timedOut: true } : {}) });
    } finally {
      await workspace.close();
    }
  }
  return { checks: done, ignored: [...ignored].sort() };
}

/** Deletions come first, because a file may become a folder. */
async function applyChanges(
  { own: { work }, kind }: Workspace,
  changes: readonly Change[],
  guard: readonly string[],
): Promise<string[]> {
  const isGuarded = matcherOf(guard);
  const wanted = changes.filter(({ left, path }) => left === null && !isGuarded(path));
  const ignored = changes.filter((change) => !wanted.includes(change)).map(({ path }) => path);
  for (const { path } of wanted)
    if (await isBelowFolders(work, path)) await removeEntry(join(work, path));
  for (const { path, mode, body } of wanted) {
    if (body === null || mode === null) continue;
    const at = join(work, path);
    if (await isBelowFolders(work, path)) {
      await removeEntry(at);
      if (await placeFile(at, { mode, body })) continue;
    }
    ignored.push(path);
  }
  await giveToAgent(work, kind);
  return ignored;
}
