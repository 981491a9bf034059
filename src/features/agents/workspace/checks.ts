import { join } from 'node:path';
import type { Check, CheckResult } from '../suite/spec.ts';
import type { Change } from './changes.ts';
import type { WorkspaceFiles } from './files.ts';
import { giveToAgent, isBelowFolders, placeFile, removeEntry } from './folders.ts';
import { openWorkspace, type Workspace, type WorkspaceOptions } from './open.ts';
import { runInside } from './run.ts';

interface CheckOptions extends Omit<WorkspaceOptions, 'home' | 'canary'> {
  /** Whether to ignore the agent's change to a path. */
  isSuiteFile(path: string): boolean;
  seconds: number;
}

const MAX_CHECK_CHARS = 20_000;

export async function runChecks(
  files: WorkspaceFiles,
  changes: readonly Change[],
  checks: readonly Check[],
  options: CheckOptions,
): Promise<CheckResult[]> {
  const { isSuiteFile, seconds, signal } = options;
  const allowed = changes.filter(({ left, path }) => left === null && !isSuiteFile(path));
  const done: CheckResult[] = [];
  for (const { name, run } of checks) {
    const workspace = await openWorkspace(files, { ...options, home: {}, canary: null });
    try {
      await applyChanges(workspace, allowed);
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
  return done;
}

/** Deletions come first, because a file may become a folder. */
async function applyChanges(
  { own: { work }, kind }: Workspace,
  changes: readonly Change[],
): Promise<void> {
  for (const { path } of changes)
    if (await isBelowFolders(work, path)) await removeEntry(join(work, path));
  for (const { path, mode, body } of changes) {
    if (body === null || mode === null || !(await isBelowFolders(work, path))) continue;
    const at = join(work, path);
    await removeEntry(at);
    await placeFile(at, { mode, body });
  }
  await giveToAgent(work, kind);
}
