import { InternalError } from '../errors.ts';

/** More attempts than this mean that `random` does not do what it is for. */
const ATTEMPTS = 100;

/**
 * A delimiter that none of `texts` contains, so that no text between two of them can end its own
 * quotation. `random` gives text nobody can foresee for a purpose; equal purposes give equal
 * delimiters, so the same question is the same request.
 */
export function freshDelimiter(
  purpose: readonly (string | number)[],
  texts: readonly string[],
  random: (purpose: string) => string,
): string {
  for (let attempt = 0; ; attempt++) {
    const delimiter = random(JSON.stringify([...purpose, attempt, ...texts]));
    if (delimiter !== '' && texts.every((text) => !text.includes(delimiter))) return delimiter;
    if (attempt === ATTEMPTS)
      throw new InternalError('random() gives delimiters that the material foresees');
  }
}
