import { createContext, Script } from 'node:vm';
import { Ajv, type AnySchema, type ErrorObject, type Options, type ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { errorMessage } from '../../errors.ts';
import type { ExactJson } from '../../types/exact-json.ts';
import type { JsonSchema, SchemaFinding } from '../../types/metric.ts';
import { member } from '../../types/plain.ts';
import { compilePattern } from './pattern.ts';

/** Matches `pattern` in linear time, so that a schema cannot stall a run. */
const regExp = Object.assign(
  (pattern: string) => {
    const compiled = compilePattern(pattern, {
      ignore_case: false,
      multiline: false,
      dot_all: false,
    });
    if (typeof compiled === 'string') throw new Error(compiled);
    return {
      test: (text: string) => compiled.test(text.normalize('NFC')),
      toString: () => pattern,
    };
  },
  { code: 'evaldiff.compilePattern' },
);

const options: Options = {
  strictSchema: true,
  strictTypes: false,
  strictTuples: false,
  strictRequired: false,
  allowUnionTypes: true,
  logger: false,
  // 0.3 is a multiple of 0.1, although 0.3 / 0.1 is not whole as a double.
  multipleOfPrecision: 9,
  code: { regExp },
};

/** Keywords that other tools use and that check nothing. All other unknown keywords are errors. */
const ANNOTATION_KEYWORDS = ['example', 'xml', 'externalDocs', 'x-order', 'x-nullable'];

type Compiled = ((value: ExactJson) => string | null) | string;

const known = new WeakMap<object, Compiled>();

/** Uses draft 2020-12, or draft-07 if `$schema` names it. */
export function compileSchema(schema: JsonSchema): Compiled {
  if (typeof schema === 'boolean') return compile(schema);
  const compiled = known.get(schema) ?? compile(schema);
  known.set(schema, compiled);
  return compiled;
}

function compile(schema: JsonSchema): Compiled {
  const uri =
    typeof schema === 'object' && typeof schema.$schema === 'string' ? schema.$schema : '';
  const draft = uri.includes('draft-07') || uri.includes('draft-06') ? Ajv : Ajv2020;
  if (uri.includes('draft-06') && typeof schema === 'object')
    schema = { ...schema, $schema: 'http://json-schema.org/draft-07/schema#' };
  try {
    const text = JSON.stringify(schema).normalize('NFC');
    const given = JSON.parse(text) as AnySchema;
    if (JSON.stringify(given) !== text) return TOO_MANY_DIGITS;
    const meta = metas.get(draft) ?? createAjv(draft, options);
    metas.set(draft, meta);
    meta.validateSchema(given, true);
    const validate = createAjv(draft, { ...options, validateSchema: false }).compile(given);
    const check = (value: ExactJson) =>
      validate(JSON.parse(JSON.stringify(value).normalize('NFC'))) ? null : firstError(validate);
    const isSlow = text.length > QUICK || SLOW_KEYWORDS.test(text);
    return isSlow ? (value) => withinTime(() => check(value)) : check;
  } catch (error) {
    return `the schema is not valid: ${errorMessage(error)}`;
  }
}

const TOO_MANY_DIGITS =
  'the schema is not valid: it has a number that is not exact as a double; use json_match for long numbers';

const metas = new Map<typeof Ajv | typeof Ajv2020, Ajv | Ajv2020>();

function createAjv(draft: typeof Ajv | typeof Ajv2020, given: Options): Ajv | Ajv2020 {
  const ajv = new draft(given);
  formats.default(ajv);
  // The library's pattern for `url` takes 20 s on 100 kB of colons.
  ajv.addFormat('url', (text: string) => URL.canParse(text) && /^(?:https?|ftp):/i.test(text));
  return ajv.addVocabulary(ANNOTATION_KEYWORDS);
}

/** Without slow keywords, a schema of this length checks an answer within milliseconds. */
const QUICK = 10_000;

const SLOW_KEYWORDS = /"(?:\$(?:ref|dynamicRef|recursiveRef)|uniqueItems)"\s*:/;

/** A repository's schema could check an answer for ever, by references that double at each level. */
const SCHEMA_SECONDS = 2;

const context = createContext({ check: (): string | null => null });

const script = new Script('check()');

function withinTime(check: () => string | null): string | null {
  context['check'] = check;
  return script.runInContext(context, { timeout: SCHEMA_SECONDS * 1000 }) as string | null;
}

/** Schemas that took too long, as text. They are not checked again. */
const slow = new Set<string>();

export function checkAgainst(schema: JsonSchema, value: ExactJson): SchemaFinding {
  const validate = compileSchema(schema);
  if (typeof validate === 'string') return { status: 'error', message: validate };
  if (slow.size > 0 && slow.has(JSON.stringify(schema)))
    return {
      status: 'error',
      message: `was not checked: the schema took longer than ${SCHEMA_SECONDS} s before`,
    };
  try {
    return { status: 'checked', wrong: validate(value) };
  } catch (error) {
    return { status: 'error', message: schemaFailure(error, schema) };
  }
}

function schemaFailure(error: unknown, schema: JsonSchema): string {
  if (error instanceof RangeError)
    return 'the schema refers to itself ($ref) in an endless loop; remove one';
  if (member(error, 'code') !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error;
  slow.add(JSON.stringify(schema));
  return `the schema took longer than ${SCHEMA_SECONDS} s; use fewer $ref, anyOf and allOf`;
}

function firstError(validate: ValidateFunction): string {
  const error: ErrorObject | undefined = validate.errors?.[0];
  if (error === undefined) return 'does not fit the schema';
  const where = error.instancePath === '' ? 'the JSON' : error.instancePath;
  const detail: unknown = error.params.additionalProperty ?? error.params.allowedValues;
  return (
    `${where} ${error.message ?? 'does not fit'}` +
    `${detail === undefined ? '' : `: ${JSON.stringify(detail)}`}`
  );
}
