import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';
import { buildOf } from '../../../../src/app/session/installation.ts';
import type { CopyOrigin } from '../../../../src/app/session/origin.ts';
import { commandIn, withoutKeys } from '../../../stand-ins/command-line.ts';
import {
  createRepository,
  filesBelow,
  temporaryFolder,
  writeFiles,
  type FixtureFiles,
} from '../../../stand-ins/repository.ts';

const PACKAGE = fileURLToPath(new URL('../../../..', import.meta.url));
const COMMIT = '0123456789abcdef0123456789abcdef01234567';
const WORKFLOW = '.github/workflows/evaldiff.yml';

/** `origin`: the repository that this copy of evaldiff knows as its own. */
async function run(
  argv: readonly string[],
  files: FixtureFiles = {},
  origin: CopyOrigin | null = null,
) {
  const { directory } = createRepository();
  writeFiles(directory, files);
  const given = { ...withoutKeys(), origin: () => origin };
  const { code, out, err } = await commandIn(directory, argv, given);
  return { code, out, err, files: filesBelow(directory) };
}

const usesOf = (workflow = ''): unknown =>
  (parse(workflow) as { jobs: { evaldiff: { steps: { uses: string }[] } } }).jobs.evaldiff.steps[0]
    ?.uses;

describe('evaldiff init --from', () => {
  test.each([
    ['acme/evaldiff@v1.0.0'],
    ['a-b-c/Prompt_Tests.2@2026-11-28'],
    [`acme/evaldiff@${COMMIT}`],
  ])('writes %s into every file', async (from) => {
    const { code, out, files } = await run(['init', '--from', from]);
    const [repository = '', ref = ''] = from.split('@');
    expect([code, usesOf(files[WORKFLOW])]).toEqual([0, from]);
    const archive = `npm install --save-dev https://github.com/${repository}/archive/${ref}.tar.gz`;
    expect(files[WORKFLOW]).toContain(`: ${archive}\n`);
    expect(out).toContain(`: ${archive}\n`);
    for (const [path, kind] of [
      ['evaldiff.yaml', 'settings'],
      ['prompts/support.yaml', 'prompt'],
    ] as const)
      expect(files[path]?.split('\n')[0]).toBe(
        `# yaml-language-server: $schema=https://raw.githubusercontent.com/${repository}/${ref}/schemas/${kind}.schema.json`,
      );
    expect(`${out}${Object.values(files).join('')}`).not.toMatch(/<owner>|OWNER|jsdelivr/);
  });

  test('writes it into the suite for a skill, and finds its workflow again', async () => {
    const from = ['init', '--from', 'acme/prompt-tests@v2'];
    const first = await run(from, { 'skills/notes/SKILL.md': 'Be brief.' });
    expect(first.files['evals/notes.yaml']).toContain('/acme/prompt-tests/v2/schemas/agents.');
    const again = await run(from, first.files);
    expect(again.files).toEqual(first.files);
    expect(again.out).toContain(`kept  ${WORKFLOW}\n`);
  });

  test.each(['acme/evaldiff', 'acme/evaldiff@v1\n      - run: id'])(
    'rejects %j, says what to write and writes nothing',
    async (from) => {
      const { code, err, files } = await run(['init', '--from', from]);
      expect([code, files]).toEqual([2, {}]);
      expect(err).toContain(`--from: "${from.replace('\n', '\\u{a}')}" is not OWNER/REPO@TAG`);
      expect(err).toContain('Write it like your-account/evaldiff@v1.0.0');
    },
  );
});

describe('without --from', () => {
  const origin = { repository: 'acme/evaldiff', ref: COMMIT };
  const PROMPTFOO =
    'prompts: ["Say {{word}}"]\nproviders: [openai:gpt-4o]\ntests: [{ vars: { word: hi }, assert: [{ type: equals, value: Hi }] }]\n';

  test('init uses the repository and commit of this copy and says so', async () => {
    const { files, out } = await run(['init'], {}, origin);
    expect(usesOf(files[WORKFLOW])).toBe(`acme/evaldiff@${COMMIT}`);
    expect(out).toContain('The workflow uses acme/evaldiff, the repository of this copy');
  });

  test('init writes no workflow and no schema address if this copy has no known repository', async () => {
    const { code, files, out } = await run(['init']);
    expect([code, Object.keys(files)]).toEqual([0, ['evaldiff.yaml', 'prompts/support.yaml']]);
    expect(Object.values(files).join('')).not.toMatch(/<owner>|\$schema/);
    expect(out).toContain('To write the workflow, run npx evaldiff init --from OWNER/REPO@TAG');
    expect(out).not.toContain('a required check');
  });

  test.each([
    ['names the schemas of this copy', origin],
    ['names no schema if this copy has no known repository', null],
  ])('import %s', async (_, from) => {
    const { files } = await run(
      ['import', 'promptfooconfig.yaml'],
      { 'promptfooconfig.yaml': PROMPTFOO },
      from,
    );
    const kinds = Object.entries(files)
      .filter(([path]) => path.startsWith('prompts/'))
      .map(([, text]) => /^# yaml-language-server: \$schema=(\S+)\n/.exec(text)?.[1] ?? null);
    const at = `https://raw.githubusercontent.com/acme/evaldiff/${COMMIT}/schemas`;
    expect(kinds).toEqual(
      from === null ? [null, null] : [`${at}/prompt.schema.json`, `${at}/tests.schema.json`],
    );
  });
});

describe('the repository of a copy of evaldiff', () => {
  /** A clone whose remote-tracking branch has its commit, if `isPushed`. */
  function clone(remote: string, isPushed = true) {
    const repository = createRepository();
    const commit = repository.commit('First', {
      '.gitignore': 'dist/commit.txt\n',
      'dist/a.js': '',
    });
    repository.git('remote', 'add', 'origin', remote);
    if (isPushed) repository.git('update-ref', 'refs/remotes/origin/main', commit);
    return { directory: repository.directory, commit };
  }

  test.each([
    ['https://github.com/acme/evaldiff'],
    ['https://github.com/acme/evaldiff.git'],
    ['https://github.com/acme/evaldiff/'],
    ['https://x-access-token:secret@github.com/acme/evaldiff.git'],
    ['git@github.com:acme/evaldiff.git'],
    ['ssh://git@github.com/acme/evaldiff.git'],
  ])('is that of its remote %s', (remote) => {
    const { directory, commit } = clone(remote);
    expect(buildOf(directory)).toEqual({ commit, repository: 'acme/evaldiff' });
  });

  test.each([
    ['the remote is on another host', 'https://git.example/acme/evaldiff.git', true],
    ['the remote only resembles GitHub', 'https://github.com.example/acme/evaldiff', true],
    ['the remote is a folder', '/srv/github.com/acme/evaldiff', true],
    ['no account can have the name', 'https://github.com/a%0Ab${{x}}/evaldiff', true],
    ['the remote does not have the commit', 'https://github.com/acme/evaldiff', false],
  ])('is unknown if %s', (_, remote, isPushed) => {
    const { directory, commit } = clone(remote, isPushed);
    expect(buildOf(directory)).toEqual({ commit, repository: null });
  });

  test('is packed with the commit, for the copy that npm installs', () => {
    const { directory, commit } = clone('git@github.com:acme/evaldiff.git');
    execFileSync(process.execPath, [join(PACKAGE, 'scripts/stamp-commit.ts'), directory]);
    const installed = temporaryFolder('installed');
    const stamp = filesBelow(directory)['dist/commit.txt'] ?? '';
    writeFiles(installed, { 'dist/commit.txt': stamp });
    expect(buildOf(installed)).toEqual({ commit, repository: 'acme/evaldiff' });
  });
});

describe("evaldiff's own repository", () => {
  const manifest = (fields: object) => JSON.stringify(fields);
  const own = { 'action.yml': 'name: evaldiff\n', 'package.json': manifest({ name: 'evaldiff' }) };

  test.each<[string, FixtureFiles, string[]]>([
    ['at its root', own, []],
    ['in a subfolder', { ...own, 'docs/guide/a.md': '' }, ['-C', 'docs/guide']],
    ['in a new folder', { ...own, 'shop/a.md': '' }, ['--directory', 'shop', '--from', 'a/b@v1']],
    [
      'in a fork under a scope',
      { ...own, 'package.json': manifest({ name: '@acme/evaldiff' }) },
      [],
    ],
    [
      'in a fork with another name',
      { ...own, 'package.json': manifest({ name: 'acme-tests', bin: { evaldiff: 'a.js' } }) },
      [],
    ],
    [
      'in a copy inside another repository',
      Object.fromEntries(
        Object.entries(own).map(([path, text]) => [`vendor/evaldiff/${path}`, text]),
      ),
      ['-C', 'vendor/evaldiff'],
    ],
  ])('is refused by init %s', async (_, files, args) => {
    const { code, err, files: after } = await run(['init', ...args], files);
    expect([code, after]).toEqual([2, files]);
    expect(err).toContain("is evaldiff's own repository, so nothing was written. Run init in your");
  });

  test('is also refused as an export without git', async () => {
    const folder = temporaryFolder('export');
    writeFiles(folder, { ...own, 'docs/a.md': '' });
    const { code, err } = await commandIn(join(folder, 'docs'), ['init'], withoutKeys());
    expect([code, err]).toEqual([2, expect.stringContaining("evaldiff's own repository")]);
  });

  test.each<[string, FixtureFiles, string[]]>([
    [
      'depends on evaldiff',
      { 'package.json': manifest({ devDependencies: { evaldiff: '1' } }) },
      [],
    ],
    [
      'is an action and depends on evaldiff',
      { ...own, 'package.json': manifest({ name: 'bot', devDependencies: { evaldiff: '1' } }) },
      [],
    ],
    ['only has its name', { 'package.json': manifest({ name: 'evaldiff' }) }, []],
    ['has a broken package.json', { 'action.yml': '', 'package.json': '{' }, []],
    [
      'contains a copy of evaldiff',
      Object.fromEntries(
        Object.entries(own).map(([path, text]) => [`vendor/evaldiff/${path}`, text]),
      ),
      [],
    ],
  ])('is not a project that %s', async (_, files, args) => {
    const { code, files: after } = await run(['init', ...args], files);
    expect([code, after['evaldiff.yaml'] !== undefined]).toEqual([0, true]);
  });

  test('does not include a separate repository in one of its folders', async () => {
    const outer = createRepository();
    writeFiles(outer.directory, own);
    const { directory } = createRepository({ directory: join(outer.directory, 'shop') });
    const { code } = await commandIn(directory, ['init'], withoutKeys());
    expect([code, Object.keys(filesBelow(directory)).length]).toEqual([0, 2]);
  });

  test('is this repository', async () => {
    const { code, err } = await commandIn(join(PACKAGE, 'docs'), ['init'], withoutKeys());
    expect([code, err]).toEqual([2, expect.stringContaining("evaldiff's own repository")]);
  });
});
