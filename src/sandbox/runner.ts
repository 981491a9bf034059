import { logLine } from '../text/log.ts';
import type { CodeJob, CodeLanguage, CodeResult } from '../types/model.ts';
import { converse, createKeeper, type Keeper, type Topic } from './evaluate.ts';
import { limits, type Outcome, type Printed, type StartLink } from './link.ts';
import { failure } from './reply.ts';

export interface RunnerOptions {
  language: CodeLanguage;
  mode: 'sandbox' | 'host';
  timeoutSeconds: number;
  log(line: string): void;
}

export interface Runner {
  /**
   * One result per input, in their order. Jobs run one after the other. Never rejects because of
   * the code.
   */
  run(job: CodeJob): Promise<CodeResult[]>;
  /** Ends the worker; what has not run is answered with an error. */
  close(): Promise<void>;
}

interface State {
  keeper: Keeper;
  /** Evaluations in a row that ended at the time limit, by code; absent: none. */
  timeouts: Map<string, number>;
  printed(printed: Printed): void;
  options: RunnerOptions;
}

/** Keeps one worker of one language and side busy, and replaces it when it has to be. */
export function createRunner(start: StartLink, options: RunnerOptions): Runner {
  const keeper = createKeeper(start);
  const state: State = { keeper, timeouts: new Map(), printed: createPrinter(options), options };
  let last: Promise<unknown> = Promise.resolve();
  return {
    run(job) {
      const done = last.then(() => runJob(job, state));
      last = done.catch(() => undefined);
      return done;
    },
    async close() {
      await keeper.close();
      await last;
    },
  };
}

async function runJob(
  job: CodeJob,
  { keeper, timeouts, printed, options }: State,
): Promise<CodeResult[]> {
  const { language, mode, timeoutSeconds } = options;
  const results: CodeResult[] = job.inputs.map(() => failure('was not run'));
  const size = Buffer.byteLength(job.code);
  if (size > limits.code)
    return results.fill(failure(`the code is ${size} bytes; the limit is ${limits.code}`));
  const topic: Topic = {
    keeper,
    job,
    results,
    printed,
    setting: { language, mode, timeoutSeconds, outputs: job.outputs },
    givesUp: (outcome) => count(timeouts, job.code, outcome) >= limits.timeouts,
  };
  let next = 0;
  while (next < job.inputs.length) {
    if ((timeouts.get(job.code) ?? 0) >= limits.timeouts) {
      return results.fill(
        failure(
          `was not run: it took longer than ${timeoutSeconds} s ${limits.timeouts} times in a row`,
        ),
        next,
      );
    }
    const started = await keeper.get();
    if (started.status === 'refused') return results.fill(failure(started.message), next);
    next = await converse(started.link, topic, next);
  }
  return results;
}

function count(timeouts: Map<string, number>, code: string, outcome: Outcome): number {
  if (outcome !== 'timeout') {
    timeouts.delete(code);
    return 0;
  }
  const inARow = (timeouts.get(code) ?? 0) + 1;
  timeouts.set(code, inARow);
  return inARow;
}

/** User code's words for the log, as one part of a line that we begin, and not without end. */
function createPrinter({ language, log }: RunnerOptions): (printed: Printed) => void {
  let left: number = limits.loggedLines;
  const say = (line: string): void => {
    if (left > 0) log(`${language} code: ${line}`);
    if (left === 0) log(`${language} code: further lines are left out`);
    left -= 1;
  };
  return ({ text, cut }) => {
    const lines = text === '' ? [] : text.split(/\r\n|[\n\r\v\f\u0085\u2028\u2029]/);
    if (lines.at(-1) === '') lines.pop();
    for (const line of lines) say(logLine(line));
    if (cut) say(`(more than ${limits.printed / 1024} KiB was printed; the rest is dropped)`);
  };
}
