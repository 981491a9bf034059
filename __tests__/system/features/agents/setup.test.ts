import { chmodSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { runChecks } from '../../../../src/features/agents/run-in-workspace.ts';
import { workspaceChanges } from '../../../../src/features/agents/workspace/changes.ts';
import {
  readWorkspaceFiles,
  type WorkspaceFiles,
} from '../../../../src/features/agents/workspace/files.ts';
import {
  createTemplates,
  openWorkspace,
  type WorkspaceOptions,
} from '../../../../src/features/agents/workspace/open.ts';
import { runInside } from '../../../../src/features/agents/workspace/run.ts';
import { findWalls } from '../../../../src/features/agents/workspace/walls.ts';
import { untilTestEnds } from '../../../stand-ins/after-test.ts';
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

const filesOf = (bodies: Record<string, string>, mode: '100644' | '100755' = '100644') =>
  new Map(Object.entries(bodies).map(([path, body]) => [path, { mode, body: Buffer.from(body) }]));

const FILES = filesOf({ 'a.txt': 'a\n' });

/** Opens a workspace until the test ends. */
async function open(own: Partial<WorkspaceOptions> = {}, files: WorkspaceFiles = FILES) {
  const workspace = await untilTestEnds(openWorkspace(files, optionsWith(own)));
  return {
    ...workspace,
    /** Runs a command in the sandbox and returns what it prints. */
    async run(command: string) {
      const job = { command: ['sh', '-c', command], env: {}, gateway: null, seconds: 600 };
      return (await runInside(workspace, job)).stdout;
    },
    changes: () => workspaceChanges(workspace),
  };
}

describe('workspace setup (needs root, user namespaces or sudo -n)', () => {
  test('runs once for equal files and commands, and each run gets a fresh copy', async () => {
    const setup = setupOf('cat /proc/sys/kernel/random/uuid > id; echo of-setup > $HOME/.setup');
    const own = { setup, home: { '.own': 'own' } };
    const [first, second] = [await open(own), await open(own, new Map(FILES))];
    const other = await open(own, filesOf({ 'a.txt': 'a\n', b: '' }));
    const read = 'cat id $HOME/.setup $HOME/.own; echo more >> id; echo x > $HOME/.setup';
    const said = await first.run(read);
    expect(said).toMatch(/^[0-9a-f-]{36}\nof-setup\nown$/);
    expect(await second.run(read)).toBe(said);
    expect(await other.run(read)).not.toBe(said);
    expect(first.commit).toBe(second.commit);
    expect(first.commit).not.toBe(other.commit);
    expect((await first.changes()).map(({ path, left }) => [path, left])).toEqual([
      ['id', 'setup'],
    ]);
  });

  test('may create a file; if the agent writes its fake API key there, evaldiff detects it', async () => {
    const canary = 'sk-ant-api03-canary-of-this-test';
    const workspace = await open({ setup: setupOf('touch made'), canary });
    await workspace.run('echo $EVALDIFF_CANARY_API_KEY > made');
    expect(await workspace.changes()).toMatchObject([
      { path: 'made', left: 'setup', isCanarySeen: true },
    ]);
  });

  test('is kept for later runs as long as its size limit allows', async () => {
    const small = await createTemplates(1_500_000);
    for (const name of ['a', 'b', 'b']) {
      const files = filesOf({ [name]: ' '.repeat(1_000_000) });
      await (await openWorkspace(files, optionsWith({ templates: small }))).close();
    }
    expect(readdirSync(small.folder)).toHaveLength(1);
    expect(small.made.size).toBe(1);
    await small.close();
  });

  test('may leave links in HOME, but evaldiff never writes files outside through them', async () => {
    const outside = temporaryFolder('outside');
    const setup = setupOf(`ln -s ${outside} $HOME/.config; ln -s ${outside}/file $HOME/.agentrc`);
    const home = { '.config/agent.json': 'own', '.agentrc': 'rc' };
    const workspace = await open({ setup, home });
    const stdout = await workspace.run('cat $HOME/.config/agent.json $HOME/.agentrc');
    expect({ stdout, outside: readdirSync(outside) }).toEqual({ stdout: 'ownrc', outside: [] });
  });

  test.each([
    [
      'that fails is an error with the command and the end of its output',
      'echo installing; echo no such package >&2; exit 3',
      /its setup command "echo installing; .+" failed \(exit code 3\)\. .+\ninstalling\n\nno such package$/s,
    ],
    [
      'that makes the workspace too large is an error',
      'for i in 1 2; do dd if=/dev/zero of=$i bs=1M count=600; done',
      /The agent's workspace is larger than 1000\.0 MB/,
    ],
  ])('%s', async (_, command, message) => {
    await expect(open({ setup: setupOf('true', command) })).rejects.toThrow(message);
  });

  test('reaches no host of this machine that its own `network` lists and none that it does not, and trusts the certificates of this machine', async () => {
    const connect = (host: string) =>
      `node -e 'require("node:http").request({ port: 8138, method: "CONNECT", path: "${host}" })
        .on("connect", (reply, socket) => { process.stdout.write(String(reply.statusCode)); socket.end() }).end()'`;
    const plain = `node -e 'fetch("http://127.0.0.1:8138/").then((r) => console.log(r.status))'`;
    const run = [
      `(${connect('localhost:8000')}; ${connect('example.com:443')}; ${plain}) > said; echo $HTTPS_PROXY >> said; cat $NODE_EXTRA_CA_CERTS >> said`,
    ];
    const setup = { run, network: ['LOCALHOST:8000'] };
    const authority = join(temporaryFolder('authority'), 'ca.pem');
    writeFileSync(authority, 'of the company\n');
    chmodSync(dirname(authority), 0o755);
    process.env['NODE_EXTRA_CA_CERTS'] = authority;
    const workspace = await open({ setup });
    delete process.env['NODE_EXTRA_CA_CERTS'];
    expect(await workspace.run('cat said')).toBe(
      '403403403\nhttp://127.0.0.1:8138\nof the company\n',
    );
  });
});

/** As on a kernel without overlays, or in a Docker container. */
const copying = await createTemplates();
copying.hasLayers = Promise.resolve(false);
afterAll(() => copying.close());

test('runs use layers on this machine, so the other tests cover them', async () => {
  await open();
  expect(await templates.hasLayers).toBe(true);
});

describe.each([
  ['a layer', templates],
  ['a copy', copying],
])('a run on %s', (_, kept) => {
  const shown: WorkspaceFiles = filesOf({
    ...{ 'a.txt': 'a\n', 'docs/one.md': '1\n', 'docs/two.md': '2\n' },
    ...{ 'old/x': 'x\n', 'same.txt': 'same\n' },
  });
  const whole: WorkspaceFiles = new Map([...shown, ...filesOf({ 'evals/expected.txt': '42\n' })]);
  const own = { templates: kept, setup: setupOf('mkdir -p made; echo of-setup > made/by-setup') };

  test('reports all changes by content, and leaves other runs and the template as they are', async () => {
    const [first, second] = [await open(own, shown), await open(own, shown)];
    await first.run(
      'echo more >> a.txt; rm -r docs; mkdir docs; echo new > docs/three.md; rm -r old; ' +
        'echo file > old; touch same.txt; chmod 700 same.txt; chmod 600 same.txt; ' +
        'echo edited > made/by-setup; mv made made2; ln same.txt linked; mkdir -p sub/.git; touch sub/.git/x',
    );
    const changes = await first.changes();
    expect(changes.map(({ path, kind, left }) => [path, kind, left])).toEqual([
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
    const untouched = await second.run('cat a.txt docs/* old/x made/*; git status --short');
    expect(untouched).toBe('a\n1\n2\nx\nof-setup\n?? made/\n');
    expect(await second.changes()).toEqual([]);
  });

  test.each([
    ['a chain of links', 'ln -s evals/expected.txt b; ln -s b c; ln -s c out.txt', 1],
    ['a link to the folder', 'ln -s ../evals docs/e; ln -s docs/e/expected.txt out.txt', 1],
    ['a hard link to a link', 'ln -s evals/expected.txt b; ln b out.txt', 1],
    ['a hard link to its own file', 'echo 42 > own; ln own out.txt', 0],
  ])('that answers a hidden check with %s', async (__, command, code) => {
    const workspace = await open(own, shown);
    await workspace.run(command);
    const changes = await workspace.changes();
    const paths = new Set([...shown.keys(), ...changes.map(({ path }) => path)]);
    const agents = {
      changes,
      isShown: (path: string) => paths.has(path),
      isSuiteFile: (path: string) => path.startsWith('evals/'),
    };
    const checks = ['cmp out.txt evals/expected.txt 2>&1'];
    const [check] = await runChecks(whole, checks, {
      ...optionsWith(own),
      ...{ agents, seconds: 600 },
    });
    expect(check?.code === 0 ? 0 : 1).toBe(code);
  });

  test('is not started after SIGTERM', async () => {
    await (await openWorkspace(shown, optionsWith(own))).close();
    const runs = () => readdirSync(kept.folder).filter((name) => name.startsWith('run-'));
    const before = runs();
    await expect(open({ ...own, signal: AbortSignal.abort() }, shown)).rejects.toThrow('aborted');
    expect(runs()).toEqual(before);
  });
});

test('a run that writes too many files, or fills the disk, is an error', async () => {
  const workspace = await open();
  await workspace.run('mkdir many; cd many; seq 11000 | xargs touch');
  await expect(workspace.changes()).rejects.toThrow(
    'The agent changed more than 10,000 files. If it installs packages, install them in `setup`.',
  );
  // /proc has no free space.
  await expect(workspaceChanges({ ...workspace, folder: '/proc' })).rejects.toThrow(
    'The disk with the temporary folder is full',
  );
});

describe('programs of a task', () => {
  test.each([
    ['core.fsmonitor', '[core]\n\tfsmonitor = "sh $PWD/evil.sh; false"\n'],
    ['a filter', '[filter "x"]\n\tclean = sh evil.sh\n'],
    ['signing', '[commit]\n\tgpgSign = true\n[gpg]\n\tprogram = ./evil.sh\n'],
    ['hooks', '[core]\n\thooksPath = .\n'],
  ])('never run outside the sandbox, even through settings of git: %s', async (_, config) => {
    const outside = temporaryFolder('outside');
    const evil = `#!/bin/sh\nenv > ${outside}/ran\n`;
    const files: WorkspaceFiles = new Map([
      ...filesOf({ '.git/config': config, '.gitattributes': '* filter=x\n' }),
      ...filesOf({ 'evil.sh': evil, 'pre-commit': evil }, '100755'),
    ]);
    await open({}, files).catch(() => undefined);
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
      const workspace = await open({}, files);
      const stdout = await workspace.run(
        'bin/run; readlink to-doc; git status --short; git log --format=%s%an%ae%ad; ' +
          'git show HEAD:doc.txt | cmp - doc.txt; cat to-doc',
      );
      expect(stdout.trim().split('\n')).toEqual([
        'ran',
        'doc.txt',
        'basebasebase@example.comThu Jan 1 00:00:00 2026 +0000',
        ...repository.git('show', `${head}:doc.txt`).split('\n'),
      ]);
      expect(await workspace.changes()).toEqual([]);
    });
  });
});
