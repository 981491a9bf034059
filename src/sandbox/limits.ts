/** What one piece of user code may take. Sizes are bytes, times milliseconds. */
export const limits = {
  code: 32 * 1024,
  /** The variables of one evaluation as JSON. */
  input: 8 * 1024 * 1024,
  /** The values of one evaluation as JSON. */
  reply: 64 * 1024,
  /** What one evaluation prints; the rest is dropped. */
  printed: 8 * 1024,
  /** Lines in the log, per language and side. */
  loggedLines: 1000,
  /** Address space of a Python process; all memory of a JavaScript engine. */
  memory: 512 * 1024 * 1024,
  /** Levels of lists and maps in a value. */
  depth: 8,
  /**
   * Evaluations that end at the time limit, one after the other, before the code is given up:
   * nobody waits hours for a loop.
   */
  timeouts: 5,
  /** Evaluations and bytes on their way to a worker at once. */
  inFlight: 64,
  inFlightBytes: 1024 * 1024,
  /** A worker that has to be heard from: to start, and beyond the time limit of an evaluation. */
  start: 30_000,
  grace: 3_000,
} as const;
