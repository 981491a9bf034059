import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { InternalError, userError } from '../../errors.ts';

/** git never runs in a user's folder, and never searches for a repository. */
export interface GitPlace {
  gitDir: string;
  directory: string;
  environment: NodeJS.ProcessEnv;
  settings: readonly string[];
}

export interface GitResult {
  code: number;
  output: Buffer;
  stderr: string;
  timedOut?: boolean;
}

/** Without these settings, a repository's configuration could run programs. */
const SAFE_SETTINGS = [
  'safe.bareRepository=explicit',
  'core.alternateRefsCommand=:',
  'core.hooksPath=/dev/null',
  'core.fsmonitor=false',
  'core.warnAmbiguousRefs=false',
  'protocol.ext.allow=never',
  'gc.auto=0',
  'maintenance.auto=false',
  'color.ui=false',
  'advice.addEmbeddedRepo=false',
];

/** The other `GIT_*` variables could redirect git. */
const KEPT_GIT_VARIABLE =
  /^GIT_(?:SSH|SSH_COMMAND|SSH_VARIANT|SSL_[A-Z_]+|PROXY_SSL_[A-Z_]+|HTTP_[A-Z_]+|ALLOW_PROTOCOL|CONFIG_(?:GLOBAL|SYSTEM|NOSYSTEM|COUNT|KEY_\d+|VALUE_\d+))$/;

/** git and its credential helpers must not see model keys. */
const PRIVATE_VARIABLE = /^INPUT_|_API_KEY$/i;

const STDERR_LIMIT = 64 * 1024;

export function gitEnvironment(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const kept = Object.entries(environment).filter(
    ([name]) =>
      !PRIVATE_VARIABLE.test(name) && (!/^GIT_/i.test(name) || KEPT_GIT_VARIABLE.test(name)),
  );
  return {
    ...Object.fromEntries(kept),
    LC_ALL: 'C',
    LANGUAGE: 'C',
    GIT_TERMINAL_PROMPT: '0',
    // An empty value, unlike an unset one, stops git from starting a password prompt.
    GIT_ASKPASS: '',
    SSH_ASKPASS_REQUIRE: 'never',
    GCM_INTERACTIVE: 'never',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_NO_REPLACE_OBJECTS: '1',
    GIT_LITERAL_PATHSPECS: '1',
  };
}

export function isolatedEnvironment(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const kept = Object.entries(environment).filter(([name]) => !/^GIT_CONFIG_/i.test(name));
  return {
    ...Object.fromEntries(kept),
    GIT_CONFIG_GLOBAL: process.platform === 'win32' ? 'NUL' : '/dev/null',
    GIT_CONFIG_NOSYSTEM: '1',
  };
}

export function withSettings(
  environment: NodeJS.ProcessEnv,
  settings: readonly (readonly [key: string, value: string])[],
): NodeJS.ProcessEnv {
  const given = Number(environment['GIT_CONFIG_COUNT'] ?? '0');
  const start = Number.isSafeInteger(given) && given > 0 ? given : 0;
  const variables = settings.flatMap(([key, value], at) => [
    [`GIT_CONFIG_KEY_${start + at}`, key],
    [`GIT_CONFIG_VALUE_${start + at}`, value],
  ]);
  return {
    ...environment,
    ...Object.fromEntries(variables),
    GIT_CONFIG_COUNT: String(start + settings.length),
  };
}

/** In a separate session, git cannot prompt and Ctrl-C does not reach it. */
export function spawnGit(
  place: GitPlace,
  command: readonly string[],
): ChildProcessWithoutNullStreams {
  const settings = [...SAFE_SETTINGS, ...place.settings].flatMap((setting) => ['-c', setting]);
  return spawn('git', ['--no-pager', `--git-dir=${place.gitDir}`, ...settings, ...command], {
    cwd: place.directory,
    env: place.environment,
    stdio: 'pipe',
    detached: process.platform !== 'win32',
    windowsHide: true,
  });
}

interface RunOptions {
  input?: Uint8Array;
  networkTimeoutMs?: number;
  /** Instead of collecting the output. False: ends git. */
  onOutput?: (chunk: Buffer) => boolean;
}

/**
 * Resolves even if the command fails.
 * @throws UserError if git is not installed.
 */
export function runGit(
  place: GitPlace,
  command: readonly string[],
  options: RunOptions = {},
): Promise<GitResult> {
  const { networkTimeoutMs } = options;
  const { promise, resolve, reject } = Promise.withResolvers<GitResult>();
  const child = spawnGit(place, command);
  const output: Buffer[] = [];
  let complaint = '';
  let late = false;
  const timer =
    networkTimeoutMs === undefined
      ? undefined
      : setTimeout(() => {
          late = true;
          killGroup(child.pid);
        }, networkTimeoutMs);
  child.stdout.on('data', (chunk: Buffer) => {
    if (options.onOutput === undefined) output.push(chunk);
    else if (!options.onOutput(chunk)) killGroup(child.pid);
  });
  child.stderr.on('data', (chunk: Buffer) => {
    complaint = (complaint + chunk.toString('utf8')).slice(-STDERR_LIMIT);
  });
  child.stdin.on('error', () => undefined);
  child.on('error', (error) => {
    clearTimeout(timer);
    reject(startFailure(error));
  });
  child.on('close', (code) => {
    clearTimeout(timer);
    if (late) complaint += `\nno answer within ${(networkTimeoutMs ?? 0) / 1000} s`;
    resolve({
      code: late ? 128 : (code ?? 128),
      output: Buffer.concat(output),
      stderr: complaint,
      timedOut: late,
    });
  });
  child.stdin.end(options.input ?? Buffer.alloc(0));
  return promise;
}

/** Runs one work after the other. */
export function inTurns(): <T>(work: () => Promise<T>) => Promise<T> {
  let turn: Promise<unknown> = Promise.resolve();
  return (work) => {
    const result = turn.then(work);
    turn = result.catch(() => undefined);
    return result;
  };
}

export async function git(
  place: GitPlace,
  command: readonly string[],
  options: RunOptions = {},
): Promise<Buffer> {
  const answer = await runGit(place, command, options);
  if (answer.code !== 0)
    throw new InternalError(`git ${command[0] ?? ''} failed: ${lastLine(answer.stderr)}`);
  return answer.output;
}

export async function gitLine(place: GitPlace, command: readonly string[]): Promise<string> {
  return (await gitLines(place, command))[0] ?? '';
}

export async function gitLines(
  place: GitPlace,
  command: readonly string[],
  options?: RunOptions,
): Promise<string[]> {
  return linesOf(await git(place, command, options));
}

export function linesOf(output: Buffer): string[] {
  return output
    .toString('utf8')
    .split('\n')
    .filter((line) => line !== '');
}

export function splitNul(output: Buffer): Buffer[] {
  const parts: Buffer[] = [];
  let start = 0;
  for (let end = output.indexOf(0); end >= 0; end = output.indexOf(0, start)) {
    parts.push(output.subarray(start, end));
    start = end + 1;
  }
  return parts;
}

/** Returns the last `fatal:` or `error:` line, else the last line, without credentials. */
export function lastLine(complaint: string): string {
  const lines = complaint
    .split(/[\r\n]+/)
    .map((line) => line.trim())
    .filter((line) => line !== '');
  const telling =
    lines.findLast((line) => /^(?:fatal|error|no answer)\b/.test(line)) ??
    lines.at(-1) ??
    'git printed no error message';
  return telling
    .replace(/^(?:fatal|error): /, '')
    .replace(/:\/\/[^\s/@]*@/g, '://')
    .replace(/\.$/, '')
    .slice(0, 500);
}

export function startFailure(error: Error): Error {
  if (hasCode(error, 'ENOENT')) {
    return userError(
      null,
      'git was not found on this machine. Prompts are read from git objects: install git 2.31 or newer.',
    );
  }
  return new InternalError(`git could not be started: ${error.message}`, { cause: error });
}

export function hasCode(error: unknown, code: string): boolean {
  return typeof error === 'object' && error !== null && 'code' in error && error.code === code;
}

function killGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(process.platform === 'win32' ? pid : -pid, 'SIGKILL');
  } catch {
    // The process has already exited.
  }
}
