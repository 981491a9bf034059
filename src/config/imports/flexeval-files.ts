import { type Document, type Path, valueAt } from '../../documents/document.ts';
import { folderOf, isPlainRelative, join } from '../../documents/paths.ts';
import { problem } from '../../errors.ts';
import type { BuiltInMetrics } from '../../suite/metrics.ts';
import { isMap, type Json, type Place, type Problem } from '../../types/plain.ts';
import { leftOut, type Imported } from './draft.ts';

export interface FlexEvalContext {
  builtIns: BuiltInMetrics;
  /** Why a path names no file of this commit, or null. */
  absence(path: string): string | null;
  /** The text of a file of this commit; null: it cannot be read, which is told. */
  text(path: string): Promise<string | null>;
}

/** A Python file of the user's own functions. */
export interface FunctionModule {
  file: string;
  source: string;
}

export function listAt(document: Document, path: Path): { path: Path; value: Json }[] {
  const list = valueAt(document.value, path);
  return (Array.isArray(list) ? list : []).map((value, index) => ({
    path: [...path, index],
    value,
  }));
}

export interface EvalContext extends FlexEvalContext {
  modules: readonly FunctionModule[];
  imported: Imported;
  unique(wanted: string): string;
  problems: Problem[];
}

/** A data source as a file of ours; null where it is none that can be read, which is said. */
export function dataFile(
  document: Document,
  { path, value }: { path: Path; value: Json },
  { imported: { left }, absence, problems }: EvalContext,
): { file: string; place: Place } | null {
  const place = document.placeOf(path);
  const source = isMap(value) ? value : { path: value };
  const type = source['type'] ?? 'file';
  const [format, file] = [source['format'] ?? 'jsonl', source['path']];
  if (type !== 'file' || typeof file !== 'string') {
    left.push(
      leftOut(
        place,
        'a data source',
        type === 'iterable'
          ? 'it holds its dialogues itself; write them as references'
          : type === 'named'
            ? "it is looked up in FlexEval's database"
            : 'it names no file',
      ),
    );
    return null;
  }
  if (format !== 'jsonl' || /\.(?:db|sqlite3?)$/.test(file)) {
    left.push(
      leftOut(
        place,
        `the data ${file.slice(0, 200)}`,
        'a database of LangGraph is not read; export its dialogues as JSONL',
      ),
    );
    return null;
  }
  const found = locateFile(file, document.file, absence);
  if ('message' in found) problems.push(problem(place, found.message));
  return 'message' in found ? null : { file: found.file, place };
}

/**
 * FlexEval's paths are relative to where it is started, mostly the root; older files' to the file.
 */
export function locateFile(
  path: string,
  from: string,
  absence: FlexEvalContext['absence'],
): { file: string } | { message: string } {
  const plain = path.replace(/^\.\//, '');
  const candidates = isPlainRelative(plain)
    ? [join('', plain), join(folderOf(from), plain)].filter((each) => each !== null)
    : [];
  const file = candidates.find((each) => absence(each) === null);
  if (file !== undefined) return { file };
  const [first] = candidates;
  return {
    message:
      first === undefined
        ? `${path.slice(0, 100)} must be a relative path inside the repository`
        : `${first} ${absence(first) ?? ''}`,
  };
}

export function rubricFiles(
  document: Document,
  { absence }: FlexEvalContext,
  problems: Problem[],
): { file: string; place: Place }[] {
  return listAt(document, ['rubric_paths']).flatMap(({ path, value }) => {
    const place = document.placeOf(path);
    const found =
      typeof value === 'string'
        ? locateFile(value, document.file, absence)
        : { message: 'rubric_paths must be a list of files' };
    if ('message' in found) problems.push(problem(place, found.message));
    return 'message' in found ? [] : [{ file: found.file, place }];
  });
}
