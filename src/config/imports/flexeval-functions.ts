import { type Document, type Path } from '../../documents/document.ts';
import { problem } from '../../errors.ts';
import type { JsonMap, Problem } from '../../types/plain.ts';
import { leftOut, type Loss } from './draft.ts';
import { listAt, locateFile, type FlexEvalContext, type FunctionModule } from './flexeval-files.ts';

/** The files of `function_modules`, in the order in which a function is looked for. */
export async function functionModules(
  document: Document,
  { absence, text }: FlexEvalContext,
  left: Loss[],
  problems: Problem[],
): Promise<FunctionModule[]> {
  const found = await Promise.all(
    moduleEntries(document).map(async ({ path, value }): Promise<FunctionModule[]> => {
      const place = document.placeOf(path);
      if (typeof value !== 'string') {
        left.push(leftOut(place, 'a function module', 'it is no file of Python'));
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

function moduleEntries(document: Document): { path: Path; value: unknown }[] {
  return [['function_modules'], ['eval', 'function_modules']].flatMap((path) =>
    listAt(document, path),
  );
}

/** The first module that defines a function of this name at its top. */
export function definedIn(name: string, modules: readonly FunctionModule[]): FunctionModule | null {
  if (!/^[A-Za-z_]\w*$/.test(name)) return null;
  const definition = new RegExp(`^def[ \\t]+${name}[ \\t]*\\(`, 'm');
  return modules.find(({ source }) => definition.test(source)) ?? null;
}

/**
 * A function as a code metric: the module's own lines, which keep their numbers, and behind them
 * the call. What it is given follows from the hint of its first parameter, as FlexEval has it: text,
 * a list of messages, a tool call, or an object with the same names.
 */
export function functionMetric(
  { source }: FunctionModule,
  name: string,
  given: JsonMap,
): { language: 'python'; code: string } {
  const code = [
    source.trimEnd(),
    'import inspect as _inspect, json as _json, types as _types',
    'def _subject(_hint):',
    '    _messages = dialogue["messages"]',
    '    if "str" in _hint: return "\\n".join(_one["content"] for _one in _messages)',
    '    if "list" in _hint.lower(): return _messages',
    '    if "dict" in _hint.lower(): return (dialogue["tool_calls"] or [{}])[0]',
    '    _objects = [_types.SimpleNamespace(**_one) for _one in _messages]',
    '    _calls = [_types.SimpleNamespace(function_name=_one["name"], args=_one["arguments"]) for _one in dialogue["tool_calls"]]',
    '    return _types.SimpleNamespace(role=_messages[-1]["role"] if _messages else None, content="\\n".join(_one["content"] for _one in _messages), messages=_objects, toolcalls=_calls, metadata=dialogue["metadata"], get_content=lambda: _messages, get_context=lambda: dialogue["before"])',
    `_first = next(iter(_inspect.signature(${name}).parameters.values()), None)`,
    '_note = None if _first is None or _first.annotation is _inspect.Parameter.empty else _first.annotation',
    '_hint = "" if _note is None else _note if isinstance(_note, str) else getattr(_note, "__name__", "") + " " + str(_note)',
    `metric = ${name}(_subject(_hint), **_json.loads(${JSON.stringify(JSON.stringify(given))}))`,
    'if not isinstance(metric, (bool, int, float, dict, list)):',
    `    raise TypeError(${JSON.stringify(`${name} must give a number, a map or a list of names and values`)})`,
    'result = True',
    '',
  ].join('\n');
  return { language: 'python', code };
}
