import { describe, expect, test } from '@jest/globals';
import { chancy, quiz, SETTINGS, promptOf } from './projects.ts';
import { onlyComment, pullRequest } from './stage.ts';

describe('the verdict', () => {
  test('is never red for a model that answers at random on both sides', async () => {
    const { run } = await pullRequest(quiz({ questions: 20 }), promptOf('Be exact, please.'), {
      answer: chancy(() => 0.5),
    });
    expect(run.code).toBe(0);
    expect(run.outputs['conclusion']).not.toBe('failure');
    expect(run.outputs).toMatchObject({ regressed: '0' });
    // Checks that the answers varied.
    expect(Number(run.outputs['pass-rate-base'])).toBeGreaterThan(0.2);
    expect(Number(run.outputs['pass-rate-head'])).toBeLessThan(0.8);
  });

  test('is red, with its numbers, for a 20-point drop over fifty references and three tries', async () => {
    const { at, run } = await pullRequest(
      quiz({ questions: 50, settings: `${SETTINGS}n_tries: 3\n` }),
      promptOf('Be brief.'),
      { answer: chancy((system) => (system === 'Be exact.' ? 0.92 : 0.72)) },
    );
    expect(run.code).toBe(1);
    expect(run.outputs).toMatchObject({ conclusion: 'failure', calls: '300', errors: '0' });
    expect(at.models.requests).toHaveLength(300);
    const [suite] = run.result.suites;
    expect(suite).toMatchObject({ verdict: 'regressed', compared: { references: 50, tries: 3 } });
    const { difference, low, high } = suite!.pass_rate;
    expect(difference).toBeGreaterThan(-0.3);
    expect(difference).toBeLessThan(-0.1);
    expect(low).toBeLessThan(difference!);
    expect(high).toBeLessThan(0);
    expect(onlyComment(at)).toContain('50 tests × 3 answers');
    expect(at.github.state.checkRuns[0]?.conclusion).toBe('failure');
  });
});
