/** Pull requests with answers and messages that are not text: images, tool calls, files. */
import { copyFileSync, cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Result } from '../../../src/kernel/result/result.ts';
import { commandIn } from '../../stand-ins/command-line.ts';
import { createRepository } from '../../stand-ins/repository.ts';

const fixture = (name: string, side: string) =>
  fileURLToPath(new URL(`../../../fixtures/${name}/${side}/`, import.meta.url));

/** Compares base with the files after `change`. */
async function compared(
  name: string,
  change: (directory: string) => void,
  prepare: (directory: string) => void = () => undefined,
) {
  const { directory, commit } = createRepository();
  cpSync(fixture(name, 'base'), directory, { recursive: true });
  prepare(directory);
  commit('base');
  change(directory);
  const diff = ['diff', '--base', 'HEAD', '--no-store', '--code', 'host', '--report', 'report'];
  const { code, out } = await commandIn(directory, diff, { width: 200 });
  const result = JSON.parse(readFileSync(join(directory, 'report/result.json'), 'utf8')) as Result;
  const references = result.suites.flatMap((suite) => suite.references);
  const because = result.suites.flatMap((suite) => suite.because);
  const page = () => readFileSync(join(directory, 'report/report.html'), 'utf8');
  return { code, out, references, because, page };
}

const headOf = (name: string) => (directory: string) => {
  cpSync(fixture(name, 'head'), directory, { recursive: true });
};

describe('a suite with images', () => {
  test('is red, and the report names the changed line that made its answers worse', async () => {
    const { code, out, references } = await compared('images', headOf('images'));
    expect(code).toBe(1);
    expect(out).toContain('damage 100 → 67 %: 3 of 9 tests broke');
    expect(out).toContain('The only change: prompts/damage.yaml:8 (removed).');
    expect(out).toContain('photos/bowl-stained.png (374 bytes)');
    const fell = references.filter(({ head }) =>
      head?.tries.every(({ outcome }) => outcome === 'fail'),
    );
    expect(fell.map(({ id }) => id).sort()).toEqual([
      'bowl-stained',
      'mug-stained',
      'vase-stained',
    ]);
  });

  test('includes its photos in the calls that search for the cause among three changes', async () => {
    const { out } = await compared('images', (directory) => {
      headOf('images')(directory);
      const path = join(directory, 'prompts/damage.yaml');
      const prompt = readFileSync(path, 'utf8').replace('temperature: 0', 'temperature: 0.2');
      writeFileSync(path, prompt.replace('broken or cracked.', 'broken, or cracked.'));
    });
    expect(out.replaceAll(/\s+/g, ' ')).toContain(
      'Cause: prompts/damage.yaml:8 (removed). ' +
        'Putting it back fixes 3 of 3 tests; removing it from base breaks them.',
    );
  });

  const replacePhoto = (directory: string) => {
    const photos = join(directory, 'photos');
    copyFileSync(join(photos, 'mug-cracked.png'), join(photos, 'mug.png'));
  };

  test('runs only the references of a photo that was replaced', async () => {
    const { references, because } = await compared('images', replacePhoto);
    expect(because).toEqual([{ key: 'references', file: 'photos/mug.png' }]);
    expect(references.map(({ id }) => id)).toEqual(['mug-whole']);
    expect(references[0]?.files).toMatchObject([{ path: 'photos/mug.png' }]);
  });

  test('runs every reference if all of them show the photo that was replaced', async () => {
    const { references, because, page } = await compared('images', replacePhoto, (directory) => {
      const path = join(directory, 'prompts/damage.yaml');
      const prompt = readFileSync(path, 'utf8');
      writeFileSync(path, prompt.replace('"{photo}"', '../photos/mug.png'));
    });
    expect(because).toEqual([{ key: 'messages', file: 'photos/mug.png' }]);
    expect(references).toHaveLength(9);
    expect(references[0]?.files).toMatchObject([
      { path: 'photos/mug.png', side: 'head' },
      { path: 'photos/mug.png', side: 'base' },
    ]);
    expect(page()).toContain('photos/mug.png');
  });
});

describe('a suite of tool calls', () => {
  test('names the tool argument that is wrong only on head, and the tool that changed', async () => {
    const { code, out, references } = await compared('tools', headOf('tools'));
    expect(code).toBe(1);
    expect(out).toContain(
      'The only change: quantity → amount in the tool create_order, prompts/order.yaml:',
    );
    expect(out).toContain('create_order: `quantity` missing, `amount` not expected');
    expect(out).toMatch(/Expected +create_order\(item: "(\w+)", quantity: (\d)\)\n/);
    expect(out).toMatch(/Head ✗ +create_order\(item: "(\w+)", amount: (\d)\)\n/);
    const fell = references.filter(({ head }) =>
      head?.tries.some(({ outcome }) => outcome === 'fail'),
    );
    expect(fell.map(({ id }) => id).sort()).toEqual([
      'bowls',
      'cancel-and-order',
      'mug',
      'mugs-and-bowl',
      'plates',
      'vases',
    ]);
  });

  test('runs nothing if only the order of keys in a schema changed', async () => {
    const { references } = await compared('tools', (directory) => {
      const path = join(directory, 'prompts/order.yaml');
      const prompt = readFileSync(path, 'utf8');
      const [item, quantity] = [
        '          item: { type: string }\n',
        '          quantity: { type: integer }\n',
      ];
      writeFileSync(path, prompt.replace(`${item}${quantity}`, `${quantity}${item}`));
    });
    expect(references).toEqual([]);
  });
});

describe('a suite of a program that writes files', () => {
  test('names the line of the file that head writes differently', async () => {
    const { code, out, references } = await compared('program', headOf('program'));
    expect(code).toBe(1);
    expect(out).toContain('The only change: the code of notes-agent (program), app/notes.mjs.');
    expect(out).toContain('files     notes/1.4.0.md: line 6 is missing, not "## Fixed"');
    const scores = references.flatMap(({ id, head }) =>
      (head?.tries ?? []).flatMap((made) =>
        made.scores.flatMap(({ metric, status }) =>
          status === 'fail' && made.try === 0 ? [[id, metric]] : [],
        ),
      ),
    );
    expect(scores.sort()).toEqual([
      ['login', 'files'],
      ['prices', 'files'],
      ['search', 'files'],
    ]);
  });

  test.each([
    ['app/agent.mjs', 4],
    ['app/new.json', 4],
    ['README.md', 0],
  ])('after a change of %s, runs %i references', async (path, count) => {
    const { references } = await compared('program', (directory) => {
      writeFileSync(join(directory, path), '\n', { flag: 'a' });
    });
    expect(references).toHaveLength(count);
  });
});
