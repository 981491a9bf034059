import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lineSplitter } from '../../text/lines.ts';
import { parsedJson } from '../../types/plain.ts';
import {
  limits,
  OUTCOMES,
  type ThreadAnswer,
  type Link,
  type Listener,
  type StartLink,
  type StartResult,
} from './link.ts';
import { oneLine, readPrinted } from './reply.ts';
import { pythonFilters } from './seccomp.ts';

interface PythonOptions {
  mode: 'sandbox' | 'host';
  env: Record<string, string>;
  timeoutSeconds: number;
  time: number;
  python: string;
  alone: boolean;
}

const noPython =
  'Metric code needs python3 (3.8 or newer); none was found. Built-in metrics work without it.';

const worker = readFileSync(new URL('./worker.py', import.meta.url), 'utf8');

const longestLine = limits.reply + 8 * limits.printed + 4096;

/** The mode `host` is not a security boundary: Python gets `env` and is not confined. */
export function pythonStarter(options: PythonOptions): StartLink {
  return async (listener) => {
    const folder = await mkdtemp(join(tmpdir(), 'evaldiff-code-'));
    const child = spawn(options.python, workerArguments(options), {
      cwd: folder,
      env: options.mode === 'host' ? { ...ENVIRONMENT, ...options.env } : ENVIRONMENT,
      stdio: 'pipe',
      // Ctrl-C in the terminal reaches only evaldiff, which then ends the workers.
      detached: true,
    });
    const gone = new Promise<void>((resolve) => {
      child.once('close', resolve);
      child.once('error', () => resolve());
    }).then(() => rm(folder, { recursive: true, force: true }).catch(() => undefined));
    const started = await waitUntilReady(child, listener, options, gone);
    if (started.status === 'refused') child.kill('SIGKILL');
    return started;
  };
}

function workerArguments({ mode, timeoutSeconds, time, alone }: PythonOptions): string[] {
  const settings = {
    lock: mode === 'sandbox',
    filters: pythonFilters(process.arch),
    alone,
    timeout: timeoutSeconds,
    time: time / 1000,
    memory: limits.memory,
    reply: limits.reply,
    printed: limits.printed,
    remark: limits.remark,
  };
  // -s, -S: no site-packages; -B: no compiled files.
  return [
    ...(mode === 'sandbox' ? ['-s', '-S', '-B'] : ['-B']),
    '-c',
    worker,
    JSON.stringify(settings),
  ];
}

const ENVIRONMENT = {
  PATH: process.env.PATH ?? '/usr/local/bin:/usr/bin:/bin',
  LANG: 'C.UTF-8',
  /** Makes the order of sets reproducible. */
  PYTHONHASHSEED: '0',
  /** Disables imports from the working directory, as -P does since Python 3.11. */
  PYTHONSAFEPATH: '1',
};

function waitUntilReady(
  child: ChildProcessWithoutNullStreams,
  listener: Listener,
  options: PythonOptions,
  gone: Promise<void>,
): Promise<StartResult> {
  return new Promise((resolve) => {
    let link: ReturnType<typeof linkOf> | null = null;
    let complaint = '';
    const refuse = (message: string) => resolve({ status: 'refused', message });
    const deadline = setTimeout(
      () => refuse(`${options.python} did not start within ${limits.start / 1000} s`),
      limits.start,
    );
    const hear = (line: string) => {
      clearTimeout(deadline);
      if (link !== null) {
        if (line === 'over') link.goOn();
        else {
          const answer = parseAnswer(line);
          if (answer === null) listener.ended('channel');
          else listener.answer(answer);
        }
        return;
      }
      if (line !== 'ready') return refuse(explainRefusal(line, options));
      link = linkOf(child, gone);
      resolve({ status: 'started', link });
    };
    const end = () => {
      clearTimeout(deadline);
      if (link !== null) listener.ended('exit');
      else {
        const last = complaint.trim().split('\n').at(-1) || 'it wrote nothing';
        refuse(`${options.python} did not start: ${oneLine(last)}`);
      }
    };
    const lines = lineSplitter(longestLine, hear, () => listener.ended('channel'));
    child.stdout.on('data', lines.add);
    child.stderr.on('data', (chunk: Buffer) => {
      complaint = (complaint + chunk.toString()).slice(-4096);
    });
    child.stdin.on('error', () => undefined);
    child.once('error', (error: NodeJS.ErrnoException) => {
      clearTimeout(deadline);
      refuse(
        error.code === 'ENOENT'
          ? noPython
          : `${options.python} did not start: ${oneLine(error.message)}`,
      );
    });
    child.once('close', end);
  });
}

function explainRefusal(line: string, { mode, python }: PythonOptions): string {
  if (line === 'refused python') return noPython;
  if (!line.startsWith('refused ')) return `${python} is not a Python that evaldiff supports`;
  const platform = oneLine(line.slice('refused '.length));
  if (mode === 'host')
    return `Python code cannot run on ${platform}. Use a Linux or macOS runner, or built-in metrics.`;
  return (
    `Metric code cannot run in a sandbox on ${platform}, because Landlock and seccomp are ` +
    'missing. Use a Linux runner or built-in metrics, or set code: host in the workflow.'
  );
}

function linkOf(
  child: ChildProcessWithoutNullStreams,
  gone: Promise<void>,
): Link & { goOn(): void } {
  let place: string | null = null;
  let held: string[] | null = null;
  const say = (line: string) => {
    if (held === null) child.stdin.write(line);
    else held.push(line);
  };
  return {
    begin: ({ place: next, ...job }) => {
      if (place !== null && place !== next) {
        say('end\n');
        held = [];
      }
      place = next;
      say(`job ${JSON.stringify(job)}\n`);
    },
    send: (id, variables) => say(`run ${id} ${variables}\n`),
    goOn: () => {
      const lines = held ?? [];
      held = null;
      lines.forEach(say);
    },
    kill: () => {
      child.kill('SIGKILL');
    },
    async close() {
      // When its stdin ends, the Python process kills its children and exits.
      child.stdin.end();
      const impatience = setTimeout(() => child.kill('SIGKILL'), limits.grace);
      await gone;
      clearTimeout(impatience);
    },
  };
}

/** Line format: `id TAB outcome TAB printed TAB reply`. Only the reply is untrusted. */
function parseAnswer(line: string): ThreadAnswer | null {
  const [id, word, printed, ...rest] = line.split('\t');
  const outcome = OUTCOMES.find((known) => known === word);
  if (id === undefined || outcome === undefined || printed === undefined || rest.length === 0)
    return null;
  const said = readPrinted(parsedJson(printed));
  return said && { id, outcome, printed: said, reply: rest.join('\t'), spent: false };
}
