import { dataUri } from '../../edges/providers/vendors/files.ts';
import type { Result } from '../../kernel/result/result.ts';
import { MAX_EMBEDDED_BYTES } from '../../types/answer.ts';
import type { SourceTree } from '../../types/repository.ts';
import type { Session } from './session.ts';
import { WORKTREE } from './sides.ts';

/** Returns data URIs by object id. Large and missing images are omitted. */
export async function shownImages(
  { suites, base, head }: Result,
  { repository, workingDirectory }: Pick<Session, 'repository' | 'workingDirectory'>,
): Promise<Map<string, string>> {
  const files = suites.flatMap(({ references }) =>
    references.flatMap(({ files: own = [] }) => own),
  );
  const wanted = files.filter(({ type, bytes }) => type === 'image' && bytes <= MAX_EMBEDDED_BYTES);
  const images = new Map<string, string>();
  if (wanted.length === 0) return images;
  const commits = [head.sha, ...(base === null ? [] : [base.sha])];
  const trees = await Promise.all(
    commits.map((commit): Promise<SourceTree> =>
      commit === WORKTREE
        ? repository.worktree(workingDirectory)
        : repository.tree(commit, workingDirectory),
    ),
  );
  for (const file of wanted) {
    const tree = trees.find(({ files }) => files.get(file.path)?.id === file.id);
    if (tree === undefined || images.has(file.id)) continue;
    const content = await tree.read(file.path);
    images.set(file.id, dataUri(file, Buffer.from(content).toString('base64')));
  }
  return images;
}
