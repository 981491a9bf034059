import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { reasonsInWords } from '../../../src/wording/reasons.ts';
import { startGitServer } from '../../stand-ins/git-server.ts';
import {
  createRepository,
  shallowCheckout,
  temporaryFolder,
  writeFiles,
  type FixtureFiles,
} from '../../stand-ins/repository.ts';
import {
  changeOf,
  obedient,
  quiz,
  quizPrompt,
  type Change,
  README,
  promptOf,
  below,
} from './projects.ts';
import { REPOSITORY, TOKEN, bareEnvironment, startCommand, type StepResult } from './runner.ts';
import { onlyComment, pullRequestEvent, runOn, stage, type Stage, fromBranch } from './stage.ts';

const WORSE = promptOf('Skip 1 2 3 4');

const chat = (files: FixtureFiles) => below('services/chat', files);

/**
 * Path of a file that exists only if a forbidden program ran. It contains what that program could
 * read.
 */
const canary = () => join(temporaryFolder('canary'), 'ran');

/** A program that replaces one of git's and writes to the file. */
const trap = (file: string) =>
  `#!/bin/sh\ntr '\\0' '\\n' < /proc/$PPID/environ >> ${file}\necho ran >> ${file}\nexit 1\n`;

/** Files that make a folder look to git like a bare repository with a configuration. */
function skeleton(file: string, more = ''): FixtureFiles {
  const run = `sh -c 'cat /proc/$PPID/environ > ${file}'`;
  return {
    HEAD: 'ref: refs/heads/main\n',
    config: `[core]\n\trepositoryformatversion = 0\n\tfsmonitor = ${run}\n\thooksPath = hooks\n\tsshCommand = ${run}\n${more}[remote "origin"]\n\turl = .\n\tuploadpack = ${run}\n\tpromisor = true\n[extensions]\n\tpartialClone = origin\n`,
    'objects/keep': '',
    'refs/keep': '',
    'hooks/post-checkout': { program: trap(file) },
    'hooks/reference-transaction': { program: trap(file) },
  };
}

const PULL_REQUEST = { inputs: { 'working-directory': 'services/chat' } };

/** Runs the action on a change in the given workspace. */
function inWorkspace(
  at: Stage,
  change: Change,
  directory: string,
  options: Parameters<typeof runOn>[2] = {},
) {
  fromBranch(at, change);
  const { origin } = change;
  return runOn(at, { checkout: { directory }, origin, event: pullRequestEvent(change) }, options);
}

function checkedOut({ origin }: Change) {
  return shallowCheckout(origin, 'refs/pull/12/merge').directory;
}

/** Runs the action on a new stage, for the project in `services/chat`. */
async function judged(change: Change, directory = checkedOut(change)) {
  const at = await stage(obedient);
  return { at, run: await inWorkspace(at, change, directory, PULL_REQUEST) };
}

/** The log without the lines that tell the runner what to mask. */
const unmasked = ({ log }: StepResult) => log.replaceAll(/^::add-mask::.*$/gm, '');

const verdictOf = ({ code, outputs: { conclusion, title, calls }, result }: StepResult) => ({
  ...{ code, conclusion, title, calls, reasons: reasonsInWords(result) },
});

describe('without a checkout', () => {
  test('fetches both commits from the server with the token and reaches the same verdict', async () => {
    const at = await stage(obedient);
    const change = changeOf(quiz(), WORSE);
    const server = await startGitServer(change.origin, REPOSITORY, TOKEN);
    try {
      const workspace = temporaryFolder('workspace');
      const bare = await inWorkspace(at, change, workspace, {
        env: { GITHUB_SERVER_URL: server.url, GIT_CONFIG_GLOBAL: '/dev/null' },
      });
      expect(bare.code).toBe(1);
      expect(bare.outputs['title']).toContain('Regressed: quiz 100 → 33 %');
      expect(server.requests.length).toBeGreaterThan(0);
      expect(server.requests.filter(({ authorization }) => authorization === null)).toEqual([]);
      expect(unmasked(bare)).not.toContain(TOKEN);
      expect(readdirSync(workspace)).toEqual(['evaldiff-report']);
      const other = await stage(obedient);
      expect(verdictOf(await inWorkspace(other, change, checkedOut(change)))).toEqual(
        verdictOf(bare),
      );
    } finally {
      await server.close();
    }
  });

  test('reports a rejected token without showing it', async () => {
    const at = await stage(obedient);
    const change = changeOf(quiz(), WORSE);
    const server = await startGitServer(change.origin, REPOSITORY, 'another');
    try {
      const run = await inWorkspace(at, change, temporaryFolder('workspace'), {
        env: { GITHUB_SERVER_URL: server.url, GIT_CONFIG_GLOBAL: '/dev/null' },
      });
      expect(run.outputs['conclusion']).toBe('error');
      expect(run.log).toContain(`The head commit ${change.head.slice(0, 7)} could not be fetched`);
      expect(run.log).toContain('contents: read');
      expect(unmasked(run)).not.toContain(TOKEN);
    } finally {
      await server.close();
    }
  });
});

describe('a workspace with hostile git settings and files', () => {
  test('has the same verdict as a clean workspace, and none of the hostile commands runs', async () => {
    const ran = canary();
    const skeletonHere = skeleton(ran);
    const change = changeOf(chat(quiz()), {
      ...chat(WORSE),
      ...chat(skeletonHere),
      ...skeletonHere,
      '.gitattributes': '* filter=evil diff=evil merge=evil\n*.bin working-tree-encoding=UTF-16\n',
      'services/chat/.gitattributes': '* filter=evil text=auto\n',
    });
    const workspace = checkedOut(change);
    const config = readFileSync(join(workspace, '.git/config'), 'utf8');
    const evil = `sh -c 'cat /proc/$PPID/environ > ${ran}'`;
    writeFileSync(
      join(workspace, '.git/config'),
      `${config}\tuploadpack = ${evil}\n\tpromisor = true\n[core]\n\tfsmonitor = ${evil}\n\tsshCommand = ${evil}\n\thooksPath = ${workspace}/hooks\n\tpager = ${evil}\n\tworktree = ${workspace}/decoy\n[filter "evil"]\n\tclean = ${evil}\n\tsmudge = ${evil}\n\tprocess = ${evil}\n[diff "evil"]\n\tcommand = ${evil}\n\ttextconv = ${evil}\n[credential]\n\thelper = "!${evil}"\n[extensions]\n\tpartialClone = origin\n[alias]\n\tfetch = "!${evil}"\n\tcat-file = "!${evil}"\n`,
    );
    writeFiles(workspace, {
      '.git/hooks/post-checkout': { program: trap(ran) },
      '.git/hooks/reference-transaction': { program: trap(ran) },
      'services/chat': { link: '/etc' },
      'evaldiff.yaml': { link: '/etc/passwd' },
      ...skeletonHere,
    });
    const { at, run } = await judged(change, workspace);
    expect(existsSync(ran)).toBe(false);
    expect(run.log + onlyComment(at)).not.toContain('root:');
    const clean = changeOf(chat(quiz()), chat(WORSE));
    const without = await judged(clean, temporaryFolder('workspace'));
    expect(verdictOf(run)).toEqual(verdictOf(without.run));
    expect(run.code).toBe(1);
  });

  test('treats a folder that looks like a bare repository as a folder, in action and terminal', async () => {
    const ran = canary();
    const change = changeOf(
      chat(quiz()),
      chat({
        ...WORSE,
        ...skeleton(ran, '\tworktree = ../../decoy\n'),
      }),
    );
    const at = await stage(obedient);
    const workspace = checkedOut(change);
    const run = await inWorkspace(at, change, workspace, PULL_REQUEST);
    expect(existsSync(ran)).toBe(false);
    expect(run.outputs['title']).toContain('Regressed: quiz 100 → 33 %');
    const planned = await startCommand(
      ['plan', '--base', change.base],
      { ...bareEnvironment(), TMPDIR: temporaryFolder('tmp') },
      join(workspace, 'services/chat'),
    );
    expect(planned.stdout + planned.stderr).toContain('6 references');
    expect(existsSync(ran)).toBe(false);
  });
});

describe('a fork without keys', () => {
  test('gets a neutral result, not green, even if it contains a folder that looks like a repository', async () => {
    const ran = canary();
    const change = changeOf(chat(quiz()), chat({ ...WORSE, ...skeleton(ran) }));
    const at = await stage(obedient);
    const event = pullRequestEvent(change, 'pull_request.fork');
    const workspace = checkedOut(change);
    const run = await runOn(
      at,
      { checkout: { directory: workspace }, origin: change.origin, event },
      { inputs: { ...PULL_REQUEST.inputs, endpoints: '', comment: 'never', 'check-name': '' } },
    );
    expect(run.outputs['conclusion']).toBe('neutral');
    expect(run.log).toContain('6 references');
    expect(existsSync(ran)).toBe(false);
  });
});

describe('the judged project', () => {
  const decoy = quiz({ questions: 6 });

  test('is never read through a symbolic link that replaces its folder: an error names the link', async () => {
    const change = changeOf(chat(quiz()), {
      ...below(
        'services/chat',
        Object.fromEntries(Object.keys(quiz()).map((path) => [path, null])),
      ),
      'services/chat': { link: '../decoy' },
      ...below('decoy', decoy),
      ...below('moved', { ...quiz(), ...WORSE }),
    });
    const { at, run } = await judged(change);
    expect([run.code, run.outputs['conclusion'], at.models.requests.length]).toEqual([
      1,
      'error',
      0,
    ]);
    expect(run.log).toContain(
      `The project's folder is not a folder at head (${change.head.slice(0, 7)}): services/chat is a symbolic link,`,
    );
    expect(onlyComment(at)).toContain('symbolic link');
  });

  test('is an error, never a success, if head deleted it', async () => {
    const change = changeOf(
      chat(quiz()),
      Object.fromEntries(
        Object.keys(quiz()).flatMap((path) => [
          [`services/chat/${path}`, null],
          [`services/other/${path}`, quiz()[path]!],
        ]),
      ),
    );
    const { run } = await judged(change);
    expect([run.code, run.outputs['conclusion']]).toEqual([1, 'error']);
    expect(run.log).toContain(
      `The project's folder services/chat does not exist at head (${change.head.slice(0, 7)}). If it was moved, set working-directory to its new path`,
    );
  });

  test('is new if base does not have it, so all its tests count as added', async () => {
    const change = changeOf(README, chat(quiz()));
    const { at, run } = await judged(change);
    expect(run.result.problems).toEqual([]);
    expect(run.outputs['conclusion']).not.toBe('error');
    expect(at.models.requests.length).toBeGreaterThan(0);
  });

  test('is compared with nothing, and is not a success, if it is in another folder on base', async () => {
    const worse = { ...quiz(), 'prompts/quiz.yaml': quizPrompt('Skip 1 2 3') };
    const gone = Object.keys(quiz()).map((path) => [`services/other/${path}`, null] as const);
    const change = changeOf(below('services/other', quiz()), {
      ...Object.fromEntries(gone),
      ...chat(worse),
    });
    const { at, run } = await judged(change);
    expect(run.outputs['conclusion']).toBe('neutral');
    expect(onlyComment(at).split('<table>')[0]).toContain(
      "head lacks base's services/other/evaldiff.yaml: if the project moved, it was not compared; move it in a separate change",
    );
  });

  test('causes an error that names the submodule if base has a submodule there', async () => {
    const repository = createRepository();
    mkdirSync(join(repository.directory, 'services'), { recursive: true });
    const inner = createRepository({ directory: join(repository.directory, 'services/chat') });
    inner.commit('inner', quiz());
    repository.commit('Base');
    const base = repository.git('rev-parse', 'HEAD');
    repository.git('rm', '--quiet', '--cached', 'services/chat');
    writeFiles(repository.directory, { 'services/chat/.git': null });
    const head = repository.commit('Head');
    const at = await stage(obedient);
    const change: Change = { origin: repository, base, head, merge: null };
    const run = await inWorkspace(at, change, temporaryFolder('workspace'), PULL_REQUEST);
    expect(run.outputs['conclusion']).toBe('error');
    expect(run.log).toContain(`at base (${base.slice(0, 7)}): services/chat is a submodule`);
  });
});
