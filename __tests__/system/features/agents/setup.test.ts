import { chmodSync, readdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, test } from '@jest/globals';
import { workspaceChanges } from '../../../../src/features/agents/workspace/changes.ts';
import { runChecks } from '../../../../src/features/agents/workspace/checks.ts';
import {
  readWorkspaceFiles,
  type WorkspaceFiles,
} from '../../../../src/features/agents/workspace/files.ts';
import {
  createTemplates,
  openWorkspace,
  type Workspace,
  type WorkspaceOptions,
} from '../../../../src/features/agents/workspace/open.ts';
import { runInside } from '../../../../src/features/agents/workspace/run.ts';
import { findWalls } from '../../../../src/features/agents/workspace/walls.ts';
import { createRepository, temporaryFolder } from '../../../stand-ins/repository.ts';
import { using } from '../../edges/git/opened-repository.ts';

const walls = await findWalls();
const templates = await createTemplates();
afterAll(() => templates.close());

const setupOf = (...run: string[]): WorkspaceOptions['setup'] => ({ run, network: 'off' });

function optionsWith(own: Partial<WorkspaceOptions>): WorkspaceOptions {
  if ('refused' in walls) throw new Error(walls.refused);
  const { kind } = walls;
  return {
    ...{ kind, templates, setup: setupOf(), network: 'off', home: {} },
    ...{ readable: [], cover: [], canary: null, ...own },
  };
}

const FILES: WorkspaceFiles = new Map([['a.txt', { mode: '100644', body: Buffer.from('a\n') }]]);

async function inside(
  workspace: Workspace,
  command: string,
): Promise<{ stdout: string; code: number | null }> {
  const job = { command: ['sh', '-c', command], env: {}, gateway: null, seconds: 600 };
  const { stdout, code } = await runInside(workspace, job);
  return { stdout, code };
}

describe('workspace setup (needs root, user namespaces or sudo -n)', () => {
  test('runs once for equal files and commands, and each run gets a fresh copy', async () => {
    const setup = setupOf('cat /proc/sys/kernel/random/uuid > id; echo of-setup > $HOME/.setup');
    const open = (files = FILES): Promise<Workspace> =>
      openWorkspace(files, optionsWith({ setup, home: { '.own': 'own' } }));
    const [first, second] = [await open(), await open(new Map(FILES))];
    const other = await open(new Map([...FILES, ['b', { mode: '100644', body: Buffer.from('') }]]));
    const read = 'cat id $HOME/.setup $HOME/.own; echo more >> id; echo x > $HOME/.setup';
    const [one, two, three] = [
      await inside(first, read),
      await inside(second, read),
      await inside(other, read),
    ];
    expect(one.stdout).toMatch(/^[0-9a-f-]{36}\nof-setup\nown$/);
    expect(two.stdout).toBe(one.stdout);
    expect(three.stdout).not.toBe(one.stdout);
    expect(first.commit).toBe(second.commit);
    expect(first.commit).not.toBe(other.commit);
    expect((await workspaceChanges(first)).map(({ path, left }) => [path, left])).toEqual([
      ['id', 'setup'],
    ]);
  });

  test('may create a file; if the agent writes its fake API key there, evaldiff detects it', async () => {
    const canary = 'sk-ant-api03-canary-of-this-test';
    const workspace = await openWorkspace(
      FILES,
      optionsWith({ setup: setupOf('touch made'), canary }),
    );
    await inside(workspace, 'echo $EVALDIFF_CANARY_API_KEY > made');
    expect(await workspaceChanges(workspace)).toMatchObject([
      { path: 'made', left: 'setup', isCanarySeen: true },
    ]);
    await workspace.close();
  });

  test('is kept for later runs as long as its size limit allows', async () => {
    const small = await createTemplates(1_500_000);
    const open = async (name: string): Promise<void> => {
      const files: WorkspaceFiles = new Map([
        [name, { mode: '100644', body: Buffer.alloc(1_000_000) }],
      ]);
      await (await openWorkspace(files, optionsWith({ templates: small }))).close();
    };
    for (const name of ['a', 'b', 'b']) await open(name);
    expect(readdirSync(small.folder)).toHaveLength(1);
    expect(small.made.size).toBe(1);
    await small.close();
  });

  test('may leave links in HOME, but evaldiff never writes files outside through them', async () => {
    const outside = temporaryFolder('outside');
    const setup = setupOf(`ln -s ${outside} $HOME/.config; ln -s ${outside}/file $HOME/.agentrc`);
    const home = { '.config/agent.json': 'own', '.agentrc': 'rc' };
    const workspace = await openWorkspace(FILES, optionsWith({ setup, home }));
    const { stdout } = await inside(workspace, 'cat $HOME/.config/agent.json $HOME/.agentrc');
    expect({ stdout, outside: readdirSync(outside) }).toEqual({ stdout: 'ownrc', outside: [] });
  });

  test('that fails is an error with the command and the end of its output', async () => {
    const setup = setupOf('true', 'echo installing; echo no such package >&2; exit 3');
    await expect(openWorkspace(FILES, optionsWith({ setup }))).rejects.toThrow(
      /its setup command "echo installing; .+" failed \(exit code 3\)\. .+\ninstalling\n\nno such package$/s,
    );
  });

  test('that makes the workspace too large is an error', async () => {
    const setup = setupOf('for i in 1 2; do dd if=/dev/zero of=$i bs=1M count=600; done');
    await expect(openWorkspace(FILES, optionsWith({ setup }))).rejects.toThrow(
      "The agent's workspace is larger than 1000.0 MB",
    );
  });

  test('reaches only the hosts listed in its own `network`, over HTTPS, with the certificates of this machine', async () => {
    const server = createServer((socket) => socket.end('hello')).listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    const address = server.address();
    const port = String(address !== null && typeof address === 'object' ? address.port : 0);
    const connect = (host: string): string =>
      `node -e 'require("node:http").request({ port: 8138, method: "CONNECT", path: "${host}" })
        .on("connect", (reply, socket, head) => { process.stdout.write(reply.statusCode + String(head)); socket.pipe(process.stdout) }).end()'`;
    const plain = `node -e 'fetch("http://127.0.0.1:8138/").then((r) => console.log(r.status))'`;
    const run = [
      `(${connect(`localhost:${port}`)}; ${connect('example.com:443')}; ${plain}) > said; echo $HTTPS_PROXY >> said; cat $NODE_EXTRA_CA_CERTS >> said`,
    ];
    const setup = { run, network: [`LOCALHOST:${port}`] };
    const authority = join(temporaryFolder('authority'), 'ca.pem');
    writeFileSync(authority, 'of the company\n');
    chmodSync(dirname(authority), 0o755);
    process.env['NODE_EXTRA_CA_CERTS'] = authority;
    const workspace = await openWorkspace(FILES, optionsWith({ setup }));
    delete process.env['NODE_EXTRA_CA_CERTS'];
    expect((await inside(workspace, 'cat said')).stdout).toBe(
      '200hello403403\nhttp://127.0.0.1:8138\nof the company\n',
    );
    server.close();
    await workspace.close();
  });
});

/** As on a kernel without overlays, or in a Docker container. */
const copying = await createTemplates();
copying.hasLayers = Promise.resolve(false);
afterAll(() => copying.close());

test('runs use layers on this machine, so the other tests cover them', async () => {
  await (await openWorkspace(FILES, optionsWith({}))).close();
  expect(await templates.hasLayers).toBe(true);
});

describe.each([
  ['a layer', templates],
  ['a copy', copying],
])('a run on %s', (_, kept) => {
  const text = (body: string) => ({ mode: '100644' as const, body: Buffer.from(body) });
  const shown: WorkspaceFiles = new Map([
    ['a.txt', text('a\n')],
    ['docs/one.md', text('1\n')],
    ['docs/two.md', text('2\n')],
    ['old/x', text('x\n')],
    ['same.txt', text('same\n')],
  ]);
  const whole: WorkspaceFiles = new Map([...shown, ['evals/expected.txt', text('42\n')]]);
  const own = { templates: kept, setup: setupOf('mkdir -p made; echo of-setup > made/by-setup') };

  test('reports all changes by content, and leaves other runs and the template as they are', async () => {
    const [first, second] = [
      await openWorkspace(shown, optionsWith(own)),
      await openWorkspace(shown, optionsWith(own)),
    ];
    await inside(
      first,
      'echo more >> a.txt; rm -r docs; mkdir docs; echo new > docs/three.md; rm -r old; ' +
        'echo file > old; touch same.txt; chmod 700 same.txt; chmod 600 same.txt; ' +
        'echo edited > made/by-setup; mv made made2; ln same.txt linked; mkdir -p sub/.git; touch sub/.git/x',
    );
    expect(
      (await workspaceChanges(first)).map(({ path, kind, left }) => [path, kind, left]),
    ).toEqual([
      ['a.txt', 'changed', null],
      ['docs/one.md', 'deleted', null],
      ['docs/three.md', 'added', null],
      ['docs/two.md', 'deleted', null],
      ['linked', 'added', null],
      ['made/by-setup', 'deleted', 'setup'],
      ['made2/by-setup', 'added', null],
      ['old', 'added', null],
      ['old/x', 'deleted', null],
    ]);
    const { stdout } = await inside(second, 'cat a.txt docs/* old/x made/*; git status --short');
    expect(stdout).toBe('a\n1\n2\nx\nof-setup\n?? made/\n');
    expect(await workspaceChanges(second)).toEqual([]);
    for (const each of [first, second]) await each.close();
  });

  test.each([
    ['a chain of links', 'ln -s evals/expected.txt b; ln -s b c; ln -s c out.txt', 1],
    ['a link to the folder', 'ln -s ../evals docs/e; ln -s docs/e/expected.txt out.txt', 1],
    ['a hard link to a link', 'ln -s evals/expected.txt b; ln b out.txt', 1],
    ['a hard link to its own file', 'echo 42 > own; ln own out.txt', 0],
  ])('that answers a hidden check with %s', async (__, command, code) => {
    const options = optionsWith(own);
    const workspace = await openWorkspace(shown, options);
    await inside(workspace, command);
    const changes = await workspaceChanges(workspace);
    const paths = new Set([...shown.keys(), ...changes.map(({ path }) => path)]);
    const agents = {
      changes,
      isShown: (path: string) => paths.has(path),
      isSuiteFile: (path: string) => path.startsWith('evals/'),
    };
    const checks = ['cmp out.txt evals/expected.txt 2>&1'];
    const [check] = await runChecks(whole, checks, { ...options, agents, seconds: 600 });
    expect(check?.code === 0 ? 0 : 1).toBe(code);
    await workspace.close();
  });

  test('that writes too many files, or fills the disk, is an error', async () => {
    const workspace = await openWorkspace(shown, optionsWith(own));
    await inside(workspace, 'mkdir many; cd many; seq 11000 | xargs touch');
    await expect(workspaceChanges(workspace)).rejects.toThrow(
      'The agent changed more than 10,000 files. If it installs packages, install them in `setup`.',
    );
    // /proc has no free space.
    await expect(workspaceChanges({ ...workspace, folder: '/proc' })).rejects.toThrow(
      'The disk with the temporary folder is full',
    );
    await workspace.close();
  });

  test('is not started after SIGTERM', async () => {
    const open = (signal: AbortSignal) => openWorkspace(shown, { ...optionsWith(own), signal });
    await (await open(new AbortController().signal)).close();
    const runs = (): string[] => readdirSync(kept.folder).filter((name) => name.startsWith('run-'));
    const before = runs();
    await expect(open(AbortSignal.abort())).rejects.toThrow('aborted');
    expect(runs()).toEqual(before);
  });
});

describe('programs of a task', () => {
  test.each([
    ['core.fsmonitor', '[core]\n\tfsmonitor = "sh $PWD/evil.sh; false"\n'],
    ['a filter', '[filter "x"]\n\tclean = sh evil.sh\n'],
    ['signing', '[commit]\n\tgpgSign = true\n[gpg]\n\tprogram = ./evil.sh\n'],
    ['hooks', '[core]\n\thooksPath = .\n'],
  ])('never run outside the sandbox, even through settings of git: %s', async (_, config) => {
    const outside = temporaryFolder('outside');
    const evil = Buffer.from(`#!/bin/sh\nenv > ${outside}/ran\n`);
    const files: WorkspaceFiles = new Map([
      ['.git/config', { mode: '100644', body: Buffer.from(config) }],
      ['.gitattributes', { mode: '100644', body: Buffer.from('* filter=x\n') }],
      ['evil.sh', { mode: '100755', body: evil }],
      ['pre-commit', { mode: '100755', body: evil }],
    ]);
    await openWorkspace(files, optionsWith({})).then(
      (workspace) => workspace.close(),
      () => undefined,
    );
    expect(readdirSync(outside)).toEqual([]);
  });
});

describe('a workspace from a commit', () => {
  test("contains the commit's programs and links, unchanged by its .gitattributes", async () => {
    const repository = createRepository();
    const head = repository.commit('one', {
      'bin/run': { program: '#!/bin/sh\necho ran\r\n' },
      'doc.txt': 'one\r\ntwo $Id$\r\n',
      'to-doc': { link: 'doc.txt' },
      '.gitattributes': '* text eol=lf ident export-ignore\nbin/* filter=x\n',
    });
    repository.git('config', 'filter.x.smudge', 'false');
    await using(repository.directory, async (opened) => {
      const tree = await opened.tree(head, '.');
      expect(tree.files.get('bin/run')).toMatchObject({ executable: true });
      await expect(tree.readLink?.('doc.txt')).rejects.toThrow('is not a symbolic link');
      const files = await readWorkspaceFiles(tree, { from: '', with: [], hide: [] });
      const workspace = await openWorkspace(files, optionsWith({}));
      const { stdout } = await inside(
        workspace,
        'bin/run; readlink to-doc; git status --short; git log --format=%s%an%ae%ad; ' +
          'git show HEAD:doc.txt | cmp - doc.txt; cat to-doc',
      );
      expect(stdout.trim().split('\n')).toEqual([
        'ran',
        'doc.txt',
        'basebasebase@example.comThu Jan 1 00:00:00 2026 +0000',
        ...repository.git('show', `${head}:doc.txt`).split('\n'),
      ]);
      expect(await workspaceChanges(workspace)).toEqual([]);
    });
  });
});
