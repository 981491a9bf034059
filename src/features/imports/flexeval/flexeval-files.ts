import { type Document, type Path, valueAt } from '../../../documents/document.ts';
import { folderOf, isPlainRelative, join } from '../../../documents/paths.ts';
import { problem } from '../../../errors.ts';
import type { BuiltInMetrics } from '../../../metrics/definition.ts';
import { isMap, type Json, type Place, type Problem, type JsonMap } from '../../../types/plain.ts';
import { type Imported, type Loss, lose } from '../shared/draft.ts';

export interface FlexEvalContext {
  builtIns: BuiltInMetrics;
  /** Why a path cannot be used; null if it can. */
  absence(path: string): string | null;
  /** Null if unreadable, which is reported. */
  text(path: string): Promise<string | null>;
}

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
    lose(
      left,
      place,
      'a data source',
      type === 'iterable'
        ? 'it holds its dialogues itself; write them as references'
        : type === 'named'
          ? "it is looked up in FlexEval's database"
          : 'it names no file',
    );
    return null;
  }
  if (format !== 'jsonl' || /\.(?:db|sqlite3?)$/.test(file)) {
    lose(
      left,
      place,
      `the data ${file.slice(0, 200)}`,
      'a database of LangGraph is not read; export its dialogues as JSONL',
    );
    return null;
  }
  const found = locateFile(file, document.file, absence);
  if ('message' in found) problems.push(problem(place, found.message));
  return 'message' in found ? null : { file: found.file, place };
}

/** FlexEval resolves paths from its working directory; old files from the file's folder. */
function locateFile(
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

export async function functionModules(
  document: Document,
  { absence, text }: FlexEvalContext,
  left: Loss[],
  problems: Problem[],
): Promise<FunctionModule[]> {
  const paths = [['function_modules'], ['eval', 'function_modules']];
  const entries = paths.flatMap((path) => listAt(document, path));
  const found = await Promise.all(
    entries.map(async ({ path, value }): Promise<FunctionModule[]> => {
      const place = document.placeOf(path);
      if (typeof value !== 'string') {
        lose(left, place, 'a function module', 'it is no file of Python');
        return [];
      }
      const file = locateFile(
        value.endsWith('.py') ? value : `${value.replaceAll('.', '/')}.py`,
        document.file,
        absence,
      );
      if ('message' in file) {
        problems.push(problem(place, file.message));
        return [];
      }
      const source = await text(file.file);
      return source === null ? [] : [{ file: file.file, source }];
    }),
  );
  return found.flat();
}

export function definedIn(name: string, modules: readonly FunctionModule[]): FunctionModule | null {
  if (!/^[A-Za-z_]\w*$/.test(name)) return null;
  const definition = new RegExp(`^def[ \\t]+${name}[ \\t]*\\(`, 'm');
  return modules.find(({ source }) => definition.test(source)) ?? null;
}

/** Keeps line numbers. As in FlexEval, the first parameter's type hint decides the argument. */
export function functionMetric(
  { source }: FunctionModule,
  name: string,
  given: JsonMap,
): { language: 'python'; code: string } {
  const refusal = `${name} must give a number, a map or a list of names and values`;
  const code = [
    source.trimEnd(),
    'import inspect as _inspect, json as _json, types as _types',
    'def _subject(_hint):',
    '    _messages = dialogue["messages"]',
    '    if "str" in _hint: return "\\n".join(_one["content"] for _one in _messages)',
    '    if "list" in _hint.lower(): return _messages',
    '    if "dict" in _hint.lower(): return (dialogue["tool_calls"] or [{}])[0]',
    '    _objects = [_types.SimpleNamespace(**_one) for _one in _messages]',
    '    _calls = [_types.SimpleNamespace(function_name=_one["name"], ' +
      'args=_one["arguments"]) for _one in dialogue["tool_calls"]]',
    '    return _types.SimpleNamespace(role=_messages[-1]["role"] if _messages else None, ' +
      'content="\\n".join(_one["content"] for _one in _messages), messages=_objects, ' +
      'toolcalls=_calls, metadata=dialogue["metadata"], get_content=lambda: _messages, ' +
      'get_context=lambda: dialogue["before"])',
    `_first = next(iter(_inspect.signature(${name}).parameters.values()), None)`,
    '_note = None if _first is None or _first.annotation is _inspect.Parameter.empty else _first.annotation',
    '_hint = "" if _note is None else _note if isinstance(_note, str) else getattr(_note, ' +
      '"__name__", "") + " " + str(_note)',
    `metric = ${name}(_subject(_hint), **_json.loads(${JSON.stringify(JSON.stringify(given))}))`,
    'if not isinstance(metric, (bool, int, float, dict, list)):',
    `    raise TypeError(${JSON.stringify(refusal)})`,
    'result = True',
    '',
  ].join('\n');
  return { language: 'python', code };
}
