import { pause, type Clock } from '../../edges/providers/clock.ts';
import type { Halt } from '../../kernel/plan/halt.ts';
import { sum } from '../../kernel/statistics/sums.ts';
import { forecastWords } from '../../money/cost-cap.ts';
import { minimumCalls, sizeWords } from '../../money/plan.ts';
import { callsLine } from '../../report/plan.ts';
import { counted } from '../../text/amounts.ts';
import type { PlannedRun } from '../run/record.ts';
import type { JudgeEdges } from '../run/spending.ts';

interface HaltOptions {
  timeoutMs: number | null;
  isJob?: boolean;
  clock: Clock;
  process: Pick<NodeJS.EventEmitter, 'on' | 'off'> & { exit(code: number): void };
  log(line: string): void;
}

export interface Halting {
  signal: AbortSignal;
  halted(): Halt | null;
  release(): void;
}

export const NEVER: Halting = {
  signal: new AbortController().signal,
  halted: () => null,
  release: () => undefined,
};

const SIGNALS = ['SIGINT', 'SIGTERM'] as const;

/** The exit code of a shell after Ctrl-C. */
const INTERRUPTED = 130;

/**
 * After a signal, the run judges the answers that it has. A second signal of the same kind ends the
 * process. A different one does not, because runners send SIGTERM 7.5 s after SIGINT.
 */
export function createHalting({
  timeoutMs,
  isJob = false,
  clock,
  process,
  log,
}: HaltOptions): Halting {
  const ending = new AbortController();
  const halt = (reason: Halt) => {
    if (!ending.signal.aborted) ending.abort(reason);
  };
  const met = new Set<string>();
  const onSignal = (name: string) => {
    if (met.has(name)) {
      process.exit(INTERRUPTED);
      return;
    }
    met.add(name);
    if (!ending.signal.aborted)
      log(
        `${name}: no further calls; the run reports what it has. Press again to exit immediately.`,
      );
    halt(
      isJob
        ? { code: 'cancelled', why: `by a newer commit, by hand or by its timeout (${name})` }
        : { code: 'interrupted', why: `it was cancelled, or stopped by hand (${name})` },
    );
  };
  const released = new AbortController();
  if (timeoutMs !== null)
    void pause(clock, timeoutMs, released.signal, 'deadline').then(() => {
      if (released.signal.aborted) return;
      const minutes = timeoutMs / 60_000;
      halt({
        code: 'time',
        why: `the run took longer than ${counted(minutes, 'minute')} (timeout)`,
      });
    });
  for (const name of SIGNALS) process.on(name, onSignal);
  return {
    signal: ending.signal,
    halted: () => (ending.signal.aborted ? (ending.signal.reason as Halt) : null),
    release() {
      released.abort();
      for (const name of SIGNALS) process.off(name, onSignal);
    },
  };
}

interface Progress {
  planned(run: Planned, certainWords: readonly string[]): void;
  answered: JudgeEdges['answered'];
  stage(words: string): void;
  end(): void;
}

type Planned = Pick<PlannedRun, 'plan' | 'features' | 'forecast'>;

interface ProgressOptions {
  /** `line` overwrites one line, for terminals. `steps` prints separate lines, for logs. */
  style: 'line' | 'steps';
  write(text: string): void;
  now(): number;
}

const PROGRESS_STEP = 0.05;
const STEP_MS = 5000;

const REDRAW_MS = 100;

export function createProgress({ style, write, now }: ProgressOptions): Progress {
  let planned = { answers: 0, others: 0 };
  let begun = 0;
  let answers = 0;
  let others = 0;
  let errors = 0;
  let width = 0;
  let shown = 0;
  let drawn = 0;

  const all = () => planned.answers + planned.others;
  const done = () => answers + others + errors;
  const line = () =>
    [
      outOf(answers, planned.answers, 'answer'),
      ...(others + planned.others > 0 ? [outOf(others, planned.others, 'further call')] : []),
      ...(errors > 0 ? [counted(errors, 'error')] : []),
      ...pace(done(), all(), (now() - begun) / 1000),
    ].join(', ');
  const isDue = () =>
    style === 'line'
      ? now() - drawn >= REDRAW_MS
      : all() > 0 && now() - drawn >= STEP_MS && done() - shown >= all() * PROGRESS_STEP;
  const draw = () => {
    const text = line();
    write(style === 'line' ? `\r${text.padEnd(width)}` : `${text}\n`);
    width = text.length;
    shown = done();
    drawn = now();
  };
  return {
    planned(run, certainWords) {
      const { plan, forecast } = run;
      planned = callsIn(run);
      begun = now();
      if (style === 'steps') drawn = begun;
      if (plan.references === 0) return;
      const size = sizeWords(plan, 'references of suites');
      write(`${size} affected: ${callsLine(plan, certainWords)}; ${forecastWords(forecast)}\n`);
    },
    answered(purpose, status) {
      if (status === 'error') errors += 1;
      else if (purpose === 'prompt') answers += 1;
      else others += 1;
      if (isDue()) draw();
    },
    stage(words) {
      write(style === 'line' ? `\r${words.padEnd(width)}\n` : `${words}\n`);
    },
    end() {
      if (style !== 'line' || done() === 0) return;
      draw();
      write('\n');
    },
  };
}

function callsIn({ plan, features }: Planned) {
  const own = features.flatMap(({ certain }) =>
    certain.flatMap(({ purpose, calls }) => (purpose === 'prompt' ? [calls] : [])),
  );
  const answers = plan.prompt_calls + sum(own);
  return { answers: answers + plan.replayed, others: minimumCalls(plan) - answers };
}

function pace(done: number, planned: number, seconds: number): string[] {
  const rate = seconds > 0 ? done / seconds : 0;
  if (rate === 0) return [];
  const words = `${rate < 10 ? rate.toFixed(1) : String(Math.round(rate))} a second`;
  return planned > done ? [words, `about ${duration((planned - done) / rate)} left`] : [words];
}

function outOf(done: number, planned: number, what: string): string {
  return done > planned ? counted(done, what) : `${done} of ${counted(planned, what)}`;
}

function duration(seconds: number): string {
  if (seconds < 90) return `${String(Math.ceil(seconds))} s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 90 ? `${minutes} min` : `${(minutes / 60).toFixed(1)} h`;
}
