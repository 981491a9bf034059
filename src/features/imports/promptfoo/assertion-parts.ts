import { readYaml } from '../../../documents/yaml.ts';
import type { Json, JsonMap } from '../../../types/plain.ts';
import { assertionText } from '../shared/templates.ts';
import type { AssertionContext } from '../shared/text-assertions.ts';
import { fillIn } from './templates.ts';

/** For example, returns `checks.py` for `file://checks.py:grade`. Null if there is no path. */
export function pathIn(text: string): string | null {
  return /^file:\/\/(.+?)(?::[A-Za-z_$][\w$]*)?$/.exec(text.trim())?.[1] ?? null;
}

const CODE_PATH = /\.(?:[cm]?[jt]s|py|rb)(?::\w+)?$/i;

type AssertionValue = { ok: true; value: Json | undefined } | { ok: false; why: string };

/** Fills in templates, except in files that the assertion names. */
export function assertionValue(
  written: Json | undefined,
  isCode: boolean,
  context: Pick<AssertionContext, 'vars' | 'textOf'>,
): AssertionValue {
  if (written === undefined || written === null) return { ok: true, value: undefined };
  if (isCode) return { ok: true, value: fillInCode(written, context.vars) };
  if (typeof written === 'string') return textValue(written, context);
  if (!Array.isArray(written)) return { ok: true, value: written };
  const values: Json[] = [];
  for (const member of written) {
    const read = assertionValue(member, false, context);
    if (!read.ok) return read;
    values.push(read.value ?? member);
  }
  return { ok: true, value: values };
}

function textValue(
  text: string,
  { vars, textOf }: Pick<AssertionContext, 'vars' | 'textOf'>,
): AssertionValue {
  const path = pathIn(text);
  if (path === null) {
    const filled = fillIn(text, vars, 'empty', assertionText);
    return filled.ok ? { ok: true, value: filled.text } : filled;
  }
  if (CODE_PATH.test(path)) return { ok: false, why: 'values from code do not run' };
  const content = textOf(path);
  if (content === null) return { ok: false, why: `${path} cannot be read` };
  if (!/\.(?:json|ya?ml)$/i.test(path)) return { ok: true, value: content.trim() };
  const read = readYaml(path, content);
  return read.ok
    ? { ok: true, value: read.value.value }
    : { ok: false, why: `${path} is neither JSON nor YAML` };
}

/** If the code is not a valid template, only known variables are filled in. */
function fillInCode(code: Json, vars: JsonMap): Json {
  if (typeof code !== 'string' || code.trim().startsWith('file://')) return code;
  const whole = fillIn(code, vars, 'empty', assertionText);
  if (whole.ok) return whole.text;
  return code.replace(/\{\{\s*[A-Za-z_][\w.]*\s*\}\}/g, (written) => {
    const filled = fillIn(written, vars, 'told', assertionText);
    return filled.ok ? filled.text : written;
  });
}
