import { problem } from '../errors.ts';
import type { Place, Problem } from '../types/plain.ts';

/** Something that people labelled. */
interface Labelled {
  /** A text that is equal for equal things. */
  what: string;
  label: string;
  place: Place;
}

/** Equal things with different labels: a judge cannot be right about both. */
export function reportContradictions(labelled: readonly Labelled[], problems: Problem[]): void {
  const first = new Map<string, Labelled>();
  for (const answer of labelled) {
    const earlier = first.get(answer.what);
    if (earlier === undefined) first.set(answer.what, answer);
    else if (earlier.label !== answer.label)
      problems.push(
        problem(
          answer.place,
          `the same answer is labelled "${earlier.label}" at ${earlier.place.file}:${String(earlier.place.line)} and "${answer.label}" here; keep one of the two`,
        ),
      );
  }
}
