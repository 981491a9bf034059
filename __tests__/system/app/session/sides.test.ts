import { readdirSync } from 'node:fs';
import { findLocalSides, WORKTREE } from '../../../../src/app/session/sides.ts';
import { openRepository } from '../../../../src/edges/git/repository.ts';
import { UserError } from '../../../../src/errors.ts';
import {
  createRepository,
  fixtureEnvironment,
  temporaryFolder,
} from '../../../stand-ins/repository.ts';

const repository = createRepository();
const fork = repository.commit('fork', { 'prompts/a.yaml': 'one\n' });
repository.git('checkout', '--quiet', '-b', 'topic');
const topic = repository.commit('topic', { 'prompts/a.yaml': 'two\n' });
repository.git('checkout', '--quiet', 'main');
repository.commit('main', { 'prompts/b.yaml': 'main\n' });
repository.write({ 'prompts/c.yaml': 'not committed\n' });

/** Opens both sides by name, closes the repository and checks that no files remain. */
async function sidesOf(
  base: string,
  head: string,
  workingDirectory = '.',
  { directory } = repository,
) {
  const temporary = temporaryFolder('temp');
  const open = await openRepository(directory, {
    environment: fixtureEnvironment(),
    temporaryFolder: temporary,
  });
  try {
    return await findLocalSides(open, { env: {}, base, head, workingDirectory });
  } finally {
    await open.close();
    expect(readdirSync(temporary)).toEqual([]);
  }
}

describe('the two sides of a terminal run', () => {
  test('are the merge base and head', async () => {
    const { base, head, changed } = await sidesOf('main', 'topic');
    expect([base?.commit, head.commit]).toEqual([fork, topic]);
    expect(changed?.map(({ path }) => path)).toEqual(['prompts/a.yaml']);
  });

  test('are the last commit and the uncommitted files', async () => {
    const { base, head, changed } = await sidesOf('HEAD', WORKTREE, 'prompts');
    expect([...(base?.files.keys() ?? [])]).toEqual(['a.yaml', 'b.yaml']);
    expect([...head.files.keys()]).toEqual(['a.yaml', 'b.yaml', 'c.yaml']);
    expect(changed?.map(({ path }) => path)).toEqual(['c.yaml']);
  });

  test('cause an error that names a missing base, and leave no temporary files', async () => {
    const finding = sidesOf('nowhere', WORKTREE);
    await expect(finding).rejects.toThrow(UserError);
    await expect(finding).rejects.toMatchObject({
      problems: [{ message: expect.stringContaining('"nowhere" is not a branch') }],
    });
  });

  test('cause an error about head, not about base, if both are missing', async () => {
    const finding = sidesOf('nowhere', 'neither');
    await expect(finding).rejects.toMatchObject({
      problems: [{ message: expect.stringContaining('"neither" is not a branch') }],
    });
  });
});

describe('a project whose only files are uncommitted', () => {
  const settings = 'n_tries: 1\n';
  const beside = { '.gitattributes': '*.txt working-tree-encoding=UTF-16\n', 'odd.txt': 'odd' };

  test('works in a work tree with a file that git cannot store', async () => {
    const work = createRepository();
    work.commit('fork', { 'other/evaldiff.yaml': settings });
    work.write({ 'here/evaldiff.yaml': settings, ...beside });
    const { notices } = await sidesOf('HEAD', WORKTREE, 'here', work);
    expect(notices).toEqual([]);
  });

  test('is reported as moved only from a folder whose files no longer exist', async () => {
    const work = createRepository();
    work.commit('fork', { 'other/evaldiff.yaml': settings, 'kept/evaldiff.yaml': settings });
    work.write({ 'here/evaldiff.yaml': settings, 'other/evaldiff.yaml': null });
    const { notices } = await sidesOf('HEAD', WORKTREE, 'here', work);
    expect(notices).toMatchObject([
      { message: expect.stringContaining("head lacks base's other/evaldiff.yaml: if") },
    ]);
  });
});
