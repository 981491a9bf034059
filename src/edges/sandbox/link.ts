import type { CodeJob } from '../../types/model.ts';

export const limits = {
  code: 32 * 1024,
  input: 8 * 1024 * 1024,
  reply: 64 * 1024,
  remark: 2000,
  printed: 8 * 1024,
  loggedLines: 1000,
  /** Address space of a Python process, or all memory of a JavaScript engine. */
  memory: 512 * 1024 * 1024,
  depth: 8,
  timeouts: 5,
  /** Total seconds for all confined code of a run. */
  runSeconds: 3600,
  inFlight: 64,
  inFlightBytes: 1024 * 1024,
  start: 30_000,
  grace: 3_000,
} as const;

export const OUTCOMES = ['reply', 'timeout', 'exit', 'memory', 'channel'] as const;

export type CodeOutcome = (typeof OUTCOMES)[number];

export interface Printed {
  text: string;
  cut: boolean;
}

export interface ThreadAnswer {
  id: string;
  outcome: CodeOutcome;
  printed: Printed;
  reply: string;
  spent: boolean;
}

export interface LinkJob extends Pick<CodeJob, 'code' | 'outputs' | 'modules'> {
  place: string;
}

export interface Link {
  /** Jobs with different values of `place` never share a process. */
  begin(job: LinkJob): void;
  send(id: string, variables: string): void;
  kill(): void;
  close(): Promise<void>;
}

export interface Listener {
  answer(answer: ThreadAnswer): void;
  ended(outcome: Exclude<CodeOutcome, 'reply'> | 'closed'): void;
}

export type StartResult =
  { status: 'started'; link: Link } | { status: 'refused'; message: string };

export type StartLink = (listener: Listener) => Promise<StartResult>;
