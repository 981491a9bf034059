import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  closeSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEachEdit, filesNamed, isOwnOutput } from '../../../../src/app/session/watch.ts';
import { problem } from '../../../../src/errors.ts';
import { temporaryFolder } from '../../../stand-ins/repository.ts';

/**
 * Watches a folder with these files. Each callback follows the files of its step and then runs its
 * action.
 */
async function looks(
  files: readonly string[],
  steps: readonly { follow: readonly string[]; then: (root: string) => void }[],
) {
  const root = temporaryFolder('watched');
  for (const file of files) {
    mkdirSync(dirname(join(root, file)), { recursive: true });
    writeFileSync(join(root, file), 'x');
  }
  let looked = 0;
  const until = new AbortController();
  await afterEachEdit({ root, until: until.signal }, async ({ follow }) => {
    const step = steps[looked];
    looked += 1;
    // Watching has noticed the change of the last step.
    if (step === undefined) return { files: [], over: true };
    follow(step.follow);
    setImmediate(() => step.then(root));
    return { files: step.follow, over: false };
  });
  return looked;
}

const write = (path: string) => (root: string) => writeFileSync(join(root, path), 'y');

test('watching notices a deleted file that is created again in a folder without other files', async () => {
  const seen = await looks(
    ['prompts/a.yaml', 'data/rows.jsonl'],
    [
      {
        follow: ['prompts/a.yaml', 'data/rows.jsonl'],
        then: (root) => renameSync(join(root, 'data/rows.jsonl'), join(root, 'prompts/gone')),
      },
      { follow: ['prompts/a.yaml'], then: write('data/rows.jsonl') },
    ],
  );
  expect(seen).toBe(3);
});

test('watching notices a missing file once its folders and the file are created', async () => {
  const follow = ['a.yaml', 'tests/new/ask.yaml', `${'x'.repeat(999)}/a`, '../../b/c', 'a\0/b'];
  const seen = await looks(
    ['a.yaml'],
    [
      { follow, then: (root) => mkdirSync(join(root, 'tests/new'), { recursive: true }) },
      { follow, then: write('tests/new/ask.yaml') },
    ],
  );
  expect(seen).toBe(3);
});

test('watching notices a file in a folder that was deleted and recreated', async () => {
  const follow = ['data/rows.jsonl'];
  const seen = await looks(
    ['data/rows.jsonl'],
    [
      {
        follow,
        then: (root) => {
          rmSync(join(root, 'data'), { recursive: true });
          mkdirSync(join(root, 'data'));
        },
      },
      { follow, then: write('data/rows.jsonl') },
    ],
  );
  expect(seen).toBe(3);
});

test('watching ends with the reason if a named path cannot be watched', async () => {
  const full = new Error('too many open files');
  const files = new Proxy(['a.yaml'], {
    get: () => {
      throw full;
    },
  });
  let looked = 0;
  const watched = afterEachEdit({ root: temporaryFolder('watched') }, async (news) => {
    looked += 1;
    news.follow(files);
    if (!news.edited.aborted)
      await new Promise((resolve) => news.edited.addEventListener('abort', resolve));
    return { files: [], over: false };
  });
  await expect(watched).rejects.toBe(full);
  expect(looked).toBe(1);
});

test('watching covers the files named in error messages', () =>
  expect(
    filesNamed([
      problem({ file: 'prompts/a.yaml', line: 2 }, 'reads "data/rows.jsonl", which is not there.'),
      problem(null, 'evaldiff.yaml: does not exist, and neither does any prompts/*.yaml; e.g. 1/2'),
    ]),
  ).toEqual(expect.arrayContaining(['prompts/a.yaml', 'data/rows.jsonl', 'evaldiff.yaml'])));

test("watching ignores the program's own output in a watched folder", () => {
  const folder = temporaryFolder('said');
  const [log, other] = [join(folder, 'log.txt'), join(folder, 'other.txt')];
  writeFileSync(other, '');
  const out = openSync(log, 'a');
  const own = [log, other, `${log}.gone`].map((path) => isOwnOutput(path, [out]));
  closeSync(out);
  expect(own).toEqual([true, false, false]);
});

test('watching ignores a file that this program wrote before it was watched', async () => {
  const folder = temporaryFolder('log');
  const [log, edited] = [join(folder, 'log.txt'), join(folder, 'a.txt')];
  writeFileSync(edited, 'x');
  const looking = `
    import { writeFileSync } from 'node:fs';
    import { afterEachEdit } from ${JSON.stringify(join(import.meta.dirname, '../../../../src/app/session/watch.ts'))};
    let made = false, looked = 0;
    await afterEachEdit({ root: ${JSON.stringify(folder)} }, async () => {
      looked += 1;
      // A file's time may lag behind the clock by a few milliseconds.
      await new Promise((resolve) => setTimeout(resolve, 50));
      console.log('look ' + looked + (made ? ' after the edit' : ''));
      if (looked === 1) setTimeout(() => {
        made = true;
        writeFileSync(${JSON.stringify(edited)}, 'y');
      }, 300);
      return { files: ['log.txt', 'a.txt'], over: looked === 2 };
    });`;
  const out = openSync(log, 'a');
  const child = spawn(process.execPath, ['--input-type=module', '-e', looking], {
    stdio: ['ignore', out, 'inherit'],
  });
  await once(child, 'close');
  closeSync(out);
  expect(readFileSync(log, 'utf8')).toBe('look 1\nlook 2 after the edit\n');
});
