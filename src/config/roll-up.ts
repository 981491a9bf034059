import { z } from 'zod';
import { codePlaceOf, type Document, valueAt } from '../documents/document.ts';
import { problem } from '../errors.ts';
import type { Rollup } from '../kernel/suite/suite.ts';
import { didYouMean } from '../text/suggest.ts';
import type { Problem } from '../types/plain.ts';
import { check, closed, filled, numberBetween, oneOf, wholeNumber } from './schema.ts';

const NAMED_POLICIES = ['all', 'any', 'majority'] as const;

const POLICIES = [...NAMED_POLICIES, 'at_least', 'pass_rate'];

const mapSchema = closed({
  name: filled()
    .describe('all, any, majority, at_least or pass_rate. With code, any name.')
    .optional(),
  k: wholeNumber(1, Number.MAX_SAFE_INTEGER)
    .describe('Number of passes that at_least requires.')
    .optional(),
  min: numberBetween(0, 1).describe('Share of passes that pass_rate requires, 0 to 1.').optional(),
  code: filled().describe('Your own rule, as code.').optional(),
  language: oneOf(['python', 'javascript'])
    .describe('Language of the code. Default: python.')
    .optional(),
});

export const rollupSchema = z
  .union([filled(), mapSchema], { error: 'must be a map with name, or with name and code' })
  .optional();

export function readRollup(document: Document, problems: Problem[]): Rollup {
  const key = 'metrics_rollup';
  const fallback: Rollup = { kind: 'named', policy: 'all' };
  const written = check(document, [key], rollupSchema, problems);
  if (written === undefined) return fallback;
  const { name, k, min, code, language } =
    typeof written === 'string' ? { name: written } : written;
  const refuse = (member: string, message: string): Rollup => {
    problems.push(
      problem(
        document.placeOf(typeof written === 'string' ? [key] : [key, member]),
        `${key}: ${message}`,
      ),
    );
    return fallback;
  };
  const misplaced = memberOutOfPlace(document, name, code !== undefined);
  if (misplaced !== null) return refuse(misplaced.member, misplaced.message);
  if (code !== undefined)
    return {
      kind: 'code',
      name: name ?? 'custom',
      language: language ?? 'python',
      code,
      at: codePlaceOf(document, [key, 'code'], code),
      place: document.placeOf([key]),
    };
  const named = namedPolicy(name, k, min);
  return typeof named === 'string' ? refuse('name', named) : named;
}

function namedPolicy(
  name: string | undefined,
  k: number | undefined,
  min: number | undefined,
): Rollup | string {
  if (name === undefined) return 'needs a name or code';
  if (name === 'at_least')
    return k === undefined ? 'at_least needs k, the number of passes' : { kind: 'at_least', k };
  if (name === 'pass_rate')
    return min === undefined
      ? 'pass_rate needs min, a share from 0 to 1'
      : { kind: 'pass_rate', min };
  const policy = NAMED_POLICIES.find((each) => each === name);
  if (policy !== undefined) return { kind: 'named', policy };
  return `there is no roll-up "${name}"${didYouMean(name, POLICIES)}; for your own rule, add code`;
}

/**
 * Rejects keys that the policy (how tries are combined) ignores, because the author may have meant
 * another policy.
 */
function memberOutOfPlace(
  document: Document,
  name: string | undefined,
  code: boolean,
): { member: string; message: string } | null {
  const given = (member: string) =>
    valueAt(document.value, ['metrics_rollup', member]) !== undefined;
  if (given('k') && (code || name !== 'at_least'))
    return { member: 'k', message: 'k is only for at_least' };
  if (given('min') && (code || name !== 'pass_rate'))
    return { member: 'min', message: 'min is only for pass_rate' };
  return given('language') && !code
    ? { member: 'language', message: 'language is only for code' }
    : null;
}
