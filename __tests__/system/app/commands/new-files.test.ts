import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { replaceFile, writeNewFiles } from '../../../../src/app/commands/files.ts';
import { temporaryFolder } from '../../../stand-ins/repository.ts';

const groundAt = (root: string) => ({ root, tracked: async () => [] });

describe('new files', () => {
  test('leave no files or folders behind if one cannot be written', async () => {
    const root = temporaryFolder('files');
    writeFileSync(join(root, 'b'), 'mine');
    await expect(
      writeNewFiles(
        root,
        new Map([
          ['a/x/one.yaml', '1'],
          ['b/two.yaml', '2'],
        ]),
        groundAt(root),
      ),
    ).rejects.toMatchObject({
      problems: [
        { message: expect.stringMatching(/^nothing was written to .*: (?:EEXIST|ENOTDIR)/) },
      ],
    });
    expect([readdirSync(root), readFileSync(join(root, 'b'), 'utf8')]).toEqual([['b'], 'mine']);
  });

  test('cause an error if their folder is a file, and leave no new folders behind', async () => {
    const root = temporaryFolder('files');
    writeFileSync(join(root, 'b'), 'mine');
    await expect(
      writeNewFiles(join(root, 'b', 'deep'), new Map([['a.yaml', '1']]), groundAt(root)),
    ).rejects.toMatchObject({
      problems: [{ message: expect.stringContaining('nothing was written to') }],
    });
    expect(readdirSync(root)).toEqual(['b']);
  });

  test('are written without affecting other files next to them', async () => {
    const root = temporaryFolder('files');
    mkdirSync(join(root, 'a'));
    writeFileSync(join(root, 'a', 'theirs'), 'theirs');
    writeFileSync(join(root, 'b'), 'mine');
    await expect(
      writeNewFiles(
        root,
        new Map([
          ['a/one.yaml', '1'],
          ['b/two.yaml', '2'],
        ]),
        groundAt(root),
      ),
    ).rejects.toThrow();
    expect(readdirSync(join(root, 'a'))).toEqual(['theirs']);
  });

  test('cause an error if they would replace a file that cannot be replaced', async () => {
    const root = temporaryFolder('files');
    writeFileSync(join(root, 'b'), 'mine');
    await expect(replaceFile(root, 'b/two.yaml', '2', groundAt(root))).rejects.toMatchObject({
      problems: [
        { place: { file: 'b/two.yaml' }, message: expect.stringContaining('could not be written') },
      ],
    });
    expect(existsSync(join(root, 'b'))).toBe(true);
  });
});
