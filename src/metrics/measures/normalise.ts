import { z } from 'zod';
import type { Json } from '../../types/plain.ts';

export interface Normalisation {
  ignore_case: boolean;
  trim: boolean;
  ignore_punctuation: boolean;
}

export const ignoreCase = (byDefault: boolean) =>
  z.boolean().default(byDefault).describe('Ignore case. In every language: `ß` equals `SS`.');

export const ignorePunctuation = (byDefault: boolean) =>
  z
    .boolean()
    .default(byDefault)
    .describe(
      'Ignore punctuation and symbols, and treat any white space as one space. Characters of ' +
        'numbers and operators are kept: `1.5`, `-5`, `12:30`, `C++`, `a < b`.',
    );

export const normalisation = {
  ignore_case: ignoreCase(false),
  trim: z.boolean().default(true).describe('Ignore white space at both ends.'),
  ignore_punctuation: ignorePunctuation(false),
};

export const AS_WRITTEN: Normalisation = {
  ignore_case: false,
  trim: false,
  ignore_punctuation: false,
};

/** Three changes of case turn `ẞ`, `ß` and `SS` into the same `ss`. */
export function foldCase(text: string): string {
  return text.toLowerCase().toUpperCase().toLowerCase().replaceAll('ς', 'σ').normalize('NFC');
}

const GROUPED =
  /(?<![\p{N}.,'’:/])\p{Nd}{1,3}(?:[,'’\u00a0\u2009\u202f]\p{Nd}{3})+(?!\p{N}|[,'’]\p{N})/gu;

/** Hyphens and dashes that models write as a minus sign, for use in a regex class. */
export const MINUS = '-\u2010\u2011\u2012\u2013\u2212\ufe63\uff0d';

const MINUSES = new RegExp(`[${MINUS}]`, 'g');

const NUMBER_AHEAD = /^(?:(?:\p{L}{0,3}\p{Sc}{1,2}|\p{L}{3})\s?)?\.?\p{N}/u;

const OPERATORS = /[!:/%&^-]{0,2}(?:(?![|~])\p{Sm}){1,8}|&&|\|\|/gu;

const PUNCTUATION_CONTEXT = 8;

function withoutPunctuation(text: string): string {
  const joined = text.replace(GROUPED, (number) => number.replace(/\P{Nd}/gu, ''));
  return joined.replace(/[\p{P}\p{S}]+/gu, (run, at: number) =>
    meaningful(
      run.replace(MINUSES, '-'),
      joined.slice(Math.max(0, at - PUNCTUATION_CONTEXT), at),
      joined.slice(at + run.length, at + run.length + PUNCTUATION_CONTEXT),
    ),
  );
}

function meaningful(run: string, before: string, after: string): string {
  const edges = `${characterKind(/.$/su.exec(before))}|${characterKind(/^./su.exec(after))}`;
  if (edges === 'N|N') return run;
  if (edges === 'N|L' || edges === 'L|N') return run.replace(/[\p{Sc}'’"“”`]/gu, '');
  if (/\p{N}\s$/u.test(before) && /^[-*/:^]$/.test(run) && /^\s\p{N}/u.test(after)) return run;
  const start = signStart(run, after);
  const rest = run.slice(0, start);
  const isGrade = /^-(?!-)/.test(rest) && /(?:^|[^\p{L}\p{N}])\p{L}$/u.test(before);
  if (edges === 'L|' && (rest.startsWith('#') || isGrade)) return rest.charAt(0);
  return `${(rest.match(OPERATORS) ?? []).join('')}${run.slice(start).replace(/\p{Sc}/gu, '')}`;
}

function characterKind(found: RegExpExecArray | null): string {
  if (found === null) return '';
  return /\p{N}/u.test(found[0]) ? 'N' : /\p{L}/u.test(found[0]) ? 'L' : '';
}

function signStart(run: string, after: string): number {
  let start = run.length - (/(?<!\.)\.$/.test(run) && /^\p{N}/u.test(after) ? 1 : 0);
  const ahead = /\p{Sc}\.?$/u.test(run) ? /^\s?\.?\p{N}/u : NUMBER_AHEAD;
  if (!ahead.test(after)) return run.length;
  while (/[\p{Sc}+-]/u.test(run.charAt(start - 1))) start--;
  return start;
}

export function normaliseText(text: string, options: Normalisation): string {
  let result = text.normalize('NFC');
  if (options.ignore_punctuation) result = withoutPunctuation(result).replace(/\s+/g, ' ');
  if (options.ignore_case) result = foldCase(result);
  return options.trim ? result.trim() : result;
}

/** Turns off options that would make the text empty, such as `ignore_punctuation` for `!`. */
function optionsLeavingText(text: string, options: Normalisation): Normalisation {
  if (normaliseText(text, options) !== '') return options;
  const spared = { ...options, ignore_punctuation: false };
  const isBlank = text !== '' && normaliseText(text, spared) === '';
  return isBlank ? { ...spared, trim: false } : spared;
}

export function comparable(
  output: string,
  wanted: string,
  options: Normalisation,
): { actual: string; wanted: string } {
  const own = optionsLeavingText(wanted, options);
  return { actual: normaliseText(output, own), wanted: normaliseText(wanted, own) };
}

export function exactLabelOf(
  labels: readonly string[],
  given: Record<string, Json>,
): (answer: string) => string | null {
  const options = z.object(normalisation).parse(given);
  return (answer) =>
    labels.find((label) => {
      const { actual, wanted } = comparable(answer, label, options);
      return actual === wanted;
    }) ?? null;
}
