import { chatMessage } from '../../types/message-list.ts';
import type { Request } from '../../types/model.ts';
import { parsedJson } from '../../types/plain.ts';
import { pause, type Clock, createDeadlines } from './clock.ts';
import { STOPPED, fault, type Fault } from './fault.ts';
import { startChild, type Child, type End } from './program-child.ts';
import { readReply } from './program-reply.ts';
import type { CallAttempt } from './retry.ts';
import { foreignLine } from './sdk-fault.ts';
import type { VendorOutput } from './vendors/vendor.ts';

const ERROR_LINE = /^(?:[\w.]*(?:Error|Exception)\b[^:]*): \S/;

const LINES_BELOW_ERROR = 30;

export function createLastError() {
  let last = '';
  let error: { line: string; below: number } | null = null;
  return {
    add(line: string): void {
      const words = line.trim();
      if (words === '') return;
      last = words;
      if (ERROR_LINE.test(words)) error = { line: words, below: 0 };
      else if (error !== null && ++error.below > LINES_BELOW_ERROR) error = null;
    },
    forget(): void {
      last = '';
      error = null;
    },
    text: () => error?.line ?? last,
  };
}

interface ProgramSessionOptions {
  command: readonly string[];
  env: Readonly<Record<string, string>>;
  prepare(): Promise<{ cwd: string } | { fault: Fault }>;
  timeoutMs: number;
  clock: Clock;
  redact(text: string): string;
  onErr(line: string): void;
}

export type ProgramSession = ReturnType<typeof createSession>;

const MAX_EXITS = 4;

const CLOSE_GRACE_MS = 2000;

/** Restarts the program until it has exited {@link MAX_EXITS} times in a row without an answer. */
export function createSession(options: ProgramSessionOptions) {
  const calls = createCalls(options);
  const program = createRuns(options, calls);
  return {
    ...program,
    async ask(request: Request, written: () => void): Promise<CallAttempt<VendorOutput>> {
      const to = await program.running();
      if ('retry' in to) {
        written();
        return failedCall(to);
      }
      const heardBefore = program.heard();
      const { id, result } = calls.open(() => {
        if (program.heard() === heardBefore) to.kill('SIGKILL');
      });
      const { target, parameters, messages, variables } = request;
      const { model } = target;
      const told = messages.map((message) => ({ ...chatMessage(message), parts: message.parts }));
      to.write(`${JSON.stringify({ id, model, parameters, messages: told, variables })}\n`);
      written();
      return await result;
    },
    abort: () => calls.settleAll(STOPPED),
  };
}

function createRuns(options: ProgramSessionOptions, calls: Calls) {
  const lastWords = createLastError();
  let child: Child | null = null;
  let starting: Promise<Fault | null> | null = null;
  let linesHeard = 0;
  let ends = 0;
  let lastEnd = STOPPED;
  let closed = false;

  const onOut = (line: string) => {
    linesHeard++;
    if (calls.receive(line)) ends = 0;
  };
  const onErr = (line: string) => {
    lastWords.add(line);
    options.onErr(line);
  };
  const launch = async (): Promise<Fault | null> => {
    const prepared = await options.prepare();
    if ('fault' in prepared) return prepared.fault;
    if (closed) return STOPPED;
    lastWords.forget();
    const { command, env } = options;
    const started = startChild({ command, cwd: prepared.cwd, env, onOut, onErr });
    child = started;
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
    async running(): Promise<Child | Fault> {
      if (ends >= MAX_EXITS) {
        const message = `ended ${ends} times in a row without an answer and is not restarted`;
        return fault('program', message);
      }
      return (await (starting ??= launch())) ?? child ?? lastEnd;
    },
    heard: () => linesHeard,
    async close(): Promise<void> {
      closed = true;
      await starting;
      calls.settleAll(STOPPED);
      if (child !== null) await stop(child, options.clock);
    },
    killNow: () => child?.kill('SIGKILL'),
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

export type Processes = ReturnType<typeof createProcesses>;

export function createProcesses(create: () => ProgramSession, ends: (key: string) => boolean) {
  const current = new Map<string, { session: ProgramSession; users: number }>();
  const alive = new Set<ProgramSession>();
  const start = () => {
    const session = create();
    alive.add(session);
    return { session, users: 0 };
  };
  const close = async (session: ProgramSession) => {
    await session.close();
    alive.delete(session);
  };
  return {
    async use<T>(key: string, work: (session: ProgramSession) => Promise<T>): Promise<T> {
      const process = current.get(key) ?? start();
      current.set(key, process);
      process.users++;
      try {
        return await work(process.session);
      } finally {
        process.users--;
        if (process.users === 0 && ends(key)) {
          current.delete(key);
          void close(process.session);
        }
      }
    },
    each: (act: (session: ProgramSession) => void) => alive.forEach(act),
    async close(): Promise<void> {
      await Promise.all([...alive].map(close));
    },
  };
}

export function endText(
  end: End,
  { command, redact }: { command: readonly string[]; redact(text: string): string },
  lastWords: string,
): string {
  const words = lastWords === '' ? '' : `: ${foreignLine(lastWords, redact, MAX_QUOTED_CHARS)}`;
  const file = foreignLine(command[0] ?? '', redact, MAX_QUOTED_CHARS);
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

const MAX_QUOTED_CHARS = 200;

function parseAnswerLine(
  line: string,
  at: number,
  redact: (text: string) => string,
): { id: string | null; result: CallAttempt<VendorOutput> } {
  const reply = readReply(parsedJson(line));
  const { id } = reply;
  if (reply.kind === 'answer')
    return { id, result: { status: 'ok', value: reply.answer, latencyMs: 0, waitMs: 0 } };
  if (reply.kind === 'odd') {
    const problem = foreignLine(reply.problem, redact, MAX_QUOTED_CHARS);
    return { id, result: failedCall(fault('program', `line ${at} of its stdout: ${problem}`)) };
  }
  const text = foreignLine(reply.error, redact, MAX_QUOTED_CHARS) || 'an error without a message';
  const reason = reply.retryable
    ? fault('program', text, { retry: 'later' })
    : fault('program-answer', text);
  return { id, result: failedCall(reason) };
}

function failedCall(reason: Fault): CallAttempt<VendorOutput> {
  return { status: 'fault', fault: reason, sent: true };
}

type Calls = ReturnType<typeof createCalls>;

function createCalls({ clock, timeoutMs, redact }: ProgramSessionOptions) {
  const open = new Map<string, (result: CallAttempt<VendorOutput>) => void>();
  const startDeadline = createDeadlines(clock, timeoutMs);
  let last = 0;
  let lines = 0;
  const settle = (id: string, result: CallAttempt<VendorOutput>): void => open.get(id)?.(result);
  return {
    open(late: () => void) {
      const id = String(++last);
      const started = clock.now();
      const disarm = startDeadline(() => {
        const why = `no answer after ${timeoutMs / 1000} s; it must flush stdout after each line`;
        settle(id, failedCall(fault('timeout', why)));
        late();
      });
      const result = new Promise<CallAttempt<VendorOutput>>((resolve) => {
        open.set(id, (attempt) => {
          disarm();
          open.delete(id);
          resolve(
            attempt.status === 'ok' ? { ...attempt, latencyMs: clock.now() - started } : attempt,
          );
        });
      });
      return { id, result };
    },
    /** Returns true for an answer to an open call. An unexpected line fails the oldest call. */
    receive(line: string): boolean {
      const { id, result } = parseAnswerLine(line, ++lines, redact);
      if (id !== null && open.has(id)) {
        settle(id, result);
        return true;
      }
      const late = id !== null && /^[1-9]\d{0,15}$/.test(id) && Number(id) <= last;
      if (late) return false;
      const quoted = foreignLine(line, redact, MAX_QUOTED_CHARS);
      const message = `wrote a line on stdout that is not an answer: "${quoted}"`;
      const stray = fault('program', `${message}; messages belong on stderr`);
      settle(open.keys().next().value ?? '', failedCall(stray));
      return false;
    },
    settleAll(reason: Fault): void {
      for (const id of [...open.keys()]) settle(id, failedCall(reason));
    },
  };
}
