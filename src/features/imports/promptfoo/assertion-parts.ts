import { fillIn, assertionText } from '../../../config/templates.ts';
import { readYaml } from '../../../documents/yaml.ts';
import type { BuiltInMetrics } from '../../../kernel/suite/metrics.ts';
import type { Json, JsonMap } from '../../../types/plain.ts';

/** One metric of ours (without its name), or why there is none. */
export type Converted = { metric: JsonMap } | { why: string };

export interface AssertionContext {
  vars: JsonMap;
  /** Variables that differ from the reference's input; templates in values are filled in there. */
  unlike: JsonMap;
  builtIns: BuiltInMetrics;
  structured: readonly string[];
  /** Whether code checks get parsed JSON answers. */
  asData: boolean;
  /** Null if the file does not exist. */
  textOf(path: string): string | null;
}

/** An assertion with its templates filled in. */
export interface GivenAssertion {
  value: Json | undefined;
  threshold: number | null;
  negate: boolean;
  config: Json | undefined;
  provider: Json | undefined;
}

export type Convert = (asked: GivenAssertion, context: AssertionContext) => Converted;

export const uses = (
  name: string,
  values: JsonMap = {},
  threshold: number | null = null,
): Converted => ({
  metric: {
    uses: name,
    ...(Object.keys(values).length === 0 ? {} : { with: values }),
    // Scores are never below 0, so a threshold of 0 only shows the value.
    ...(threshold === null ? {} : threshold > 0 ? { threshold } : { skip: true }),
  },
});

export const why = (reason: string): Converted => ({ why: reason });

/** The path in `file://…` without the function name; null for other text. */
export function pathIn(text: string): string | null {
  return /^file:\/\/(.+?)(?::[A-Za-z_$][\w$]*)?$/.exec(text.trim())?.[1] ?? null;
}

const CODE = /\.(?:[cm]?[jt]s|py|rb)(?::\w+)?$/i;

type Value = { ok: true; value: Json | undefined } | { ok: false; why: string };

/** Reads files and fills templates in. Code keeps its own, and file contents are literal. */
export function valueFor(
  written: Json | undefined,
  isCode: boolean,
  context: Pick<AssertionContext, 'vars' | 'textOf'>,
): Value {
  if (written === undefined || written === null) return { ok: true, value: undefined };
  if (isCode) return { ok: true, value: codeFilledIn(written, context.vars) };
  if (typeof written === 'string') return textValue(written, context);
  if (!Array.isArray(written)) return { ok: true, value: written };
  const values: Json[] = [];
  for (const member of written) {
    const read = valueFor(member, false, context);
    if (!read.ok) return read;
    values.push(read.value ?? member);
  }
  return { ok: true, value: values };
}

function textValue(
  text: string,
  { vars, textOf }: Pick<AssertionContext, 'vars' | 'textOf'>,
): Value {
  const path = pathIn(text);
  if (path === null) {
    const filled = fillIn(text, vars, 'empty', assertionText);
    return filled.ok ? { ok: true, value: filled.text } : filled;
  }
  if (CODE.test(path)) return { ok: false, why: 'values made by code are not run' };
  const content = textOf(path);
  if (content === null) return { ok: false, why: `${path} cannot be read` };
  if (!/\.(?:json|ya?ml)$/i.test(path)) return { ok: true, value: content.trim() };
  const read = readYaml(path, content);
  return read.ok
    ? { ok: true, value: read.value.value }
    : { ok: false, why: `${path} is neither JSON nor YAML` };
}

/** Code is a template too. If it cannot be read as one, only known variables are filled in. */
function codeFilledIn(code: Json, vars: JsonMap): Json {
  if (typeof code !== 'string' || code.trim().startsWith('file://')) return code;
  const whole = fillIn(code, vars, 'empty', assertionText);
  if (whole.ok) return whole.text;
  return code.replace(/\{\{\s*[A-Za-z_][\w.]*\s*\}\}/g, (written) => {
    const filled = fillIn(written, vars, 'told', assertionText);
    return filled.ok ? filled.text : written;
  });
}
