import type { DecidedRun } from '../../app/run/feature.ts';
import { allTries } from '../../kernel/result/counts.ts';
import { firstWords } from '../../text/amounts.ts';
import type { Part } from '../../types/answer.ts';
import type { Notice } from '../../types/plain.ts';
import type { SourceTree } from '../../types/repository.ts';
import { instructionMatcher } from './instructions.ts';
import { placeFiles } from './suite/rules.ts';
import { factsIn, type WorkspaceRules } from './suite/spec.ts';

/** Shorter lines may occur in other texts by chance. */
const MIN_LINE = 8;

/** For each changed instruction file, a line that only this side's version has. */
export type OwnLines = ReadonlyMap<string, string>;

export async function ownLines(commit: string, trees: readonly SourceTree[]): Promise<OwnLines> {
  const own = trees.find((tree) => tree.commit === commit);
  const other = trees.find((tree) => tree.commit !== commit);
  if (own === undefined || other === undefined) return new Map();
  const linesIn = async ({ files, read }: SourceTree, path: string) => {
    const text = files.has(path) ? new TextDecoder().decode(await read(path)) : '';
    return text.split('\n').map((line) => line.trim());
  };
  const changed = [...own.files].filter(([path, { id }]) => id !== other.files.get(path)?.id);
  const paths = changed.map(([path]) => path).filter(instructionMatcher(trees));
  const found = paths.map(async (path) => {
    const others = new Set(await linesIn(other, path));
    const fresh = (await linesIn(own, path)).filter((line) => !others.has(line));
    return [path, fresh.reduce((a, b) => (b.length > a.length ? b : a), '')] as const;
  });
  return new Map((await Promise.all(found)).filter(([, line]) => line.length >= MIN_LINE));
}

/** Which of the workspace's changed instruction files have reached the model. */
export function watchReading(lines: OwnLines, rules: WorkspaceRules) {
  const held = [...placeFiles(lines.keys(), rules).values()];
  const read: Record<string, boolean> = Object.fromEntries(held.map((path) => [path, false]));
  return {
    read,
    /** @param body the JSON of a model call */
    sees(body: string) {
      for (const path of held)
        read[path] ||= body.includes(JSON.stringify(lines.get(path)).slice(1, -1));
    },
  };
}

/** Names the changed instruction files of workspaces that no run read. */
export function unreadNotices({ rows }: DecidedRun): Notice[] {
  const tries = allTries(rows.map(({ result }) => result));
  const found = tries.flatMap(({ parts }) =>
    Object.entries(factsIn({ parts: (parts ?? []) as Part[] })?.read ?? {}),
  );
  const read = new Set(found.flatMap(([path, isRead]) => (isRead ? path : [])));
  const unread = new Set(found.flatMap(([path]) => (read.has(path) ? [] : path)));
  if (unread.size === 0) return [];
  const message = `no run read ${firstWords([...unread])}, so the tests say nothing about its change`;
  return [{ kind: 'unused', place: null, message }];
}
