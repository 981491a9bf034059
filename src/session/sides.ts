import { join, posix } from 'node:path';
import { LLMEVAL_FILE, SETTINGS_FILE } from '../config/settings.ts';
import { UserError, problem } from '../errors.ts';
import type { Repository } from '../git/repository.ts';
import type { Folder } from '../git/tree.ts';
import { firstWords } from '../text/amounts.ts';
import type { Notice, Side } from '../types/plain.ts';
import type { ChangedFile, EventFacts, SourceTree } from '../types/repository.ts';
import { entryAt } from './safe-writing.ts';

interface SidesRequest {
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
  /** What is to be said of the sides themselves; absent: nothing. */
  notices?: Notice[];
}

/**
 * The two commits of a run as trees. Base is where head branched off (the merge base), as in the
 * pull request's own view; for unrelated histories, and what a push replaced, it is the commit itself.
 */
export async function findSides(repository: Repository, request: SidesRequest): Promise<Sides> {
  const { facts, workingDirectory, mode } = request;
  const [headCommit, tip] = await together(
    () => headOf(repository, request),
    async () => (mode === 'sweep' ? null : baseOf(repository, request)),
  );
  if (tip === null)
    return { base: null, head: await headTree(repository, headCommit, request), changed: [] };
  const isPush = facts.event === 'push' && facts.base !== null && request.base === null;
  const commit = isPush ? tip : ((await repository.mergeBase(tip, headCommit)) ?? tip);
  const [head, base] = await together(
    () => headTree(repository, headCommit, request),
    () => baseTree(repository, commit, request),
  );
  const changed = await repository.changedFiles(commit, head, workingDirectory);
  return { base, head, changed, notices: await movedProject(repository, base, head, request) };
}

const hasSettings = ({ files }: SourceTree): boolean =>
  [SETTINGS_FILE, LLMEVAL_FILE].some((name) => files.has(name));

/**
 * A project that base does not have looks like a first one. Where head lacks one that base has
 * elsewhere, it may be that one, which is compared with nothing.
 */
async function movedProject(
  repository: Repository,
  base: SourceTree,
  head: SourceTree,
  { workingDirectory }: Place,
): Promise<Notice[]> {
  if (hasSettings(base) || !hasSettings(head)) return [];
  const { root, below } = repository.workTree;
  // A repository may be too large to be listed as a whole.
  const files = await repository.tree(base.commit, root).then(
    (tree) => tree.files,
    (error: unknown) => {
      if (error instanceof UserError) return new Map<string, never>();
      throw error;
    },
  );
  const known = [...files.keys()].filter((path) =>
    [SETTINGS_FILE, LLMEVAL_FILE].includes(posix.basename(path)),
  );
  const left = await goneFrom(repository, head, known);
  const folder = posix.join(below, workingDirectory);
  return left.length === 0
    ? []
    : [
        {
          kind: 'not-comparable',
          place: null,
          message: `Base has no project ${folder === '.' ? 'at the root' : `in ${folder}`}, and head lacks base's ${firstWords(left)}: if the project moved, nothing of it was compared; move it in a change of its own`,
        },
      ];
}

/**
 * Those of base's files that head has not. On disk each is looked for by itself: to take the whole
 * work tree could fail for a file that is none of the project's.
 */
async function goneFrom(
  repository: Repository,
  { commit }: SourceTree,
  paths: readonly string[],
): Promise<string[]> {
  if (paths.length === 0) return [];
  const { root } = repository.workTree;
  const files = commit === WORKTREE ? null : (await repository.tree(commit, root)).files;
  const isThere = await Promise.all(
    paths.map(async (path) =>
      files === null ? (await entryAt(join(root, path))) !== null : files.has(path),
    ),
  );
  return paths.filter((_, i) => isThere[i] === false);
}

/** The project's folder, as a path inside a commit's tree. */
type Place = Pick<SidesRequest, 'workingDirectory'>;

/** A project that is not there at head judges nothing, and is never taken for one without change. */
async function headTree(
  repository: Repository,
  commit: string,
  { workingDirectory }: Place,
): Promise<SourceTree> {
  const folder = await repository.folder(commit, workingDirectory);
  if (folder.kind !== 'folder') throw notProject(folder, 'head', commit);
  return repository.tree(commit, workingDirectory);
}

/** A project that base does not have is new; anything else in its place is not a project. */
async function baseTree(
  repository: Repository,
  commit: string,
  { workingDirectory }: Place,
): Promise<SourceTree> {
  const folder = await repository.folder(commit, workingDirectory);
  if (folder.kind !== 'folder' && folder.kind !== 'missing')
    throw notProject(folder, 'base', commit);
  return repository.tree(commit, workingDirectory);
}

function notProject(
  { kind, at }: Exclude<Folder, { kind: 'folder' }>,
  side: Side,
  commit: string,
): UserError {
  const where = `at ${side} (${commit.slice(0, 7)})`;
  return new UserError([
    problem(
      null,
      kind === 'missing'
        ? `The project's folder ${at} does not exist ${where}. If it was moved, name its new place (working-directory); if it was removed, remove what evaluates it.`
        : `The project's folder is not one ${where}: ${at} is a ${kind}. Only folders of the commit itself are read: put one there, or name another (working-directory).`,
    ),
  ]);
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
    if (facts.event === 'push') return defaultTip(repository, facts);
    throw new UserError([
      problem(null, `${facts.event} names no commit to compare with; set the input base`),
    ]);
  }
  await repository.ensureCommit(facts.base, { side: 'base' });
  return facts.base;
}

/**
 * The tip of the default branch, from which a branch or tag came that was not there before this
 * push; null: it is that branch, or there is none yet.
 */
async function defaultTip(
  repository: Repository,
  { defaultBranch, headBranch }: EventFacts,
): Promise<string | null> {
  if (defaultBranch === undefined || defaultBranch === headBranch) return null;
  try {
    return await repository.resolve(`refs/heads/${defaultBranch}`);
  } catch (error) {
    if (error instanceof UserError) return null;
    throw error;
  }
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
      before: await baseTree(repository, (await repository.mergeBase(tip, headCommit)) ?? tip, {
        workingDirectory,
      }),
      headCommit,
    };
  };
  const [{ before, headCommit }, files] = await together(branchedOff, async () =>
    onDisk ? repository.worktree(workingDirectory) : null,
  );
  const tree = files ?? (await headTree(repository, headCommit, { workingDirectory }));
  return {
    base: before,
    head: tree,
    changed: await repository.changedFiles(before.commit, tree, workingDirectory),
    notices: await movedProject(repository, before, tree, { workingDirectory }),
  };
}

/**
 * Both at once: each waits for one git after the other, and what both lack is fetched together. Only when both have ended is one's
 * failure told, the first's before the second's.
 */
async function together<A, B>(first: () => Promise<A>, second: () => Promise<B>): Promise<[A, B]> {
  const pair = [first(), second()] as const;
  await Promise.allSettled(pair);
  return Promise.all(pair);
}
