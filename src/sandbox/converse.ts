import { randomUUID } from 'node:crypto';
import type { CodeJob, CodeResult } from '../types.ts';
import type { Keeper } from './keeper.ts';
import { limits } from './limits.ts';
import type { Answer, Link, Outcome, Printed } from './link.ts';
import { explainOutcome, failure, readReply } from './reply.ts';
import type { Setting } from './reply.ts';

export interface Topic {
  keeper: Keeper;
  job: CodeJob;
  setting: Setting;
  /** Filled by index. */
  results: CodeResult[];
  printed(printed: Printed): void;
  /** Told of each evaluation's end; true: the rest of the code's inputs is not worth running. */
  givesUp(outcome: Outcome): boolean;
}

/** Requests on their way, oldest first, and where the next comes from. */
interface State {
  open: { id: string; index: number; bytes: number }[];
  bytes: number;
  next: number;
  watchdog: NodeJS.Timeout | undefined;
}

/**
 * Asks `link` for the job's inputs from index `first` on, a bounded number at a time, until all are
 * answered or the worker is lost. Resolves to the first input that is still to be run; it has moved
 * on by at least one, or the keeper was closed.
 */
export function converse(link: Link, topic: Topic, first: number): Promise<number> {
  return new Promise((resolve) => {
    const state: State = { open: [], bytes: 0, next: first, watchdog: undefined };
    const finish = (index: number): void => {
      clearTimeout(state.watchdog);
      topic.keeper.listen(null);
      resolve(index);
    };
    const lose = (outcome: Exclude<Outcome, 'reply'>): void => {
      topic.keeper.drop();
      const lost = state.open[0];
      if (lost !== undefined) {
        topic.results[lost.index] = failure(explainOutcome(outcome, topic.setting));
        topic.givesUp(outcome);
      }
      finish(lost === undefined ? state.next : lost.index + 1);
    };
    const goOn = (): void => {
      clearTimeout(state.watchdog);
      ask(link, topic, state);
      if (state.open.length === 0) return finish(state.next);
      state.watchdog = setTimeout(
        () => lose('timeout'),
        topic.setting.timeoutSeconds * 1000 + limits.grace,
      );
    };
    const answer = (heard: Answer): void => {
      const index = take(heard, topic, state);
      if (index === null) return lose('channel');
      if (topic.givesUp(heard.outcome) || heard.spent) {
        topic.keeper.drop();
        return finish(index + 1);
      }
      goOn();
    };
    topic.keeper.listen({
      answer,
      ended: (outcome) => (outcome === 'closed' ? finish(state.next) : lose(outcome)),
    });
    link.begin({ code: topic.job.code, outputs: topic.job.outputs });
    goOn();
  });
}

/** Sends what fits. Inputs that are too large are answered on the spot. */
function ask(link: Link, { job, results }: Topic, state: State): void {
  while (
    state.next < job.inputs.length &&
    state.open.length < limits.inFlight &&
    state.bytes < limits.inFlightBytes
  ) {
    const index = state.next;
    state.next += 1;
    const variables = JSON.stringify(job.inputs[index]);
    const bytes = Buffer.byteLength(variables);
    if (bytes > limits.input) {
      results[index] = failure(`the variables are larger than ${limits.input / 1024 / 1024} MiB`);
      continue;
    }
    const id = randomUUID();
    state.open.push({ id, index, bytes });
    state.bytes += bytes;
    link.send(id, variables);
  }
}

/**
 * Files an answer under the oldest request and returns its index; null when it is not an answer to
 * that.
 */
function take(heard: Answer, topic: Topic, state: State): number | null {
  const asked = state.open[0];
  if (asked?.id !== heard.id) return null;
  const result =
    heard.outcome === 'reply'
      ? readReply(heard.reply, topic.setting)
      : failure(explainOutcome(heard.outcome, topic.setting));
  if (result === null) return null;
  state.open.shift();
  state.bytes -= asked.bytes;
  topic.results[asked.index] = result;
  topic.printed(heard.printed);
  return asked.index;
}
