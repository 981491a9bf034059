import { spawn } from 'node:child_process';
import { InternalError, UserError, problem } from '../errors.ts';

/** A repository that git is told to use: it looks for none, and runs in no folder of the user's. */
export interface GitPlace {
  /** Given to every call, so that no folder can pass for a repository. */
  gitDir: string;
  /** Where git is started, a folder of our own. */
  directory: string;
  environment: NodeJS.ProcessEnv;
  /** Further `-c key=value` settings. */
  settings: readonly string[];
}

export interface GitAnswer {
  code: number;
  output: Buffer;
  /** What git said on stderr, cut to its last 64 KiB. */
  complaint: string;
  /** It talked to a remote that did not answer in time. */
  late?: boolean;
}

/** Settings of every call: nothing that a repository configures may run beside git itself. */
const SAFE_SETTINGS = [
  'safe.bareRepository=explicit',
  // Git would otherwise list the refs of the repository that objects are borrowed from.
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

/**
 * The `GIT_*` variables that say how to reach a remote. All others could point git at another
 * repository or program.
 */
const KEPT_GIT_VARIABLE =
  /^GIT_(?:SSH|SSH_COMMAND|SSH_VARIANT|SSL_[A-Z_]+|PROXY_SSL_[A-Z_]+|HTTP_[A-Z_]+|ALLOW_PROTOCOL|CONFIG_(?:GLOBAL|SYSTEM|NOSYSTEM|COUNT|KEY_\d+|VALUE_\d+))$/;

/**
 * Model keys and action inputs are none of git's business, nor of the credential helpers that it
 * starts.
 */
const PRIVATE_VARIABLE = /^INPUT_|_API_KEY$/i;

const COMPLAINT_LIMIT = 64 * 1024;

/**
 * The environment for git: without redirection, prompts, translation, replaced objects and model
 * keys.
 */
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
    // Empty, not absent: git then asks no program for a password either.
    GIT_ASKPASS: '',
    SSH_ASKPASS_REQUIRE: 'never',
    GCM_INTERACTIVE: 'never',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_NO_REPLACE_OBJECTS: '1',
    GIT_LITERAL_PATHSPECS: '1',
  };
}

/**
 * An environment in which git reads nobody's configuration: for all that only reads objects. How to
 * reach a remote is in that configuration, so what talks to one takes `gitEnvironment`.
 */
export function isolatedEnvironment(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const kept = Object.entries(environment).filter(([name]) => !/^GIT_CONFIG_/i.test(name));
  return {
    ...Object.fromEntries(kept),
    GIT_CONFIG_GLOBAL: process.platform === 'win32' ? 'NUL' : '/dev/null',
    GIT_CONFIG_NOSYSTEM: '1',
  };
}

/** The environment with further settings, which no other process can see, as it can arguments. */
export function withSettings(
  environment: NodeJS.ProcessEnv,
  settings: readonly (readonly [key: string, value: string])[],
): NodeJS.ProcessEnv {
  const given = Number(environment['GIT_CONFIG_COUNT'] ?? '0');
  const start = Number.isSafeInteger(given) && given > 0 ? given : 0;
  const variables = settings.flatMap(([key, value], at) => [
    [`GIT_CONFIG_KEY_${String(start + at)}`, key],
    [`GIT_CONFIG_VALUE_${String(start + at)}`, value],
  ]);
  return {
    ...environment,
    ...Object.fromEntries(variables),
    GIT_CONFIG_COUNT: String(start + settings.length),
  };
}

/** The arguments of a call, the safe settings first. */
export function gitArguments(place: GitPlace, command: readonly string[]): string[] {
  return [
    '--no-pager',
    `--git-dir=${place.gitDir}`,
    ...[...SAFE_SETTINGS, ...place.settings].flatMap((setting) => ['-c', setting]),
    ...command,
  ];
}

/**
 * Every git has a session of its own: it can ask nothing on the terminal, and a Ctrl-C there
 * reaches evaldiff alone, which still reads what it reports. On Windows it would get a window.
 */
export const OWN_SESSION = process.platform !== 'win32';

interface RunOptions {
  input?: Uint8Array;
  /** Talks to a remote: ended after so many milliseconds. */
  networkTimeoutMs?: number;
  /** Receives stdout in pieces; `output` is then empty. */
  onOutput?: (chunk: Buffer) => void;
}

/**
 * Runs one git command without a shell and waits for its end; a refusal by git is an answer with
 * `code` ≠ 0. Rejects with a `UserError` when there is no git.
 */
export function runGit(
  place: GitPlace,
  command: readonly string[],
  options: RunOptions = {},
): Promise<GitAnswer> {
  const { networkTimeoutMs } = options;
  const { promise, resolve, reject } = Promise.withResolvers<GitAnswer>();
  const child = spawn('git', gitArguments(place, command), {
    cwd: place.directory,
    env: place.environment,
    stdio: 'pipe',
    detached: OWN_SESSION,
    windowsHide: true,
  });
  const output: Buffer[] = [];
  let complaint = '';
  let late = false;
  const timer =
    networkTimeoutMs === undefined
      ? undefined
      : setTimeout(() => {
          late = true;
          endGroup(child.pid);
        }, networkTimeoutMs);
  child.stdout.on('data', options.onOutput ?? ((chunk: Buffer) => output.push(chunk)));
  child.stderr.on('data', (chunk: Buffer) => {
    complaint = (complaint + chunk.toString('utf8')).slice(-COMPLAINT_LIMIT);
  });
  // git may end without reading everything; its exit code then tells what happened.
  child.stdin.on('error', () => undefined);
  child.on('error', (error) => {
    clearTimeout(timer);
    reject(startFailure(error));
  });
  child.on('close', (code) => {
    clearTimeout(timer);
    if (late) complaint += `\nno answer within ${(networkTimeoutMs ?? 0) / 1000} s`;
    resolve({ code: late ? 128 : (code ?? 128), output: Buffer.concat(output), complaint, late });
  });
  child.stdin.end(options.input ?? Buffer.alloc(0));
  return promise;
}

/**
 * As `runGit`, for commands that cannot fail on a sound repository: rejects with an `InternalError`
 * when they do.
 */
export async function git(
  place: GitPlace,
  command: readonly string[],
  options: RunOptions = {},
): Promise<Buffer> {
  const answer = await runGit(place, command, options);
  if (answer.code !== 0)
    throw new InternalError(`git ${command[0] ?? ''} failed: ${lastLine(answer.complaint)}`);
  return answer.output;
}

/** Text of a command whose answer is one line. */
export async function gitLine(place: GitPlace, command: readonly string[]): Promise<string> {
  const text = (await git(place, command)).toString('utf8');
  return text.endsWith('\n') ? text.slice(0, -1) : text;
}

/**
 * The line of git's complaint that names the cause: the last `fatal:` or `error:` line, else the
 * last line. Credentials inside addresses are removed.
 */
export function lastLine(complaint: string): string {
  const lines = complaint
    .split(/[\r\n]+/)
    .map((line) => line.trim())
    .filter((line) => line !== '');
  const telling =
    lines.findLast((line) => /^(?:fatal|error|no answer)\b/.test(line)) ??
    lines.at(-1) ??
    'git gave no reason';
  return telling
    .replace(/^(?:fatal|error): /, '')
    .replace(/:\/\/[^\s/@]*@/g, '://')
    .replace(/\.$/, '')
    .slice(0, 500);
}

export function startFailure(error: Error): Error {
  if (hasCode(error, 'ENOENT')) {
    return new UserError([
      problem(
        null,
        'git was not found on this machine. Prompts are read from git objects: install git 2.31 or newer.',
      ),
    ]);
  }
  return new InternalError(`git could not be started: ${error.message}`, { cause: error });
}

/** Whether something thrown is the system's error `code` (`ENOENT`, `EEXIST`). */
export function hasCode(error: unknown, code: string): boolean {
  return typeof error === 'object' && error !== null && 'code' in error && error.code === code;
}

/** Ends a command together with the transport processes that it started. */
function endGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(process.platform === 'win32' ? pid : -pid, 'SIGKILL');
  } catch {
    // It has ended by itself in the meantime.
  }
}
