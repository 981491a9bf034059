import { z } from 'zod';
import type { Json } from '../../types.ts';

/** How two texts are made comparable. */
export interface Normalisation {
  ignore_case: boolean;
  trim: boolean;
  ignore_punctuation: boolean;
}

/** The parameters of every metric that compares texts, with their defaults. */
export const normalisation = {
  ignore_case: z.boolean().default(false).describe('Upper and lower case count as equal.'),
  trim: z.boolean().default(true).describe('White space at both ends is left out.'),
  ignore_punctuation: z
    .boolean()
    .default(false)
    .describe('Punctuation and symbols are left out, and runs of white space count as one blank.'),
};

/**
 * One spelling of a text: composed characters (NFC), then what the options leave out. No step looks
 * back, so that time grows with the length alone, whatever a model wrote.
 */
export function normalise(text: string, options: Normalisation): string {
  let result = text.normalize('NFC');
  if (options.ignore_case) result = result.toLowerCase();
  if (options.ignore_punctuation)
    result = result.replace(/[\p{P}\p{S}]/gu, '').replace(/\s+/g, ' ');
  return options.trim ? result.trim() : result;
}

/**
 * Reads an answer as the first of the labels that `exact_match` with these parameters would take it
 * for; null for none.
 */
export function exactLabelOf(
  labels: readonly string[],
  given: Record<string, Json>,
): (answer: string) => string | null {
  const options = z.object(normalisation).parse(given);
  const byText = new Map([...labels].reverse().map((label) => [normalise(label, options), label]));
  return (answer) => byText.get(normalise(answer, options)) ?? null;
}
