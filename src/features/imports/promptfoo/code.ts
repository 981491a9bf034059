import type { Json, JsonMap } from '../../../types/plain.ts';
import type { Convert } from '../shared/text-assertions.ts';
import { javascriptProblem, pythonProblem } from './foreign-code.ts';

export interface CodeCheck {
  source: string;
  threshold: number | null;
  negate: boolean;
  /** Variables that are maps or lists in promptfoo, but JSON text in evaldiff. */
  structured: readonly string[];
  /** Variables that have a different value in promptfoo's checks. */
  unlike: JsonMap;
  asData: boolean;
  config: Json | undefined;
}

/** Adds only one line before the user's code. */
export function javascriptMetric(
  check: CodeCheck,
  form: 'inline' | 'file',
  exported: string | null = null,
): string {
  const { source, structured, unlike, config } = check;
  const context =
    '{ vars: $vars, prompt: prompt.replace(/^user: /, ""), test: { vars: $vars }' +
    (config === undefined ? ' }' : `, config: ${JSON.stringify(config)} }`);
  const input = Object.keys(unlike).length === 0 ? 'input' : `input, ...${JSON.stringify(unlike)}`;
  const vars =
    structured.length === 0
      ? `const $vars = { ...${input} };`
      : `const $vars = { ...${input} }; for (const name of ${JSON.stringify(structured)}) { ` +
        'try { $vars[name] = JSON.parse($vars[name]); } ' +
        'catch { /* plain text in this reference */ } }';
  const call =
    form === 'file'
      ? fileCall(source, exported)
      : [`const $check = function (output, context) {`, functionBody(source), '};'];
  return [`${vars} const $context = ${context};`, ...call, ...javascriptVerdict(check), ''].join(
    '\n',
  );
}

function fileCall(source: string, exported: string | null): string[] {
  const commonJs = source
    .replace(/^export\s+default\s+/m, 'module.exports.default = ')
    .replace(/^export\s*\{([^}]*)\}\s*;?/gm, (_, names: string) => exportsOf(names))
    .replace(/^export\s+(?=(?:const|let|var|function|async|class)\b)/gm, '');
  const named = exported === null ? null : JSON.stringify(exported);
  const pick =
    named === null
      ? 'typeof module.exports === "function" ? module.exports : module.exports.default'
      : `[module.exports[${named}], typeof ${exported ?? ''} === "function" ? ` +
        `${exported ?? ''} : undefined, module.exports.default?.[${named}], ` +
        'module.exports.default, module.exports].find((one) => typeof one === "function")';
  return [
    'const $check = (function (module, exports) {',
    commonJs.trimEnd(),
    `return ${pick};`,
    '})(...[{ exports: {} }].flatMap((module) => [module, module.exports]));',
  ];
}

/** Rewrites the exported names `a, b as c` for CommonJS, on one line: `module.exports.a = a; …`. */
function exportsOf(names: string): string {
  return names
    .split(',')
    .map((name) => name.trim().split(/\s+as\s+/))
    .flatMap(([own = '', told = own]) => (own === '' ? [] : [`module.exports.${told} = ${own};`]))
    .join(' ');
}

/** Code of one line returns the value of its last statement. Longer code contains a `return`. */
function functionBody(source: string): string {
  const code = source.trimEnd();
  if (code.includes('\n')) return code;
  const line = code.trim().replace(/;+\s*$/, '');
  if (!/^(?:const|let|var)\s/.test(line)) return `return ${line}`;
  const end = lastStatementEnd(line);
  const last = line.slice(end).trim();
  return end === 0 || last === '' ? line : `${line.slice(0, end)} return ${last}`;
}

function lastStatementEnd(line: string): number {
  let quote = '';
  let end = 0;
  for (let index = 0; index < line.length; index += 1) {
    const char = line.charAt(index);
    if (char === '\\') index += 1;
    else if (quote !== '') quote = char === quote ? '' : quote;
    else if (`'"\``.includes(char)) quote = char;
    else if (char === ';') end = index + 1;
  }
  return end;
}

/** The threshold applies only to a number. If the check returns an object, its `pass` decides. */
function javascriptVerdict({ threshold, negate, asData }: CodeCheck): string[] {
  return [
    'const $judge = ($value) => {',
    '  const $said = typeof $value === "object" && $value !== null ? $value : null;',
    '  if (typeof $value !== "boolean" && typeof $value !== "number" && !($said !== null ' +
      '&& typeof $said.pass === "boolean" && typeof $said.score === "number" && typeof ' +
      '$said.reason === "string")) throw new TypeError("the check must give true, false, a ' +
      'number, or { pass, score, reason }" + (typeof $value === "function" ? "; it gives a ' +
      'function that is never called: write only the body of the arrow function, or call it: ' +
      '(…)(output, context)" : ""));',
    '  const $passes = $said !== null ? $said.pass : typeof $value === "number" ? $value ' +
      `${threshold === null ? '> 0' : `>= ${String(threshold)}`} : $value;`,
    '  const $score = $said !== null ? $said.score : Number($value);',
    '  return { metric: Number.isFinite($score) ? $score : String($score), reason: $said ' +
      `=== null ? undefined : $said.reason, result: ${negate ? '!' : ''}$passes };`,
    '};',
    asData
      ? 'const $value = $check((() => { try { return JSON.parse(actual); } catch { return ' +
        'actual; } })(), $context);'
      : 'const $value = $check(actual, $context);',
    'const $judged = $value instanceof Promise ? $value.then($judge) : $judge($value);',
    'const $part = (name) => $judged instanceof Promise ? $judged.then((judged) => ' +
      'judged[name]) : $judged[name];',
    'metric = $part("metric");',
    'reason = $part("reason");',
    'result = $part("result");',
  ];
}

/** Checks are expressions, code with `return`, or functions such as `get_assert`. */
export function pythonMetric(
  check: CodeCheck,
  form: 'inline' | 'file',
  called: string | null = null,
): string {
  const { source, structured, unlike, threshold, negate, config, asData } = check;
  const name = called ?? 'get_assert';
  // The user's code comes first, because `from __future__` must be at the top.
  const lines =
    form === 'file'
      ? [source.trimEnd(), `_check = ${name}`]
      : ['import json', 'def _check(output, context):', indentedBody(source)];
  const given =
    '{"vars": _vars, "prompt": prompt[6:] if prompt.startswith("user: ") else prompt, ' +
    '"test": {"vars": _vars}' +
    (config === undefined
      ? '}'
      : `, "config": _json.loads(${JSON.stringify(JSON.stringify(config))})}`);
  return [
    ...lines,
    'import json as _json',
    '_vars = dict(input)',
    ...(Object.keys(unlike).length === 0
      ? []
      : [`_vars.update(_json.loads(${JSON.stringify(JSON.stringify(unlike))}))`]),
    ...(structured.length === 0
      ? []
      : [
          `for _name in ${JSON.stringify(structured)}:`,
          '    try:',
          '        _vars[_name] = _json.loads(_vars[_name])',
          '    except (KeyError, TypeError, ValueError):',
          '        pass',
        ]),
    ...(asData
      ? [
          'try:',
          '    _answer = _json.loads(actual)',
          'except ValueError:',
          '    _answer = actual',
          `_value = _check(_answer, ${given})`,
        ]
      : [`_value = _check(actual, ${given})`]),
    ...pythonVerdict(threshold, negate),
    '',
  ].join('\n');
}

/** If the check returns text such as "True", it counts as a boolean. */
function pythonVerdict(threshold: number | null, negate: boolean): string[] {
  const bound = threshold === null ? '> 0' : `>= ${String(threshold)}`;
  return [
    'if isinstance(_value, str) and _value.lower() in ("true", "false"):',
    '    _value = _value.lower() == "true"',
    'elif isinstance(_value, str) and _value.startswith("{"):',
    '    _value = _json.loads(_value)',
    'elif isinstance(_value, str):',
    '    _value = float(_value)',
    '_said = _value if isinstance(_value, dict) else None',
    'if _said is not None:',
    '    _pass = _said.get("pass", _said.get("pass_"))',
    '    _score = _said.get("score")',
    'else:',
    '    _pass, _score = _value, _value',
    '_fits = isinstance(_pass, bool) and isinstance(_score, (int, float)) and not ' +
      'isinstance(_score, bool) and isinstance(_said.get("reason"), str) if _said is not ' +
      'None else isinstance(_value, (bool, int, float)) and _value == _value',
    'if not _fits:',
    '    raise TypeError("the check must give True, False, a number, or {pass, score, reason}")',
    'metric = float(_score)',
    'reason = None if _said is None else _said.get("reason")',
    `result = ${negate ? 'not ' : ''}(_pass if isinstance(_pass, bool) else _score ${bound})`,
    ...(threshold === null
      ? []
      : [
          `if _said is not None and _score < ${String(threshold)}:`,
          `    result = ${negate ? 'True' : 'False'}`,
        ]),
  ];
}

function indentedBody(source: string): string {
  const body = source.trim().includes('\n')
    ? source.replace(/\s+$/, '').replace(/^\n+/, '')
    : `return ${source.trim()}`;
  return body
    .split('\n')
    .map((line) => (line === '' ? '' : `    ${line}`))
    .join('\n');
}

export function codeAssertion(language: 'javascript' | 'python'): Convert {
  const wrap = language === 'javascript' ? javascriptMetric : pythonMetric;
  const problemOf = language === 'javascript' ? javascriptProblem : pythonProblem;
  return ({ value, threshold, negate, config }, { structured, unlike, asData, textOf }) => {
    if (typeof value !== 'string' || value.trim() === '') return 'its value is not code';
    const file = codeFilePath(value, language);
    const source = file === null ? value : textOf(file.path);
    if (source === null)
      return `${value} cannot be read; only .js, .cjs, .mjs and .py files of the repository are`;
    const problem = problemOf(source, file?.path ?? null);
    if (problem !== null) return problem;
    const check: CodeCheck = { source, threshold, negate, structured, unlike, asData, config };
    const code = file === null ? wrap(check, 'inline') : wrap(check, 'file', file.exported);
    return { language, code };
  };
}

function codeFilePath(
  value: string,
  language: 'javascript' | 'python',
): { path: string; exported: string | null } | null {
  if (!value.trim().startsWith('file://')) return null;
  const [, path, exported] =
    (language === 'javascript'
      ? /^file:\/\/(.+\.[cm]?js)(?::([A-Za-z_$][\w$]*))?$/
      : /^file:\/\/(.+\.py)(?::([A-Za-z_]\w*))?$/
    ).exec(value.trim()) ?? [];
  return { path: path ?? '', exported: exported ?? null };
}
