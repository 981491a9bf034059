import { folderOf, isPlainRelative, join } from '../../../documents/paths.ts';
import { problem } from '../../../errors.ts';
import type { BuiltInMetrics } from '../../../metrics/definition.ts';
import type { JsonMap, Place, Problem } from '../../../types/plain.ts';
import { type Imported, lose } from '../shared/draft.ts';
import type { Node } from '../shared/node.ts';

export interface FlexEvalContext {
  file: string;
  builtIns: BuiltInMetrics;
  imported: Imported;
  problems: Problem[];
  absence(path: string): string | null;
  text(path: string): Promise<string | null>;
}

export interface FunctionModule {
  file: string;
  source: string;
}

export interface LocatedFile {
  file: string;
  place: Place;
}

export function dataFile(
  { value, map, place }: Node,
  context: FlexEvalContext,
): LocatedFile | null {
  const { left } = context.imported;
  const source = map === value ? map : { path: value };
  const type = source['type'] ?? 'file';
  const [format, file] = [source['format'] ?? 'jsonl', source['path']];
  if (type !== 'file' || typeof file !== 'string') {
    lose(
      left,
      place,
      'a data source',
      type === 'iterable'
        ? 'it contains the dialogues itself; write them as references'
        : type === 'named'
          ? "it is in FlexEval's database"
          : 'it names no file',
    );
    return null;
  }
  if (format !== 'jsonl' || /\.(?:db|sqlite3?)$/.test(file)) {
    lose(
      left,
      place,
      `the data ${file.slice(0, 200)}`,
      'LangGraph databases are not supported; export the dialogues as JSONL',
    );
    return null;
  }
  return locateFile(file, place, context);
}

/** Paths are relative to FlexEval's working directory, or in older files, to the file itself. */
function locateFile(
  path: string,
  place: Place,
  { file: from, absence, problems }: FlexEvalContext,
): LocatedFile | null {
  const plain = path.replace(/^\.\//, '');
  const candidates = isPlainRelative(plain)
    ? [join('', plain), join(folderOf(from), plain)].filter((each) => each !== null)
    : [];
  const file = candidates.find((each) => absence(each) === null);
  if (file !== undefined) return { file, place };
  const [first] = candidates;
  const message =
    first === undefined
      ? `${path.slice(0, 100)} must be a relative path inside the repository`
      : `${first} ${absence(first) ?? ''}`;
  problems.push(problem(place, message));
  return null;
}

export function rubricFiles(root: Node, context: FlexEvalContext): LocatedFile[] {
  return root
    .at('rubric_paths')
    .items()
    .flatMap(({ value, place }) => {
      if (typeof value === 'string') return locateFile(value, place, context) ?? [];
      context.problems.push(problem(place, 'rubric_paths must be a list of files'));
      return [];
    });
}

export async function functionModules(
  root: Node,
  context: FlexEvalContext,
): Promise<FunctionModule[]> {
  const entries = [root, root.at('eval')].flatMap((node) => node.at('function_modules').items());
  const found = entries.map(async ({ value, place }): Promise<FunctionModule[]> => {
    if (typeof value !== 'string') {
      lose(context.imported.left, place, 'a function module', 'it is not a Python file');
      return [];
    }
    const path = value.endsWith('.py') ? value : `${value.replaceAll('.', '/')}.py`;
    const located = locateFile(path, place, context);
    const source = located === null ? null : await context.text(located.file);
    return located === null || source === null ? [] : [{ file: located.file, source }];
  });
  return (await Promise.all(found)).flat();
}

export function findModule(
  name: string,
  modules: readonly FunctionModule[],
): FunctionModule | null {
  if (!/^[A-Za-z_]\w*$/.test(name)) return null;
  const definition = new RegExp(`^def[ \\t]+${name}[ \\t]*\\(`, 'm');
  return modules.find(({ source }) => definition.test(source)) ?? null;
}

/**
 * Keeps the code's line numbers. As in FlexEval, the type of a function's first parameter selects
 * its argument.
 */
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
