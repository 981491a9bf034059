import type { Readable } from 'node:stream';

export const limits = {
  code: 32 * 1024,
  /** Variables of one evaluation, as JSON. */
  input: 8 * 1024 * 1024,
  /** Values of one evaluation, as JSON. */
  reply: 64 * 1024,
  remark: 2000,
  /** Output printed by one evaluation; the rest is dropped. */
  printed: 8 * 1024,
  loggedLines: 1000,
  /** Address space of a Python process, or all memory of a JavaScript engine. */
  memory: 512 * 1024 * 1024,
  /** Nesting of lists and maps in a value. */
  depth: 8,
  timeouts: 5,
  /** Total seconds for all confined code of a run. */
  runSeconds: 3600,
  /** Evaluations and bytes sent to a worker that has not replied yet. */
  inFlight: 64,
  inFlightBytes: 1024 * 1024,
  start: 30_000,
  grace: 3_000,
} as const;

/** A line longer than `longest` bytes calls `overflow` once and stops reading. */
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

/** How an evaluation ended, as seen by the supervisor. Only `reply` contains data from the code. */
export const OUTCOMES = [
  'reply',
  'timeout',
  // The code was too slow and used more than half of the memory, so it may have been allocating.
  'timeout-memory',
  'exit',
  'memory',
  'channel',
] as const;

export type CodeOutcome = (typeof OUTCOMES)[number];

export interface Printed {
  text: string;
  cut: boolean;
}

export interface ThreadAnswer {
  id: string;
  outcome: CodeOutcome;
  printed: Printed;
  /** JSON from user code, empty unless the outcome is `reply`. Parse it with `readWorkerReply`. */
  reply: string;
  spent: boolean;
}

/** A running worker. It answers requests in order. */
export interface Link {
  /** Sets the code of the next requests. Code of different `place`s never shares a process. */
  begin(job: { place: string; code: string; outputs: string[] }): void;
  send(id: string, variables: string): void;
  kill(): void;
  close(): Promise<void>;
}

export interface Listener {
  answer(answer: ThreadAnswer): void;
  /** Reports the outcome of the current evaluation. `closed`: we ended the worker. */
  ended(outcome: Exclude<CodeOutcome, 'reply'> | 'closed'): void;
}

export type StartResult =
  { status: 'started'; link: Link } | { status: 'refused'; message: string };

export type StartLink = (listener: Listener) => Promise<StartResult>;
