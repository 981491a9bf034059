import { filesIn, type FilePart } from '../../types/media.ts';
import type { ReferenceResult } from '../result/reference-result.ts';
import type { AffectedReference } from '../select/affected-suite.ts';

/** The files in the messages of both sides, each once; head's first. */
export function shownFiles({
  base,
  head,
}: Pick<AffectedReference, 'base' | 'head'>): Pick<ReferenceResult, 'files'> {
  const [before, after] = [filesOf(base), filesOf(head)];
  const isCompared = base !== null && head !== null;
  const marked = (files: ReturnType<typeof filesOf>, others: typeof files, side: 'base' | 'head') =>
    [...files].map(([key, file]) => ({
      ...file,
      ...(isCompared && !others.has(key) ? { side } : {}),
    }));
  const own = marked(after, before, 'head');
  const lost = marked(before, after, 'base').filter(({ path, id }) => !after.has(`${id} ${path}`));
  const files = [...own, ...lost];
  return files.length === 0 ? {} : { files };
}

function filesOf(generation: AffectedReference['head']): Map<string, FilePart> {
  const files = generation?.kind === 'request' ? filesIn(generation.messages) : [];
  return new Map(files.map((file) => [`${file.id} ${file.path}`, file]));
}
