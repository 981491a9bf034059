import { cleanEdits } from '../../../../src/features/agents/run-in-workspace.ts';
import type { Change } from '../../../../src/features/agents/workspace/changes.ts';
import type { DiskEntry } from '../../../../src/features/agents/workspace/layers.ts';

const entry = (target: string | null = null): DiskEntry => ({
  mode: target === null ? '100644' : '120000',
  size: 1,
  stamp: '',
  target: target ?? '',
});

/** The clean tree of checks. The agent sees all of it but `evals`. */
const CLEAN = new Map([
  ['a.txt', entry()],
  ['src/app.js', entry()],
  ['src/lib.js', entry()],
  ['data/in.csv', entry()],
  ['current', entry('data')],
  ['evals/expected.txt', entry()],
  ['node_modules/x/index.js', entry()],
]);

/** `null` deletes a path. A text that starts with `->` is a link. */
function edited(changes: Readonly<Record<string, string | null>>) {
  const isShown = (path: string) =>
    changes[path] !== null && (path in changes || CLEAN.has(path)) && !path.startsWith('evals');
  const made = Object.entries(changes).map(([path, text]): Change => {
    const [, target] = /^->(.*)/.exec(text ?? '') ?? [];
    return {
      path,
      kind: text === null ? 'deleted' : 'added',
      mode: text === null ? null : target === undefined ? '100644' : '120000',
      body: text === null ? null : Buffer.from(target ?? text),
      diff: '',
      left: null,
      isCanarySeen: false,
    };
  });
  const isSuiteFile = (path: string) => path.startsWith('evals/');
  const { deleted, written } = cleanEdits({ changes: made, isShown, isSuiteFile }, CLEAN);
  return { deleted: [...deleted].sort(), written: [...written.keys()].sort() };
}

describe('the clean tree of checks', () => {
  test.each<[string, string, Record<string, string>?]>([
    ['a hidden file', 'evals/expected.txt'],
    ['the folder of a hidden file', 'evals'],
    ['the workspace, which contains hidden files', '.'],
    ['a file that the agent wrote at a hidden path', 'evals/own.txt', { 'evals/own.txt': 'x' }],
    ['nothing', 'later.txt'],
    ['a hidden path that does not exist yet', 'evals/later.txt'],
    ['itself', 'out'],
    ['a hidden file, around a corner', 'src/../evals/./expected.txt'],
    ['a hidden file, through a link of the repository', 'current/../evals/expected.txt'],
  ])('has no link of the agent to %s', (_, target, more = {}) => {
    expect(edited({ out: `->${target}`, ...more }).written).toEqual([]);
  });

  test.each<[string, Record<string, string | null>, string[]]>([
    ['a chain to a hidden file', { a: '->b', b: '->c', c: '->evals/expected.txt' }, []],
    ['a link below a link to a hidden folder', { dir: '->evals', out: '->dir/expected.txt' }, []],
    ['a chain of which one part is fine', { a: '->own', own: 'x', b: '->evals' }, ['a', 'own']],
    [
      'a link in a folder of its own',
      { 'new/out': '->../evals/expected.txt', 'new/x': 'x' },
      ['new/x'],
    ],
    ['a link that replaces a shown file', { 'a.txt': '->evals/expected.txt' }, []],
    ['a link that replaces a folder', { 'data/in.csv': null, data: '->evals' }, []],
  ])('drops %s, and only that', (_, changes, written) => {
    expect(edited(changes).written).toEqual(written);
  });

  test.each([
    ['to its own file', { out: '->own/x', 'own/x': 'x' }],
    ['to its own folder', { out: '->own', 'own/x': 'x' }],
    ['to a file of the repository', { out: '->src/app.js' }],
    ['to what setup installed', { out: '->node_modules/x' }],
    ['through a link of the repository', { out: '->current/in.csv' }],
    ['through its own link', { first: '->src', out: '->first/app.js' }],
  ])('keeps a link of the agent %s', (_, changes) => {
    expect(edited(changes).written).toEqual(Object.keys(changes).sort());
  });

  test.each<[string, Record<string, string | null>, string[], string[]]>([
    ['a file for a folder', { 'data/in.csv': null, data: 'x' }, ['data/in.csv'], ['data']],
    ['a folder for a file', { 'a.txt': null, 'a.txt/b': 'x' }, ['a.txt'], ['a.txt/b']],
    ['not a file for a folder with hidden files', { evals: 'x' }, [], []],
    [
      'not a file for a folder that is not empty',
      { 'src/app.js': null, src: 'x' },
      ['src/app.js'],
      [],
    ],
    ['not a file below a link of the repository', { 'current/x': 'x' }, [], []],
    ['nothing that is missing anyway', { 'gone.txt': null }, [], []],
  ])('puts %s', (_, changes, deleted, written) => {
    expect(edited(changes)).toEqual({ deleted, written });
  });
});
