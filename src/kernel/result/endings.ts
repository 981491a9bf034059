import { isWithheld } from '../../types/answer.ts';
import type { TryResult } from './reference-result.ts';

/** The ways an answer may end, other than the model's own stop. */
export const ENDING_KINDS = ['empty', 'cut', 'withheld', 'refused', 'unknown'] as const;

export type EndingKind = (typeof ENDING_KINDS)[number];

/** An answer that is `withheld` has no text. One that is `refused` has text. */
export const ENDS_AS: Readonly<Record<EndingKind, (made: TryResult) => boolean>> = {
  empty: (made) => made.parts === null && made.ended !== null && !isWithheldTry(made),
  cut: ({ parts, ended }) => parts !== null && ended === 'length',
  withheld: (made) => made.parts === null && isWithheldTry(made),
  refused: (made) => made.parts !== null && isWithheldTry(made),
  unknown: ({ ended_as }) => ended_as !== undefined,
};

function isWithheldTry({ ended }: TryResult): boolean {
  return ended !== null && isWithheld({ ended });
}
