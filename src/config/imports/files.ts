import { problem } from '../../errors.ts';
import type { Place, Problem } from '../../types.ts';
import { readRows, type Row } from '../dataset.ts';
import type { Document } from '../document.ts';
import type { Files } from '../files.ts';
import type { Limits } from '../limits.ts';
import { compileGlob, folderOf, globProblem, isPlainRelative, join } from '../paths.ts';

/**
 * The files beside an imported one, found as the other tool finds them: relative to the file that
 * names them.
 */
export interface ImportFiles {
  /** The texts of a path or pattern, in the order of their names; empty when there are none. */
  texts(path: string, from: Place): Promise<{ file: string; text: string }[]>;
  /** YAML or JSON documents of a path or pattern. Syntax errors are the user's to mend. */
  documents(path: string, from: Place): Promise<Document[]>;
  /** Rows of CSV or JSONL files. */
  rows(path: string, from: Place): Promise<{ file: string; rows: Row[] }[]>;
}

/**
 * The files that another tool's file names, beside it. A path that leads nowhere goes to
 * `problems`, with the place that names it.
 */
export function importFiles(files: Files, limits: Limits, problems: Problem[]): ImportFiles {
  const find = (path: string, from: Place): string[] => {
    const plain = path.replace(/^file:\/\//, '').replace(/^\.\//, '');
    const target = isPlainRelative(plain) ? join(folderOf(from.file), plain) : null;
    if (target === null || globProblem(target) !== null) {
      problems.push(
        problem(from, `${path.slice(0, 100)} must be a relative path inside the repository`),
      );
      return [];
    }
    if (compileGlob(target).exact) {
      const absence = files.absence(target);
      if (absence !== null) problems.push(problem(from, `${target} ${absence}`));
      return absence === null ? [target] : [];
    }
    const found = files.match([target], () => from, problems).matches.map(({ file }) => file);
    if (found.length === 0) problems.push(problem(from, `${target} matches no file`));
    return found;
  };
  const contents = async (
    path: string,
    from: Place,
  ): Promise<{ file: string; content: Uint8Array }[]> => {
    const loaded = await Promise.all(
      find(path, from).map((file) => files.data(file, { file: '', line: 0 }, problems)),
    );
    return loaded.filter((one) => one !== null);
  };
  return {
    texts: async (path, from) =>
      (await contents(path, from)).map(({ file, content }) => ({
        file,
        text: new TextDecoder().decode(content).replaceAll('\r\n', '\n'),
      })),
    documents: async (path, from) =>
      (await Promise.all(find(path, from).map((file) => files.document(file, problems)))).filter(
        (one) => one !== null,
      ),
    rows: async (path, from) =>
      (await contents(path, from)).map(({ file, content }) => ({
        file,
        rows: readRows(file, content, limits, problems),
      })),
  };
}
