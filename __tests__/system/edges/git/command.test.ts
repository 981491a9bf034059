import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { gitEnvironment, lastLine, runGit } from '../../../../src/edges/git/command.ts';
import { createRepository } from '../../../stand-ins/repository.ts';

describe("the line of git's stderr that a user sees", () => {
  test.each([
    ['warning: x\nfatal: Not a valid object name\n', 'Not a valid object name'],
    ['error: Server does not allow requests\n', 'Server does not allow requests'],
    [
      'fatal: Could not read from remote repository.\n\nPlease make sure you have the correct access rights\nand the repository exists.\n',
      'Could not read from remote repository',
    ],
    ['only this\r\n', 'only this'],
    ['', 'git printed no error message'],
    [
      "fatal: unable to access 'https://x-access-token:ghs_abc@github.com/o/r/': 403\n",
      "unable to access 'https://github.com/o/r/': 403",
    ],
    ['fatal: x://a:b@c and y://d@e', 'x://c and y://e'],
  ])('for the output %j is %j', (complaint, line) => expect(lastLine(complaint)).toBe(line));

  test('is truncated, in linear time even for hostile text', () => {
    expect(lastLine(`fatal: ${'://'.repeat(20_000)}`)).toHaveLength(500);
    expect(lastLine(`fatal: ${'a://b'.repeat(10_000)}`)).toHaveLength(500);
  });
});

describe('the environment of git', () => {
  const folders = { GIT_DIR: '/x', git_dir: '/x', GIT_WORK_TREE: '/x', GIT_COMMON_DIR: '/x' };
  const objects = { GIT_OBJECT_DIRECTORY: '/x', GIT_ALTERNATE_OBJECT_DIRECTORIES: '/x' };
  const files = { GIT_INDEX_FILE: '/x', GIT_TRACE: '/x', GIT_CONFIG: 'x', GIT_NAMESPACE: 'x' };
  const programs = { GIT_EXTERNAL_DIFF: 'x', GIT_PROXY_COMMAND: 'x', GIT_CONFIG_PARAMETERS: 'x' };
  const secrets = { OPENAI_API_KEY: 'sk', 'INPUT_OPENAI-API-KEY': 'sk' };
  const system = { PATH: '/bin', HOME: '/home/ada', HTTPS_PROXY: 'http://proxy' };
  const config = { GIT_CONFIG_COUNT: '1', GIT_CONFIG_KEY_0: 'a.b', GIT_CONFIG_VALUE_0: 'c' };
  const kept = { ...system, ...config, GIT_SSH_COMMAND: 'ssh -i key', GIT_SSL_CAINFO: '/ca' };
  const made = gitEnvironment({
    ...folders,
    ...objects,
    ...files,
    ...programs,
    ...secrets,
    ...kept,
    GIT_ASKPASS: '/usr/bin/ask',
  });

  test('keeps variables for reaching a remote and drops variables that redirect git', () => {
    const own = ['GIT_LITERAL_PATHSPECS', 'GIT_NO_REPLACE_OBJECTS', 'GIT_OPTIONAL_LOCKS'];
    const asking = ['GCM_INTERACTIVE', 'GIT_ASKPASS', 'GIT_TERMINAL_PROMPT', 'SSH_ASKPASS_REQUIRE'];
    const names = [...Object.keys(kept), ...own, ...asking, 'LANGUAGE', 'LC_ALL'];
    expect(Object.keys(made).sort()).toEqual(names.sort());
    expect(made).toMatchObject(kept);
  });

  test('prevents password prompts', () => {
    const never = { SSH_ASKPASS_REQUIRE: 'never', GCM_INTERACTIVE: 'never' };
    expect(made).toMatchObject({ GIT_TERMINAL_PROMPT: '0', GIT_ASKPASS: '', ...never });
  });
});

(process.platform === 'win32' ? test.skip : test)(
  'git is not in the process group that Ctrl-C in a terminal stops',
  async () => {
    const repository = createRepository();
    const place = {
      directory: repository.directory,
      gitDir: join(repository.directory, '.git'),
      environment: gitEnvironment(process.env),
      settings: ['alias.group=!ps -o pgid= -p $$'],
    };
    const { output } = await runGit(place, ['group']);
    const ours = execFileSync('ps', ['-o', 'pgid=', '-p', String(process.pid)]);
    expect(output.toString().trim()).toMatch(/^\d+$/);
    expect(output.toString().trim()).not.toBe(ours.toString().trim());
  },
);
