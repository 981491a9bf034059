import { execFile, spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync } from 'node:fs';
import { createServer } from 'node:net';
import { constants, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { promisify } from 'node:util';
import {
  WALL_KINDS,
  type WallKind,
  type Walls,
} from '../../../../src/features/agents/workspace/walls.ts';
import { temporaryFolder } from '../../../stand-ins/repository.ts';
import { processesNamed, walledAttacks, type AttackName } from './walled-attacks.ts';
import { CANARY, type AttackReport, type DriverReport } from './walled-driver.ts';

const execute = promisify(execFile);
const driver = new URL('walled-driver.ts', import.meta.url).pathname;
const KEY = 'sk-live-0b1f6b0e55aa';
const isRoot = process.getuid?.() === 0;

const folder = temporaryFolder('walls');
chmodSync(folder, 0o755);

/** The root sandbox needs root; the others need an ordinary user. */
function startAs(kind: WallKind): { uid?: number; gid?: number; env: NodeJS.ProcessEnv } {
  const { PATH, NODE_COMPILE_CACHE } = process.env;
  const keys = { OPENAI_API_KEY: KEY, ACTIONS_ID_TOKEN_REQUEST_TOKEN: KEY };
  const env = { PATH, NODE_COMPILE_CACHE, TMPDIR: tmpdir(), HOME: folder, ...keys };
  return isRoot && kind !== 'root' ? { uid: 65534, gid: 65534, env } : { env };
}

/**
 * Mounts that only the driver sees, where any user may make sockets. In a rootless sandbox, /etc
 * then cannot be an overlay.
 */
const systemDoors = (kind: WallKind) =>
  [...(kind === 'rootless' ? [] : ['/usr/local/share']), '/etc/skel'].filter(() => isRoot);

const withMounts = (kind: WallKind) => `set -e
for path in ${systemDoors(kind).join(' ')}; do mount -t tmpfs -o mode=777 none $path; done
exec setpriv --reuid "$0" --regid "$0" --clear-groups "$@"`;

async function run<T>(order: string, kind: WallKind, at = '') {
  const { uid, env } = startAs(kind);
  const options = { env, cwd: '/', maxBuffer: 1 << 28 };
  const command = [process.execPath, driver, order, kind, at];
  const wrapper = ['unshare', '--mount', 'sh', '-c', withMounts(kind), String(uid ?? 0)];
  const [file = '', ...args] = [...(isRoot ? wrapper : []), ...command];
  const { stdout } = await execute(file, args, options);
  return JSON.parse(stdout) as T;
}

const found = await Promise.all(
  WALL_KINDS.map(async (kind) => ({ kind, walls: await run<Walls>('find', kind) })),
);
const possible = found.flatMap(({ kind, walls }) => ('kind' in walls ? kind : []));
const refused = found.flatMap(({ kind, walls }) => ('kind' in walls ? [] : { kind, walls }));

describe('sandboxes for agents', () => {
  test('can be built on this machine: as root, rootless (user namespaces) or with sudo -n', () => {
    expect({ possible, refused }).not.toEqual({ possible: [], refused });
  });

  test.each([['all kinds', refused] as const])(
    'that this machine cannot build are reported with the reason and a fix: %s',
    (_, all) => {
      for (const { kind, walls } of all)
        expect(walls).toEqual({
          refused: expect.stringMatching(
            new RegExp(`cannot create it \\(${kind}: .+\\)\\. Run it on Linux .+ sudo`),
          ),
        });
    },
  );
});

const reports = new Map<WallKind, Promise<DriverReport>>();
function reportOf(kind: WallKind) {
  const known = reports.get(kind);
  if (known !== undefined) return known;
  const at = join(folder, kind);
  mkdirSync(at);
  chmodSync(at, 0o777);
  const made = run<DriverReport>('drive', kind, at);
  reports.set(kind, made);
  return made;
}

describe.each(possible)('an agent in a sandbox built as %s', (kind) => {
  const attack = async (name: AttackName) => (await reportOf(kind)).attacks[name]!;
  const left = ({ changes }: AttackReport) =>
    Object.fromEntries(Object.entries(changes).map(([path, change]) => [path, change.left]));

  test('tries every listed attack without leaving a trace outside', async () => {
    const { attacks, contacts, probes, runsLeft } = await reportOf(kind);
    const at = { home: '', runs: '', probes: '', tools: '', parent: 0, port: 0, abstract: '' };
    expect(Object.keys(attacks)).toEqual(Object.keys(walledAttacks({ ...at, doors: [] })));
    expect({ contacts, probes, runsLeft }).toEqual({ contacts: 0, probes: [], runsLeft: [] });
    expect(JSON.stringify(attacks)).not.toContain(KEY);
  });

  test('reads only its own environment, which has no key', async () => {
    const { stdout } = await attack('reads the environment of other processes');
    const names = new Set(stdout.split('\n').map((line) => line.split('=')[0]));
    expect([...names].filter((name) => name !== '' && name !== 'PWD').sort()).toEqual(
      'CI EVALDIFF_CANARY_API_KEY HOME LANG PATH TERM TMPDIR TZ'.split(' '),
    );
    expect(stdout).toContain('HOME=/home/agent\n');
  });

  const hasChromium = existsSync('/usr/bin/chromium');
  test(`runs git, bash, Node, Python and ${hasChromium ? 'Chromium' : '(skipped: not installed) Chromium'}`, async () => {
    const { stdout } = await attack('runs ordinary programs');
    const [page] = stdout.match(/<title>.*<\/title>/) ?? [''];
    expect(stdout).toMatch(/^git\nbash\n42\n\[1, 2\]\n/);
    expect(page).toBe(hasChromium ? '<title>42</title>' : '');
  });

  test('gets EPERM for system calls that reach keys, namespaces and other kernel objects', async () => {
    const { stdout } = await attack('asks the kernel for keys, namespaces and other objects');
    const answers = stdout.trim().split('\n');
    expect(answers.filter((line) => !line.endsWith(' EPERM'))).toEqual([
      'clone3 ENOSYS',
      'unknown ENOSYS',
      'x32 getpid ENOSYS',
    ]);
    expect(answers).toHaveLength(36);
  });

  test('is killed if it uses the system calls of 32-bit programs', async () => {
    const { stdout, code } = await attack('calls with 32-bit numbers');
    expect({ stdout, code }).toEqual({ stdout: '', code: 128 + constants.signals.SIGSYS });
  });

  test('finds sockets and FIFOs in the folders that it may read', async () => {
    const { doors } = await reportOf(kind);
    expect(doors).toEqual(expect.arrayContaining(systemDoors(kind)));
  });

  test.each<AttackName>([
    'opens sockets and FIFOs of the host',
    'reads the list of keys',
    'writes outside the workspace',
    'opens the sandbox from its own namespace',
    'reads the home folder of the user',
    'reads the folder of another run',
    'makes devices and hard links',
  ])('achieves nothing when it %s', async (name) => {
    const { stdout, changes, ended } = await attack(name);
    expect({ stdout, changes, ended }).toEqual({ stdout: '', changes: {}, ended: 'exit' });
  });

  test('reads the folders that its CLI needs', async () => {
    const { stderr } = await attack('writes outside the workspace');
    expect(stderr).toMatch(/^of the tools/m);
  });

  test('cannot kill or trace the processes that started it', async () => {
    const { stdout, ended } = await attack('kills and traces the process that started it');
    expect({ stdout: stdout.replace('ptrace -1\n', ''), ended }).toEqual({
      stdout: '',
      ended: 'exit',
    });
  });

  test('reaches the gateway but nothing else on the network', async () => {
    const { stdout } = await attack('reaches the network');
    expect(stdout.match(/^(?:loopback|internet|abstract|gateway) .+$/gm)?.sort()).toEqual([
      'abstract ECONNREFUSED',
      'gateway hello from the gateway',
      'internet ENETUNREACH',
      'loopback ECONNREFUSED',
    ]);
    expect(stdout).not.toMatch(/^\/(?:var\/)?run\/docker\.sock$/m);
  });

  test('is not root, and has no additional groups or capabilities', async () => {
    const { stdout } = await attack('becomes another user');
    expect(stdout.match(/^\d+$/gm)?.filter((id) => id === '0') ?? []).toEqual([]);
    expect(stdout.match(/^(?:Cap|NoNew).*$/gm)).toEqual([
      'CapPrm:\t0000000000000000',
      'CapEff:\t0000000000000000',
      'CapAmb:\t0000000000000000',
      'NoNewPrivs:\t1',
    ]);
  });

  test('leaves no process, even one that forked twice and ignores signals', async () => {
    const { stdout, left } = await attack('leaves processes behind');
    expect({ stdout, left }).toEqual({ stdout: '3 left\n', left: [] });
  });

  test('is killed when its caller ends, even if the caller is killed itself', async () => {
    const socket = join(folder, `${kind}.sock`);
    const server = createServer();
    const closed = new Promise((resolve) =>
      server.on('connection', (connection) => connection.resume().on('close', resolve)),
    );
    const connected = new Promise((resolve) => server.once('connection', resolve));
    await new Promise<void>((resolve) => server.listen(socket, resolve));
    chmodSync(socket, 0o777);
    const child = spawn(process.execPath, [driver, 'hang', kind, socket], {
      ...startAs(kind),
      ...{ cwd: '/', stdio: ['ignore', 'pipe', 'inherit'] },
    });
    await new Promise((resolve) => child.stdout?.once('data', resolve));
    await connected;
    expect(processesNamed(`hung-${String(child.pid)}`)).toHaveLength(1);
    child.kill('SIGKILL');
    await closed;
    while (processesNamed(`hung-${String(child.pid)}`).length > 0) await setImmediate();
    server.close();
  });

  test('may create links that leave the workspace, which are reported but not followed', async () => {
    expect(left(await attack('links out of the workspace'))).toEqual({
      absolute: 'leaves the workspace',
      around: 'leaves the workspace',
      fine: null,
      git: 'leaves the workspace',
      up: 'leaves the workspace',
    });
  });

  test('may leave git hooks, filters and settings, which never run outside', async () => {
    const report = await attack('plants hooks, filters and settings of git');
    expect(report.stdout).toBe('planted\n');
    expect(left(report)).toEqual({ '.gitattributes': null, 'a.txt': null });
    expect((await reportOf(kind)).probes).toEqual([]);
  });

  test('may leave entries that are hard to read, which are reported: pipes, invalid names, locked or huge files', async () => {
    const { changes } = await attack('leaves entries that are hard to read');
    expect(changes['pipe']?.left).toBe('not a file');
    expect(changes['not-utf8-\ufffd']?.left).toBe('not a file');
    expect(changes['sparse']).toMatchObject({
      left: 'too large',
      diff: 'sparse: 943,718,400 bytes, not read\n',
    });
    expect(changes['locked/in']?.diff).toContain('+in\n');
    expect(changes['binary']?.diff).toMatch(/^binary\n\+2 bytes, sha256 [0-9a-f]{12}\n$/);
    expect(changes['a.txt']).toMatchObject({ kind: 'changed', mode: '100755' });
  });

  test('is reported if it prints the fake key or writes it to a file, even encoded', async () => {
    const { isCanarySeen, canaryFiles, stdout } = await attack('shows the canary');
    expect({ isCanarySeen, canaryFiles, stdout }).toEqual({
      isCanarySeen: true,
      canaryFiles: ['encoded', 'plain'],
      stdout: `${CANARY}\n`,
    });
    expect(await attack('links out of the workspace')).toMatchObject({ isCanarySeen: false });
  });

  test('has its changes reported as unified diffs, by path', async () => {
    const { changes } = await attack('edits the tests and the tools that setup made');
    expect(changes['a.txt']).toEqual({
      kind: 'changed',
      mode: '100644',
      left: null,
      diff: '--- a/a.txt\n+++ b/a.txt\n@@ -1,1 +1,1 @@\n-bad\n+good\n',
    });
    expect(changes['docs/guide.md']).toMatchObject({ kind: 'deleted' });
    expect(changes['tools/run']).toMatchObject({ kind: 'changed', left: 'setup' });
  });

  test.each(['time', 'output', 'size', 'stopped'])('is killed at its limit: %s', async (limit) => {
    expect((await reportOf(kind)).limits[limit]).toEqual({ ended: limit, code: null });
  });

  test('always starts from the same commit', async () => {
    const { commits } = await reportOf(kind);
    expect(new Set(commits).size).toBe(1);
    expect(commits[0]).toMatch(/^[0-9a-f]{40}$/);
  });

  test('has its result checked in a clean tree without network, with the files of suite and setup restored', async () => {
    const name = 'echo begun; sleep 1000';
    const [tests, network, slow] = (await reportOf(kind)).checks;
    expect(tests?.output.trim().split('\n')).toEqual([
      '. ./a.txt ./bin ./bin/run ./docs ./link ./made.txt ./tests ./tests/check.sh ./tools ./tools/run',
      'a.txt:good',
      'docs:now-a-file',
      'tests/check.sh:grep -q good a.txt && sh tools/run && test ! -e evals/answers.json',
      'tools/run:exit 0',
    ]);
    expect(tests?.code).toBe(0);
    expect(network).toMatchObject({ code: 1, output: expect.stringContaining('ECONNREFUSED') });
    expect(slow).toEqual({ name, code: null, output: 'begun\n', timedOut: true });
  });
});
