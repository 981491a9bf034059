import { readFileSync } from 'node:fs';
import { logLine } from '../../text/log.ts';
import { visibleLine } from '../../text/visible.ts';
import { PROMPTFOO_PROGRAM, type Completion, type Request } from '../../types/model.ts';
import { createDeadlines, stopAfterDrain } from './clock.ts';
import { callCompletion } from './completion.ts';
import { STOPPED, budgetFault, fault, type Fault } from './fault.ts';
import type { CallOptions } from './hosted-server.ts';
import { GIVE_UP_AFTER_MS, createLimiter, type Limiter } from './limit.ts';
import { createPacer, type Pacer } from './pace.ts';
import { THIS_PLATFORM, programVariables, startChild } from './program-child.ts';
import { createSession, endText, type ProgramSession } from './program-session.ts';
import { withRetries } from './retry.ts';
import { foreignLine } from './sdk-fault.ts';

interface ProgramOptions extends CallOptions {
  checkout(commit: string): Promise<string>;
  env: Readonly<Record<string, string | undefined>>;
  programEnv: readonly string[];
}

type ProgramTarget = Extract<Request['target'], { provider: 'program' }>;

interface Programs {
  complete(request: Request, target: ProgramTarget): Promise<Completion>;
  limiters(): { name: string; limiter: Limiter }[];
  close(): Promise<void>;
}

const SETUP_LIMIT_MS = 600_000;

const LOGGED_LINES = 200;

const LOGGED_LENGTH = 500;

/** Otherwise Python holds answers back, because stdout is a pipe. */
const UNBUFFERED = { PYTHONUNBUFFERED: '1' };

interface RunningProgram {
  name: string;
  session: ProgramSession;
  limiter: Limiter;
  pacer: Pacer;
}

/** The user's own applications: one process, with its own limiter, per command and commit. */
export function createPrograms(options: ProgramOptions): Programs {
  const { clock, signal } = options;
  const running = new Map<string, RunningProgram>();
  const given = programVariables(options.env, options.programEnv, THIS_PLATFORM);
  const env = { ...UNBUFFERED, ...given };
  const prepare = createSetups(options, env);
  const each = (act: (session: ProgramSession) => void) => (): void => {
    for (const { session } of running.values()) act(session);
  };
  const killAll = each((session) => session.killNow());
  const abort = each((session) => session.abort());
  const cancelDrain = stopAfterDrain(options, abort);

  const start = (target: ProgramTarget, name: string): RunningProgram => ({
    name,
    session: createSession({
      ...options,
      command: startedAs(target.command),
      env,
      prepare: () => prepare(target),
      onErr: logLimited(name, options),
      log: (line) => options.log(`${logLine(name)}: ${line}`),
    }),
    limiter: createLimiter({
      concurrency: options.concurrency,
      giveUp: { rounds: options.maxTries, afterMs: GIVE_UP_AFTER_MS },
      clock,
      signal,
    }),
    pacer: createPacer(clock, signal),
  });
  return {
    async complete(request, target) {
      const key = JSON.stringify([target.command, target.setup, target.commit]);
      const commit = visibleLine(target.commit).slice(0, 8);
      const name = `program ${visibleLine(target.command.join(' '))} at ${commit}`;
      if (running.size === 0) process.once('exit', killAll);
      const program = running.get(key) ?? start(target, name);
      running.set(key, program);
      const { session, limiter, pacer } = program;
      if (target.pace !== undefined) pacer.tighten(target.pace);
      const log = (line: string): void => options.log(`${logLine(name)}: ${line}`);
      const tried = await pacer.run(() =>
        withRetries(
          () =>
            options.onAttempt(request)
              ? session.ask(request)
              : Promise.resolve({ status: 'fault', fault: budgetFault(), sent: false }),
          { ...options, limiter, log, pacers: [pacer] },
        ),
      );
      return callCompletion(tried, `program (${visibleLine(target.model)})`);
    },
    limiters: () => [...running.values()].map(({ name, limiter }) => ({ name, limiter })),
    async close() {
      await Promise.all([...running.values()].map(({ session }) => session.close()));
      process.off('exit', killAll);
      cancelDrain();
    },
  };
}

/** Each `setup` once per commit; those of one commit one by one, because they share a folder. */
function createSetups(
  options: ProgramOptions,
  env: Record<string, string>,
): (target: ProgramTarget) => Promise<{ cwd: string } | { fault: Fault }> {
  const done = new Map<string, Promise<Fault | null>>();
  const turns = new Map<string, Promise<unknown>>();
  return async ({ commit, setup }) => {
    const cwd = await options
      .checkout(commit)
      .catch((error: unknown) =>
        fault(
          'program',
          `its files cannot be laid out: ${foreignLine(String(error), options.redact, 200)}`,
        ),
      );
    if (typeof cwd !== 'string') return { fault: cwd };
    if (setup.length === 0) return { cwd };
    const key = JSON.stringify([commit, setup]);
    let result = done.get(key);
    if (result === undefined) {
      result = (turns.get(commit) ?? Promise.resolve()).then(() =>
        runSetup(setup, cwd, env, options),
      );
      done.set(key, result);
      turns.set(commit, result);
    }
    const problem = await result;
    return problem === null ? { cwd } : { fault: problem };
  };
}

async function runSetup(
  setup: string[],
  cwd: string,
  env: Record<string, string>,
  options: ProgramOptions,
): Promise<Fault | null> {
  const { clock, signal, redact } = options;
  const name = `setup ${visibleLine(setup.join(' '))}`;
  const log = logLimited(name, options);
  let lastWords = '';
  let late = false;
  const onErr = (line: string): void => {
    if (line.trim() !== '') lastWords = line;
    log(line);
  };
  const child = startChild({ command: setup, cwd, env, onOut: log, onErr });
  child.closeInput();
  const stop = (): void => child.kill('SIGKILL');
  const disarm = createDeadlines(
    clock,
    SETUP_LIMIT_MS,
  )(() => {
    late = true;
    stop();
  });
  signal.addEventListener('abort', stop, { once: true });
  const end = await child.ended;
  disarm();
  signal.removeEventListener('abort', stop);
  if (signal.aborted) return STOPPED;
  if (late) return fault('program', `${name}: not done after ${SETUP_LIMIT_MS / 60_000} minutes`);
  return end.how === 'exit' && end.code === 0
    ? null
    : fault('program', `${name}: ${endText(end, { command: setup, redact }, lastWords)}`);
}

function logLimited(name: string, { log, redact }: ProgramOptions): (line: string) => void {
  let lines = 0;
  return (line) => {
    lines++;
    if (lines <= LOGGED_LINES)
      log(`${logLine(name)}: ${logLine(foreignLine(line, redact, LOGGED_LENGTH))}`);
    if (lines === LOGGED_LINES + 1) log(`${logLine(name)}: further lines are left out`);
  };
}

/** Runs promptfoo provider files. In a bundle it is a file beside the entry. */
const forJavaScript = readFileSync(new URL('./promptfoo-adapter.js', import.meta.url), 'utf8');
const forPython = readFileSync(new URL('./promptfoo-adapter.py', import.meta.url), 'utf8');

function startedAs(command: readonly string[]): readonly string[] {
  const [first, ...words] = command;
  if (first !== PROMPTFOO_PROGRAM) return command;
  return /\.py(?::\w+)?$/.test(words[1] ?? '')
    ? ['python3', '-B', '-c', forPython, ...words]
    : [process.execPath, '--input-type=module', '-e', forJavaScript, '--', ...words];
}
