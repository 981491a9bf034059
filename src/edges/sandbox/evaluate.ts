import { randomUUID } from 'node:crypto';
import type { CodeJob, CodeResult } from '../../types/model.ts';
import {
  limits,
  type ThreadAnswer,
  type Link,
  type Listener,
  type CodeOutcome,
  type Printed,
  type StartLink,
  type StartResult,
} from './link.ts';
import { explainOutcome, failure, readWorkerReply, type Setting } from './reply.ts';

export type Keeper = ReturnType<typeof createKeeper>;

export function createKeeper(start: StartLink) {
  let link: Link | null = null;
  let listener: Listener | null = null;
  let generation = 0;
  let closed = false;

  const drop = (): void => {
    generation += 1;
    link?.kill();
    link = null;
  };

  async function get(): Promise<StartResult> {
    if (closed) return { status: 'refused', message: 'was not run: evaldiff is stopping' };
    if (link !== null) return { status: 'started', link };
    generation += 1;
    const own = generation;
    const started = await start({
      answer: (answer) => {
        if (own === generation) {
          if (listener === null) drop();
          else listener.answer(answer);
        }
      },
      ended: (outcome) => {
        if (own === generation) {
          drop();
          listener?.ended(outcome);
        }
      },
    });
    if (started.status === 'started') {
      if (own !== generation) {
        started.link.kill();
        return get();
      }
      link = started.link;
    }
    return started;
  }

  return {
    get,
    drop,
    /** Without a listener, a worker that sends anything is killed. */
    listen(next: Listener | null): void {
      listener = next;
    },
    async close(): Promise<void> {
      closed = true;
      generation += 1;
      const worker = link;
      link = null;
      listener?.ended('closed');
      await worker?.close();
    },
  };
}

export interface SandboxJob {
  keeper: Keeper;
  job: CodeJob;
  place: string;
  setting: Setting;
  results: CodeResult[];
  printed(printed: Printed): void;
  givesUp(outcome: CodeOutcome): boolean;
}

interface SendState {
  open: { id: string; index: number; bytes: number }[];
  bytes: number;
  next: number;
  watchdog: NodeJS.Timeout | undefined;
}

/** Resolves to the index of the first input without a result. */
export function runInputs(link: Link, topic: SandboxJob, first: number): Promise<number> {
  return new Promise((resolve) => {
    const state: SendState = { open: [], bytes: 0, next: first, watchdog: undefined };
    const finish = (index: number): void => {
      clearTimeout(state.watchdog);
      topic.keeper.listen(null);
      resolve(index);
    };
    const lose = (outcome: Exclude<CodeOutcome, 'reply'>): void => {
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
      sendInputs(link, topic, state);
      if (state.open.length === 0) return finish(state.next);
      state.watchdog = setTimeout(
        () => lose('timeout'),
        topic.setting.timeoutSeconds * 1000 + limits.grace,
      );
    };
    const answer = (heard: ThreadAnswer): void => {
      const index = storeAnswer(heard, topic, state);
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
    const { code, outputs, modules } = topic.job;
    link.begin({ place: topic.place, code, outputs, modules });
    goOn();
  });
}

function sendInputs(link: Link, { job, results }: SandboxJob, state: SendState): void {
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
      results[index] = failure(
        `the variables for the code are larger than ${limits.input / 1024 / 1024} MiB`,
      );
      continue;
    }
    const id = randomUUID();
    state.open.push({ id, index, bytes });
    state.bytes += bytes;
    link.send(id, variables);
  }
}

function storeAnswer(heard: ThreadAnswer, topic: SandboxJob, state: SendState): number | null {
  const asked = state.open[0];
  if (asked?.id !== heard.id) return null;
  const result =
    heard.outcome === 'reply'
      ? readWorkerReply(heard.reply, topic.setting)
      : failure(explainOutcome(heard.outcome, topic.setting));
  if (result === null) return null;
  state.open.shift();
  state.bytes -= asked.bytes;
  topic.results[asked.index] = result;
  topic.printed(heard.printed);
  return asked.index;
}
