import type { Place, Problem } from './types/plain.ts';

/** Errors that the user has to fix. Contains all errors found, so that one run reports all. */
export class UserError extends Error {
  override readonly name = 'UserError';
  readonly problems: readonly Problem[];

  constructor(problems: readonly Problem[]) {
    super(problems.map(formatProblem).join('\n'));
    this.problems = problems;
  }
}

export class InternalError extends Error {
  override readonly name = 'InternalError';
}

export function formatProblem({ place, message }: Problem): string {
  if (place === null) return message;
  return place.line > 0 ? `${place.file}:${place.line}: ${message}` : `${place.file}: ${message}`;
}

export function errorMessage(error: unknown): string {
  const message: unknown = (error as Partial<Error> | null)?.message;
  return typeof message === 'string' ? message : String(error);
}

export function errorTrace(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

/** A text as `place` names a file as a whole. */
export function problem(place: Place | string | null, message: string): Problem {
  return { place: typeof place === 'string' ? { file: place, line: 0 } : place, message };
}

export function userError(place: Place | string | null, message: string): UserError {
  return new UserError([problem(place, message)]);
}

export const NOT_JUDGED = 2;
