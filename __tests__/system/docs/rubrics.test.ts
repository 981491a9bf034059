import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { readProject } from '../../../src/config/project.ts';
import { formatProblem } from '../../../src/errors.ts';
import { metrics } from '../../../src/metrics/index.ts';
import { builtInRubrics } from '../../../src/metrics/rubric.ts';
import { hash, optionsOf, treeOf } from '../../unit/config/tree.ts';

const page = readFileSync('docs/rubrics.md', 'utf8');
const blocks = [...page.matchAll(/```yaml\n# (\S+)\n([^]*?)```/g)].map(
  ([, file = '', text = '']) => ({ file, text }),
);
/** The first block of each file: together a whole project. */
const first = Object.fromEntries([...blocks].reverse().map(({ file, text }) => [file, text]));
const data = {
  'prompts/data/dialogues.jsonl':
    '{"input": [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello"}], "course": "algebra"}\n',
};

async function problemsOf(files: Record<string, string>): Promise<string[]> {
  const { problems, project } = await readProject(treeOf({ ...data, ...files }), optionsOf(), {
    builtInMetrics: metrics,
    builtInRubrics,
    hash,
  });
  return [
    ...problems.map(formatProblem),
    ...project.suites.flatMap(({ tests }) =>
      tests.references.flatMap(({ problem }) => problem ?? []),
    ),
  ];
}

describe('docs/rubrics.md', () => {
  test('names the file of every block of YAML', () => {
    expect(blocks).toHaveLength(page.split('```yaml').length - 1);
    expect(Object.keys(first).sort()).toEqual([
      'evaldiff.yaml',
      'prompts/support.yaml',
      'prompts/tests/support.yaml',
      'rubrics/agrees.yaml',
      'rubrics/level.yaml',
      'rubrics/tone.yaml',
    ]);
  });

  test.each(
    blocks.map(
      ({ file, text }, index) =>
        [`${file}, block ${String(index + 1)}`, { ...first, [file]: text }] as const,
    ),
  )('%s is read without a problem', async (_, files) => {
    expect(await problemsOf(files)).toEqual([]);
  });

  test('shows in its first project an example of each kind: three labelled ones, of both labels', async () => {
    const { project } = await readProject(treeOf(first), optionsOf(), {
      builtInMetrics: metrics,
      builtInRubrics,
      hash,
    });
    expect(
      project.rubrics
        .get('is_polite')
        ?.examples.map(({ expected, context }) => [expected, context]),
    ).toEqual([
      ['YES', null],
      ['NO', null],
      ['NO', 'user: It came broken.'],
    ]);
    expect([...project.rubrics.keys()].sort()).toEqual(['agrees', 'is_polite', 'level']);
  });
});
