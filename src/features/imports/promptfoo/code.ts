import { changeFunction } from '../../../metrics/transform.ts';
import type { CodeLanguage, Json, JsonMap } from '../../../types/plain.ts';
import { refuse } from '../shared/node.ts';
import type { AssertionContext, GivenAssertion, NamedFile } from '../shared/text-assertions.ts';
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
  /** The body of a function that changes the answer first. Null: none. */
  change: string | null;
}

/** The code of a metric, with what the wrapping code needs to know as JSON in `$given`. */
type Wrap = (check: CodeCheck, form: 'inline' | 'file', exported?: string | null) => string;

const givenJson = ({ source: _, change: __, ...given }: CodeCheck): string => JSON.stringify(given);

/** Adds only one line before the user's code. */
export const javascriptMetric: Wrap = (check, form, exported = null) =>
  [
    `const $given = ${givenJson(check)}; ${JAVASCRIPT_CONTEXT}`,
    form === 'file' ? fileCall(check.source, exported) : inlineCall(check.source),
    ...(check.change === null ? [] : [changeFunction(check.change)]),
    JAVASCRIPT_VERDICT.replace('$check($answer(), $context)', (call) =>
      check.change === null
        ? call
        : '$change($answer(), $context).then((changed) => $check(changed, $context))',
    ),
  ].join('\n');

const JAVASCRIPT_CONTEXT = `const $vars = { ...input, ...$given.unlike }; \
for (const name of $given.structured) { try { $vars[name] = JSON.parse($vars[name]); } \
catch { /* plain text in this reference */ } } const $context = { vars: $vars, \
prompt: prompt.replace(/^user: /, ""), test: { vars: $vars }, config: $given.config };`;

/** The threshold applies only to a number. If the check returns an object, its `pass` decides. */
const JAVASCRIPT_VERDICT = `
const $judge = ($value) => {
  const $said = typeof $value === "object" && $value !== null ? $value : null;
  const $fits = $said === null ? ["boolean", "number"].includes(typeof $value) :
    typeof $said.pass === "boolean" && typeof $said.score === "number" &&
    typeof $said.reason === "string";
  if (!$fits) throw new TypeError("the check must give true, false, a number, or " +
    "{ pass, score, reason }" + (typeof $value === "function" ? "; it gives a function that is " +
    "never called: write only the body of the arrow function, or call it: " +
    "(…)(output, context)" : ""));
  const { threshold, negate } = $given;
  const $passes = $said !== null ? $said.pass : typeof $value !== "number" ? $value :
    threshold === null ? $value > 0 : $value >= threshold;
  const $score = $said !== null ? $said.score : Number($value);
  return { metric: Number.isFinite($score) ? $score : String($score), reason: $said?.reason,
    result: $passes !== negate };
};
const $answer = () => {
  try { return $given.asData ? JSON.parse(actual) : actual; } catch { return actual; }
};
const $value = $check($answer(), $context);
const $judged = $value instanceof Promise ? $value.then($judge) : $judge($value);
const $part = (name) =>
  $judged instanceof Promise ? $judged.then((judged) => judged[name]) : $judged[name];
metric = $part("metric");
reason = $part("reason");
result = $part("result");
`;

/** `path` is one of the modules of the check. */
function fileCall(path: string, exported: string | null): string {
  const named = JSON.stringify(exported ?? 'default');
  return `const $check = async (...given) => {
const module = await import(${JSON.stringify(path)});
const own = module.default?.default ?? module.default;
const check = [module[${named}], own?.[${named}], own, module].find((one) => typeof one === "function");
return check(...given); };`;
}

/** Code of one line returns the value of its last statement. Longer code contains a `return`. */
function inlineCall(source: string): string {
  const code = source.trimEnd();
  const body = code.includes('\n') ? code : withReturn(code.trim().replace(/;+\s*$/, ''));
  return `const $check = function (output, context) {\n${body}\n};`;
}

function withReturn(line: string): string {
  if (!/^(?:const|let|var)\s/.test(line)) return `return ${line}`;
  const withoutTexts = line.replace(/\\.|(['"`])(?:\\.|(?!\1)[^\\])*(?:\1|$)/g, (text) =>
    ' '.repeat(text.length),
  );
  const end = withoutTexts.lastIndexOf(';') + 1;
  const last = line.slice(end).trim();
  return end === 0 || last === '' ? line : `${line.slice(0, end)} return ${last}`;
}

/** Checks are expressions, code with `return`, or functions such as `get_assert`. */
export const pythonMetric: Wrap = (check, form, called = null) =>
  [
    // The user's code comes first, because `from __future__` must be at the top.
    form === 'file'
      ? `${check.source.trimEnd()}\n_check = ${called ?? 'get_assert'}`
      : `import json\ndef _check(output, context):\n${indentedBody(check.source)}`,
    `import json as _json\n_given = _json.loads(${JSON.stringify(givenJson(check))})`,
    PYTHON_VERDICT,
  ].join('\n');

/** If the check returns text such as "True", it counts as a boolean. */
const PYTHON_VERDICT = `
_vars = {**input, **_given["unlike"]}
for _name in _given["structured"]:
    try:
        _vars[_name] = _json.loads(_vars[_name])
    except (KeyError, TypeError, ValueError):
        pass
_asked = prompt[6:] if prompt.startswith("user: ") else prompt
_context = {"vars": _vars, "prompt": _asked, "test": {"vars": _vars}}
if "config" in _given:
    _context["config"] = _given["config"]
_answer = actual
if _given["asData"]:
    try:
        _answer = _json.loads(actual)
    except ValueError:
        pass
_value = _check(_answer, _context)
if isinstance(_value, str) and _value.lower() in ("true", "false"):
    _value = _value.lower() == "true"
elif isinstance(_value, str):
    _value = _json.loads(_value) if _value.startswith("{") else float(_value)
_said = _value if isinstance(_value, dict) else None
_pass = _value if _said is None else _said.get("pass", _said.get("pass_"))
_score = _value if _said is None else _said.get("score")
_fits = isinstance(_value, (bool, int, float)) and _value == _value if _said is None else (
    isinstance(_pass, bool) and isinstance(_score, (int, float)) and not isinstance(_score, bool)
    and isinstance(_said.get("reason"), str))
if not _fits:
    raise TypeError("the check must give True, False, a number, or {pass, score, reason}")
_bound = _given["threshold"]
_reaches = _score > 0 if _bound is None else _score >= _bound
metric = float(_score)
reason = None if _said is None else _said.get("reason")
_passes = _pass if isinstance(_pass, bool) else _reaches
if _said is not None and _bound is not None:
    _passes = _passes and _reaches
result = _passes != _given["negate"]
`;

function indentedBody(source: string): string {
  const body = source.trim().includes('\n')
    ? source.replace(/\s+$/, '').replace(/^\n+/, '')
    : `return ${source.trim()}`;
  return body.replace(/^(?=.)/gm, '    ');
}

/** The body of a function of `output` and `context` that runs the transforms one after the other. */
export function changeBody({
  transforms,
  asData,
}: Pick<AssertionContext, 'transforms' | 'asData'>): string {
  const steps = transforms.map((step) => {
    if (typeof step !== 'string' || step.startsWith('file://'))
      return refuse('its transform is not JavaScript in this file');
    const why = javascriptProblem(step);
    return why === null ? step : refuse(`in its transform, ${why}`);
  });
  const [first = ''] = steps;
  if (steps.length === 1 && !asData) return first;
  const parse = 'try { output = JSON.parse(output); } catch { /* plain text */ }';
  const calls = steps.map(
    (step) =>
      `output = await (async function () {\n${step.includes('\n') ? step : `return ${step}`}\n})();`,
  );
  return [...(asData ? [parse] : []), ...calls, 'return output;'].join('\n');
}

const CODE_CHECKS = {
  javascript: {
    wrap: javascriptMetric,
    problem: javascriptProblem,
    file: /^file:\/\/(.+\.[cm]?[jt]s)(?::([A-Za-z_$][\w$]*))?$/,
  },
  python: {
    wrap: pythonMetric,
    problem: pythonProblem,
    file: /^file:\/\/(.+\.py)(?::([A-Za-z_]\w*))?$/,
  },
};

export const codeAssertion =
  (language: CodeLanguage) =>
  (
    { value, threshold, negate, config }: GivenAssertion,
    { structured, unlike, asData, fileAt, transforms }: AssertionContext,
  ): JsonMap => {
    if (typeof value !== 'string' || value.trim() === '') return refuse('its value is not code');
    const { source, form, exported, modules } = readCode(value, language, fileAt);
    const change = changeFor(language, transforms);
    const check = { source, threshold, negate, structured, unlike, asData, config, change };
    const code = CODE_CHECKS[language].wrap(check, form, exported);
    return { language, code, ...(modules && { modules }) };
  };

/** The source is the path of the first module, if there are modules. */
function readCode(value: string, language: CodeLanguage, fileAt: AssertionContext['fileAt']) {
  const { problem, file } = CODE_CHECKS[language];
  const isFile = value.trim().startsWith('file://');
  const [, path = '', exported = null] = file.exec(value.trim()) ?? [];
  const found: Pick<NamedFile, 'text' | 'modules'> | null = isFile ? fileAt(path) : { text: value };
  if (found === null)
    return refuse(
      `${value} cannot be read; only .js, .cjs, .mjs, .ts and .py files of the repository are`,
    );
  const modules = found.modules?.();
  if (modules === undefined) refuseIf(problem(found.text, isFile ? path : null));
  const [source = found.text] = Object.keys(modules ?? {});
  return { source, form: isFile ? ('file' as const) : ('inline' as const), exported, modules };
}

function refuseIf(why: string | null): void {
  if (why !== null) refuse(why);
}

function changeFor(language: CodeLanguage, transforms: AssertionContext['transforms']) {
  if (transforms.length === 0) return null;
  return language === 'python'
    ? refuse('a transform in JavaScript cannot change the answer of a check in Python')
    : changeBody({ transforms, asData: false });
}
