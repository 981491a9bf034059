import { spawn, type ChildProcessByStdio } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { killTree, startable, THIS_PLATFORM, type ProgramPlatform } from './program-platform.ts';

const MAX_LINE_BYTES = 8 * 1024 * 1024;

const DRAIN_MS = 1000;

interface ChildOptions {
  /** Program and arguments; no shell reads them. */
  command: readonly string[];
  cwd: string;
  env: Readonly<Record<string, string>>;
  onOut(line: string): void;
  onErr(line: string): void;
  /** Absent: this machine's. */
  on?: ProgramPlatform | undefined;
}

/** How a process ended. */
export type End =
  | { how: 'not-started'; code: string }
  | { how: 'exit'; code: number }
  | { how: 'signal'; signal: string }
  /** Killed here, for a line without an end. */
  | { how: 'line-too-long' };

export interface Child {
  write(line: string): void;
  closeInput(): void;
  /** Ends the process and everything it started. */
  kill(signal: 'SIGTERM' | 'SIGKILL'): void;
  ended: Promise<End>;
}

/** Starts a process in a group of its own, so that whatever it starts can be ended with it. */
export function startChild(options: ChildOptions): Child {
  const { env, onOut, onErr, on = THIS_PLATFORM } = options;
  const child = spawned(options, on);
  if (typeof child === 'string')
    return {
      write() {},
      closeInput() {},
      kill() {},
      ended: Promise.resolve({ how: 'not-started', code: child }),
    };
  let overflow = false;
  const kill = (signal: 'SIGTERM' | 'SIGKILL'): void => {
    killTree(child, signal, { env, platform: on.platform });
  };
  const tooLong = (): void => {
    overflow = true;
    kill('SIGKILL');
  };
  // A process that ends while it is written to says so by its end, not by the pipe.
  child.stdin.on('error', () => {});
  readLines(child.stdout, onOut, tooLong);
  readLines(child.stderr, onErr, tooLong);
  const ended = new Promise<End>((resolve) => {
    child.on('error', (error) => {
      if (child.pid === undefined)
        resolve({ how: 'not-started', code: 'code' in error ? String(error.code) : 'unknown' });
    });
    child.on('exit', (code, signal) => {
      kill('SIGKILL');
      const end: End = overflow
        ? { how: 'line-too-long' }
        : code === null
          ? { how: 'signal', signal: signal ?? 'unknown' }
          : { how: 'exit', code };
      // What is still in the pipes was written before the end and may hold answers; but somebody
      // who left the group may keep them open for ever.
      const grace = setTimeout(() => resolve(end), DRAIN_MS);
      child.on('close', () => {
        clearTimeout(grace);
        resolve(end);
      });
    });
  });
  return {
    write: (line) => {
      child.stdin.write(line);
    },
    closeInput: () => {
      child.stdin.end();
    },
    kill,
    ended,
  };
}

/**
 * Why there is no process, where the system refuses even to try (an empty name, a NUL in an
 * argument, arguments that are too long).
 */
function spawned(
  { command, cwd, env }: ChildOptions,
  on: ProgramPlatform,
): ChildProcessByStdio<Writable, Readable, Readable> | string {
  const start = startable(command, { cwd, env }, on);
  if (typeof start === 'string') return start;
  try {
    return spawn(start.file, start.args, {
      cwd,
      env: { ...env },
      stdio: ['pipe', 'pipe', 'pipe'],
      // On Windows it would get a window of its own, and no group.
      detached: on.platform !== 'win32',
      shell: false,
      windowsHide: true,
      windowsVerbatimArguments: start.verbatim,
    });
  } catch {
    return 'not a command';
  }
}

/**
 * Calls `onLine` for each line, decoded as UTF-8, without its end; the last one also when it has
 * none.
 */
function readLines(stream: Readable, onLine: (line: string) => void, tooLong: () => void): void {
  let pending: Buffer[] = [];
  let size = 0;
  const emit = (end: Buffer): void => {
    const line = Buffer.concat([...pending, end]).toString('utf8');
    pending = [];
    size = 0;
    onLine(line.endsWith('\r') ? line.slice(0, -1) : line);
  };
  stream.on('data', (chunk: Buffer) => {
    let from = 0;
    for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, from)) {
      emit(chunk.subarray(from, at));
      from = at + 1;
    }
    if (from === chunk.length) return;
    pending.push(chunk.subarray(from));
    size += chunk.length - from;
    if (size > MAX_LINE_BYTES) {
      stream.destroy();
      tooLong();
    }
  });
  stream.on('end', () => {
    if (size > 0) emit(Buffer.alloc(0));
  });
  stream.on('error', () => {});
}
