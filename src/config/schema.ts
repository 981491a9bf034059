import { z } from 'zod';
import { pathText, type Document, type Path, valueAt } from '../documents/document.ts';
import { refusedKey } from '../documents/parameters.ts';
import { problem } from '../errors.ts';
import { didYouMean } from '../text/suggest.ts';
import { isMap, type Json, type Problem } from '../types/plain.ts';

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

export function listOf<T extends z.ZodType>(item: T, what = 'a list') {
  return z.array(item, { error: `must be ${what}` });
}

export function mapOf<T extends z.ZodType>(member: T, what = 'a map') {
  return z.record(z.string(), member, { error: `must be ${what}` });
}

export function closed<S extends z.ZodRawShape>(shape: S) {
  return z.strictObject(shape, {
    error: (issue) =>
      issue.code === 'unrecognized_keys' ? Object.keys(shape).join(' ') : 'must be a map',
  });
}

export const scalar = () =>
  z.union([anyText(), numberBetween(-Number.MAX_VALUE, Number.MAX_VALUE), flag()], {
    error: 'must be text, a number or true/false',
  });

export const anything = () => z.unknown() as z.ZodType<unknown> as z.ZodType<Json>;

export function check<T extends z.ZodType>(
  document: Document,
  path: Path,
  schema: T,
  problems: Problem[],
  elsewhere?: Elsewhere,
): z.output<T> | undefined {
  const parsed = schema.safeParse(valueAt(document.value, path));
  if (parsed.success) return parsed.data;
  for (const issue of parsed.error.issues) reportIssue(document, path, issue, problems, elsewhere);
  return undefined;
}

type Elsewhere = (key: string, value?: Json) => string | null;

/** Checks each member separately, so that an error does not hide others. */
export function checkMembers<S extends z.ZodRawShape>(
  document: Document,
  path: Path,
  shape: S,
  problems: Problem[],
  elsewhere?: Elsewhere,
): { [K in keyof S]?: z.output<S[K]> } {
  const value = valueAt(document.value, path);
  const members: { [K in keyof S]?: z.output<S[K]> } = {};
  if (!isMap(value)) {
    problems.push(problem(document.placeOf(path), `${subject(path)} must be a map`));
    return members;
  }
  const known = Object.keys(shape);
  for (const key of Object.keys(value)) {
    if (!Object.hasOwn(shape, key))
      problems.push(unknownKey(document, [...path, key], known, elsewhere));
  }
  for (const key of known as (keyof S & string)[]) {
    const member = check(document, [...path, key], shape[key] as z.ZodType, problems);
    if (member !== undefined) members[key] = member as z.output<S[typeof key]>;
  }
  return members;
}

export function checkItems<T extends z.ZodType>(
  document: Document,
  path: Path,
  item: T,
  problems: Problem[],
  elsewhere?: Elsewhere,
): { path: Path; value: z.output<T> }[] {
  const list = valueAt(document.value, path);
  if (list === undefined) return [];
  if (!Array.isArray(list)) {
    problems.push(problem(document.placeOf(path), `${subject(path)} must be a list`));
    return [];
  }
  return list.flatMap((_, index) => {
    const at = [...path, index];
    const value = check(document, at, item, problems, elsewhere);
    return value === undefined ? [] : [{ path: at, value }];
  });
}

function unknownKey(
  document: Document,
  path: Path,
  known: readonly string[],
  elsewhere?: Elsewhere,
): Problem {
  const key = String(path.at(-1));
  const where = path.length > 1 ? ` in ${pathText(path.slice(0, -1))}` : '';
  const hint = elsewhere?.(key, valueAt(document.value, path)) ?? null;
  return problem(
    document.placeOf(path),
    refusedKey(key) ??
      `unknown key "${key}"${where}${hint === null ? didYouMean(key, known) : `; ${hint}`}`,
  );
}

function reportIssue(
  document: Document,
  base: Path,
  issue: z.core.$ZodIssue,
  problems: Problem[],
  elsewhere?: Elsewhere,
): void {
  const path: Path = [
    ...base,
    ...issue.path.map((step) => (typeof step === 'symbol' ? String(step) : step)),
  ];
  if (issue.code === 'unrecognized_keys') {
    for (const key of issue.keys)
      problems.push(unknownKey(document, [...path, key], issue.message.split(' '), elsewhere));
    return;
  }
  const value = valueAt(document.value, path);
  if (value === undefined && typeof path.at(-1) === 'string') {
    problems.push(missing(document, path));
    return;
  }
  const meant = issue.code === 'invalid_union' ? meantMember(issue) : null;
  if (meant !== null) {
    for (const inner of meant) reportIssue(document, path, inner, problems, elsewhere);
    return;
  }
  const words = issue.message.startsWith('must ') ? issue.message : `is invalid (${issue.message})`;
  const message = `${subject(path)} ${words}${unquotedBraces(value, issue)}`;
  problems.push(problem(document.placeOf(path), message));
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
function unquotedBraces(value: Json | undefined, issue: z.core.$ZodIssue): string {
  const [entry, ...others] = isMap(value) ? Object.entries(value) : [];
  const braces =
    entry !== undefined &&
    entry[1] === null &&
    others.length === 0 &&
    issue.message.startsWith('must be text');
  return braces ? `; put {${entry[0]}} in quotes` : '';
}

export function missing(document: Document, path: Path): Problem {
  const parent = path.slice(0, -1);
  const where = parent.length > 0 ? `${pathText(parent)}: ` : '';
  const place = parent.length > 0 ? document.placeOf(parent) : { file: document.file, line: 0 };
  return problem(place, `${where}"${String(path.at(-1))}" is missing`);
}

function subject(path: Path): string {
  return path.length === 0 ? 'the file' : pathText(path);
}
