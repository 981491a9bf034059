import { z } from 'zod';
import { codePlaceOf, type Field } from '../documents/document.ts';
import type { Rollup } from '../kernel/suite/suite.ts';
import { didYouMean } from '../text/suggest.ts';
import { check, closed, codeLanguage, filled, numberBetween, wholeNumber } from './schema.ts';

const NAMED_POLICIES = ['all', 'any', 'majority'] as const;

const POLICIES = [...NAMED_POLICIES, 'at_least', 'pass_rate'];

const mapSchema = closed({
  name: filled().describe('all, any, majority, at_least or pass_rate. With code, any name.'),
  k: wholeNumber(1, Number.MAX_SAFE_INTEGER).describe('Number of passes that at_least requires.'),
  min: numberBetween(0, 1).describe('Share of passes that pass_rate requires, 0 to 1.'),
  code: filled().describe('Your own rule, as code.'),
  language: codeLanguage,
}).exactPartial();

export const rollupSchema = z
  .union([filled(), mapSchema], { error: 'must be a map with name, or with name and code' })
  .optional();

export function readRollup(tests: Field): Rollup {
  const field = tests.at('metrics_rollup');
  const fallback: Rollup = { kind: 'named', policy: 'all' };
  const given = check(field, rollupSchema);
  if (given === undefined) return fallback;
  const written = typeof given === 'string' ? { name: given } : given;
  const { name, code, language = 'python' } = written;
  const refuse = (key: string, message: string): Rollup => {
    const at = typeof given === 'string' ? field : field.at(key);
    at.refuse(`${field.name}: ${message}`);
    return fallback;
  };
  const misplaced = keyOutOfPlace(written);
  if (misplaced !== null)
    return refuse(misplaced.key, `${misplaced.key} is only for ${misplaced.of}`);
  if (code !== undefined)
    return {
      kind: 'code',
      name: name ?? 'custom',
      language,
      code,
      at: codePlaceOf(field.at('code'), code),
      place: field.place,
    };
  const named = namedPolicy(written);
  return typeof named === 'string' ? refuse('name', named) : named;
}

type WrittenRollup = z.output<typeof mapSchema>;

function namedPolicy({ name, k, min }: WrittenRollup): Rollup | string {
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

/** A key that the policy ignores is an error, because the author may have meant another policy. */
function keyOutOfPlace({ name, k, min, code, language }: WrittenRollup) {
  if (k !== undefined && (code !== undefined || name !== 'at_least'))
    return { key: 'k', of: 'at_least' };
  if (min !== undefined && (code !== undefined || name !== 'pass_rate'))
    return { key: 'min', of: 'pass_rate' };
  return language !== undefined && code === undefined ? { key: 'language', of: 'code' } : null;
}
