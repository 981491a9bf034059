import { spawn, type ChildProcess } from 'node:child_process';
import { statSync } from 'node:fs';
import { win32 } from 'node:path';

/** How a system starts and ends programs. `platform` as `process.platform` has it. */
export interface ProgramPlatform {
  platform: NodeJS.Platform;
  /** Whether a regular file is there. */
  isFile(path: string): boolean;
}

export const THIS_PLATFORM: ProgramPlatform = {
  platform: process.platform,
  isFile: (path) => statSync(path, { throwIfNoEntry: false })?.isFile() ?? false,
};

const PLAIN = ['PATH', 'HOME', 'LANG'];

/** Without these hardly a program starts on Windows, where names of variables have no case. */
const WINDOWS = [
  ...['SystemRoot', 'ComSpec', 'PATHEXT', 'TEMP', 'TMP', 'USERPROFILE', 'APPDATA', 'LOCALAPPDATA'],
  'ProgramFiles',
];

/** The variables that every program gets, and those that are named; what is not set stays unset. */
export function programVariables(
  env: Readonly<Record<string, string | undefined>>,
  names: readonly string[],
  { platform }: Pick<ProgramPlatform, 'platform'>,
): Record<string, string> {
  const onWindows = platform === 'win32';
  const wanted = [...new Set([...PLAIN, ...(onWindows ? WINDOWS : []), ...names])];
  const given = wanted.flatMap((name) => {
    const value = onWindows ? valueIn(env, name) : env[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return Object.fromEntries(given);
}

function valueIn(
  env: Readonly<Record<string, string | undefined>>,
  name: string,
): string | undefined {
  const found = Object.keys(env).find((each) => each.toLowerCase() === name.toLowerCase());
  return found === undefined ? undefined : env[found];
}

/** What is started for a command line. */
interface Startable {
  file: string;
  args: string[];
  /** The arguments are written as the program reads them. */
  verbatim: boolean;
}

/** In this order in each folder, as Windows itself looks. */
const EXTENSIONS = ['.com', '.exe', '.bat', '.cmd'];

/** Inside quotes the command interpreter still reads these. */
const READ_IN_QUOTES = /["%\r\n]/;

/**
 * What starts a command line; a text: why nothing does. On Windows a name may be a script that only
 * the command interpreter runs (`npm`, `npx`), which neither finds nor starts without it.
 */
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
    return 'an argument with ", % or a line break, which a .cmd script cannot be given';
  const line = [found, ...args].map((word) => `"${word}"`).join(' ');
  return {
    file: ofTheSystem('cmd.exe', env),
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

/** By its full name: what else is called so is not the system's. */
function ofTheSystem(name: string, env: Readonly<Record<string, string>>): string {
  return `${env['SystemRoot'] ?? 'C:\\Windows'}\\System32\\${name}`;
}

/** What ends a process and everything it started on Windows, which has no groups of them. */
function taskkill(pid: number, env: Readonly<Record<string, string>>): Startable {
  return {
    file: ofTheSystem('taskkill.exe', env),
    args: ['/PID', String(pid), '/T', '/F'],
    verbatim: false,
  };
}

/**
 * Ends a process that was started in a group of its own, and everything that it started. On Windows
 * only while it runs: afterwards its number may be another's.
 */
export function killTree(
  { pid, exitCode, signalCode }: Pick<ChildProcess, 'pid' | 'exitCode' | 'signalCode'>,
  signal: 'SIGTERM' | 'SIGKILL',
  { env, platform }: { env: Readonly<Record<string, string>>; platform: NodeJS.Platform },
): void {
  if (pid === undefined) return;
  if (platform === 'win32') {
    if (exitCode !== null || signalCode !== null) return;
    const { file, args } = taskkill(pid, env);
    const killer = spawn(file, args, { stdio: 'ignore', windowsHide: true });
    killer.on('error', () => undefined);
    killer.unref();
    return;
  }
  try {
    process.kill(-pid, signal);
  } catch {
    // The group is gone, which is what was wanted.
  }
}
