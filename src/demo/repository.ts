import { execFileSync } from 'node:child_process';
import { cpSync } from 'node:fs';
import { join } from 'node:path';

export interface DemoRepository {
  folder: string;
  base: string;
  head: string;
}

/**
 * Makes the demo's history: `main` with the shop's prompts, and a branch on which somebody made
 * them friendlier. Same ids on every run.
 */
export function makeDemoRepository(fixture: string, folder: string): DemoRepository {
  const git = (...args: string[]): string =>
    execFileSync(
      'git',
      [
        '-c',
        'user.name=evaldiff demo',
        '-c',
        'user.email=demo@example.invalid',
        '-c',
        'commit.gpgsign=false',
        '-c',
        'core.autocrlf=false',
        ...args,
      ],
      {
        cwd: folder,
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'pipe'],
        env: { ...process.env, ...DATES },
      },
    ).trim();
  const commit = (from: string, message: string): string => {
    cpSync(join(fixture, from), folder, { recursive: true });
    git('add', '--all');
    git('commit', '--quiet', '--no-verify', '--message', message);
    return git('rev-parse', 'HEAD');
  };
  git('init', '--quiet', '--initial-branch', 'main');
  const base = commit('base', 'Prompts of the shop');
  git('switch', '--quiet', '--create', 'friendlier');
  const head = commit('head', 'Friendlier answers, and a fairer check of summaries');
  return { folder, base, head };
}

const DATES = {
  GIT_AUTHOR_DATE: '2026-01-01T12:00:00Z',
  GIT_COMMITTER_DATE: '2026-01-01T12:00:00Z',
};
