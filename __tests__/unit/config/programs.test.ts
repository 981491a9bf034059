import { programFiles } from '../../../src/config/programs.ts';
import type { ModelSettings } from '../../../src/project/settings.ts';
import { AGENT_PROGRAM } from '../../../src/types/model.ts';
import { hash, treeOf } from './tree.ts';

const TREE = {
  'evaldiff.yaml': 'models: {}',
  'main.mjs': 'root',
  'app/main.mjs': 'main',
  'app/lib/notes.mjs': 'notes',
  'app/prompts/p.yaml': 'name: p',
  'data/terms.csv': 'terms',
  'scripts/setup.sh': 'setup',
};
const SETTINGS = { file: 'evaldiff.yaml', prompts: ['app/prompts/*.yaml'], rubrics: [] };
const filesOf = (program: Partial<ModelSettings>, files: Record<string, string> = TREE) =>
  programFiles(
    { command: ['node', './app/main.mjs'], setup: [], files: [], ...program } as ModelSettings,
    { settings: SETTINGS, tree: treeOf(files), hash },
  );

describe('files of a program', () => {
  test.each<[string, Partial<ModelSettings>, string[]]>([
    ['all in the folder of its command', {}, ['app/lib/notes.mjs', 'app/main.mjs']],
    ['only its command if that is at the root', { command: ['node', 'main.mjs'] }, ['main.mjs']],
    ['`files` and its command', { files: ['data/**'] }, ['app/main.mjs', 'data/terms.csv']],
    [
      'its setup command too',
      { files: ['data/**'], setup: ['sh', 'scripts/setup.sh'] },
      ['app/main.mjs', 'data/terms.csv', 'scripts/setup.sh'],
    ],
  ])('are the files that its command and settings name: %s', (_, program, paths) => {
    expect([...filesOf(program).ids.keys()]).toEqual(paths);
  });

  test('are the only files that change its hash', () => {
    const program = { files: ['app/lib/**', 'data/**'], setup: ['sh', 'scripts/setup.sh'] };
    const before = filesOf(program).files;
    const changing = Object.keys(TREE).filter(
      (path) => filesOf(program, { ...TREE, [path]: 'changed' }).files !== before,
    );
    expect(changing).toEqual([
      'app/main.mjs',
      'app/lib/notes.mjs',
      'data/terms.csv',
      'scripts/setup.sh',
    ]);
  });

  test.each([
    ['an executable bit', { files: new Map([['run.sh', { id: 'a', executable: true }]]) }],
    ['the target of a symbolic link', { links: new Map([['CLAUDE.md', 'b']]) }],
  ])("include %s in an agent's workspace", (_, changed) => {
    const tree = { ...treeOf({}), files: new Map([['run.sh', { id: 'a' }]]) };
    const linked = { ...tree, links: new Map([['CLAUDE.md', 'a']]) };
    const hashOf = (command: string) =>
      [linked, { ...linked, ...changed }].map(
        (each) =>
          programFiles({ command: [command], setup: [], files: ['**'] } as never, {
            settings: SETTINGS,
            hash,
            tree: each,
          }).files,
      );
    const [before, after] = hashOf(AGENT_PROGRAM);
    expect(after).not.toBe(before);
    expect(new Set(hashOf('program')).size).toBe(1);
  });
});
