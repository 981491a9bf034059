/**
 * How an evaluation ended, as the worker's keeper saw it. Only `reply` carries something the code
 * said.
 */
export type Outcome = 'reply' | 'timeout' | 'exit' | 'memory' | 'channel';

export interface Printed {
  text: string;
  cut: boolean;
}

export interface Answer {
  /** The id of the request; anything but the oldest open one is a forgery. */
  id: string;
  outcome: Outcome;
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
  /** The code that the next requests are about. */
  begin(job: { code: string; outputs: string[] }): void;
  /** `variables` is a JSON map. */
  send(id: string, variables: string): void;
  kill(): void;
  /** Lets go of everything; resolves when the worker is gone. */
  close(): Promise<void>;
}

/**
 * Events of one worker and no other, so that a late word of a dead worker is never taken for its
 * successor's.
 */
export interface Listener {
  answer(answer: Answer): void;
  /**
   * The worker is gone, or spoke out of turn: how the evaluation it was at ended. `closed`: we let
   * go of it ourselves.
   */
  ended(outcome: Exclude<Outcome, 'reply'> | 'closed'): void;
}

export type Started = { status: 'started'; link: Link } | { status: 'refused'; message: string };
export type StartLink = (listener: Listener) => Promise<Started>;
