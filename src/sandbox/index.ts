import type { CodeResult, Evaluate } from '../types/model.ts';
import type { Side } from '../types/plain.ts';
import { javascriptStarter } from './javascript.ts';
import { limits } from './link.ts';
import { pythonStarter } from './python.ts';
import { failure } from './reply.ts';
import { createRunner, type RunClock, type Runner } from './runner.ts';

/**
 * Any process of the same user can send SIGUSR1, at which Node opens its inspector on a local port
 * and gives up the memory with all keys. A listener takes that meaning away. Call it first in every
 * entry.
 */
export function guardProcess(): void {
  process.on('SIGUSR1', () => undefined);
}

export interface SandboxOptions {
  /**
   * `sandbox`: Python locked by the kernel, JavaScript in QuickJS. `host`: Python without the lock
   * and with `env`; not a boundary. JavaScript still runs in QuickJS. `off`: no code runs.
   */
  mode: 'sandbox' | 'host' | 'off';
  /** Names and values that Python code may see in its environment; used by `host` only. */
  env: Record<string, string>;
  /** Wall time of one evaluation, 1–60 s. */
  timeoutSeconds: number;
  /**
   * Milliseconds since 1970: where every clock of confined code stands, on both sides alike, so that
   * code cannot tell by the time which side it scores.
   */
  time: number;
  /**
   * Lines that user code printed, at most 8 KiB per evaluation, filtered for the job log and
   * labelled.
   */
  log(line: string): void;
  /**
   * The Python to use: an absolute path at untrusted, where PATH may be anyone's. Default:
   * `python3` of PATH.
   */
  python?: string;
  /** Each evaluation in a process or an engine of its own, for answers from unknown people. */
  alone?: boolean;
}

/**
 * Runs users' metric, roll-up and prompt code. Each side has workers of its own, one per language;
 * each code has a process (Python) or an engine (JavaScript) of its own for each suite, and each
 * evaluation a namespace of its own. Variables are values, never source.
 *
 * `evaluate` answers in the order of `job.inputs` and does not reject: whatever goes wrong, also a
 * system on which code cannot be confined, is an error result, whose message has no file and no
 * metric in front. `close` ends all workers.
 */
export function createSandbox(options: SandboxOptions): {
  evaluate: Evaluate;
  close(): Promise<void>;
} {
  const { mode, env, timeoutSeconds, time, log, python = 'python3', alone = false } = options;
  if (mode === 'off')
    return { evaluate: async (job) => job.inputs.map(switchedOff), close: async () => undefined };
  const shared = { mode, timeoutSeconds, log, clock: createClock(mode) };
  const create: Record<'python' | 'javascript', () => Runner> = {
    python: () =>
      createRunner(pythonStarter({ mode, env, timeoutSeconds, time, python, alone }), {
        ...shared,
        language: 'python',
      }),
    javascript: () =>
      createRunner(javascriptStarter({ timeoutSeconds, time, alone }), {
        ...shared,
        language: 'javascript',
      }),
  };
  const runners = new Map<`${'python' | 'javascript'} ${Side}`, Runner>();
  return {
    evaluate(job) {
      const key = `${job.language} ${job.side}` as const;
      const runner = runners.get(key) ?? create[job.language]();
      runners.set(key, runner);
      return runner.run(job);
    },
    async close() {
      await Promise.all([...runners.values()].map((runner) => runner.close()));
    },
  };
}

/** Counts the seconds that confined code takes; on the host its owner said how long it may. */
function createClock(mode: 'sandbox' | 'host'): RunClock {
  return {
    now: () => performance.now() / 1000,
    left: mode === 'host' ? Infinity : limits.runSeconds,
  };
}

function switchedOff(): CodeResult {
  return failure('was not run: code is switched off (input code: off)');
}
