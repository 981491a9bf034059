import { createRandom, nextIndex } from '../../../src/kernel/statistics/random.ts';
import { filesChange, type FilesChange } from '../../../src/trials/file-units.ts';
import { AGENT_PROGRAM, takesOverlay, type ProgramTarget } from '../../../src/types/model.ts';
import type { Side } from '../../../src/types/plain.ts';

type Tree = Readonly<Record<string, string | Uint8Array>>;

const bytesOf = (body: string | Uint8Array) =>
  typeof body === 'string' ? new TextEncoder().encode(body) : body;

function program(side: Side, tree: Tree): ProgramTarget {
  return {
    provider: 'program',
    model: 'agent',
    command: [AGENT_PROGRAM, '{}'],
    setup: [],
    files: `hash of ${side}`,
    commit: `commit of ${side}`,
    ids: new Map(
      Object.entries(tree).map(([path, body]) => [path, Buffer.from(body).toString('hex')]),
    ),
  };
}

function change(base: Tree, head: Tree) {
  return filesChange(program('base', base), program('head', head), (side, path) => {
    const { [path]: body } = side === 'base' ? base : head;
    return body === undefined ? null : bytesOf(body);
  });
}

/** The files of a trial, which its program reads from its commit and its overlay. */
function trialOf(
  { compose }: FilesChange,
  trees: Record<Side, Tree>,
  side: Side,
  chosen: readonly number[],
): Record<string, string | Uint8Array> {
  const other = side === 'base' ? 'head' : 'base';
  const made = compose((unit) => chosen.includes(unit))(side);
  if (!takesOverlay(made)) throw new TypeError('not an agent');
  const { overlay, commit } = made;
  expect(commit).toBe(`commit of ${side}`);
  const files: Record<string, string | Uint8Array> = { ...trees[side] };
  for (const [path, given] of Object.entries(overlay?.files ?? {})) {
    expect(overlay?.commit).toBe(`commit of ${other}`);
    if (given === null) Reflect.deleteProperty(files, path);
    else files[path] = 'text' in given ? given.text : (trees[other][path] ?? 'missing');
  }
  return files;
}

const summary = ({ units }: FilesChange) =>
  units.map(({ kind, file, side, lines, head, base_text, head_text }) => [
    kind,
    `${file}:${lines.from} ${side}`,
    head.line,
    base_text,
    head_text,
  ]);

const lines = (...all: string[]) => all.map((line) => `${line}\n`).join('');

describe('the parts (units) that a change of files is split into', () => {
  test("are the changed, added, removed and moved lines of an agent's instruction file, with their line numbers", () => {
    const base = lines('Rules', '', 'Ask before a push.', 'Keep.', 'Stay.', 'Be brief.', 'End.');
    const head = lines(
      'Rules',
      '',
      'Keep.',
      'Stay.',
      'Ask before a push.',
      'Be long.',
      'End.',
      'P.S.',
    );
    expect(summary(change({ 'AGENTS.md': base }, { 'AGENTS.md': head }))).toEqual([
      ['moved line', 'AGENTS.md:5 head', 5, 'Ask before a push.', 'Ask before a push.'],
      ['line', 'AGENTS.md:6 head', 6, 'Be brief.', 'Be long.'],
      ['line', 'AGENTS.md:8 head', 8, null, 'P.S.'],
    ]);
    const shorter = lines('Rules', '', 'Ask before a push.', 'Keep.', 'Stay.');
    expect(summary(change({ 'AGENTS.md': base }, { 'AGENTS.md': shorter }))).toEqual([
      ['line', 'AGENTS.md:6 base', 5, 'Be brief.', null],
      ['line', 'AGENTS.md:7 base', 5, 'End.', null],
    ]);
  });

  test('are the hunks of other text files, listed after the parts of instruction files', () => {
    const found = change(
      { 'a.js': lines('one', 'two', 'three'), 'skills/x/SKILL.md': 'Be brief.\n' },
      { 'a.js': lines('1', '2', 'three'), 'skills/x/SKILL.md': 'Be long.\n' },
    );
    expect(summary(found)).toEqual([
      ['line', 'skills/x/SKILL.md:1 head', 1, 'Be brief.', 'Be long.'],
      ['hunk', 'a.js:1 head', 1, 'one\ntwo', '1\n2'],
    ]);
  });

  test.each([
    ['an added file', {}, { 'a.md': 'New.\n' }, 'head', [null, '']],
    ['a deleted file', { 'a.md': 'Old.\n' }, {}, 'base', ['', null]],
    ['a binary file', { 'a.md': 'a\0b' }, { 'a.md': 'a\0c' }, 'head', ['', '']],
    [
      'a file that is not UTF-8',
      { 'a.md': 'text' },
      { 'a.md': Uint8Array.of(0xff, 0xfe, 0x41) },
      'head',
      ['', ''],
    ],
    [
      'a large file',
      { 'a.md': 'long\n'.repeat(50_000) },
      { 'a.md': 'long\n'.repeat(50_001) },
      'head',
      ['', ''],
    ],
    ['line endings', { 'a.md': 'a\nb\n' }, { 'a.md': 'a\r\nb\r\n' }, 'head', ['', '']],
    ['the last line break', { 'a.md': 'a' }, { 'a.md': 'a\n' }, 'head', ['', '']],
  ])('are the whole file for %s', (_, base, head, side, [before, after]) => {
    const found = change(base, head);
    expect(summary(found)).toEqual([['file', `a.md:0 ${side}`, 0, before, after]]);
    expect(trialOf(found, { base, head }, 'base', [0])).toEqual(head);
    expect(trialOf(found, { base, head }, 'head', [])).toEqual(base);
  });

  test('keep the line endings of their side, and a missing last line break', () => {
    const base = { 'AGENTS.md': 'Rules\r\nBe brief.\r\nAsk.\r\nEnd.' };
    const head = { 'AGENTS.md': 'Rules\r\nBe long.\r\nAsk first.\r\nEnd.' };
    const found = change(base, head);
    expect(summary(found).map(([kind, place]) => [kind, place])).toEqual([
      ['line', 'AGENTS.md:2 head'],
      ['line', 'AGENTS.md:3 head'],
    ]);
    expect(trialOf(found, { base, head }, 'base', [1])).toEqual({
      'AGENTS.md': 'Rules\r\nBe brief.\r\nAsk first.\r\nEnd.',
    });
  });

  test("give head's files when all are applied and base's when none is, whichever side they are applied to", () => {
    const random = createRandom('files');
    const words = [
      'Be brief.',
      'Ask before a push.',
      'Run the tests.',
      '',
      'Write notes at the end.',
    ];
    const fileOf = () =>
      Array.from({ length: nextIndex(random, 7) }, () => words[nextIndex(random, 5)]).join(
        nextIndex(random, 2) === 0 ? '\n' : '\r\n',
      );
    const treeOf = (): Tree =>
      Object.fromEntries(
        ['AGENTS.md', 'run.sh', 'b.md'].flatMap((path): [string, string][] =>
          nextIndex(random, 4) === 0 ? [] : [[path, fileOf()]],
        ),
      );
    for (let round = 0; round < 300; round += 1) {
      const trees = { base: treeOf(), head: treeOf() };
      const found = change(trees.base, trees.head);
      const all = [...found.units.keys()];
      for (const side of ['base', 'head'] as const) {
        expect(trialOf(found, trees, side, all)).toEqual(trees.head);
        expect(trialOf(found, trees, side, [])).toEqual(trees.base);
      }
    }
  });

  test('give the same files whether applied to base or to head, if the line endings are equal', () => {
    const base = { 'AGENTS.md': lines('Rules', 'Be brief.', 'Ask.', 'End.'), 'a.md': 'Old.\n' };
    const head = {
      'AGENTS.md': lines('Rules', 'Be long.', 'Ask first.', 'End.'),
      'b.md': 'New.\n',
    };
    const found = change(base, head);
    for (const chosen of [[0], [1, 2], [0, 3], [2, 3]])
      expect(trialOf(found, { base, head }, 'base', chosen)).toEqual(
        trialOf(found, { base, head }, 'head', chosen),
      );
  });

  test('are a thousand for a rewritten file of 1,000 lines, and each can be reverted', () => {
    const text = (change_: (at: number) => string) =>
      lines(
        ...Array.from({ length: 2000 }, (_, at) => (at % 2 === 0 ? `Keep ${at}.` : change_(at))),
      );
    const base = { 'AGENTS.md': text((at) => `Write the number ${at} in words.`) };
    const head = { 'AGENTS.md': text((at) => `Write the number ${at} in figures.`) };
    const found = change(base, head);
    expect(found.units).toHaveLength(1000);
    expect(found.units[499]).toMatchObject({ lines: { from: 1000, to: 1000 } });
    const [unit] = found.units;
    const reverted = unit === undefined ? null : found.revert(unit);
    expect(reverted?.after.split('\n').slice(0, 4)).toEqual([
      'Keep 0.',
      'Write the number 1 in words.',
      'Keep 2.',
      'Write the number 3 in figures.',
    ]);
  });

  test('do not exist for equal files', () => {
    const found = change({ 'a.md': 'a' }, { 'a.md': 'a' });
    expect(found.units).toEqual([]);
    expect(found.compose(() => true)('head')).not.toHaveProperty('overlay');
  });
});
