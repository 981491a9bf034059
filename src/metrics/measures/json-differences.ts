import { shorten } from '../../text/visible.ts';
import type { ExactJson } from '../../types/exact-json.ts';
import { childPairs, jsonAgreement, type JsonMatchOptions } from './json.ts';

interface JsonDifference {
  /** Keys, and positions in lists from 0. */
  path: (string | number)[];
  actual: ExactJson | undefined;
  expected: ExactJson | undefined;
}

export function jsonDifferences(
  actual: ExactJson,
  expected: ExactJson,
  options: JsonMatchOptions,
): JsonDifference[] {
  if (jsonAgreement(actual, expected, options) === 1) return [];
  const pairs = childPairs(actual, expected, options);
  if (pairs === null) return [{ path: [], actual, expected }];
  return pairs.flatMap(({ key, given, wanted }) =>
    given === undefined || wanted === undefined
      ? [{ path: [key], actual: given, expected: wanted }]
      : jsonDifferences(given, wanted, options).map(({ path, ...found }) => ({
          ...found,
          path: [key, ...path],
        })),
  );
}

export function differencesText(differences: readonly JsonDifference[]): string {
  return listed(differences.map(differenceText), ', ');
}

const MOST_SHOWN = 4;

export function listed(entries: readonly string[], separator = '; '): string {
  const more = entries.length - MOST_SHOWN;
  const shown = entries.slice(0, MOST_SHOWN);
  return [...shown, ...(more > 0 ? [`${more} more`] : [])].join(separator);
}

function differenceText({ path, actual, expected }: JsonDifference): string {
  const place = path.length === 0 ? 'it' : `\`${pathText(path)}\``;
  if (actual === undefined) return `${place} missing`;
  if (expected === undefined) return `${place} not expected`;
  return `${place} is ${valueText(actual)}, not ${valueText(expected)}`;
}

function pathText(path: readonly (string | number)[]): string {
  return path
    .map((step, index) =>
      typeof step === 'number' ? `[${step}]` : `${index === 0 ? '' : '.'}${step}`,
    )
    .join('');
}

function valueText(value: ExactJson): string {
  return shorten(JSON.stringify(value), 60);
}
