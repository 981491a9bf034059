import type { Evaluate } from '../../types/model.ts';
import { javascriptStarter } from './javascript.ts';
import { limits } from './link.ts';
import { pythonStarter } from './python.ts';
import { failure } from './reply.ts';
import { createRunner, type RunClock, type Runner } from './runner.ts';

/** Through SIGUSR1, any process of the same user could open Node's inspector and read the keys. */
export function guardProcess(): void {
  process.on('SIGUSR1', () => undefined);
}

export interface SandboxOptions {
  /**
   * `sandbox`: the kernel confines Python; JavaScript runs in QuickJS. `host`: Python runs
   * unconfined, with `env`. `off`: no code runs.
   */
  mode: 'sandbox' | 'host' | 'off';
  env: Record<string, string>;
  /** Wall time of one evaluation, 1–60 s. */
  timeoutSeconds: number;
  /**
   * Milliseconds since 1970. Equal for base and head, because code must not detect which of them it
   * scores.
   */
  time: number;
  log(line: string): void;
  /** For untrusted runs, pass an absolute path. Default: `python3` from PATH. */
  python?: string;
  /** Isolates evaluations from each other, because outsiders may have written the answers. */
  alone?: boolean;
}

/**
 * Runs users' code. Each piece of code has its own process (Python) or engine (JavaScript) per
 * suite. Variables are passed as values, never as source. `evaluate` never rejects.
 */
export function createSandbox(options: SandboxOptions): {
  evaluate: Evaluate;
  close(): Promise<void>;
} {
  const { mode, env, timeoutSeconds, time, log, python = 'python3', alone = false } = options;
  if (mode === 'off') {
    const switchedOff = failure('was not run, because of code: off');
    return {
      evaluate: async (job) => job.inputs.map(() => switchedOff),
      close: async () => undefined,
    };
  }
  const left = mode === 'host' ? Infinity : limits.runSeconds;
  const clock: RunClock = { now: () => performance.now() / 1000, left };
  const start = {
    python: pythonStarter({ mode, env, timeoutSeconds, time, python, alone }),
    javascript: javascriptStarter({ timeoutSeconds, time, alone }),
  };
  const runners = new Map<string, Runner>();
  return {
    evaluate(job) {
      const { language, side } = job;
      const key = `${language} ${side}`;
      const options = { mode, timeoutSeconds, log, clock, language };
      const runner = runners.get(key) ?? createRunner(start[language], options);
      runners.set(key, runner);
      return runner.run(job);
    },
    async close() {
      await Promise.all([...runners.values()].map((runner) => runner.close()));
    },
  };
}
