import type { Readable } from 'node:stream';

export const limits = {
  code: 32 * 1024,
  /** The variables of one evaluation as JSON. */
  input: 8 * 1024 * 1024,
  /** The values of one evaluation as JSON. */
  reply: 64 * 1024,
  /** Characters of an optional text, such as a reason. */
  remark: 2000,
  /** Printed output per evaluation; the rest is dropped. */
  printed: 8 * 1024,
  /** Logged lines per language and side. */
  loggedLines: 1000,
  /** Address space of a Python process; all memory of a JavaScript engine. */
  memory: 512 * 1024 * 1024,
  /** Nesting of lists and maps in a value. */
  depth: 8,
  timeouts: 5,
  /** Total seconds for all confined code of a run. */
  runSeconds: 3600,
  /** Evaluations and bytes sent to a worker and not answered yet. */
  inFlight: 64,
  inFlightBytes: 1024 * 1024,
  start: 30_000,
  grace: 3_000,
} as const;

/** A line over `longest` bytes calls `overflow` once and ends reading. */
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

/** How an evaluation ended according to the supervisor. Only `reply` has content from the code. */
export const OUTCOMES = [
  'reply',
  'timeout',
  // Too slow, with more than half of the memory used: it may have been allocating.
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
  /** JSON from user code: read it with `readReply`. Empty unless the outcome is `reply`. */
  reply: string;
  spent: boolean;
}

/** A running worker, which answers requests in order. */
export interface Link {
  /** Sets the code of the next requests. Code of another `place` never shares a process. */
  begin(job: { place: string; code: string; outputs: string[] }): void;
  /** `variables` is a JSON map. */
  send(id: string, variables: string): void;
  kill(): void;
  close(): Promise<void>;
}

export interface Listener {
  answer(answer: ThreadAnswer): void;
  /** The outcome of the current evaluation. `closed`: we ended the worker. */
  ended(outcome: Exclude<CodeOutcome, 'reply'> | 'closed'): void;
}

export type StartResult =
  { status: 'started'; link: Link } | { status: 'refused'; message: string };

export type StartLink = (listener: Listener) => Promise<StartResult>;
