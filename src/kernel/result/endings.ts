import { isWithheld } from '../../types/answer.ts';
import type { TryResult } from './reference-result.ts';

/** How an answer may end if the model did not simply finish it. */
export const ENDING_KINDS = ['empty', 'cut', 'withheld', 'refused', 'unknown'] as const;

export type EndingKind = (typeof ENDING_KINDS)[number];

/** A `withheld` answer has no text. A `refused` one has. */
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
