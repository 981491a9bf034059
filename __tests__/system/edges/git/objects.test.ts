import { join } from 'node:path';
import { gitEnvironment } from '../../../../src/edges/git/command.ts';
import { isObjectId, openObjectReader } from '../../../../src/edges/git/objects.ts';
import {
  createRepository,
  fixtureEnvironment,
  temporaryFolder,
  writeFiles,
} from '../../../stand-ins/repository.ts';

const repository = createRepository();
const readers: ReturnType<typeof openObjectReader>[] = [];
afterEach(() => Promise.all(readers.splice(0).map((reader) => reader.close())));

function readerIn(more: NodeJS.ProcessEnv = {}) {
  const { directory } = repository;
  const environment = { ...gitEnvironment(fixtureEnvironment()), ...more };
  const gitDir = join(directory, '.git');
  const reader = openObjectReader({ gitDir, directory, environment, settings: [] });
  readers.push(reader);
  return reader;
}
const store = (content: string | Uint8Array) =>
  repository.gitInput(content, 'hash-object', '-w', '--stdin');

/** Stores many contents with a single git process. */
function storeAll(contents: readonly Uint8Array[]) {
  const folder = temporaryFolder('contents');
  const files = contents.map((content, index) => {
    writeFiles(folder, { [String(index)]: content });
    return `${join(folder, String(index))}\n`;
  });
  const hashing = ['hash-object', '-w', '--no-filters', '--stdin-paths'];
  return repository.gitInput(files.join(''), ...hashing).split('\n');
}

/** Reads from a scripted program that replaces git. */
function scriptedReader(script: string) {
  const bin = temporaryFolder('bin');
  writeFiles(bin, { git: { program: `#!${process.execPath}\n${script}` } });
  return readerIn({ PATH: bin });
}

const texts = (found: readonly (string | Buffer | null)[]) =>
  found.map((each) => each?.toString() ?? null);

describe('reading by object id', () => {
  test('returns the right content to each of thousands of concurrent reads', async () => {
    const sizes = [0, 1, 4095, 4096, 65_535, 65_536, 65_537, 300_000];
    const contents = [
      ...sizes.map((size, index) => Buffer.alloc(size, index)),
      Buffer.from('\n'),
      Buffer.from('\n\n\n'),
      Buffer.from(`${'a'.repeat(40)} blob 5\nhello\n`),
      Buffer.from(`${'b'.repeat(40)} missing\n`),
      ...Array.from({ length: 60 }, (_, index) => Buffer.from(`text ${index}\n`.repeat(index))),
    ];
    const ids = storeAll(contents);
    const reader = readerIn();
    const order = Array.from({ length: 3000 }, (_, index) => (index * 7919) % ids.length);
    const read = await Promise.all(order.map((index) => reader.blob(ids[index]!)));
    const isWrong = (index: number, at: number) => read[at]?.equals(contents[index]!) !== true;
    expect(order.filter(isWrong)).toEqual([]);
  });

  test('returns null for a missing object and continues with the next', async () => {
    const reader = readerIn();
    const id = store('here');
    const ids = ['1'.repeat(40), id, '2'.repeat(40), id];
    const answers = await Promise.all(ids.map((wanted) => reader.blob(wanted)));
    expect(texts(answers)).toEqual([null, 'here', null, 'here']);
  });

  test('rejects a tree or commit and continues with the next', async () => {
    const head = repository.commit('one', { 'a.yaml': 'a' });
    const tree = repository.git('rev-parse', 'HEAD^{tree}');
    const reader = readerIn();
    const reads = [head, tree, store('a')].map((id) => reader.blob(id));
    expect(await Promise.allSettled(reads)).toMatchObject([
      { reason: { message: `${head} is a commit, not a file` } },
      { reason: { message: `${tree} is a tree, not a file` } },
      { status: 'fulfilled' },
    ]);
  });

  test('returns any kind of object with its type, or null for a missing object', async () => {
    const head = repository.commit('kinds', { 'a.yaml': 'a' });
    const ids = [head, repository.git('rev-parse', 'HEAD^{tree}'), store('a'), '1'.repeat(40)];
    const reader = readerIn();
    const found = await Promise.all(ids.map((id) => reader.readLocal(id)));
    expect(found.map((object) => object?.type ?? null)).toEqual(['commit', 'tree', 'blob', null]);
    expect(found[0]?.content.toString()).toContain(`tree ${String(ids[1])}\n`);
  });

  test('resolves a branch or tag to its commit while contents are read', async () => {
    const head = repository.commit('named', { 'a.yaml': 'named' });
    repository.git('tag', '-f', 'v1.0', head);
    const reader = readerIn();
    const content = store('named');
    const found = await Promise.all([
      reader.commitNamed('main'),
      reader.blob(content),
      reader.commitNamed('no/such-branch'),
      reader.commitNamed('refs/tags/v1.0'),
      reader.commitNamed(head.slice(0, 12)),
      reader.commitNamed(content),
      reader.blob(content),
    ]);
    expect(texts(found)).toEqual([head, 'named', null, head, head, null, 'named']);
  });

  test.each([
    '',
    '-x',
    '@{u}',
    'main@{1}',
    'main~1',
    'main^',
    'a..b',
    'main:a',
    'a b',
    'a\nb',
    'ü',
  ])('rejects %j, which is not a plain branch or tag name', async (name) => {
    const reader = readerIn();
    await expect(reader.commitNamed(name)).rejects.toThrow('not a plain name');
  });

  test.each([
    'HEAD',
    'HEAD:a.yaml',
    '',
    `${'a'.repeat(40)}\n${'b'.repeat(40)}`,
    'A'.repeat(40),
    'a'.repeat(39),
    'a'.repeat(41),
    '--batch',
    `${'a'.repeat(40)} `,
  ])('never passes %j to git', async (id) => {
    const reader = readerIn();
    await expect(reader.blob(id)).rejects.toThrow('not an object id');
    expect(isObjectId(id)).toBe(false);
  });

  test('finds objects that were added after the process started', async () => {
    const reader = readerIn();
    await reader.blob(store('first'));
    const late = store('late');
    expect((await reader.blob(late))?.toString()).toBe('late');
  });

  test('fails if git answers for a different object', async () => {
    const reader = scriptedReader(
      `process.stdin.once('data', () => process.stdout.write('${'f'.repeat(40)} blob 4\\nevil\\n'));`,
    );
    const reads = ['1', '2'].map((digit) => reader.blob(digit.repeat(40)));
    const reason = { message: expect.stringContaining(`asked was ${'1'.repeat(40)}`) };
    expect(await Promise.allSettled(reads)).toMatchObject([{ reason }, { reason }]);
  });

  test('rejects pending reads if the process dies, and restarts it at the next read', async () => {
    const id = '3'.repeat(40);
    const reader = scriptedReader(`
      const fs = require('node:fs');
      const again = fs.existsSync(process.argv[1] + '.seen');
      fs.writeFileSync(process.argv[1] + '.seen', '');
      process.stdin.once('data', () => {
        if (again) process.stdout.write('${id} blob 5\\nfresh\\n');
        else { process.stdout.write('${id} blob 500\\nhalf'); console.error('fatal: object is corrupt'); process.exit(128); }
      });
      process.stdin.on('end', () => process.exit(0));`);
    await expect(reader.blob(id)).rejects.toThrow('git cat-file ended: object is corrupt');
    expect((await reader.blob(id))?.toString()).toBe('fresh');
  });
});
