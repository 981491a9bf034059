// Runs all attacks in one kind of sandbox, as the user that starts it, and prints the results.
import { execFileSync } from 'node:child_process';
import {
  accessSync,
  chmodSync,
  constants,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { runChecks } from '../../../../src/features/agents/run-in-workspace.ts';
import { matcherOf } from '../../../../src/features/agents/suite/rules.ts';
import { workspaceChanges } from '../../../../src/features/agents/workspace/changes.ts';
import type {
  WorkspaceFiles,
  WorkspaceFile,
} from '../../../../src/features/agents/workspace/files.ts';
import {
  createTemplates,
  openWorkspace,
  type Workspace,
  type WorkspaceOptions,
} from '../../../../src/features/agents/workspace/open.ts';
import { runInside, type InsideJob } from '../../../../src/features/agents/workspace/run.ts';
import { findWalls, type WallKind } from '../../../../src/features/agents/workspace/walls.ts';
import { endless, processesNamed, walledAttacks } from './walled-attacks.ts';

export interface AttackReport {
  ended: string;
  code: number | null;
  stdout: string;
  stderr: string;
  isCanarySeen: boolean;
  changes: Record<string, { kind: string; mode: string | null; left: string | null; diff: string }>;
  canaryFiles: string[];
  left: string[];
}

export interface DriverReport {
  attacks: Record<string, AttackReport>;
  limits: Record<string, { ended: string; code: number | null }>;
  checks: Awaited<ReturnType<typeof runChecks>>;
  commits: string[];
  contacts: number;
  doors: readonly string[];
  probes: string[];
  runsLeft: string[];
}

/** The test mounts empty folders here, if it runs as root. */
const SYSTEM_DOORS = ['/usr/local/share', '/etc/skel'];

function isWritable(path: string) {
  try {
    accessSync(path, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

export const CANARY = 'sk-canary-7f3a9c21d8e64b05';

const text = (body: string, mode: '100644' | '100755' = '100644') => ({
  mode,
  body: Buffer.from(body),
});

/** Files whose check passes if a.txt is good and the tests are unchanged. */
const FILES: WorkspaceFiles = new Map<string, WorkspaceFile>([
  ['a.txt', text('bad\n')],
  ['docs/guide.md', text('# Guide\n')],
  ['tests/check.sh', text('grep -q good a.txt && sh tools/run && test ! -e evals/answers.json\n')],
  ['bin/run', text('#!/bin/sh\necho run\n', '100755')],
  ['link', { mode: '120000', body: Buffer.from('docs/guide.md') }],
]);

/** Prints all paths, then the lines of the files that the agent changed or wanted to change. */
const LIST_FILES =
  'echo $(find . -path ./.git -prune -o -print | LC_ALL=C sort); grep "" a.txt docs tests/* tools/*';

/** Makes a socket and a FIFO that any user may open. */
function openDoor(folder: string, onContact: () => void) {
  const [socket, fifo] = [join(folder, 'socket'), join(folder, 'fifo')];
  execFileSync('mkfifo', ['--mode=666', fifo]);
  const reader = openSync(fifo, constants.O_RDWR | constants.O_NONBLOCK);
  const server = createServer(onContact).listen(socket, () => chmodSync(socket, 0o777));
  return () => {
    server.close();
    try {
      if (readSync(reader, Buffer.alloc(1)) > 0) onContact();
    } catch {
      // Nothing was written.
    }
    rmSync(fifo);
  };
}

const plainOptions = (
  kind: WallKind,
  templates: WorkspaceOptions['templates'],
): WorkspaceOptions => ({
  ...{ kind, templates, setup: { run: [], network: 'off' }, network: 'off', home: {} },
  ...{ readable: [], cover: [], canary: null },
});

async function drive(kind: WallKind, folder: string): Promise<DriverReport> {
  const templates = await createTemplates();
  const home = join(folder, 'home');
  const probes = join(folder, 'probes');
  const [tools, cache] = [join(folder, 'tools'), join(folder, 'cache')];
  process.env['RUNNER_TOOL_CACHE'] = cache;
  const doors = [tools, cache, ...SYSTEM_DOORS.filter(isWritable)];
  mkdirSync(home);
  for (const path of [probes, tools, cache]) {
    mkdirSync(path);
    chmodSync(path, 0o777);
  }
  writeFileSync(join(tools, 'tool'), 'of the tools');
  chmodSync(join(tools, 'tool'), 0o777);
  writeFileSync(join(home, 'secret'), 'sk-of-the-user');
  const gateway = join(templates.folder, 'gateway');
  const abstract = `evaldiff-${process.pid}`;
  let contacts = 0;
  const servers = [
    createHttpServer((_, response) => response.end('hello from the gateway')).listen(gateway),
    createServer(() => (contacts += 1)).listen(0, '127.0.0.1'),
    createServer(() => (contacts += 1)).listen(`\0${abstract}`),
  ];
  await Promise.all(servers.map((server) => new Promise((done) => server.once('listening', done))));
  const address = servers[1]!.address();
  const port = address !== null && typeof address === 'object' ? address.port : 0;
  const options: WorkspaceOptions = {
    ...plainOptions(kind, templates),
    setup: {
      run: ['mkdir tools; echo "exit 0" > tools/run; echo made > made.txt; echo set > $HOME/.set'],
      network: 'off',
    },
    home: { '.config/agent.json': '{}' },
    readable: [tools],
    canary: CANARY,
  };
  const job = (command: string): InsideJob => ({
    command: ['sh', '-c', command],
    env: {},
    gateway,
    seconds: 600,
  });
  const report: DriverReport = {
    ...{ attacks: {}, limits: {}, checks: [], commits: [] },
    ...{ contacts: 0, doors, probes: [], runsLeft: [] },
  };
  const open = async (work: (workspace: Workspace) => Promise<void>) => {
    const workspace = await openWorkspace(FILES, options);
    report.commits.push(workspace.commit);
    await work(workspace);
    await workspace.close();
  };
  const opened = doors.map((door) => openDoor(door, () => (contacts += 1)));
  const parent = process.pid;
  const at = { home, runs: templates.folder, probes, tools, parent, port, abstract, doors };
  for (const [name, command] of Object.entries(walledAttacks(at)))
    await open(async (workspace) => {
      const run = await runInside(workspace, job(command));
      const left = processesNamed(`left-${process.pid}`);
      const changes = await workspaceChanges(workspace);
      report.attacks[name] = {
        ...run,
        ...{ left, canaryFiles: changes.flatMap((each) => (each.isCanarySeen ? each.path : [])) },
        changes: Object.fromEntries(
          changes.map(({ path, kind, mode, left, diff }) => [path, { kind, mode, left, diff }]),
        ),
      };
      const runOn = (seconds: number, checks: Parameters<typeof runChecks>[1]) => {
        const isSuiteFile = matcherOf(['tests/**', 'evals']);
        const agents = { changes, isShown: () => true, isSuiteFile };
        return runChecks(FILES, checks, { ...options, agents, seconds });
      };
      if (name.startsWith('edits the tests'))
        for (const [seconds, checks] of CHECKS)
          report.checks.push(...(await runOn(seconds, checks)));
      if (name.startsWith('plants hooks')) await runOn(600, ['git status; git diff']);
    });
  for (const [limit, command] of Object.entries(endless))
    await open(async (workspace) => {
      const stop = new AbortController();
      const seconds = limit === 'time' ? 1 : 600;
      const onLine = () => (limit === 'stopped' ? stop.abort() : undefined);
      const run = await runInside(workspace, {
        ...job(command),
        ...{ seconds, onLine, signal: stop.signal },
      });
      report.limits[limit] = { ended: run.ended, code: run.code };
    });
  for (const server of servers) server.close();
  for (const close of opened) close();
  report.contacts = contacts;
  report.probes = readdirSync(probes);
  await templates.close();
  report.runsLeft = existsSync(templates.folder) ? [templates.folder] : [];
  return report;
}

/** Checks by their limit in seconds. Only the one that exceeds its limit has a short one. */
const CHECKS: readonly [number, Parameters<typeof runChecks>[1]][] = [
  [600, [`sh tests/check.sh && ${LIST_FILES}`, 'node -e \'fetch("http://127.0.0.1:8137")\'']],
  [10, ['echo begun; sleep 1000']],
];

async function hang(kind: WallKind, gateway: string): Promise<never> {
  const templates = await createTemplates();
  const workspace = await openWorkspace(FILES, plainOptions(kind, templates));
  const line = `exec -a hung-${process.pid} sleep 1000`;
  const connect = "require('node:net').connect(8137, '127.0.0.1').on('data', () => {})";
  await runInside(workspace, {
    command: ['bash', '-c', `node -e "${connect}" & echo runs; ${line}`],
    ...{ env: {}, gateway, seconds: 1000 },
    onLine: (line) => process.stdout.write(`${line}\n`),
  });
  throw new Error('the run ended');
}

if (import.meta.main) {
  const [order, kind, folder = ''] = process.argv.slice(2);
  const walls = kind as WallKind;
  if (order === 'hang') await hang(walls, folder);
  const report = order === 'find' ? await findWalls([walls]) : await drive(walls, folder);
  process.stdout.write(JSON.stringify(report), () => process.exit(0));
}
