import { addPull } from '../../../stand-ins/github/state.ts';
import { changeOf, obedient, promptOf, quiz } from '../../end-to-end/projects.ts';
import { onlyComment, onPullRequest, PULL, stage } from '../../end-to-end/stage.ts';

const change = () => changeOf(quiz({ system: 'Skip 2 4' }), promptOf('Skip 4'));

const withText = async (body: string) => {
  const [at, own] = [await stage(obedient), change()];
  addPull(at.github.state, { number: PULL, base: { ref: 'main', sha: own.base }, body });
  return { at, own };
};

describe('a pull request whose description promises fixes', () => {
  test('shows in every report which of these fixes worked', async () => {
    const { at, own } = await withText('Better answers.\r\n\r\nFixes: q2, q4\r\nFixes: #7');
    const run = await onPullRequest(at, own);
    expect(run.outputs['conclusion']).toBe('success');
    const line =
      /^\*\*Promised fixes\*\*: 1 of 2 kept \(`q2`\); `q4` is not fixed: 0 of \d → 0 of \d\.$/m;
    expect(onlyComment(at)).toMatch(line);
    expect(run.summary).toMatch(line);
    expect(at.github.state.checkRuns[0]?.summary).toMatch(line);
    expect(run.reports['report.html']).toContain('Promised fixes');
    expect(run.reports['junit.xml']).toContain('<testcase name="q2" classname="promised fixes"/>');
    expect(run.result.promises).toMatchObject({
      references: [
        { id: 'q2', status: 'kept' },
        { id: 'q4', status: 'not-kept' },
      ],
      unknown: [],
    });
  });
});
