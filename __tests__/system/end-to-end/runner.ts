import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';
import { main as commandLine } from '../../../src/app/commands/program.ts';
import { terminalOf, type TerminalProcess } from '../../../src/app/commands/terminal.ts';
import { JOBS } from '../../../src/jobs.ts';
import type { Result } from '../../../src/kernel/result/result.ts';
import { clock } from '../../stand-ins/clock.ts';
import { FEATURES } from '../../stand-ins/features.ts';
import type { GitHubStandIn } from '../../stand-ins/github/index.ts';
import {
  headIn,
  repositoryAt,
  temporaryFolder,
  type FixtureRepository,
} from '../../stand-ins/repository.ts';
import { commandsIn, type RunnerCommand } from '../../stand-ins/runner-commands.ts';

export const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
export const REPOSITORY = 'acme/prompts';
export const SERVER = 'https://github.example';
/** The value of `${{ github.token }}`. */
export const TOKEN = 'ghs_tokenOfThisRun0123456789abcdef';

export interface Ended {
  code: number | null;
  stdout: string;
  stderr: string;
}

/**
 * Runs a command line in this process instead of starting `dist/cli`. It sees only the given
 * environment.
 */
export async function startCommand(
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  cwd: string,
): Promise<Ended> {
  const texts = { stdout: '', stderr: '' };
  const into = (name: keyof typeof texts) => ({
    write: (text: string) => (texts[name] += text) !== '',
    on: () => undefined,
  });
  const terminal = terminalOf(
    {
      env,
      cwd: () => cwd,
      stdout: into('stdout'),
      stderr: into('stderr'),
      stdin: {},
    } as unknown as TerminalProcess,
    FEATURES,
  );
  return { code: await commandLine(args, terminal), ...texts };
}

/**
 * Runs a step in this process instead of starting `dist/action`. The runner's toolkit uses the
 * process's environment and output, so both are the step's while it runs. So are the certificate
 * authorities, which Node reads from the environment only when a process starts.
 */
async function startStep(env: NodeJS.ProcessEnv): Promise<Ended> {
  const { runStep } = await import('../../../src/app/action/step.ts');
  const before = { env: process.env, write: process.stdout.write };
  const authorities = getCACertificates();
  const authority = env['NODE_EXTRA_CA_CERTS'];
  if (authority !== undefined)
    setDefaultCACertificates([...authorities, readFileSync(authority, 'utf8')]);
  let stdout = '';
  process.env = env;
  process.stdout.write = (text) => (stdout += String(text)) !== '';
  try {
    return {
      code: await runStep(env, {
        features: FEATURES,
        jobs: JOBS,
        testOverrides: { clock },
        secondMs: 1,
      }),
      stdout,
      stderr: '',
    };
  } finally {
    process.env = before.env;
    process.stdout.write = before.write;
    if (authority !== undefined) setDefaultCACertificates(authorities);
  }
}

/**
 * Starts a file of `dist/` on the Node version of the tests, which the action also uses. It sees
 * only the given environment.
 */
export function startBundle(
  path: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  cwd: string,
): Promise<Ended> {
  const script = join(ROOT, 'dist', path);
  if (!existsSync(script)) throw new Error(`${script} does not exist: run \`npm run build\` first`);
  return start(script, args, env, cwd);
}

/** Starts a script on this Node and waits until it exits. */
export function start(
  script: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  cwd: string,
): Promise<Ended> {
  return endOf(
    spawn(process.execPath, [script, ...args], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] }),
  );
}

function endOf(child: ChildProcess): Promise<Ended> {
  return new Promise((resolve, reject) => {
    const output = { stdout: '', stderr: '' };
    for (const name of ['stdout', 'stderr'] as const)
      child[name]?.setEncoding('utf8').on('data', (text: string) => void (output[name] += text));
    child.on('error', reject).on('close', (code) => resolve({ code, ...output }));
  });
}

/** The environment of every process: PATH, and no git configuration of this machine. */
export function bareEnvironment(): NodeJS.ProcessEnv {
  const { PATH, LANG, NODE_COMPILE_CACHE } = process.env;
  return {
    PATH,
    LANG,
    NODE_COMPILE_CACHE,
    HOME: temporaryFolder('home'),
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_CONFIG_NOSYSTEM: '1',
  };
}

export interface Event {
  name: string;
  payload: unknown;
  /** The value of `GITHUB_SHA`. */
  sha?: string;
}

export interface Step {
  event: Event;
  checkout: Pick<FixtureRepository, 'directory'>;
  /** The server's repository. Default: the repository that the workspace was cloned from. */
  origin?: FixtureRepository;
  github: GitHubStandIn;
  /** The test needs the checkout, so it is not repeated in an empty workspace. */
  needsCheckout?: true;
  /** `with:` of the step. */
  inputs?: Record<string, string>;
  /** `env:` of the step. */
  env?: Record<string, string>;
  /** Runs `dist/` in a separate process. Otherwise runs its source in this process. */
  shipped?: boolean;
  /** Replaces the function that starts the step's process. */
  start?: (env: NodeJS.ProcessEnv, cwd: string) => ChildProcess;
}

export interface StepResult {
  code: number | null;
  /** stdout and stderr, interleaved as the runner reads them. */
  log: string;
  lastLine: string;
  commands: RunnerCommand[];
  /** Messages of the log's annotations, decoded. */
  annotations: { level: 'error' | 'warning'; properties: string; message: string }[];
  messages: string[];
  outputs: Record<string, string>;
  summary: string;
  /** `result.json`, and the other reports as text (empty if not written). */
  result: Result;
  notices: string[];
  reports: Record<'result.json' | 'report.html' | 'junit.xml' | 'comment.md', string>;
}

/**
 * Runs `uses: ./` as a step, with the default inputs, the event, and the files for output and
 * summary.
 */
export async function runAction(given: Step): Promise<StepResult> {
  const step = inItsWorkspace(given);
  const folder = temporaryFolder('runner');
  const files = runnerFiles(folder, step.event.payload);
  const env = {
    ...bareEnvironment(),
    ...inputVariables(step.inputs ?? {}),
    ...runnerVariables(step, files),
    GIT_CONFIG_GLOBAL: serverInPlace(folder, step),
    ...step.env,
  };
  step.github.state.mergeBase = mergeBaseIn(step);
  const { code, stdout, stderr } = await (step.start !== undefined
    ? endOf(step.start(env, step.checkout.directory))
    : step.shipped === true
      ? startBundle('action/index.js', [], env, step.checkout.directory)
      : startStep(env));
  const log = stdout + stderr;
  const faults = step.github.state.violations;
  if (faults.length > 0) throw new Error(`GitHub would have refused: ${faults.join('; ')}\n${log}`);
  const outputs = keyValueFile(readFileSync(files.GITHUB_OUTPUT, 'utf8'));
  const reports = reportsIn(
    outputs['report-path'] ?? join(step.checkout.directory, 'evaldiff-report'),
  );
  const commands = commandsIn(log);
  const annotations = commands.flatMap(annotation);
  const result = JSON.parse(reports['result.json'] || 'null') as Result;
  const notices = (result as Result | null)?.notices ?? [];
  return {
    code,
    log,
    lastLine: log.trimEnd().split('\n').at(-1) ?? '',
    commands,
    annotations,
    messages: annotations.map(({ message }) => message),
    outputs,
    summary: readFileSync(files.GITHUB_STEP_SUMMARY, 'utf8'),
    reports,
    result,
    notices: notices.map(({ message }) => message),
  };
}

/**
 * In the full run, steps with a checkout also run in an empty workspace, in the suites that
 * `jest.full.config.js` names. The action then fetches the same files from the server.
 */
function inItsWorkspace(step: Step) {
  if (process.env['EVALDIFF_WORKSPACE'] !== 'empty' || step.needsCheckout === true) return step;
  const { directory } = step.checkout;
  if (!existsSync(join(directory, '.git'))) return step;
  return {
    ...step,
    checkout: { directory: temporaryFolder('workspace') },
    origin: step.origin ?? repositoryAt(originOf(directory).replace('file://', '')),
    event: { ...step.event, sha: step.event.sha ?? headOf(step) },
  };
}

const mergeBaseIn =
  ({ origin, checkout }: Step) =>
  (base: string, head: string): string | null => {
    const of = origin ?? repositoryAt(originOf(checkout.directory).replace('file://', ''));
    try {
      return of.git('merge-base', base, head);
    } catch {
      return null;
    }
  };

/** The git configuration of a machine that reads the server's repository from a folder. */
function serverInPlace(folder: string, { origin, checkout, env }: Step) {
  const url = origin === undefined ? originOf(checkout.directory) : `file://${origin.directory}`;
  const file = join(folder, 'gitconfig');
  writeFileSync(
    file,
    `[url "${url}"]\n\tinsteadOf = ${env?.['GITHUB_SERVER_URL'] ?? SERVER}/${REPOSITORY}\n`,
  );
  return file;
}

type RunnerFiles = ReturnType<typeof runnerFiles>;

function runnerFiles(folder: string, payload: unknown) {
  const at = (name: string) => join(folder, name);
  const empty = {
    GITHUB_OUTPUT: at('output'),
    GITHUB_STEP_SUMMARY: at('summary.md'),
    GITHUB_STATE: at('state'),
    GITHUB_ENV: at('env'),
    GITHUB_PATH: at('path'),
  };
  for (const file of Object.values(empty)) writeFileSync(file, '');
  mkdirSync(at('temp'));
  writeFileSync(at('event.json'), JSON.stringify(payload));
  return { ...empty, GITHUB_EVENT_PATH: at('event.json'), RUNNER_TEMP: at('temp') };
}

function headOf({ origin, checkout }: Step) {
  const { directory } = origin ?? checkout;
  return headIn(directory) ?? repositoryAt(directory).git('rev-parse', 'HEAD');
}

function originOf(directory: string) {
  const config = readFileSync(join(directory, '.git', 'config'), 'utf8');
  const url = /^\[remote "origin"\]\n\turl = (\S+)$/m.exec(config)?.[1];
  return url ?? repositoryAt(directory).git('remote', 'get-url', 'origin');
}

function runnerVariables(step: Step, files: RunnerFiles): NodeJS.ProcessEnv {
  const { event, checkout, github } = step;
  return {
    CI: 'true',
    GITHUB_ACTIONS: 'true',
    GITHUB_REPOSITORY: REPOSITORY,
    GITHUB_EVENT_NAME: event.name,
    GITHUB_SHA: event.sha ?? headOf(step),
    GITHUB_WORKSPACE: checkout.directory,
    GITHUB_RUN_ID: '7001',
    GITHUB_RUN_ATTEMPT: '1',
    GITHUB_SERVER_URL: SERVER,
    GITHUB_API_URL: github.apiUrl,
    GITHUB_GRAPHQL_URL: github.graphqlUrl,
    RUNNER_OS: 'Linux',
    ...files,
  };
}

interface ActionFile {
  inputs: Record<string, { default: string }>;
}
const action = parse(readFileSync(join(ROOT, 'action.yml'), 'utf8')) as ActionFile;

/** `INPUT_*` of every input in action.yml: the step's value or the default. */
function inputVariables(given: Record<string, string>): NodeJS.ProcessEnv {
  const unknown = Object.keys(given).filter((name) => !(name in action.inputs));
  if (unknown.length > 0) throw new Error(`action.yml has no input ${unknown.join(', ')}`);
  return Object.fromEntries(
    Object.entries(action.inputs).map(([name, { default: fallback }]) => {
      const value = given[name] ?? fallback;
      return [
        `INPUT_${name.replaceAll(' ', '_').toUpperCase()}`,
        value === '${{ github.token }}' ? TOKEN : value,
      ];
    }),
  );
}

/** Parses the output file: `name<<delimiter`, lines, `delimiter`. */
function keyValueFile(text: string): Record<string, string> {
  return Object.fromEntries(
    [...text.matchAll(/^(.+?)<<(\S+)\r?\n([\s\S]*?)\r?\n?\2$/gm)].map(
      ([, name = '', , value = '']) => [name, value],
    ),
  );
}

function reportsIn(folder: string) {
  const read = (name: string): [string, string] => {
    const file = join(folder, name);
    return [name, existsSync(file) ? readFileSync(file, 'utf8') : ''];
  };
  const names = ['result.json', 'report.html', 'junit.xml', 'comment.md'];
  return Object.fromEntries(names.map(read)) as StepResult['reports'];
}

function annotation({ name, properties, data }: RunnerCommand): StepResult['annotations'] {
  if (name !== 'error' && name !== 'warning') return [];
  return [
    { level: name, properties: decodeURIComponent(properties), message: decodeURIComponent(data) },
  ];
}
