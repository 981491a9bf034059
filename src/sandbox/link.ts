import type { Readable } from 'node:stream';

/** What one piece of user code may take. Sizes are bytes, times milliseconds. */
export const limits = {
  code: 32 * 1024,
  /** The variables of one evaluation as JSON. */
  input: 8 * 1024 * 1024,
  /** The values of one evaluation as JSON. */
  reply: 64 * 1024,
  /** Characters of a text that the code may set beside what it must. */
  remark: 2000,
  /** What one evaluation prints; the rest is dropped. */
  printed: 8 * 1024,
  /** Lines in the log, per language and side. */
  loggedLines: 1000,
  /** Address space of a Python process; all memory of a JavaScript engine. */
  memory: 512 * 1024 * 1024,
  /** Levels of lists and maps in a value. */
  depth: 8,
  /**
   * Evaluations of one code that may end at the time limit before it is given up: an endless loop
   * must not hold a run up for hours.
   */
  timeouts: 5,
  /** Seconds that all confined code of a run may take together. */
  runSeconds: 3600,
  /** Evaluations and bytes on their way to a worker at once. */
  inFlight: 64,
  inFlightBytes: 1024 * 1024,
  /** A worker that has to be heard from: to start, and beyond the time limit of an evaluation. */
  start: 30_000,
  grace: 3_000,
} as const;

/**
 * Calls `hear` with each line of a stream of UTF-8 bytes. A line of more than `longest` bytes calls
 * `overflow` once and ends the reading.
 */
export function readLines(
  stream: Readable,
  longest: number,
  hear: (line: string) => void,
  overflow: () => void,
): void {
  let chunks: Buffer[] = [];
  let held = 0;
  let over = false;
  stream.on('data', (chunk: Buffer) => {
    let start = 0;
    while (!over) {
      const end = chunk.indexOf(10, start);
      const piece = end < 0 ? chunk.subarray(start) : chunk.subarray(start, end);
      held += piece.length;
      if (held > longest) {
        over = true;
        chunks = [];
        return overflow();
      }
      chunks.push(piece);
      if (end < 0) return;
      const line = Buffer.concat(chunks).toString('utf8');
      chunks = [];
      held = 0;
      start = end + 1;
      hear(line);
    }
  });
}

/**
 * How an evaluation ended, as the worker's keeper saw it. Only `reply` carries something the code
 * said.
 */
export type CodeOutcome =
  | 'reply'
  | 'timeout'
  /** Too slow, with more than half of the memory in use: it may have been allocating. */
  | 'timeout-memory'
  | 'exit'
  | 'memory'
  | 'channel';

export interface Printed {
  text: string;
  cut: boolean;
}

export interface ThreadAnswer {
  /** The id of the request; anything but the oldest open one is a forgery. */
  id: string;
  outcome: CodeOutcome;
  printed: Printed;
  /**
   * JSON that user code had a hand in; read it with `readReply`. Empty unless the outcome is
   * `reply`.
   */
  reply: string;
  /** The worker is of no more use and has to be replaced. */
  spent: boolean;
}

/** One running worker: code goes in, answers come back one by one in the order of the requests. */
export interface Link {
  /**
   * The code that the next requests are about. `place` tells apart what may share a process: code
   * of another place than the last begins where no other has been.
   */
  begin(job: { place: string; code: string; outputs: string[] }): void;
  /** `variables` is a JSON map. */
  send(id: string, variables: string): void;
  kill(): void;
  /** Releases everything; resolves when the worker is gone. */
  close(): Promise<void>;
}

/**
 * Events of one worker and no other, so that a late word of a dead worker is never taken for its
 * successor's.
 */
export interface Listener {
  answer(answer: ThreadAnswer): void;
  /**
   * The worker is gone, or spoke out of turn: how the evaluation it was at ended. `closed`: we let
   * go of it ourselves.
   */
  ended(outcome: Exclude<CodeOutcome, 'reply'> | 'closed'): void;
}

export type Started = { status: 'started'; link: Link } | { status: 'refused'; message: string };

export type StartLink = (listener: Listener) => Promise<Started>;
