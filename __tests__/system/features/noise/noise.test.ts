import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { NoiseResult } from '../../../../src/features/noise/result.ts';
import type { Result } from '../../../../src/kernel/result/result.ts';
import type { Script } from '../../../stand-ins/models/server.ts';
import { openProject } from '../../../stand-ins/project.ts';
import { chancy, quiz, quizPrompt } from '../../end-to-end/projects.ts';

const project = (answer: Script) => openProject(quiz(), { answer });

/** The answer to question 1 is random; all others are known. */
const oneCoin = chancy((_, question) => (question === 1 ? 0.5 : 1));

describe('evaldiff noise', () => {
  test('prints price and calls first, then the false-alarm rate', async () => {
    const { evaldiff, server } = await project(oneCoin);
    const { code, out, err } = await evaldiff('noise', '--runs', '5');
    expect(code).toBe(0);
    expect(err).toMatch(/120 calls? for the first answers[^]*\$/);
    expect(server.requests.length).toBeGreaterThanOrEqual(5 * 6 * 2 * 2);
    expect(out).toMatch(
      /Measured noise: \d of 5 comparisons of base with itself red \(95 % interval \d+\.\d to \d+\.\d %\)/,
    );
  });

  test('adds its false-alarm rate and the pass counts of flaky references to the reports of later runs', async () => {
    const { repository, evaldiff } = await project(oneCoin);
    const noise = JSON.parse(
      (await evaldiff('noise', '--runs', '10', '--json', '--report', 'out')).out,
    ) as NoiseResult;
    expect(
      JSON.parse(readFileSync(join(repository.directory, 'out', 'noise.json'), 'utf8')),
    ).toEqual(noise);
    repository.commit('reworded', { 'prompts/quiz.yaml': quizPrompt('Be exact, please.') });
    const { out } = await evaldiff('diff', '--base', 'HEAD~1', '--head', 'HEAD', 'n_tries=5');
    expect(out).toContain(`False alarms: ${noise.red} of 10 comparisons`);
    const result = JSON.parse(
      (await evaldiff('diff', '--base', 'HEAD~1', '--head', 'HEAD', 'n_tries=5', '--json')).out,
    ) as Result;
    expect(result.noise).toEqual({
      red: noise.red,
      runs: 10,
      low: noise.low,
      high: noise.high,
      measured_at: noise.measured_at,
    });
    const flaky = result.suites[0]!.references.find(({ id }) => id === 'q1')!;
    expect(flaky.status).toBe('flaky');
    expect(flaky.history!.tries).toBeGreaterThanOrEqual(45);
    expect(out).toContain(
      `flaky; passed ${flaky.history!.passes} of ${flaky.history!.tries} tries so far on base`,
    );
  });

  test('continues an interrupted measurement on the same day without paying twice', async () => {
    const { evaldiff, server } = await project(oneCoin);
    await evaldiff('noise', '--runs', '2');
    const made = server.requests.length;
    const { out } = await evaldiff('noise', '--runs', '2');
    expect(server.requests).toHaveLength(made);
    expect(out).toContain('0 model calls');
  });

  test('measures the commit that --base names', async () => {
    const { repository, evaldiff } = await project(oneCoin);
    const [first] = [repository.git('rev-parse', 'HEAD')];
    repository.commit('later', { 'prompts/quiz.yaml': quizPrompt('Be brief.') });
    const noise = JSON.parse(
      (await evaldiff('noise', '--runs', '1', '--base', 'HEAD~1', '--json')).out,
    ) as NoiseResult;
    expect(noise.head.sha).toBe(first);
  });
});
