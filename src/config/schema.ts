import { z } from 'zod';
import type { Field } from '../documents/document.ts';
import { refusedKey } from '../documents/parameters.ts';
import { issueWords } from '../metrics/definition.ts';
import { didYouMean, nearest } from '../text/suggest.ts';
import { isMap, type Json, type Place } from '../types/plain.ts';

/* The messages of these schemas have no subject. `check` puts the path before them. */

export const anyText = () => z.string({ error: 'must be text' });

export const filled = () => anyText().min(1, { error: 'must not be empty' });

export const flag = () => z.boolean({ error: 'must be true or false' });

export function numberBetween(minimum: number, maximum: number) {
  const error =
    maximum === Number.MAX_VALUE
      ? minimum === -Number.MAX_VALUE
        ? 'must be a number'
        : `must be a number of at least ${minimum}`
      : `must be a number from ${minimum} to ${maximum}`;
  const any = z.number({ error });
  const above = minimum === -Number.MAX_VALUE ? any : any.min(minimum, { error });
  return maximum === Number.MAX_VALUE ? above : above.max(maximum, { error });
}

export function wholeNumber(minimum: number, maximum: number) {
  const error =
    maximum === Number.MAX_SAFE_INTEGER
      ? `must be a whole number of at least ${minimum}`
      : `must be a whole number from ${minimum} to ${maximum}`;
  return z.int({ error }).min(minimum, { error }).max(maximum, { error });
}

export function oneOf<const T extends readonly [string, ...string[]]>(words: T) {
  return z.enum(words, { error: `must be one of ${words.join(', ')}` });
}

export const codeLanguage = oneOf(['python', 'javascript']).describe(
  'Language of the code. Default: python.',
);

export function listOf<T extends z.ZodType>(item: T, what = 'a list') {
  return z.array(item, { error: `must be ${what}` });
}

export function mapOf<T extends z.ZodType>(member: T, what = 'a map') {
  return z.record(z.string(), member, { error: `must be ${what}` });
}

export function closed<S extends z.ZodRawShape>(shape: S, what = 'a map') {
  return z.strictObject(shape, {
    error: (issue) =>
      issue.code === 'unrecognized_keys' ? Object.keys(shape).join(' ') : `must be ${what}`,
  });
}

/** Keys that a map may leave out. */
export function optional<S extends z.ZodRawShape>(shape: S) {
  return z.object(shape).exactPartial().shape;
}

export const scalar = () =>
  z.union([anyText(), numberBetween(-Number.MAX_VALUE, Number.MAX_VALUE), flag()], {
    error: 'must be text, a number or true/false',
  });

export const anything = () => z.unknown() as z.ZodType<unknown> as z.ZodType<Json>;

/** Reports each issue of the schema at the line of its key. */
export function check<T extends z.ZodType>(
  field: Field,
  schema: T,
  elsewhere?: Elsewhere,
): z.output<T> | undefined {
  const parsed = schema.safeParse(field.value);
  if (parsed.success) return parsed.data;
  reportIssues(field, parsed.error.issues, elsewhere);
  return undefined;
}

/** Whether a missing key is given under a misspelt name, which has its own error. */
function isMisspelt(key: string, given: Json | undefined, known: readonly string[]): boolean {
  const keys = isMap(given) ? Object.keys(given) : [];
  return (
    !keys.includes(key) &&
    keys.some((each) => !known.includes(each) && nearest(each, known) === key)
  );
}

/** Says where an unknown key belongs, if it belongs anywhere. */
type Elsewhere = (unknown: Field) => string | null;

/** Checks each member separately, so that an error does not hide others. */
export function checkMembers<S extends z.ZodRawShape>(
  field: Field,
  shape: S,
  elsewhere?: Elsewhere,
): { [K in keyof S]?: z.output<S[K]> } {
  const { value } = field;
  const members: { [K in keyof S]?: z.output<S[K]> } = {};
  if (!isMap(value)) {
    field.refuse(`${subject(field)} must be a map`);
    return members;
  }
  const known = Object.keys(shape);
  for (const key of Object.keys(value))
    if (!Object.hasOwn(shape, key)) refuseKey(field.at(key), known, elsewhere);
  for (const key of known as (keyof S & string)[]) {
    const schema = shape[key] as z.ZodType;
    const isLeftOut = !field.at(key).isGiven && schema instanceof z.ZodExactOptional;
    if (isLeftOut || isMisspelt(key, value, known)) continue;
    const member = check(field.at(key), schema);
    if (member !== undefined) members[key] = member as z.output<S[typeof key]>;
  }
  return members;
}

/** Checks each item separately, so that an error does not hide others. */
export function checkItems<T extends z.ZodType>(
  field: Field,
  item: T,
  elsewhere?: Elsewhere,
): { field: Field; value: z.output<T> }[] {
  return (check(field, listOf(anything()).optional()) ?? []).flatMap((_, index) => {
    const at = field.at(index);
    const value = check(at, item, elsewhere);
    return value === undefined ? [] : [{ field: at, value }];
  });
}

function refuseKey(field: Field, known: readonly string[], elsewhere?: Elsewhere): void {
  const key = String(field.path.at(-1));
  const { name } = field.parent;
  const where = name === '' ? '' : ` in ${name}`;
  const hint = elsewhere?.(field) ?? null;
  const ending = hint === null ? didYouMean(key, known) : `; ${hint}`;
  field.refuse(refusedKey(key) ?? `unknown key "${key}"${where}${ending}`);
}

function reportIssues(
  base: Field,
  issues: readonly z.core.$ZodIssue[],
  elsewhere?: Elsewhere,
): void {
  const known = issues.flatMap(({ code, message }) =>
    code === 'unrecognized_keys' ? message.split(' ') : [],
  );
  for (const issue of issues) reportIssue(base, issue, known, elsewhere);
}

function reportIssue(
  base: Field,
  issue: z.core.$ZodIssue,
  known: readonly string[],
  elsewhere?: Elsewhere,
): void {
  const field = base.at(...issue.path.map((step) => (typeof step === 'symbol' ? '' : step)));
  if (issue.code === 'unrecognized_keys') {
    for (const key of issue.keys) refuseKey(field.at(key), issue.message.split(' '), elsewhere);
    return;
  }
  if (!field.isGiven && typeof field.path.at(-1) === 'string') {
    refuseMissing(field, known);
    return;
  }
  const meant = issue.code === 'invalid_union' ? meantMember(issue) : null;
  if (meant !== null) {
    reportIssues(field, meant, elsewhere);
    return;
  }
  const { message } = issue;
  const isSentence = issue.code === 'custom' && !message.startsWith('must ');
  const words = message.startsWith('must ') ? message : issueWords(issue);
  field.refuse(
    isSentence
      ? `${subject(field)}: ${message}`
      : `${subject(field)} ${unquotedBraces(field.value, issue) ?? words}`,
  );
}

/**
 * If the value has the type of only one member of the union, that member's errors are the most
 * useful.
 */
function meantMember(issue: z.core.$ZodIssueInvalidUnion): z.core.$ZodIssue[] | null {
  const [only, ...others] = issue.errors.filter((issues) =>
    issues.every(({ path, code }) => path.length > 0 || code === 'unrecognized_keys'),
  );
  return only !== undefined && others.length === 0 ? only : null;
}

/** YAML reads `content: {a}` as a map, but the author meant a variable. */
function unquotedBraces(value: Json | undefined, issue: z.core.$ZodIssue): string | null {
  const [entry, ...others] = isMap(value) ? Object.entries(value) : [];
  const braces =
    entry !== undefined &&
    entry[1] === null &&
    others.length === 0 &&
    issue.message.startsWith('must be text');
  return braces ? `must be text; put {${entry[0]}} in quotes` : null;
}

export function refuseMissing(field: Field, known: readonly string[] = []): void {
  const { name, place, value } = field.parent;
  const key = String(field.path.at(-1));
  if (isMisspelt(key, value, known)) return;
  const message = `"${key}" is missing`;
  if (name === '') field.refuse(message, field.document.file);
  else field.refuse(`${name}: ${message}`, place);
}

/** Where the earlier one of two equal names is, as seen from the later one. */
export function alreadyAt(earlier: Place, { file }: Place): string {
  return earlier.file === file
    ? `on line ${earlier.line}`
    : `in ${earlier.file}, line ${earlier.line}`;
}

function subject({ name }: Field): string {
  return name === '' ? 'the file' : name;
}
