import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { commandIn, withoutKeys } from '../../../stand-ins/command-line.ts';
import { storeOf } from '../../../stand-ins/kept.ts';
import {
  createRepository,
  temporaryFolder,
  type FixtureFiles,
} from '../../../stand-ins/repository.ts';
import { promptSaying, openShop } from '../../../unit/app/commands/shop.ts';

const PROJECT: FixtureFiles = {
  'prompts/p.yaml':
    'name: p\nmodel: gpt-4o\nprompt: hi\ntests: { metrics: [{ uses: is_json }], references: [{}] }\n',
};

const evaldiff = (cwd: string, ...argv: string[]) => commandIn(cwd, argv, withoutKeys());

describe('an error on the command line', () => {
  test.each([
    [
      ['dif'],
      "error: unknown command 'dif'\n(Did you mean diff?)\nRun evaldiff --help for the commands.\n",
    ],
    [
      ['validate', '--report', 'out'],
      "error: unknown option '--report'\nRun evaldiff validate --help for its options.\n",
    ],
    [
      ['discover', '--fail-on', 'never'],
      "error: unknown option '--fail-on'\nRun evaldiff discover --help for its options.\n",
    ],
    [
      ['run', '--jsn'],
      "error: unknown option '--jsn'\n(Did you mean --json?)\nRun evaldiff run --help for its options.\n",
    ],
    [
      ['validate', '--path', 'x'],
      "error: unknown option '--path'\n(--directory FOLDER names the folder of the project.)\nRun evaldiff validate --help for its options.\n",
    ],
    [
      ['diff', '--tries', '5'],
      "error: unknown option '--tries'\n(n_tries=9, without dashes, sets the number of tries.)\nRun evaldiff diff --help for its options.\n",
    ],
    [
      ['import'],
      "error: missing required argument 'file'\nRun evaldiff import --help for its options.\n",
    ],
    [
      ['run', '--code', 'sandox'],
      "error: option '--code <where>' argument 'sandox' is invalid. Allowed choices are sandbox, host, off.\nRun evaldiff run --help for its options.\n",
    ],
    [['run', 'prompt=p'], 'overrides: prompt=p: unknown key "prompt"; did you mean "prompts"?\n'],
    [
      ['run', 'max_calls=3'],
      'overrides: max_calls=3: unknown key "max_calls"; did you mean "budget.max_calls"?\n',
    ],
    [
      ['diff', '--base', 'mian'],
      '"mian" is not a branch, tag or commit of this repository. Give a branch, a tag or a full commit id. Branches here: main.\n',
    ],
    [['import', 'nowhere.prompt.yml'], 'nowhere.prompt.yml: does not exist or is ignored by git\n'],
    [
      ['init', '--from', 'acme\nrun: id/evaldiff@v1'],
      '--from: OWNER is "acme\\u{a}run: id", not a name of a GitHub account (letters, digits and single hyphens, at most 39). Write OWNER/REPO@TAG, such as your-account/evaldiff@v1.0.0; a full commit id may replace the tag.\n',
    ],
    [
      ['init', '--from', 'acme/evaldiff'],
      '--from: the tag is missing. Write OWNER/REPO@TAG, such as your-account/evaldiff@v1.0.0; a full commit id may replace the tag.\n',
    ],
    [['cache', '--unused', 'x'], '--unused: must be a number of days of at least 0, not "x"\n'],
    [
      ['cache', '--max-size=-1'],
      '--max-size: must be a number of megabytes of at least 0, not "-1"\n',
    ],
    [['noise', '--runs', '0'], '--runs: must be a whole number from 1 to 1000, not "0"\n'],
  ])('such as %j exits with 2, prints no output and says what is valid', async (argv, err) => {
    const repository = createRepository();
    repository.commit('one', PROJECT);
    expect(await evaldiff(repository.directory, ...argv)).toEqual({ code: 2, out: '', err });
  });

  const PROMPTS = 'write prompts there';
  const OWN = 'name: p\nmodel: gpt-4o\nprompt: hi\n';
  test.each([
    [
      'validate',
      'in a folder without a project says where to begin',
      {},
      `evaldiff.yaml: does not exist, and neither does any prompts/*.yaml; ${PROMPTS} ("npx evaldiff init" creates some), or name another folder (working-directory, --directory)`,
    ],
    [
      'validate',
      'above the projects of a repository names their folders',
      { 'services/chat/evaldiff.yaml': 'n_tries: 2\n' },
      '; evaldiff.yaml exists in services/chat',
    ],
    [
      'validate',
      'in a project whose promptfooconfig.yaml has nothing to evaluate says why',
      { 'promptfooconfig.yaml': 'prompts: 5\n' },
      '- promptfooconfig.yaml:1: a prompt is not converted: it is neither text nor a file',
    ],
    [
      'validate',
      'in a project whose prompts/p.yaml has nothing to evaluate says why',
      { 'prompts/p.yaml': OWN },
      '- prompts/p.yaml: the prompt "p" has no tests, so it is not evaluated',
    ],
    [
      'run',
      'in a project without prompts is not green',
      { 'evaldiff.yaml': 'seed: 1\n' },
      `- evaldiff.yaml: no prompt of this project has references, so there is nothing to run; add prompts with tests ("npx evaldiff init" creates an example)`,
    ],
    [
      'run',
      'in a project without references names the files that lack them',
      {
        'prompts/p.yaml': `${OWN}defaults: [tests/p]\n`,
        'prompts/tests/p.yaml': 'metrics: [{ uses: is_json }]\n',
      },
      '- prompts/tests/p.yaml: has no references, so there is nothing to run: list them under references, or name a data file under references_from',
    ],
    [
      'run',
      'without a key names the variable to set',
      PROJECT,
      'No key for provider openai: set OPENAI_API_KEY (in a workflow, the input openai-api-key; in a terminal, the file .env works, too).',
    ],
  ])('is explained: evaldiff %s %s', async (command, title, files, words) => {
    const repository = createRepository();
    const commit = repository.commit('one', files);
    const { code, out } = await evaldiff(repository.directory, command);
    const said = out.replaceAll(/\s+/g, ' ');
    expect([code, said]).toEqual([2, expect.stringContaining(words)]);
    if (title.includes('nothing to evaluate')) expect(said).not.toContain('does not exist');
    if (files === PROJECT) expect(said.trimEnd().split(' · ').at(-1)).toBe(commit.slice(0, 7));
  });
});

describe('evaldiff diff', () => {
  test('compares with main unless --base names another ref, and reports why it cannot compare', async () => {
    const repository = createRepository({ branch: 'trunk' });
    repository.write(PROJECT);
    const none = await evaldiff(repository.directory, 'diff');
    expect([none.code, none.err]).toEqual([
      2,
      'This repository has no commit yet: commit first, or use "npx evaldiff run", which needs none.\n',
    ]);
    const first = repository.commit('one', PROJECT);
    const unnamed = await evaldiff(repository.directory, 'diff');
    expect([unnamed.code, unnamed.out]).toEqual([2, '']);
    expect(unnamed.err).toContain('--base HEAD compares uncommitted files with the last commit');
    expect((await evaldiff(repository.directory, 'diff', '--base', 'HEAD')).out).toContain(
      `diff --base ${first.slice(0, 7)}`,
    );
    repository.git('switch', '--quiet', '--create', 'main');
    const second = repository.commit('two', { 'README.md': 'x' });
    expect((await evaldiff(repository.directory, 'diff')).out).toContain(
      `diff --base ${second.slice(0, 7)}`,
    );
    expect((await evaldiff(temporaryFolder('plain'), 'diff')).err).toContain(
      'is not a git repository, so there is nothing to compare with.',
    );
  });
});

describe('the first lines of a run', () => {
  test('count prompts and references once, even with several models', async () => {
    const shop = await openShop({ references: 3 });
    expect((await shop.evaldiff('run', 'temperature=0,1', 'n_tries=1')).err).toContain(
      'sweep: 2 temperature = 2 combinations\n3 references of 1 prompt affected: 6 calls for the first answers',
    );
    const refused = await shop.evaldiff('run', 'budget.max_calls=3');
    expect(refused.out.replaceAll(/\s+/g, ' ')).toContain(
      'This run would make 6 model calls (6 answers for 3 references of 1 prompt + 0 grader calls); the limit is 3 (the override budget.max_calls). Nothing was sent.',
    );
  });
});

describe('--json', () => {
  test('prints JSON for plan and validate even if there are errors', async () => {
    const shop = await openShop({ references: 2 });
    expect(JSON.parse((await shop.evaldiff('validate', '--json')).out)).toEqual({
      prompts: 1,
      references: 2,
      notices: [],
      problems: [],
    });
    shop.repository.write(promptSaying('Reply: {q}'));
    expect(JSON.parse((await shop.evaldiff('plan', '--json')).out)).toMatchObject({
      trust: { level: 'member' },
      plan: { suites: 1, references: 2, prompt_calls: 8 },
      notices: [],
      suites: [
        {
          path: 'prompts/ask.yaml',
          because: [{ key: 'messages', file: 'prompts/ask.yaml' }],
          unaffected: 0,
          references: [
            { id: 'r0', change: 'both' },
            { id: 'r1', change: 'both' },
          ],
        },
      ],
    });
    shop.repository.write({ 'prompts/ask.yaml': 'nme: ask\n' });
    for (const command of ['validate', 'plan']) {
      const { code, out } = await shop.evaldiff(command, '--json');
      expect([code, JSON.parse(out)]).toEqual([
        2,
        expect.objectContaining({
          conclusion: 'error',
          problems: expect.arrayContaining([
            expect.objectContaining({ message: expect.stringContaining('did you mean "name"?') }),
          ]),
        }),
      ]);
    }
  });
});

describe('evaldiff cache', () => {
  test('reports what --clear keeps, and removes the file with --all', async () => {
    const shop = await openShop({ references: 2 });
    await shop.evaldiff('run', 'n_tries=1');
    const file = storeOf(shop.repository.directory).file;
    expect((await shop.evaldiff('cache')).out).toContain(`${file}: 2 answers`);
    expect((await shop.evaldiff('cache', '--clear')).out).toContain(
      '2 answers removed\nkept: pass counts of past tries, the last measured noise and open batches; --all removes them too\n',
    );
    expect(await shop.evaldiff('cache', '--all')).toEqual({
      code: 0,
      err: '',
      out: `${file}: removed\n`,
    });
    expect(existsSync(file)).toBe(false);
    expect((await shop.evaldiff('cache')).out).toBe(`${file}: the store is empty\n`);
  });

  test('does not remove files of other programs', async () => {
    const folder = temporaryFolder('foreign');
    writeFileSync(join(folder, 'notes.txt'), 'not a database, and dear to somebody');
    const { err } = await evaldiff(folder, 'cache', '--store', 'notes.txt', '--all');
    expect(err).toContain('damaged (is not a database); it was renamed to');
    expect(
      readdirSync(folder).map((name) => [
        name.replace(/\d+$/, ''),
        readFileSync(join(folder, name), 'utf8'),
      ]),
    ).toEqual([['notes.txt.damaged-', 'not a database, and dear to somebody']]);
  });
});
