import { join, posix } from 'node:path';
import { LLMEVAL_FILE, SETTINGS_FILE } from '../../config/file-names.ts';
import type { Repository } from '../../edges/git/repository.ts';
import type { Folder } from '../../edges/git/tree.ts';
import { UserError, userError } from '../../errors.ts';
import { firstWords } from '../../text/amounts.ts';
import type { Notice, Side } from '../../types/plain.ts';
import type { ChangedFile, SourceTree } from '../../types/repository.ts';
import { runBoth, type CommitsRequest, type RunCommits } from './commits.ts';
import { entryAt } from './safe-writing.ts';

export interface Sides {
  base: SourceTree | null;
  head: SourceTree;
  changed?: ChangedFile[];
  /** The base branch's tip. For a push, the commit that it replaced. */
  baseTip?: string | null;
  mergeBase?: string | null;
  /** Null if the tip has the same files as base. */
  tip?: SourceTree | null;
  description?: string | undefined;
  notices?: Notice[];
}

/** For unrelated histories and for pushes, base is the given commit, not the merge base. */
export async function findSides(
  repository: Repository,
  { head: headCommit, baseTip, notices }: RunCommits,
  { facts, base: named, workingDirectory: folder }: CommitsRequest & { workingDirectory: string },
): Promise<Sides> {
  const readHead = (): Promise<SourceTree> => treeOf('head', repository, headCommit, folder);
  if (baseTip === null) return { base: null, head: await readHead() };
  const isPush = facts.event === 'push' && facts.base !== null && named === null;
  const compared = isPush
    ? { baseTip, mergeBase: null, notices: [] }
    : await comparedWith(repository, baseTip, headCommit);
  const found = { ...compared, notices: [...notices, ...compared.notices] };
  return sidesOf(repository, found, folder, readHead);
}

async function sidesOf(
  repository: Repository,
  compared: BaseCommits,
  folder: string,
  readHead: () => Promise<SourceTree>,
): Promise<Sides> {
  const commit = compared.mergeBase ?? compared.baseTip;
  const [head, base] = await runBoth(readHead, () => treeOf('base', repository, commit, folder));
  const changed = await repository.changedFiles(commit, head, folder);
  const moved = await movedProject(repository, base, head, folder);
  const tip = await tipTree(repository, base, compared, folder);
  return { ...compared, base, tip, head, changed, notices: [...compared.notices, ...moved] };
}

interface BaseCommits {
  baseTip: string;
  mergeBase: string | null;
  notices: Notice[];
}

async function comparedWith(
  repository: Repository,
  baseTip: string,
  head: string,
): Promise<BaseCommits> {
  const mergeBase = await repository.mergeBase(baseTip, head);
  const message =
    `Base (${baseTip.slice(0, 7)}) and head (${head.slice(0, 7)}) have no common history, so ` +
    "base's last commit is compared: everything that differs counts as head's change.";
  const notices: Notice[] = mergeBase === null ? [{ kind: 'settings', place: null, message }] : [];
  return { baseTip, mergeBase, notices };
}

const hasSettings = ({ files }: SourceTree): boolean =>
  [SETTINGS_FILE, LLMEVAL_FILE].some((name) => files.has(name));

/** Warns if the project may have moved. A moved project looks new, so it is not compared. */
async function movedProject(
  repository: Repository,
  base: SourceTree,
  head: SourceTree,
  workingDirectory: string,
): Promise<Notice[]> {
  if (hasSettings(base) || !hasSettings(head)) return [];
  const { root, below } = repository.workTree;
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
  if (left.length === 0) return [];
  const folder = posix.join(below, workingDirectory);
  const message =
    `Base has no project ${folder === '.' ? 'at the root' : `in ${folder}`}, and head lacks ` +
    `base's ${firstWords(left)}: if the project moved, it was not compared; move it in a ` +
    'separate change';
  return [{ kind: 'not-comparable', place: null, message }];
}

/**
 * Checks uncommitted files one by one, because reading the whole work tree may fail on a file
 * outside the project.
 */
async function goneFrom(
  repository: Repository,
  { commit }: SourceTree,
  paths: readonly string[],
): Promise<string[]> {
  if (paths.length === 0) return [];
  const { root } = repository.workTree;
  const files = commit === WORKTREE ? null : (await repository.tree(commit, root)).files;
  if (files !== null) return paths.filter((path) => !files.has(path));
  const found = await Promise.all(
    paths.map(async (path) => ((await entryAt(join(root, path))) === null ? path : [])),
  );
  return found.flat();
}

/** @throws UserError if head lacks the folder, because the project would then look unchanged. */
async function treeOf(
  side: Side,
  repository: Repository,
  commit: string,
  workingDirectory: string,
): Promise<SourceTree> {
  const folder = await repository.folder(commit, workingDirectory);
  const isMissing = side === 'base' && folder.kind === 'missing';
  if (folder.kind !== 'folder' && !isMissing) throw notProject(folder, side, commit);
  return repository.tree(commit, workingDirectory);
}

async function tipTree(
  repository: Repository,
  base: SourceTree,
  { baseTip, mergeBase }: Omit<BaseCommits, 'notices'>,
  folder: string,
): Promise<SourceTree | null> {
  if (mergeBase === null || mergeBase === baseTip) return null;
  const tip = await treeOf('base', repository, baseTip, folder);
  const paths = new Set([...tip.files.keys(), ...base.files.keys()]);
  const differs = [...paths].some((path) => tip.files.get(path)?.id !== base.files.get(path)?.id);
  return differs ? tip : null;
}

function notProject(
  { kind, at }: Exclude<Folder, { kind: 'folder' }>,
  side: Side,
  commit: string,
): UserError {
  const where = `at ${side} (${commit.slice(0, 7)})`;
  return userError(
    null,
    kind === 'missing'
      ? `The project's folder ${at} does not exist ${where}. If it was moved, set ` +
          'working-directory to its new path; if it was removed, remove the step that evaluates it.'
      : `The project's folder is not a folder ${where}: ${at} is a ${kind}, which evaldiff does ` +
          'not follow. Replace it with a folder, or set working-directory to another folder.',
  );
}

/** The commit id of uncommitted files. */
export const WORKTREE = 'worktree';

interface LocalRequest {
  workingDirectory: string;
  /** If null, uses the base that the CI names, or else the default branch. */
  base: string | null;
  head: string;
  env: NodeJS.ProcessEnv;
}

export async function findLocalSides(
  repository: Repository,
  { base, head, env, workingDirectory: folder }: LocalRequest,
): Promise<Sides> {
  const onDisk = head === WORKTREE;
  const findBase = async (): Promise<BaseCommits & { headCommit: string }> => {
    const [headCommit, baseTip] = await runBoth(
      () => repository.resolve(onDisk ? 'HEAD' : head),
      async () => repository.resolve(base ?? (await defaultBase(repository, env))),
    );
    return { ...(await comparedWith(repository, baseTip, headCommit)), headCommit };
  };
  const [{ headCommit, ...compared }, files] = await runBoth(findBase, async () =>
    onDisk ? repository.worktree(folder) : null,
  );
  const readHead = async (): Promise<SourceTree> =>
    files ?? treeOf('head', repository, headCommit, folder);
  return sidesOf(repository, compared, folder, readHead);
}

async function defaultBase(repository: Repository, env: NodeJS.ProcessEnv): Promise<string> {
  const found = await repository.defaultBase(env);
  if (found !== null) return found;
  const message =
    'There is no base to compare with: this clone has no main or master, and no remote that ' +
    'names a default branch. Name the base: --base <branch or commit>; --base HEAD compares ' +
    'uncommitted files with the last commit.';
  throw userError(null, message);
}
