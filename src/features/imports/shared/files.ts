import type { FormatTools } from '../../../config/formats.ts';
import { readRows } from '../../../documents/dataset.ts';
import type { Files } from '../../../documents/files.ts';
import {
  compileGlob,
  globProblem,
  isPlainRelative,
  join,
  slashHint,
} from '../../../documents/paths.ts';
import { problem } from '../../../errors.ts';
import type { Place, Problem } from '../../../types/plain.ts';
import type { Imported } from './draft.ts';
import { Node, readEach } from './node.ts';

export type ImportFiles = ReturnType<typeof importFiles>;

export interface ImportContext extends Omit<FormatTools, 'files'> {
  files: ImportFiles;
  root: Node;
  imported: Imported;
}

const MAX_LOST_ROWS = 5;

export const importedText = (content: Uint8Array): string =>
  new TextDecoder().decode(content).replaceAll('\r\n', '\n');

/** Reports missing files at the line that names them. */
export function importFiles(files: Files, folder: string, problems: Problem[]) {
  const find = (path: string, from: Place, beside = folder): string[] => {
    const refuse = (message: string): string[] => {
      problems.push(problem(from, message));
      return [];
    };
    const plain = path.replace(/^file:\/\//, '').replace(/^\.\//, '');
    const target = isPlainRelative(plain) ? join(beside, plain) : null;
    if (target === null || globProblem(target) !== null)
      return refuse(
        `${path.slice(0, 100)} must be a relative path inside the repository${slashHint(plain)}`,
      );
    if (compileGlob(target).exact) {
      const absence = files.absence(target);
      return absence === null ? [target] : refuse(`${target} ${absence}`);
    }
    const found = files.match([target], () => from, problems).matches.map(({ file }) => file);
    return found.length === 0 ? refuse(`${target} matches no file`) : found;
  };
  const contents = (path: string, from: Place) =>
    readEach(find(path, from), async (file) => {
      const read = await files.data(file, null, problems);
      return read === null ? [] : [read];
    });
  return {
    /** Sorted. */
    paths: find,
    texts: async (path: string, from: Place) =>
      (await contents(path, from)).map(({ file, content }) => ({
        file,
        text: importedText(content),
      })),
    /** The roots of YAML and JSON files. */
    nodes: (path: string, { place, losses }: Node, beside?: string): Promise<Node[]> =>
      readEach(find(path, place, beside), async (file) => {
        const document = await files.document(file, problems);
        return document === null ? [] : [new Node(document, losses)];
      }),
    /** The text of a file of the repository. Null if it cannot be read. */
    textAt: async (path: string) => {
      const read = files.absence(path) === null ? await files.data(path, null, problems) : null;
      return read && importedText(read.content);
    },
    exists: (path: string) => files.absence(path) === null,
    /** A few broken rows are lost, if others can be read. */
    rows: async (path: string, from: Place, lost: (place: Place, why: string) => unknown) =>
      (await contents(path, from)).flatMap(({ file, content }) => {
        const found: Problem[] = [];
        const rows = readRows(file, content, found);
        const isFew = rows.length > 0 && found.length <= MAX_LOST_ROWS;
        for (const each of found)
          if (isFew && each.place !== null) lost(each.place, each.message);
          else problems.push(each);
        return rows.map((row) => ({ file, ...row }));
      }),
  };
}
