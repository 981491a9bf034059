import { readFileSync } from 'node:fs';
import { logLine } from '../../text/log.ts';
import { visibleLine } from '../../text/visible.ts';
import {
  PROMPTFOO_PROGRAM,
  type Completion,
  type ProgramTarget,
  type Request,
} from '../../types/model.ts';
import { createDeadlines, stopAfterDrain } from './clock.ts';
import { callCompletion } from './completion.ts';
import { STOPPED, fault, type Fault } from './fault.ts';
import type { CallOptions } from './hosted-server.ts';
import { createLimiter, type Limiter } from './limit.ts';
import { createPacer, type Pacer } from './pace.ts';
import { paidAttempt } from './paid-attempt.ts';
import { THIS_PLATFORM, programVariables, startChild } from './program-child.ts';
import {
  createLastError,
  createProcesses,
  createSession,
  endText,
  type Processes,
  type ProgramSession,
} from './program-session.ts';
import { withRetries, type CallAttempt } from './retry.ts';
import { foreignLine } from './sdk-fault.ts';
import type { VendorOutput } from './vendors/vendor.ts';

export interface ProgramOptions extends CallOptions {
  checkout(commit: string): Promise<string>;
  programEnv: readonly string[];
}

const SETUP_LIMIT_MS = 600_000;

const LOGGED_LINES = 200;

const LOGGED_LENGTH = 500;

/** Without this, Python buffers its output, because stdout is a pipe. */
const UNBUFFERED = { PYTHONUNBUFFERED: '1' };

interface RunningProgram {
  name: string;
  processes: Processes;
  limiter: Limiter;
  pacer: Pacer;
}

export function createPrograms(options: ProgramOptions) {
  const running = new Map<string, RunningProgram>();
  const turnOf = createTurns();
  const start = programStarter(options);
  const each = (act: (session: ProgramSession) => void) => (): void => {
    for (const { processes } of running.values()) processes.each(act);
  };
  const killAll = each((session) => session.killNow());
  const abort = each((session) => session.abort());
  const cancelDrain = stopAfterDrain(options, abort);
  return {
    async complete(request: Request, target: ProgramTarget): Promise<Completion> {
      const key = JSON.stringify([target.command, target.setup, target.commit]);
      if (running.size === 0) process.once('exit', killAll);
      const program = running.get(key) ?? start(target);
      running.set(key, program);
      const { name, processes, limiter, pacer } = program;
      if (target.pace !== undefined) pacer.tighten(target.pace);
      const log = (line: string) => options.log(`${logLine(name)}: ${line}`);
      const turn = turnOf(request);
      const tried = await processes
        .use(processKey(request, target), (session) => {
          const attempt = async (): Promise<CallAttempt<VendorOutput>> => {
            await session.running();
            await turn.due;
            return paidAttempt(request, options, () => session.ask(request, turn.pass));
          };
          const retry = { ...options, limiter, log, pacers: [pacer] };
          return pacer.run(() => withRetries(attempt, retry));
        })
        .finally(turn.pass);
      return callCompletion(tried, `program (${visibleLine(target.model)})`, options.clock.now());
    },
    async close(): Promise<void> {
      await Promise.all([...running.values()].map(({ processes }) => processes.close()));
      process.off('exit', killAll);
      cancelDrain();
    },
  };
}

function programStarter(options: ProgramOptions): (target: ProgramTarget) => RunningProgram {
  const given = programVariables(options.env, options.programEnv, THIS_PLATFORM);
  const env = { ...UNBUFFERED, ...given };
  const prepare = createSetups(options, env);
  return (target) => {
    const commit = visibleLine(target.commit).slice(0, 8);
    const name = `program ${visibleLine(target.command.join(' '))} at ${commit}`;
    const onErr = logLimited(name, options);
    const session = (): ProgramSession =>
      createSession({
        ...options,
        command: startedAs(target.command),
        env,
        prepare: () => prepare(target),
        onErr,
      });
    return {
      name,
      processes: createProcesses(session, (key) => key.startsWith(ONE_TRY)),
      limiter: createLimiter(options),
      pacer: createPacer(options.clock, options.signal),
    };
  };
}

const ONE_TRY = 'try ';

function processKey(request: Request, { process: lives }: ProgramTarget): string {
  if (lives === 'try') return `${ONE_TRY}${request.try}`;
  return request.secondSession === true ? 'second session' : 'first session';
}

/** Calls the programs of base and head alternately, for each model. */
function createTurns() {
  const last = new Map<string, Promise<void>>();
  return ({ purpose, target: { model } }: Request) => {
    const key = JSON.stringify([purpose, model]);
    const due = last.get(key) ?? Promise.resolve();
    const { promise, resolve } = Promise.withResolvers<void>();
    last.set(
      key,
      due.then(() => promise),
    );
    return { due, pass: resolve };
  };
}

/** Setups of one commit run in sequence, because they share a folder. */
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
          `its files could not be checked out: ${foreignLine(String(error), options.redact, 200)}`,
        ),
      );
    if (typeof cwd !== 'string') return { fault: cwd };
    if (setup.length === 0) return { cwd };
    const key = JSON.stringify([commit, setup]);
    const turn = turns.get(commit) ?? Promise.resolve();
    const result = done.get(key) ?? turn.then(() => runSetup(setup, cwd, env, options));
    if (!done.has(key)) turns.set(commit, result);
    done.set(key, result);
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
  const lastWords = createLastError();
  let late = false;
  const onErr = (line: string) => {
    lastWords.add(line);
    log(line);
  };
  const child = startChild({ command: setup, cwd, env, onOut: log, onErr });
  child.closeInput();
  const stop = () => child.kill('SIGKILL');
  const startDeadline = createDeadlines(clock, SETUP_LIMIT_MS);
  const disarm = startDeadline(() => {
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
    : fault('program', `${name}: ${endText(end, { command: setup, redact }, lastWords.text())}`);
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

const forJavaScript = readFileSync(new URL('./promptfoo-adapter.js', import.meta.url), 'utf8');
const forPython = readFileSync(new URL('./promptfoo-adapter.py', import.meta.url), 'utf8');

function startedAs(command: readonly string[]): readonly string[] {
  const [first, ...words] = command;
  if (first !== PROMPTFOO_PROGRAM) return command;
  return /\.py(?::\w+)?$/.test(words[1] ?? '')
    ? ['python3', '-B', '-c', forPython, ...words]
    : [process.execPath, '--input-type=module', '-e', forJavaScript, '--', ...words];
}
