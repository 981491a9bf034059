import { UserError, problem } from '../../errors.ts';
import type { Place } from '../../types/plain.ts';

/** An error with one problem. `place`: null, a file as a whole, or a line of it. */
export function userError(place: Place | string | null, message: string): UserError {
  return new UserError([
    problem(typeof place === 'string' ? { file: place, line: 0 } : place, message),
  ]);
}
