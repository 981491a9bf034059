import { type ChildProcess, type ChildProcessByStdio, spawn } from 'node:child_process';
import { statSync } from 'node:fs';
import { win32 } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { lineSplitter } from '../../text/lines.ts';

const MAX_LINE_BYTES = 8 * 1024 * 1024;

const EXIT_GRACE_MS = 1000;

interface ChildOptions {
  /** No shell interprets these words. */
  command: readonly string[];
  cwd: string;
  env: Readonly<Record<string, string>>;
  onOut(line: string): void;
  onErr(line: string): void;
  on?: ProgramPlatform | undefined;
}

export type End =
  | { how: 'not-started'; code: string }
  | { how: 'exit'; code: number }
  | { how: 'signal'; signal: string }
  | { how: 'line-too-long' };

export interface Child {
  write(line: string): void;
  closeInput(): void;
  kill(signal: 'SIGTERM' | 'SIGKILL'): void;
  ended: Promise<End>;
}

/** Starts a process group, so that child processes can be killed too. */
export function startChild(options: ChildOptions): Child {
  const { env, onOut, onErr, on = THIS_PLATFORM } = options;
  const child = spawnChild(options, on);
  if (typeof child === 'string')
    return {
      write() {},
      closeInput() {},
      kill() {},
      ended: Promise.resolve({ how: 'not-started', code: child }),
    };
  let overflow = false;
  const kill = (signal: 'SIGTERM' | 'SIGKILL') => {
    killTree(child, signal, { env, platform: on.platform });
  };
  const tooLong = () => {
    overflow = true;
    kill('SIGKILL');
  };
  child.stdin.on('error', () => {});
  forEachLine(child.stdout, onOut, tooLong);
  forEachLine(child.stderr, onErr, tooLong);
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
      // The pipes may still contain answers. A child outside the group may keep them open forever.
      const grace = setTimeout(() => resolve(end), EXIT_GRACE_MS);
      child.on('close', () => {
        clearTimeout(grace);
        resolve(end);
      });
    });
  });
  return {
    write: (line) => void child.stdin.write(line),
    closeInput: () => void child.stdin.end(),
    kill,
    ended,
  };
}

function spawnChild(
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
      detached: on.platform !== 'win32',
      shell: false,
      windowsHide: true,
      windowsVerbatimArguments: start.verbatim,
    });
  } catch {
    return 'not a command';
  }
}

function forEachLine(stream: Readable, onLine: (line: string) => void, tooLong: () => void): void {
  const hear = (line: string) => onLine(line.endsWith('\r') ? line.slice(0, -1) : line);
  const lines = lineSplitter(MAX_LINE_BYTES, hear, () => {
    stream.destroy();
    tooLong();
  });
  stream.on('data', lines.add);
  stream.on('end', lines.end);
  stream.on('error', () => {});
}

export interface ProgramPlatform {
  platform: NodeJS.Platform;
  isFile(path: string): boolean;
}

export const THIS_PLATFORM: ProgramPlatform = {
  platform: process.platform,
  isFile: (path) => statSync(path, { throwIfNoEntry: false })?.isFile() ?? false,
};

const DEFAULT_ENV_NAMES = ['PATH', 'HOME', 'LANG'];

const WINDOWS = [
  'SystemRoot',
  'ComSpec',
  'PATHEXT',
  'TEMP',
  'TMP',
  'USERPROFILE',
  'APPDATA',
  'LOCALAPPDATA',
  'ProgramFiles',
];

export function programVariables(
  env: Readonly<Record<string, string | undefined>>,
  names: readonly string[],
  { platform }: Pick<ProgramPlatform, 'platform'>,
): Record<string, string> {
  const onWindows = platform === 'win32';
  const wanted = [...new Set([...DEFAULT_ENV_NAMES, ...(onWindows ? WINDOWS : []), ...names])];
  const given = wanted.flatMap((name) => {
    const isName = (each: string) =>
      onWindows ? each.toLowerCase() === name.toLowerCase() : each === name;
    const value = env[Object.keys(env).find(isName) ?? ''];
    return value === undefined ? [] : [[name, value] as const];
  });
  return Object.fromEntries(given);
}

interface Startable {
  file: string;
  args: string[];
  verbatim: boolean;
}

const EXTENSIONS = ['.com', '.exe', '.bat', '.cmd'];

/** cmd.exe expands these characters even inside quotes. */
const READ_IN_QUOTES = /["%\r\n]/;

/** On Windows a name may be a script (`npm`, `npx`), which only cmd.exe can start. */
export function startable(
  [name = '', ...args]: readonly string[],
  { cwd, env }: { cwd: string; env: Readonly<Record<string, string>> },
  { platform, isFile }: ProgramPlatform,
): Startable | string {
  const asIs: Startable = { file: name, args, verbatim: false };
  if (platform !== 'win32') return asIs;
  const found = candidates(name, cwd, env).find(isFile) ?? name;
  if (!/\.(cmd|bat)$/i.test(found)) return { ...asIs, file: found };
  if ([found, ...args].some((word) => READ_IN_QUOTES.test(word)))
    return 'an argument contains ", % or a line break, and cannot be passed to a .cmd script';
  const line = [found, ...args].map((word) => `"${word}"`).join(' ');
  return {
    file: systemProgram('cmd.exe', env),
    args: ['/d', '/s', '/c', `"${line}"`],
    verbatim: true,
  };
}

function candidates(name: string, cwd: string, env: Readonly<Record<string, string>>): string[] {
  const names = win32.extname(name) === '' ? EXTENSIONS.map((end) => name + end) : [name];
  const folders = /[\\/]/.test(name)
    ? [cwd]
    : (env['PATH'] ?? '').split(';').filter((folder) => win32.isAbsolute(folder));
  return folders.flatMap((folder) => names.map((each) => win32.resolve(folder, each)));
}

function systemProgram(name: string, env: Readonly<Record<string, string>>): string {
  return `${env['SystemRoot'] ?? 'C:\\Windows'}\\System32\\${name}`;
}

/** On Windows the id of an exited process may be reused. */
function killTree(
  { pid, exitCode, signalCode }: ChildProcess,
  signal: 'SIGTERM' | 'SIGKILL',
  { env, platform }: { env: Readonly<Record<string, string>>; platform: NodeJS.Platform },
): void {
  if (pid === undefined) return;
  if (platform === 'win32') {
    if (exitCode !== null || signalCode !== null) return;
    const args = ['/PID', String(pid), '/T', '/F'];
    const killer = spawn(systemProgram('taskkill.exe', env), args, {
      stdio: 'ignore',
      windowsHide: true,
    });
    killer.on('error', () => undefined);
    killer.unref();
    return;
  }
  try {
    process.kill(-pid, signal);
  } catch {
    // The group has already exited.
  }
}
