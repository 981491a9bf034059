import { readFileSync } from 'node:fs';
import { readProject } from '../../../src/config/project.ts';
import { metrics } from '../../../src/metrics/index.ts';
import { builtInRubrics } from '../../../src/metrics/rubric.ts';
import { hash, optionsOf, treeOf } from '../../unit/config/tree.ts';

const page = readFileSync('docs/rubrics.md', 'utf8');
const blocks = [...page.matchAll(/```yaml\n# (\S+)\n([^]*?)```/g)].map(
  ([, file = '', text = '']) => ({ file, text }),
);
/** The first block of each file. Together, these blocks are a whole project. */
const first = Object.fromEntries([...blocks].reverse().map(({ file, text }) => [file, text]));

describe('docs/rubrics.md', () => {
  test('shows a first project with all three kinds of rubric, one of them with three labelled examples', async () => {
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
