import { folderOf, join } from '../../../documents/paths.ts';
import { problem } from '../../../errors.ts';
import type { JsonMap, Place, Problem } from '../../../types/plain.ts';
import type { ImportFiles } from '../shared/files.ts';
import { readEach, readNodes, refuse, type Node } from '../shared/node.ts';

/** Paths are relative to the root. */
export interface FlexEvalFiles extends ImportFiles {
  file: string;
  problems: Problem[];
}

export interface FunctionModule {
  file: string;
  source: string;
}

export interface LocatedFile {
  file: string;
  place: Place;
}

export function dataFiles(source: Node, files: FlexEvalFiles): LocatedFile[] {
  const { value, map } = source;
  const written: JsonMap = typeof value === 'string' ? { path: value } : map;
  const { path, type = 'file', format = 'jsonl' } = written;
  const isRead = type === 'file' && format === 'jsonl' && typeof path === 'string';
  if (isRead && !/\.(?:db|sqlite3?)$/.test(path)) return locateFile(path, source.place, files);
  return source.lose('a data source', 'only JSONL files of the repository are read');
}

/** Paths are relative to FlexEval's working directory, or in older files, to the file itself. */
function locateFile(
  path: string,
  place: Place,
  { file: from, exists, paths }: FlexEvalFiles,
): LocatedFile[] {
  const plain = path.replace(/^\.\//, '');
  const beside = join(folderOf(from), plain);
  const isBeside = beside !== null && !exists(plain) && exists(beside);
  return paths(isBeside ? beside : plain, place).map((file) => ({ file, place }));
}

export function rubricFiles(root: Node, files: FlexEvalFiles): LocatedFile[] {
  const entries = root.at('rubric_paths').items();
  return entries.flatMap(({ value, place }) => {
    if (typeof value === 'string') return locateFile(value, place, files);
    files.problems.push(problem(place, 'rubric_paths must be a list of files'));
    return [];
  });
}

export function functionModules(root: Node, files: FlexEvalFiles): Promise<FunctionModule[]> {
  const entries = [root, root.at('eval')].flatMap((node) => node.at('function_modules').items());
  return readNodes(entries, 'a function module', async ({ value, place }) => {
    if (typeof value !== 'string') return refuse('it is not a Python file');
    const path = value.endsWith('.py') ? value : `${value.replaceAll('.', '/')}.py`;
    return readEach(locateFile(path, place, files), async ({ file }) => {
      const source = await files.textAt(file);
      return source === null ? [] : [{ file, source }];
    });
  });
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
  const parameters = JSON.stringify(JSON.stringify(given));
  const code = `${source.trimEnd()}
${SUBJECT}
_first = next(iter(_inspect.signature(${name}).parameters.values()), None)
metric = ${name}(_subject(_first), **_json.loads(${parameters}))
if not isinstance(metric, (bool, int, float, dict, list)):
    raise TypeError("${name} must give a number, a map or a list of names and values")
result = True
`;
  return { language: 'python', code };
}

const SUBJECT = `import inspect as _inspect, json as _json, types as _types
def _subject(_parameter):
    _messages = dialogue["messages"]
    _note = None if _parameter is None else _parameter.annotation
    _hint = "" if _note in (None, _inspect.Parameter.empty) else _note if isinstance(_note, str) \
else getattr(_note, "__name__", "") + " " + str(_note)
    if "str" in _hint: return "\\n".join(_one["content"] for _one in _messages)
    if "list" in _hint.lower(): return _messages
    if "dict" in _hint.lower(): return (dialogue["tool_calls"] or [{}])[0]
    _objects = [_types.SimpleNamespace(**_one) for _one in _messages]
    _calls = [_types.SimpleNamespace(function_name=_one["name"], args=_one["arguments"]) \
for _one in dialogue["tool_calls"]]
    return _types.SimpleNamespace(role=_messages[-1]["role"] if _messages else None, \
content="\\n".join(_one["content"] for _one in _messages), messages=_objects, toolcalls=_calls, \
metadata=dialogue["metadata"], get_content=lambda: _messages, \
get_context=lambda: dialogue["before"])`;
