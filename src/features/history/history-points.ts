import { countsForVerdict } from '../../kernel/result/counts.ts';
import type { Result } from '../../kernel/result/result.ts';
import { shortSha } from '../../report/sections/phrases.ts';
import { headRate } from '../../report/sections/tables.ts';
import { counted, firstWords } from '../../text/amounts.ts';
import { byCodeUnits } from '../../text/order.ts';
import type { HistoryPoint } from './report.ts';

export interface SavedResult {
  file: string;
  writtenAt: string;
  result: Result;
}

/** The tip and its first parents. Commits that came with a merge are not on the branch. */
export interface Branch {
  name: string;
  commits: ReadonlyMap<string, { behind: number; at: string }>;
  /** Whether the clone is shallow. Older commits may then be missing. */
  shallow: boolean;
}

type LeftOutReason = 'comparison' | 'not judged' | 'working tree' | 'not on the branch';

export interface History {
  points: HistoryPoint[];
  left: { file: string; sha: string; why: LeftOutReason }[];
}

/** Omits comparisons, because they run only what changed. */
export function historyOf(saved: readonly SavedResult[], branch: Branch | null): History {
  const judged = saved.map((file) => ({
    ...file,
    why: leftOutReason(file, branch),
    state: branch?.commits.get(file.result.head.sha),
  }));
  const kept = judged.filter(({ why }) => why === null);
  const ordered = [...kept].sort(
    (a, b) =>
      (b.state?.behind ?? 0) - (a.state?.behind ?? 0) ||
      byCodeUnits(a.writtenAt, b.writtenAt) ||
      byCodeUnits(a.file, b.file),
  );
  return {
    points: ordered.map((saved) => pointOf(saved, saved.state?.at ?? saved.writtenAt)),
    left: judged.flatMap(({ file, result, why }) =>
      why === null ? [] : [{ file, sha: result.head.sha, why }],
    ),
  };
}

function leftOutReason(
  {
    result: {
      mode,
      suites,
      head: { sha },
    },
  }: SavedResult,
  branch: Branch | null,
): LeftOutReason | null {
  if (suites.length === 0) return 'not judged';
  if (mode === 'diff') return 'comparison';
  if (branch === null || branch.commits.has(sha)) return null;
  return sha === 'worktree' ? 'working tree' : 'not on the branch';
}

function pointOf({ file, result: { head, suites } }: SavedResult, at: string): HistoryPoint {
  return {
    file,
    sha: head.sha,
    at,
    suites: suites.map((suite) => {
      const { rate, interval } = headRate(suite);
      const references = suite.references.filter(
        (reference) => countsForVerdict(reference) && (reference.head?.tries_judged ?? 0) > 0,
      ).length;
      return {
        path: suite.path,
        name: suite.name,
        variant: suite.variant,
        pass_rate: rate,
        low: interval?.low ?? null,
        high: interval?.high ?? null,
        references,
      };
    }),
  };
}

const MAX_FILES_PER_REASON = 5;

export function historyNotes({ left }: History, branch: Branch | null): string[] {
  const name = branch?.name ?? '';
  const words: Record<LeftOutReason, string> = {
    comparison: 'from comparisons, which run only affected tests',
    'not judged': 'in which nothing was judged',
    'working tree': 'of uncommitted files',
    'not on the branch': `of commits that are not on ${name}`,
  };
  const notes = (Object.keys(words) as LeftOutReason[]).flatMap((why) => {
    const found = left.filter((entry) => entry.why === why);
    if (found.length === 0) return [];
    const files = firstWords(
      found.map(({ file, sha }) => `${file} (${shortSha(sha)})`),
      MAX_FILES_PER_REASON,
    );
    return [`Left out: ${counted(found.length, 'result')} ${words[why]}: ${files}.`];
  });
  if (branch === null) return [...notes, 'Not a git repository: results are sorted by file time.'];
  const cut = branch.shallow && left.some(({ why }) => why === 'not on the branch');
  return cut
    ? [
        ...notes,
        `This clone lacks ${name}'s older commits, so older results may be left out. ` +
          `Run git fetch --unshallow.`,
      ]
    : notes;
}
