import { changedTexts, differingLines } from '../../../../src/app/run/plan-and-run.ts';
import { problem, UserError } from '../../../../src/errors.ts';
import type { AffectedSuite } from '../../../../src/kernel/select/affected-suite.ts';
import { treeOf } from '../../config/tree.ts';

const FILE = 'prompts/p.yaml';

/** A suite that these changed files affect; its prompt may have been renamed. */
function suite(
  name: string,
  files: string[],
  paths: { base: string | null; head: string | null } = { base: FILE, head: FILE },
  key = 'messages',
) {
  const tests = { own: null };
  const side = (file: string | null) =>
    file === null ? null : { suite: { prompt: { file }, tests }, scoring: { tests } };
  return {
    path: FILE,
    name,
    because: files.map((file) => ({ key, file })),
    references: [],
    unaffected: 0,
    base: side(paths.base),
    head: side(paths.head),
  } as unknown as AffectedSuite;
}

const changed = (
  base: Record<string, string | Uint8Array>,
  head: Record<string, string | Uint8Array>,
  ...suites: AffectedSuite[]
) => changedTexts(suites.length === 0 ? [suite('p', [FILE])] : suites, treeOf(base), treeOf(head));

const marked = (lines: readonly { sign: string; text: string }[] = []) =>
  lines.map(({ sign, text }) => `${{ added: '+', removed: '-' }[sign] ?? ' '}${text}`);

describe('the changed texts of a run', () => {
  test('are the differing lines with one line of context and the line numbers of both sides', async () => {
    const found = await changed(
      { [FILE]: 'a\nb\nc\nd\ne\nf\n' },
      { [FILE]: 'new\na\nb\nc\nd\nE\nf\n' },
    );
    expect(found).toMatchObject([{ file: FILE, base_file: FILE, suites: ['p'], more: 0 }]);
    expect(found[0]?.hunks.map(({ base, head, lines }) => [base, head, marked(lines)])).toEqual([
      [1, 1, ['+new', ' a']],
      [4, 5, [' d', '-e', '+E', ' f']],
    ]);
  });

  test('compare a renamed prompt with its old path', async () => {
    const old = 'prompts/old.yaml';
    const [found] = await changed(
      { [old]: 'same\nold words\n' },
      { [FILE]: 'same\nnew words\n' },
      suite('p', [FILE], { base: old, head: FILE }),
    );
    expect(found).toMatchObject({ file: FILE, base_file: old });
    expect(marked(found?.hunks[0]?.lines)).toEqual([' same', '-old words', '+new words']);
  });

  test('show all lines of a new file as added and of a deleted file as removed', async () => {
    expect(await changed({}, { [FILE]: 'x\n' })).toMatchObject([
      { base_file: null, hunks: [{ base: 0, head: 1, lines: [{ sign: 'added', text: 'x' }] }] },
    ]);
    expect(await changed({ [FILE]: 'x\n' }, {})).toMatchObject([
      { base_file: FILE, hunks: [{ base: 1, head: 0, lines: [{ sign: 'removed', text: 'x' }] }] },
    ]);
  });

  test('list each file once, with every suite that runs because of it', async () => {
    const rubric = 'rubrics/r.yaml';
    const found = await changed(
      { [FILE]: 'a\n', [rubric]: 'a\n' },
      { [FILE]: 'b\n', [rubric]: 'b\n' },
      suite('one', [FILE, rubric]),
      suite('two', [rubric]),
    );
    expect(found.map(({ file, suites }) => [file, suites])).toEqual([
      [FILE, ['one']],
      [rubric, ['one', 'two']],
    ]);
  });

  test('omit binary files, files that are too large, and files without a difference', async () => {
    const large = 'x'.repeat(262_145);
    expect(await changed({ [FILE]: 'a' }, { [FILE]: new Uint8Array([97, 0, 98]) })).toEqual([]);
    expect(await changed({ [FILE]: 'a' }, { [FILE]: large })).toEqual([]);
    expect(
      await changedTexts([suite('p', [FILE])], treeOf({ [FILE]: 'a' }), {
        ...treeOf({ [FILE]: large }),
        // Like git trees, which do not read files above the limit.
        read: (path, most = Infinity) =>
          Promise.reject(new UserError([problem({ file: path, line: 0 }, `above ${most}`)])),
      }),
    ).toEqual([]);
    expect(await changed({ [FILE]: 'a\n' }, { [FILE]: 'a\n' })).toEqual([]);
  });

  test('include every suite of a large run, up to a thousand files', async () => {
    const files = Array.from({ length: 1_001 }, (_, index) => `prompts/${index}.yaml`);
    const all = (text: string) => Object.fromEntries(files.map((file) => [file, text]));
    expect(await changed(all('a'), all('b'), suite('p', files))).toHaveLength(1_000);
  });
});

describe('differing lines', () => {
  test('ignore line endings', () => {
    expect(differingLines('a\r\nb\r\n', 'a\nb\n')).toEqual({ hunks: [], more: 0 });
    const [hunk] = differingLines('a\r\nb\r\n', 'a\nc\n').hunks;
    expect(marked(hunk?.lines)).toEqual([' a', '-b', '+c']);
  });

  test('do not show the marker for a missing newline at the end of the file', () => {
    expect(marked(differingLines('a', 'b').hunks[0]?.lines)).toEqual(['-a', '+b']);
  });

  test('are limited to sixty, and the others are counted', () => {
    const lines = (letter: string) =>
      Array.from({ length: 50 }, (_, index) => `${letter}${index}\n`).join('');
    const { hunks, more } = differingLines(lines('a'), lines('b'));
    expect(hunks.flatMap((hunk) => hunk.lines)).toHaveLength(60);
    expect(more).toBe(40);
  });

  test('of completely different texts are counted but not listed', () => {
    const lines = (letter: string) =>
      Array.from({ length: 1_500 }, (_, index) => `${letter}${index}`).join('\n');
    expect(differingLines(lines('a'), lines('b'))).toEqual({ hunks: [], more: 1_500 });
  });

  test('are shortened if very long', () => {
    const [line] = differingLines('', 'x'.repeat(600)).hunks[0]?.lines ?? [];
    expect(line).toEqual({ sign: 'added', text: `${'x'.repeat(500)}…` });
  });
});
