import type { Json } from '../../types/plain.ts';

/**
 * A check in code as promptfoo has it: what it is, the bound of its score, and whether it is turned
 * round.
 */
export interface CodeCheck {
  source: string;
  threshold: number | null;
  negate: boolean;
  /** Variables that are maps or lists there and JSON text here. */
  structured: readonly string[];
  config: Json | undefined;
}

/** What code of a checked file may not use, since nothing of it exists where code runs here. */
const OUTSIDE =
  /\brequire\s*\(|^\s*import\s|\bimport\s*\(|\bprocess\.|\bfetch\s*\(|\bawait\b|\basync\b/m;

/** Why JavaScript cannot be run confined, or null. */
export function javascriptProblem(source: string): string | null {
  const found = OUTSIDE.exec(source);
  return found === null
    ? null
    : `it uses ${found[0].trim().replace(/\s*\($/, '')}, and code runs here without files, network, packages and waiting`;
}

/**
 * promptfoo's JavaScript (an expression, a body with `return`, or a file that exports a function)
 * as code of ours, which sets `metric` and `result`. The user's own lines follow a first line of
 * ours.
 */
export function javascriptMetric(
  check: CodeCheck,
  form: 'inline' | 'file',
  exported: string | null = null,
): string {
  const { source, structured, config } = check;
  const context = `{ vars: $vars, prompt${config === undefined ? '' : `, config: ${JSON.stringify(config)}`} }`;
  const vars =
    structured.length === 0
      ? 'const $vars = { ...input };'
      : `const $vars = { ...input }; for (const name of ${JSON.stringify(structured)}) { try { $vars[name] = JSON.parse($vars[name]); } catch { /* plain text in this reference */ } }`;
  const call =
    form === 'file'
      ? fileCall(source, exported)
      : [`const $check = function (output, context) {`, bodyOf(source), '};'];
  return [
    `${vars} const $context = ${context};`,
    ...call,
    `const $value = $check(actual, $context);`,
    ...javascriptVerdict(check),
    '',
  ].join('\n');
}

function fileCall(source: string, exported: string | null): string[] {
  const commonJs = source
    .replace(/^export\s+default\s+/m, 'module.exports = ')
    .replace(/^export\s+(?=(?:const|let|function)\b)/gm, '');
  const pick =
    exported === null
      ? 'typeof module.exports === "function" ? module.exports : module.exports.default'
      : `module.exports[${JSON.stringify(exported)}] ?? (typeof ${exported} === "function" ? ${exported} : undefined)`;
  return [
    'const $check = (function (module, exports) {',
    commonJs.trimEnd(),
    `return ${pick};`,
    '})(...[{ exports: {} }].flatMap((module) => [module, module.exports]));',
  ];
}

/** One line is an expression, several lines are a body; a line that returns is a body too. */
function bodyOf(source: string): string {
  const code = source.trim();
  if (/^return\b|[;{}\n]\s*return\b/.test(code) || (code.includes('\n') && /\breturn\b/.test(code)))
    return code;
  return `return (${code.replace(/;+$/, '')}\n);`;
}

function javascriptVerdict({ threshold, negate }: CodeCheck): string[] {
  const bound = threshold === null ? null : String(threshold);
  return [
    'const $said = typeof $value === "object" && $value !== null ? $value : { pass: $value };',
    'const $score = typeof $said.score === "number" ? $said.score : typeof $said.pass === "number" ? $said.pass : $said.pass === true ? 1 : 0;',
    'if (typeof $said.pass !== "boolean" && typeof $said.pass !== "number") throw new TypeError("the check must give true, false, a number, or { pass, score, reason }");',
    'metric = $score;',
    'reason = $said.reason;',
    `result = ${negate ? '!' : ''}(${bound === null ? '$said.pass === true || (typeof $said.pass === "number" && $said.pass > 0)' : `$score >= ${bound}${' && $said.pass !== false'}`});`,
  ];
}

/**
 * promptfoo's Python (an expression, a body with `return`, or a file with `get_assert`) as code of
 * ours.
 */
export function pythonMetric(
  check: CodeCheck,
  form: 'inline' | 'file',
  called: string | null = null,
): string {
  const { source, structured, threshold, negate, config } = check;
  const name = called ?? 'get_assert';
  const lines =
    form === 'file'
      ? [source.trimEnd(), `_check = ${name}`]
      : ['def _check(output, context):', indented(pythonBody(source))];
  const passed =
    threshold === null
      ? '_pass is True or (not isinstance(_pass, bool) and _pass > 0)'
      : `_score >= ${String(threshold)} and _pass is not False`;
  return [
    'import json as _json',
    ...lines,
    '_vars = dict(input)',
    ...(structured.length === 0
      ? []
      : [
          `for _name in ${JSON.stringify(structured)}:`,
          '    try:',
          '        _vars[_name] = _json.loads(_vars[_name])',
          '    except (KeyError, TypeError, ValueError):',
          '        pass',
        ]),
    `_value = _check(actual, {"vars": _vars, "prompt": prompt${config === undefined ? '' : `, "config": _json.loads(${JSON.stringify(JSON.stringify(config))})`}})`,
    '_said = _value if isinstance(_value, dict) else {"pass": _value}',
    '_pass = _said.get("pass", _said.get("pass_"))',
    'if not isinstance(_pass, (bool, int, float)):',
    '    raise TypeError("the check must give True, False, a number, or {pass, score, reason}")',
    '_score = _said.get("score", _pass)',
    'metric = float(_score)',
    'reason = _said.get("reason")',
    `result = ${negate ? 'not ' : ''}bool(${passed})`,
    '',
  ].join('\n');
}

function pythonBody(source: string): string {
  const code = source.trim();
  return code.includes('\n') || /^return\b/.test(code)
    ? source.replace(/\s+$/, '').replace(/^\n+/, '')
    : `return ${code}`;
}

function indented(code: string): string {
  return code
    .split('\n')
    .map((line) => (line === '' ? '' : `    ${line}`))
    .join('\n');
}
