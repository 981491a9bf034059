import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export interface Usage {
  seconds: number;
  /** User and system time of the process, its threads, and the Node processes it started. */
  cpuSeconds: number;
  /** Largest resident set of any of these processes, in MB (1,000,000 bytes). */
  peakMb: number;
}

export interface Measured extends Usage {
  code: number | null;
  out: string;
  err: string;
}

const PRELOAD = new URL('usage.mjs', import.meta.url).href;
/** The bundle that users run. */
export const EVALDIFF = fileURLToPath(new URL('../../dist/cli/index.js', import.meta.url));

/** Runs a Node program in a new process and measures it from spawn to exit. */
export async function measured(
  script: string,
  args: readonly string[],
  { cwd, env = {} }: { cwd: string; env?: NodeJS.ProcessEnv },
): Promise<Measured> {
  const folder = mkdtempSync(join(tmpdir(), 'evaldiff-bench-'));
  const file = join(folder, 'usage');
  try {
    const begun = performance.now();
    const { code, out, err } = await ended(
      spawn(process.execPath, [script, ...args], {
        cwd,
        env: {
          ...plainEnvironment(),
          ...env,
          NODE_OPTIONS: `--import=${PRELOAD}`,
          BENCH_USAGE_FILE: file,
        },
        stdio: ['ignore', 'pipe', 'pipe'],
      }),
    );
    return {
      seconds: (performance.now() - begun) / 1000,
      ...usageIn(readFileSync(file, 'utf8')),
      code,
      out,
      err,
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The environment without npm's additions, which users do not have. */
export function plainEnvironment(): NodeJS.ProcessEnv {
  return Object.fromEntries(
    Object.entries(process.env).filter(
      ([name]) => !/^(npm_|NODE_|EVALDIFF_|INPUT_|GITHUB_)/.test(name),
    ),
  );
}

/** Sums processor time over the lines (one per process) and takes the largest peak. */
export function usageIn(lines: string): Omit<Usage, 'seconds'> {
  const all = lines
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Omit<Usage, 'seconds'>);
  return {
    cpuSeconds: all.reduce((sum, { cpuSeconds }) => sum + cpuSeconds, 0),
    peakMb: Math.max(...all.map(({ peakMb }) => peakMb)),
  };
}

async function ended(
  child: ReturnType<typeof spawn>,
): Promise<Pick<Measured, 'code' | 'out' | 'err'>> {
  const [out, err]: [string[], string[]] = [[], []];
  child.stdout?.setEncoding('utf8').on('data', (text: string) => out.push(text));
  child.stderr?.setEncoding('utf8').on('data', (text: string) => err.push(text));
  const code = await new Promise<number | null>((resolve, reject) =>
    child.once('error', reject).once('close', resolve),
  );
  return { code, out: out.join(''), err: err.join('') };
}
