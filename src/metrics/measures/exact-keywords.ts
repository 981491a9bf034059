import type { FuncKeywordDefinition, SchemaValidateFunction } from 'ajv';
import { LongNumber, type ExactJson } from '../../types/exact-json.ts';
import type { Json } from '../../types/plain.ts';
import { decimalOf, decimalText, subtract, isMultiple, type Decimal } from './decimal.ts';
import { canonical, jsonEqual } from './json.ts';
import { jsonNumber } from './numbers.ts';

const originals = new WeakMap<object, ExactJson[] | { [key: string]: ExactJson }>();

/**
 * The schema library handles only doubles, so it checks a `copy`. Our keywords look up the exact
 * numbers through `holder`.
 */
export function standIn(value: ExactJson): { copy: Json; holder: Json[] } {
  const copy = copyOf(value);
  const holder = [copy];
  originals.set(holder, [value]);
  return { copy, holder };
}

function copyOf(value: ExactJson): Json {
  if (value instanceof LongNumber) return doubleOf(value.text);
  if (typeof value !== 'object' || value === null) return value;
  const copy = Array.isArray(value)
    ? value.map(copyOf)
    : Object.fromEntries(Object.entries(value).map(([key, member]) => [key, copyOf(member)]));
  originals.set(copy, value);
  return copy;
}

function doubleOf(text: string): number {
  const most = Number.MAX_VALUE;
  const double = Math.min(Math.max(Number(text), -most), most);
  return (decimalOf(text)?.exponent ?? 0) < 0 && Number.isInteger(double) ? 0.5 : double;
}

function original(holder: object | undefined, key: string | number, copy: ExactJson): ExactJson {
  const found = holder && originals.get(holder);
  return (found as { [key: string]: ExactJson } | undefined)?.[key] ?? copy;
}

function keyword(
  name: string,
  type: 'number' | 'array' | null,
  wrong: (value: ExactJson, given: ExactJson) => string | null,
): FuncKeywordDefinition & { keyword: string } {
  const validate: SchemaValidateFunction = (
    given: ExactJson,
    copy: ExactJson,
    schema?: object,
    place?: { parentData: object; parentDataProperty: string | number },
  ) => {
    const wanted = original(schema, name, given);
    const value = original(place?.parentData, place?.parentDataProperty ?? '', copy);
    const message = wrong(value, wanted);
    validate.errors =
      message === null
        ? []
        : [{ keyword: name, message, params: name === 'enum' ? { allowedValues: wanted } : {} }];
    return message === null;
  };
  return { keyword: name, ...(type === null ? {} : { type }), validate, errors: true };
}

function numberKeyword(
  name: string,
  words: string,
  fits: (value: Decimal, given: Decimal) => boolean,
): ReturnType<typeof keyword> {
  return keyword(name, 'number', (value, given) => {
    const [number, wanted] = [jsonNumber(value), jsonNumber(given)];
    if (number === null || wanted === null) return `must be a number that can be compared`;
    return fits(number, wanted) ? null : `must be ${words} ${decimalText(wanted)}`;
  });
}

const compareDecimals = (left: Decimal, right: Decimal): bigint => subtract(left, right).digits;

export const exactKeywords = [
  numberKeyword('multipleOf', 'multiple of', isMultiple),
  numberKeyword('minimum', '>=', (value, given) => compareDecimals(value, given) >= 0n),
  numberKeyword('maximum', '<=', (value, given) => compareDecimals(value, given) <= 0n),
  numberKeyword('exclusiveMinimum', '>', (value, given) => compareDecimals(value, given) > 0n),
  numberKeyword('exclusiveMaximum', '<', (value, given) => compareDecimals(value, given) < 0n),
  keyword('const', null, (value, given) =>
    jsonEqual(value, given) ? null : 'must be equal to constant',
  ),
  keyword('enum', null, (value, given) =>
    Array.isArray(given) && given.some((entry) => jsonEqual(value, entry))
      ? null
      : 'must be equal to one of the allowed values',
  ),
  keyword('uniqueItems', 'array', (value, given) =>
    given !== true || !Array.isArray(value) || new Set(value.map(canonical)).size === value.length
      ? null
      : 'must NOT have duplicate items',
  ),
];
