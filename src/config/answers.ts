import { problem } from '../errors.ts';
import type { Place, Problem } from '../types/plain.ts';

interface LabelledContent {
  what: string;
  label: string;
  place: Place;
}

/** An error, because no grader can give equal content different labels. */
export function reportContradictions(
  labelled: readonly LabelledContent[],
  problems: Problem[],
): void {
  const first = new Map<string, LabelledContent>();
  for (const answer of labelled) {
    const earlier = first.get(answer.what);
    if (earlier === undefined) first.set(answer.what, answer);
    else if (earlier.label !== answer.label) {
      const message =
        `the same answer is labelled "${earlier.label}" at ${earlier.place.file}:` +
        `${earlier.place.line} and "${answer.label}" here; keep one of the two`;
      problems.push(problem(answer.place, message));
    }
  }
}
