import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Socket } from 'node:net';
import { homedir, tmpdir } from 'node:os';
import { basename, delimiter, dirname, join } from 'node:path';
import { InternalError, errorMessage } from '../../../errors.ts';
import { shorten, visibleLine } from '../../../text/visible.ts';
import { parsedJson } from '../../../types/plain.ts';
import { filteredCommand } from './filter.ts';
import {
  INSIDE,
  PORTS,
  SOCKETS,
  SYSTEM_PATH,
  isSystemPath,
  mountScript,
  type MountPlan,
} from './mounts.ts';

/**
 * Ways to create the sandbox's namespaces. `sudo` is for Ubuntu 24.04, which refuses user
 * namespaces.
 */
export const WALL_KINDS = ['root', 'rootless', 'sudo'] as const;
export type WallKind = (typeof WALL_KINDS)[number];

export type Walls = { kind: WallKind } | { refused: string };

const insideProgram = readFileSync(new URL('./inside.js', import.meta.url), 'utf8');

const NAMESPACES = ['--mount', '--net', '--pid', '--ipc', '--uts', '--fork', '--kill-child'];

/** User id of agents if evaldiff runs as root. */
const NOBODY = 65534;

export function agentUser(kind: WallKind): { uid: number; gid: number } {
  return kind === 'root'
    ? { uid: NOBODY, gid: NOBODY }
    : { uid: process.getuid?.() ?? NOBODY, gid: process.getgid?.() ?? NOBODY };
}

export function unshareWords(kind: WallKind): string[] {
  if (kind === 'sudo') return ['sudo', '-n', '--', 'unshare'];
  return kind === 'rootless' ? ['unshare', '--map-root-user'] : ['unshare'];
}

/** Limits file sizes in bytes, and the number of processes and threads. */
const RESOURCES = ['--fsize=1000000000', '--nproc=16384', '--core=0'];

/** Starts the command without Linux capabilities. In a new user namespace, only root has them. */
function innerCommand({ kind, command }: WalledJob, env: Record<string, string>): string[] {
  const { uid, gid } = agentUser(kind);
  const drop =
    kind === 'rootless'
      ? ['--', 'unshare', '--user', `--map-user=${uid}`, `--map-group=${gid}`]
      : [
          ...[`--reuid=${uid}`, `--regid=${gid}`, '--clear-groups'],
          ...['--inh-caps=-all', '--bounding-set=-all'],
        ];
  // The variables could make the programs before the command run foreign code without a filter.
  const variables = Object.entries(env).map(([name, value]) => `${name}=${value}`);
  const filtered = filteredCommand(['env', ...variables, ...command]);
  if (filtered === null) throw new InternalError(`${FAILED}${NO_LOADER}`);
  return ['prlimit', ...RESOURCES, '--', 'setpriv', '--no-new-privs', ...drop, '--', ...filtered];
}

export interface WalledJob extends Omit<MountPlan, 'root'> {
  kind: WallKind;
  folder: string;
  command: readonly string[];
  env: Readonly<Record<string, string>>;
}

export interface WalledProcess {
  child: ChildProcess;
  kill(): void;
  /** Rejects with an InternalError if the sandbox could not be built. */
  ended: Promise<{ code: number | null }>;
}

export async function startInside(job: WalledJob): Promise<WalledProcess> {
  const socket = join(job.folder, 'control');
  const root = join(job.folder, 'root');
  await mkdir(root, { recursive: true });
  const plan = `${JSON.stringify(wallPlan(job, root))}\n`;
  const state = { report: '', isKilled: false };
  const connections: Socket[] = [];
  const server = createServer((connection) => {
    connections.push(connection);
    connection.setEncoding('utf8').on('data', (chunk: string) => (state.report += chunk));
    connection.on('error', () => undefined).write(plan);
  });
  await once(server.listen(socket), 'listening');
  server.on('error', () => undefined);
  const program = ['--input-type=module', '-e', insideProgram, socket];
  const [file = '', ...words] = unshareWords(job.kind);
  const args = [...words, ...NAMESPACES, '--', process.execPath, ...program];
  const child = spawn(file, args, {
    cwd: '/',
    env: { PATH: process.env['PATH'] ?? '/usr/bin:/bin:/usr/sbin:/sbin' },
    stdio: 'pipe',
    // Runs without evaldiff's terminal, because the command could send input to it.
    detached: true,
  });
  const kill = () => {
    state.isKilled = true;
    for (const connection of connections) connection.destroy();
    server.close();
    // A sudo process cannot be killed. It ends when the socket closes.
    if (job.kind !== 'sudo') child.kill('SIGKILL');
  };
  return { child, kill, ended: processEnd(child, state).finally(() => server.close()) };
}

function processEnd(
  child: ChildProcess,
  state: { report: string; isKilled: boolean },
): Promise<{ code: number | null }> {
  let errors = '';
  child.stderr?.on('data', (chunk) => (errors = (errors + String(chunk)).slice(-1000)));
  child.stdin?.on('error', () => undefined);
  return new Promise((resolve, reject) => {
    const fail = (message: string) => {
      const last = visibleLine(message.trim().split('\n').at(-1) ?? '');
      reject(new InternalError(`${FAILED}${shorten(last, 300) || 'no reason given'}`));
    };
    child.once('error', ({ message }) => fail(message));
    child.once('close', () => {
      const report = parsedJson(state.report) as { code?: number | null; failed?: string } | null;
      if (report?.code !== undefined) resolve({ code: report.code });
      else if (state.isKilled) resolve({ code: null });
      else fail(report?.failed ?? errors);
    });
  });
}

const FAILED = 'The sandbox of a run could not be created: ';

const NO_LOADER =
  `nothing can load the filter of system calls (${process.arch}); ` +
  'on x64 or arm64, install the package perl or python3';

function wallPlan(job: WalledJob, root: string): object {
  const { own, readable, sockets } = job;
  const ports = (['gateway', 'proxy'] as const).flatMap((name) =>
    sockets[name] === null ? [] : { port: PORTS[name], socket: SOCKETS[name] },
  );
  const bins = visibleBins();
  const hidden = [homedir(), process.cwd(), tmpdir(), ...job.cover];
  const cover = hidden.filter(isSystemPath);
  return {
    script: mountScript({ root, own, readable: [...readable, ...bins], cover, sockets }),
    ports,
    command: innerCommand(job, {
      ...job.env,
      PATH: insidePath([...readable, ...bins], job.env['PATH'] ?? ''),
    }),
    folder: INSIDE.work,
    env: { PATH: SYSTEM_PATH },
  };
}

function visibleBins(): string[] {
  const node = realpathSync(process.execPath);
  const tools = ['/opt/hostedtoolcache', process.env['RUNNER_TOOL_CACHE'] ?? ''].filter(existsSync);
  const prefix = dirname(dirname(node));
  const packages = join(prefix, 'lib', 'node_modules');
  return basename(dirname(node)) === 'bin' && existsSync(join(packages, 'npm'))
    ? [dirname(node), packages, ...tools]
    : [node, ...tools];
}

/** The job's folders, then folders of evaldiff's PATH that the sandbox contains. */
function insidePath(readable: readonly string[], wanted: string): string {
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  const seen = [dirname(process.execPath), ...folders].filter(
    (folder) =>
      isSystemPath(folder) ||
      readable.some((path) => `${folder}/`.startsWith(`${path}/`) || dirname(path) === folder),
  );
  const all = [...wanted.split(delimiter), ...seen, '/usr/local/bin', '/usr/bin', '/bin'];
  return [...new Set(all)].filter((folder) => folder !== '').join(delimiter);
}

/** Finds the first kind of sandbox that works on this machine. */
export async function findWalls(
  kinds: readonly WallKind[] = process.getuid?.() === 0 ? ['root'] : ['rootless', 'sudo'],
  platform: NodeJS.Platform = process.platform,
): Promise<Walls> {
  if (platform !== 'linux') return { refused: refusal(['this system is not Linux']) };
  const reasons: string[] = [];
  for (const kind of kinds) {
    const why = await tryWalls(kind);
    if (why === null) return { kind };
    reasons.push(`${kind}: ${why}`);
  }
  return { refused: refusal(reasons) };
}

async function tryWalls(kind: WallKind): Promise<string | null> {
  const folder = await mkdtemp(join(tmpdir(), 'evaldiff-walls-'));
  try {
    const own = { work: folder, home: folder };
    const sockets = { gateway: null, proxy: null };
    const rest = { readable: [], cover: [], command: ['true'], env: {} };
    const { child, ended } = await startInside({ kind, folder, own, sockets, ...rest });
    let errors = '';
    child.stdin?.end();
    child.stdout?.resume();
    child.stderr?.on('data', (chunk) => (errors += String(chunk)));
    const { code } = await ended;
    return code === 0 ? null : shorten(visibleLine(errors), 300);
  } catch (error) {
    return errorMessage(error).replace(FAILED, '');
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function refusal(reasons: readonly string[]): string {
  return (
    'Agents run in a sandbox (Linux namespaces), so that they cannot read keys or other files, ' +
    `and this machine cannot create it (${reasons.join('; ')}). Run it on Linux (on Windows: ` +
    'WSL 2; on macOS: a Linux virtual machine, or CI) with util-linux 2.36, iproute2 and Perl or ' +
    'Python 3, and one of: root with CAP_SYS_ADMIN (Docker: --privileged), user namespaces ' +
    '(Ubuntu 24.04: sysctl kernel.apparmor_restrict_unprivileged_userns=0), or sudo without a ' +
    "password, as on GitHub's runners."
  );
}
