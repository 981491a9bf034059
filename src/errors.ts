import type { Place, Problem } from './types/plain.ts';

/** The user has to fix something. Carries every problem found, so that one run tells them all. */
export class UserError extends Error {
  override readonly name = 'UserError';
  readonly problems: readonly Problem[];

  constructor(problems: readonly Problem[]) {
    super(problems.map(formatProblem).join('\n'));
    this.problems = problems;
  }
}

/** evaldiff itself, or what it stands on, is at fault: not the user's files. */
export class InternalError extends Error {
  override readonly name = 'InternalError';
}

/** `file:line: message`, `file: message`, or the message alone. */
export function formatProblem({ place, message }: Problem): string {
  if (place === null) return message;
  return place.line > 0 ? `${place.file}:${place.line}: ${message}` : `${place.file}: ${message}`;
}

/** What something that was thrown says of itself. */
export function errorMessage(error: unknown): string {
  const message: unknown = (error as Partial<Error> | null)?.message;
  return typeof message === 'string' ? message : String(error);
}

/** The message and the stack: what a maintainer needs to find a fault of our own. */
export function errorTrace(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

export function problem(place: Place | null, message: string): Problem {
  return { place, message };
}

/** An error with one problem. `place`: null, a file as a whole, or a line of it. */
export function userError(place: Place | string | null, message: string): UserError {
  return new UserError([
    problem(typeof place === 'string' ? { file: place, line: 0 } : place, message),
  ]);
}

/** Exit code when nothing was judged. */
export const NOT_JUDGED = 2;
