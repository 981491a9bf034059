import { UserError, problem } from '../errors.ts';
import type { Repository } from '../git/repository.ts';
import type { ChangedFile, EventFacts, SourceTree } from '../types/repository.ts';

export interface SidesRequest {
  /** Revs given by a person; null: the event's. */
  base: string | null;
  head: string | null;
  facts: EventFacts;
  workingDirectory: string;
  mode: 'diff' | 'sweep';
}

export interface Sides {
  /** Null for a sweep, and for a push that has nothing before it. */
  base: SourceTree | null;
  head: SourceTree;
  changed: ChangedFile[];
}

/**
 * The two commits of a run as trees. Base is where head branched off (the merge base), as in the
 * pull request's own view; for unrelated histories and pushes it is the commit itself.
 */
export async function findSides(repository: Repository, request: SidesRequest): Promise<Sides> {
  const { facts, workingDirectory, mode } = request;
  const headCommit = await headOf(repository, request);
  const tip = mode === 'sweep' ? null : await baseOf(repository, request);
  if (tip === null)
    return { base: null, head: await repository.tree(headCommit, workingDirectory), changed: [] };
  const isPush = facts.event === 'push' && request.base === null;
  const commit = isPush ? tip : ((await repository.mergeBase(tip, headCommit)) ?? tip);
  const [head, base] = await together(
    () => repository.tree(headCommit, workingDirectory),
    () => repository.tree(commit, workingDirectory),
  );
  return { base, head, changed: await repository.changedFiles(commit, head, workingDirectory) };
}

async function headOf(repository: Repository, { head, facts }: SidesRequest): Promise<string> {
  if (head !== null) return repository.resolve(head);
  if (facts.head === null) return repository.resolve('HEAD');
  await repository.ensureCommit(facts.head, {
    side: 'head',
    refs: facts.pullRequest === null ? [] : [`refs/pull/${String(facts.pullRequest)}/head`],
  });
  return facts.head;
}

async function baseOf(
  repository: Repository,
  { base, facts }: SidesRequest,
): Promise<string | null> {
  if (base !== null) return repository.resolve(base);
  if (facts.base === null) {
    if (facts.event === 'push') return null;
    throw new UserError([
      problem(null, `${facts.event} names no commit to compare with; set the input base`),
    ]);
  }
  await repository.ensureCommit(facts.base, { side: 'base' });
  return facts.base;
}

/** The uncommitted files, as a rev that a person can name. */
export const WORKTREE = 'worktree';

/**
 * The two sides for a terminal: where head left base (null: `main`, else the default branch), and
 * the uncommitted files or a commit. No remote is needed.
 */
export async function findLocalSides(
  repository: Repository,
  { base, head, workingDirectory }: { base: string | null; head: string; workingDirectory: string },
): Promise<Sides> {
  const onDisk = head === WORKTREE;
  const branchedOff = async (): Promise<{ before: SourceTree; headCommit: string }> => {
    const [headCommit, tip] = await together(
      () => repository.resolve(onDisk ? 'HEAD' : head),
      async () => repository.resolve(base ?? (await repository.defaultBase()) ?? 'HEAD'),
    );
    return {
      before: await repository.tree(
        (await repository.mergeBase(tip, headCommit)) ?? tip,
        workingDirectory,
      ),
      headCommit,
    };
  };
  const [{ before, headCommit }, files] = await together(branchedOff, async () =>
    onDisk ? repository.worktree(workingDirectory) : null,
  );
  const tree = files ?? (await repository.tree(headCommit, workingDirectory));
  return {
    base: before,
    head: tree,
    changed: await repository.changedFiles(before.commit, tree, workingDirectory),
  };
}

/**
 * Both at once, for each waits for one git after the other. Only when both have ended is one's
 * failure told, the first's before the second's.
 */
async function together<A, B>(first: () => Promise<A>, second: () => Promise<B>): Promise<[A, B]> {
  const pair = [first(), second()] as const;
  await Promise.allSettled(pair);
  return Promise.all(pair);
}
