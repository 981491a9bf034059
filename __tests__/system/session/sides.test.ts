import { readdirSync } from 'node:fs';
import { afterAll, describe, expect, jest, test } from '@jest/globals';
import { UserError } from '../../../src/errors.ts';
import { openRepository, type Repository } from '../../../src/git/repository.ts';
import { findLocalSides, WORKTREE } from '../../../src/session/sides.ts';
import {
  createRepository,
  fixtureEnvironment,
  removeTemporaryFolders,
  temporaryFolder,
} from '../../stand-ins/repository.ts';

jest.setTimeout(60_000);
afterAll(removeTemporaryFolders);

const repository = createRepository();
const fork = repository.commit('fork', { 'prompts/a.yaml': 'one\n' });
repository.git('checkout', '--quiet', '-b', 'topic');
const topic = repository.commit('topic', { 'prompts/a.yaml': 'two\n' });
repository.git('checkout', '--quiet', 'main');
repository.commit('main', { 'prompts/b.yaml': 'main\n' });
repository.write({ 'prompts/c.yaml': 'not committed\n' });

async function opened<T>(work: (repository: Repository) => Promise<T>): Promise<T> {
  const temporary = temporaryFolder('temp');
  const open = await openRepository(repository.directory, {
    environment: fixtureEnvironment(),
    temporaryFolder: temporary,
  });
  try {
    return await work(open);
  } finally {
    await open.close();
    expect(readdirSync(temporary)).toEqual([]);
  }
}

describe('the two sides for a terminal', () => {
  test('are where head branched off from base, and head', async () => {
    const { base, head, changed } = await opened((open) =>
      findLocalSides(open, { base: 'main', head: 'topic', workingDirectory: '.' }),
    );
    expect([base?.commit, head.commit]).toEqual([fork, topic]);
    expect(changed.map(({ path }) => path)).toEqual(['prompts/a.yaml']);
  });

  test('are the last commit and the uncommitted files', async () => {
    const { base, head, changed } = await opened((open) =>
      findLocalSides(open, { base: 'HEAD', head: WORKTREE, workingDirectory: 'prompts' }),
    );
    expect([...(base?.files.keys() ?? [])]).toEqual(['a.yaml', 'b.yaml']);
    expect([...head.files.keys()]).toEqual(['a.yaml', 'b.yaml', 'c.yaml']);
    expect(changed.map(({ path }) => path)).toEqual(['c.yaml']);
  });

  test('name the base that is none, and leave nothing behind of the other side', async () => {
    const finding = opened((open) =>
      findLocalSides(open, { base: 'nowhere', head: WORKTREE, workingDirectory: '.' }),
    );
    await expect(finding).rejects.toThrow(UserError);
    await expect(finding).rejects.toMatchObject({
      problems: [{ message: expect.stringContaining('"nowhere" is not a branch') }],
    });
  });

  test('name the unknown head before the unknown base', async () => {
    const finding = opened((open) =>
      findLocalSides(open, { base: 'nowhere', head: 'neither', workingDirectory: '.' }),
    );
    await expect(finding).rejects.toMatchObject({
      problems: [{ message: expect.stringContaining('"neither" is not a branch') }],
    });
  });
});
