import type { z } from 'zod';
import { counted } from '../text/amounts.ts';
import { didYouMean } from '../text/suggest.ts';

const WANTED: Readonly<Record<string, string>> = {
  array: 'a list',
  boolean: 'true or false',
  int: 'a whole number',
  number: 'a number',
  object: 'a map',
  record: 'a map',
  string: 'text',
};

export function parameterProblems(
  issue: z.core.$ZodIssue,
  metric: string,
  known: readonly string[],
): string[] {
  if (issue.code === 'unrecognized_keys')
    return issue.keys.map(
      (key) => `with.${key} is not a parameter of ${metric}${didYouMean(key, known)}`,
    );
  return [`with.${issue.path.join('.')} ${issueWords(issue)}`];
}

function issueWords(issue: z.core.$ZodIssue): string {
  if (issue.code === 'invalid_type')
    return issue.message.endsWith('received undefined')
      ? 'is missing'
      : `must be ${WANTED[issue.expected] ?? issue.expected}`;
  if (issue.code === 'invalid_value')
    return `must be one of ${issue.values.map(String).join(', ')}`;
  if (issue.code === 'too_small' || issue.code === 'too_big') return boundWords(issue);
  if (issue.code === 'invalid_union') return 'is missing or has the wrong type';
  return `is not usable: ${issue.message}`;
}

function boundWords(issue: Extract<z.core.$ZodIssue, { code: 'too_small' | 'too_big' }>): string {
  const [side, bound] =
    issue.code === 'too_small'
      ? [issue.inclusive === false ? 'above' : 'at least', issue.minimum]
      : [issue.inclusive === false ? 'below' : 'at most', issue.maximum];
  const unit = SIZE_UNITS[issue.origin];
  return unit === undefined
    ? `must be ${side} ${String(bound)}`
    : `must have ${side} ${counted(Number(bound), unit)}`;
}

const SIZE_UNITS: Readonly<Record<string, string>> = { array: 'item', string: 'character' };
