import { randomUUID } from 'node:crypto';
import { tooManyBytes } from '../../text/amounts.ts';
import { logLine } from '../../text/log.ts';
import type { CodeJob, CodeResult } from '../../types/model.ts';
import type { CodeLanguage } from '../../types/plain.ts';
import {
  limits,
  type CodeOutcome,
  type Printed,
  type StartLink,
  type ThreadAnswer,
  type Link,
  type Listener,
  type StartResult,
} from './link.ts';
import { failure, explainOutcome, readWorkerReply, type Setting } from './reply.ts';

interface RunnerOptions {
  language: CodeLanguage;
  mode: 'sandbox' | 'host';
  timeoutSeconds: number;
  clock: RunClock;
  log(line: string): void;
}

export interface RunClock {
  now(): number;
  left: number;
}

export type Runner = ReturnType<typeof createRunner>;

interface RunnerState {
  keeper: Keeper;
  timeouts: Map<string, number>;
  printed(printed: Printed): void;
  options: RunnerOptions;
}

export function createRunner(start: StartLink, options: RunnerOptions) {
  const keeper = createKeeper(start);
  const state: RunnerState = {
    keeper,
    timeouts: new Map(),
    printed: createPrinter(options),
    options,
  };
  const waiting: { job: CodeJob; done(results: Promise<CodeResult[]>): void }[] = [];
  let working: Promise<void> | null = null;
  let suite: string | null = null;
  // Jobs with the same place share a process. Consecutive jobs of a suite do.
  let place = '';
  const work = async () => {
    while (waiting.length > 0) {
      const own = waiting.findIndex(({ job }) => job.suite === suite);
      const [next] = waiting.splice(Math.max(own, 0), 1);
      if (next === undefined) break;
      if (next.job.suite !== suite) place = randomUUID();
      suite = next.job.suite;
      const results = runCodeJob(next.job, place, state);
      next.done(results);
      await results.catch(() => undefined);
    }
    working = null;
  };
  return {
    /** Returns one result per input, in order. Resolves even if the code fails. */
    run: (job: CodeJob) =>
      new Promise<CodeResult[]>((resolve) => {
        waiting.push({ job, done: resolve });
        working ??= work();
      }),
    async close(): Promise<void> {
      await keeper.close();
      await working;
    },
  };
}

async function runCodeJob(
  job: CodeJob,
  place: string,
  { keeper, timeouts, printed, options }: RunnerState,
): Promise<CodeResult[]> {
  const { language, mode, timeoutSeconds, clock } = options;
  const results: CodeResult[] = job.inputs.map(() => failure('was not run'));
  const size = Buffer.byteLength(job.code);
  if (size > limits.code)
    return results.fill(failure(`the code ${tooManyBytes(size, limits.code)}`));
  let since = clock.now();
  const topic: SandboxJob = {
    keeper,
    job,
    place,
    results,
    printed,
    setting: { language, mode, timeoutSeconds, outputs: job.outputs, at: job.at },
    givesUp: (outcome) => {
      const now = clock.now();
      clock.left -= now - since;
      since = now;
      const late = (timeouts.get(job.code) ?? 0) + (outcome === 'timeout' ? 1 : 0);
      timeouts.set(job.code, late);
      return late >= limits.timeouts || clock.left <= 0;
    },
  };
  let next = 0;
  while (next < job.inputs.length) {
    if ((timeouts.get(job.code) ?? 0) >= limits.timeouts) {
      return results.fill(
        failure(
          `was not run again: it took longer than ${timeoutSeconds} s ${limits.timeouts} times`,
        ),
        next,
      );
    }
    if (clock.left <= 0) {
      const hours = limits.runSeconds / 3600;
      return results.fill(
        failure(
          `was not run: all code of this run has used its limit of ${hours} h together; make ` +
            'the code faster, or set code: host in the workflow',
        ),
        next,
      );
    }
    const started = await keeper.get();
    if (started.status === 'refused') return results.fill(failure(started.message), next);
    since = clock.now();
    next = await runInputs(started.link, topic, next);
  }
  return results;
}

function createPrinter({ language, log }: RunnerOptions): (printed: Printed) => void {
  let left: number = limits.loggedLines;
  const say = (line: string) => {
    if (left > 0) log(`${language} code: ${line}`);
    if (left === 0) log(`${language} code: further lines are left out`);
    left -= 1;
  };
  return ({ text, cut }) => {
    const lines = text === '' ? [] : text.split(/\r\n|[\n\r\v\f\u0085\u2028\u2029]/);
    if (lines.at(-1) === '') lines.pop();
    for (const line of lines) say(logLine(line));
    if (cut) say(`(more than ${limits.printed / 1024} KiB was printed; the rest is left out)`);
  };
}

type Keeper = ReturnType<typeof createKeeper>;

function createKeeper(start: StartLink) {
  let link: Link | null = null;
  let listener: Listener | null = null;
  let generation = 0;
  let closed = false;

  const drop = () => {
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
        if (own !== generation) return;
        if (listener === null) drop();
        else listener.answer(answer);
      },
      ended: (outcome) => {
        if (own !== generation) return;
        drop();
        listener?.ended(outcome);
      },
    });
    if (started.status === 'refused') return started;
    if (own === generation) {
      link = started.link;
      return started;
    }
    started.link.kill();
    return get();
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

interface SandboxJob {
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
function runInputs(link: Link, topic: SandboxJob, first: number): Promise<number> {
  return new Promise((resolve) => {
    const state: SendState = { open: [], bytes: 0, next: first, watchdog: undefined };
    const finish = (index: number) => {
      clearTimeout(state.watchdog);
      topic.keeper.listen(null);
      resolve(index);
    };
    const lose = (outcome: Exclude<CodeOutcome, 'reply'>) => {
      topic.keeper.drop();
      const lost = state.open[0];
      if (lost !== undefined) {
        topic.results[lost.index] = failure(explainOutcome(outcome, topic.setting));
        topic.givesUp(outcome);
      }
      finish(lost === undefined ? state.next : lost.index + 1);
    };
    const goOn = () => {
      clearTimeout(state.watchdog);
      sendInputs(link, topic, state);
      if (state.open.length === 0) return finish(state.next);
      state.watchdog = setTimeout(
        () => lose('timeout'),
        topic.setting.timeoutSeconds * 1000 + limits.grace,
      );
    };
    const answer = (heard: ThreadAnswer) => {
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
