import type { Request } from '../types/model.ts';
import { pause, type Clock } from './clock.ts';
import { STOPPED, fault, type Fault } from './fault.ts';
import { startChild, type Child, type End } from './program-child.ts';
import { SHOWN, askLine, createCalls, failedCall, type Calls } from './program-protocol.ts';
import type { CallAttempt } from './retry.ts';
import { foreignLine } from './sdk-fault.ts';
import type { Said } from './vendors/vendor.ts';

/** A line by which a runtime tells what ended a program, as Node and Python write it. */
const TELLING = /^(?:[\w.]*(?:Error|Exception)\b[^:]*): \S/;

/** Lines that a runtime writes below it: the stack, properties of the error, its own version. */
const BELOW = 30;

/**
 * What a program said last on stderr, in one line: the error it ended with, where one stands near
 * the end, else the last line.
 */
interface LastWords {
  hear(line: string): void;
  forget(): void;
  text(): string;
}

export function createLastWords(): LastWords {
  let last = '';
  let telling: { line: string; below: number } | null = null;
  return {
    hear(line) {
      const words = line.trim();
      if (words === '') return;
      last = words;
      if (TELLING.test(words)) telling = { line: words, below: 0 };
      else if (telling !== null && ++telling.below > BELOW) telling = null;
    },
    forget() {
      last = '';
      telling = null;
    },
    text: () => telling?.line ?? last,
  };
}

interface ProgramSessionOptions {
  command: readonly string[];
  env: Readonly<Record<string, string>>;
  /** Prepares the checkout and names its folder, or says what is wrong with it. */
  prepare(): Promise<{ cwd: string } | { fault: Fault }>;
  timeoutMs: number;
  clock: Clock;
  redact(text: string): string;
  /** One line of the program's stderr. */
  onErr(line: string): void;
  /** A line about the program. */
  log(line: string): void;
}

/** One application of the user's, running as one process that answers many calls. */
export interface ProgramSession {
  ask(request: Request): Promise<CallAttempt<Said>>;
  /** Ends every call under way as aborted. */
  abort(): void;
  close(): Promise<void>;
  killNow(): void;
}

/** Ends in a row, with no answer between them, after which the program is not started again. */
const MAX_ENDS = 4;

const CLOSE_GRACE_MS = 2000;

/** A program that has written nothing for so long after its start may have answered into a buffer. */
export const SILENCE_MS = 10_000;

/**
 * Talks to the program in JSON lines, in any order. It is started with the first call and again
 * after an end, unless it ends {@link MAX_ENDS} times in a row without an answer. A call that
 * passes the deadline fails alone; when nothing at all was heard in that time the process is taken
 * for stuck, ended, and started anew for the next call.
 */
export function createSession(options: ProgramSessionOptions): ProgramSession {
  const calls = createCalls(options);
  const program = createRuns(options, calls);
  return {
    async ask(request) {
      const to = await program.running();
      if ('retry' in to) return failedCall(to);
      const heardBefore = program.heard();
      const { id, result } = calls.open(() => {
        if (program.heard() === heardBefore) to.kill('SIGKILL');
      });
      to.write(askLine(id, request));
      return await result;
    },
    abort: () => calls.settleAll(STOPPED),
    close: () => program.close(),
    killNow: () => program.killNow(),
  };
}

/** The process, and after its end the next one. */
interface Runs {
  /** Started if need be, or why it cannot be asked. */
  running(): Promise<Child | Fault>;
  /** Lines of its answers so far. */
  heard(): number;
  close(): Promise<void>;
  killNow(): void;
}

function createRuns(options: ProgramSessionOptions, calls: Calls): Runs {
  const lastWords = createLastWords();
  let child: Child | null = null;
  let starting: Promise<Fault | null> | null = null;
  let linesHeard = 0;
  let ends = 0;
  let lastEnd = STOPPED;
  let closed = false;

  const watchSilence = createSilenceWatch(options, () => linesHeard);
  const onOut = (line: string): void => {
    linesHeard++;
    if (calls.hear(line)) ends = 0;
  };
  const onErr = (line: string): void => {
    lastWords.hear(line);
    options.onErr(line);
  };
  const launch = async (): Promise<Fault | null> => {
    const prepared = await options.prepare();
    if ('fault' in prepared) return prepared.fault;
    if (closed) return STOPPED;
    lastWords.forget();
    const started = startChild({
      command: options.command,
      cwd: prepared.cwd,
      env: options.env,
      onOut,
      onErr,
    });
    child = started;
    void watchSilence(started);
    void started.ended.then((end) => {
      child = null;
      starting = null;
      ends++;
      lastEnd = fault('program', endText(end, options, lastWords.text()));
      calls.settleAll(lastEnd);
    });
    return null;
  };
  return {
    async running() {
      if (ends >= MAX_ENDS) {
        const message = `ended ${ends} times in a row without an answer and is not started again`;
        return fault('program', message);
      }
      // Null: it ended between being started and this call.
      return (await (starting ??= launch())) ?? child ?? lastEnd;
    },
    heard: () => linesHeard,
    async close() {
      closed = true;
      await starting;
      calls.settleAll(STOPPED);
      if (child !== null) await stop(child, options.clock);
    },
    killNow: () => child?.kill('SIGKILL'),
  };
}

const SILENT = `nothing on its stdout for ${SILENCE_MS / 1000} s; if it has answered, the line waits in a buffer: flush stdout after each line`;

/** Gives a hint, once, where a child was not heard for a while after its start. */
function createSilenceWatch(
  { clock, log }: Pick<ProgramSessionOptions, 'clock' | 'log'>,
  heard: () => number,
): (child: Child) => Promise<void> {
  let hinted = false;
  return async ({ ended }) => {
    const over = new AbortController();
    void ended.then(() => over.abort());
    const before = heard();
    await pause(clock, SILENCE_MS, over.signal, 'silence');
    if (over.signal.aborted || hinted || heard() > before) return;
    hinted = true;
    log(SILENT);
  };
}

async function stop(child: Child, clock: Clock): Promise<void> {
  const over = new AbortController();
  child.closeInput();
  child.kill('SIGTERM');
  await Promise.race([child.ended, pause(clock, CLOSE_GRACE_MS, over.signal, 'end')]);
  over.abort();
  child.kill('SIGKILL');
  await child.ended;
}

/** What the end of a process means for the calls it left behind. */
export function endText(
  end: End,
  { command, redact }: { command: readonly string[]; redact(text: string): string },
  lastWords: string,
): string {
  const words = lastWords === '' ? '' : `: ${foreignLine(lastWords, redact, SHOWN)}`;
  const file = foreignLine(command[0] ?? '', redact, SHOWN);
  switch (end.how) {
    case 'not-started':
      return end.code === 'ENOENT'
        ? `the program "${file}" was not found`
        : `the program "${file}" cannot be started (${end.code})`;
    case 'exit':
      return `ended with exit code ${end.code}${words}`;
    case 'signal':
      return `was ended by ${end.signal}${words}`;
    case 'line-too-long':
      return 'wrote a line longer than 8 MiB';
  }
}
