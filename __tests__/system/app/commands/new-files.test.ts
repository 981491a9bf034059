import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { replaceFile, writeNewFiles } from '../../../../src/app/commands/files.ts';
import { temporaryFolder } from '../../../stand-ins/repository.ts';

const groundAt = (root: string) => ({ root, tracked: async () => [] });

describe('new files', () => {
  test('are not written at all if one exists, and leave the other files alone', async () => {
    const root = temporaryFolder('files');
    mkdirSync(join(root, 'a'));
    writeFileSync(join(root, 'a', 'theirs'), 'theirs');
    writeFileSync(join(root, 'b'), 'mine');
    const files = new Map([
      ['a/one.yaml', '1'],
      ['b', '2'],
    ]);
    await expect(writeNewFiles(root, files, groundAt(root))).rejects.toMatchObject({
      problems: [{ place: { file: 'b' }, message: expect.stringContaining('exists already') }],
    });
    expect(readdirSync(join(root, 'a'))).toEqual(['theirs']);
    expect(readFileSync(join(root, 'b'), 'utf8')).toBe('mine');
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
