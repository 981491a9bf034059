import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import type { NoiseResult } from '../../../src/features/noise/result.ts';
import { reasonsInWords } from '../../../src/wording/reasons.ts';
import { shallowCheckout } from '../../stand-ins/repository.ts';
import { changeOf, chancy, promptOf, quiz, SETTINGS, testsOf, WORSE } from './projects.ts';
import {
  desk,
  eventPayload,
  onlyComment,
  onPullRequest,
  PULL,
  pullRequest,
  pullRequestEvent,
  runOn,
  stage,
} from './stage.ts';

const LABEL = 'evaldiff-accept';
const inputs = { 'override-label': LABEL };

describe('a red pull request with the override label', () => {
  const red = () => pullRequest(quiz(), promptOf('Be quick. Skip 2 4 5'), { inputs });

  test('gets a neutral check, and comment, check, log and result show the reason', async () => {
    const { at, change, run: before } = await red();
    expect(before.code).toBe(1);
    const reason = 'three questions are retired next week';
    const body = `Quick answers.\n\n${LABEL}: ${reason}`;
    Object.assign(at.github.state.pulls.get(PULL)!, { labels: [LABEL], body });
    // Adding the label starts another run.
    const run = await onPullRequest(at, change, { inputs, env: { GITHUB_RUN_ID: '7002' } });

    const title = expect.stringMatching(/^Overridden: Regressed: quiz/);
    const outputs = { conclusion: 'neutral', title, regressed: '3' };
    expect(run).toMatchObject({ code: 0, outputs });
    expect(run.result.override).toEqual({ label: LABEL, reason });
    const said = `Not red, because the label "${LABEL}" overrides the gate: ${reason}`;
    expect(reasonsInWords(run.result)[0]).toBe(said);
    expect(run.log).toContain(said);
    expect(onlyComment(at)).toContain('### ❌ Regressed, overridden: ');
    expect(onlyComment(at)).toContain(reason);
    const check = at.github.state.checkRuns.at(-1);
    expect(check).toMatchObject({ conclusion: 'neutral', title: run.outputs['title'] });
  });

  test('stays red without a stated reason, if the label was removed after the event, or for outside contributors', async () => {
    const { at, change } = await red();
    const event = pullRequestEvent(change);
    const payload = event.payload as { pull_request: { labels: object[] } };
    payload.pull_request.labels = [{ name: LABEL, description: 'Stale' }];
    const stale = await onPullRequest(at, change, { inputs, event });
    expect(stale.outputs['conclusion']).toBe('failure');

    const pull = at.github.state.pulls.get(PULL)!;
    Object.assign(pull, { labels: [LABEL] });
    const silent = await onPullRequest(at, change, { inputs });
    expect(silent.outputs['conclusion']).toBe('failure');
    const message = expect.stringContaining('does not override the gate without a reason');
    const warning = expect.objectContaining({ level: 'warning', message });
    expect(silent.annotations).toContainEqual(warning);

    Object.assign(pull, { body: `${LABEL}: please` });
    const checkout = shallowCheckout(change.origin, 'refs/heads/main');
    const foreign = pullRequestEvent(change, 'pull_request_target.fork');
    const { result } = await runOn(at, { checkout, event: foreign }, { inputs });
    expect(result).toMatchObject({ trust: 'untrusted', conclusion: 'failure', override: null });
  });
});

describe('a new test that fails', () => {
  const settings = SETTINGS.replace('gate: { ', 'gate: { new: fail, ');
  const ADDED = '0 of 2 passed on base, 0 of 2 passed on head';

  test.each([
    ['is red with gate.new: fail', settings, 1, 'failure', 'failure', 'failure'],
    ['is only a notice without gate.new: fail', SETTINGS, 0, 'success', 'notice', 'skipped'],
  ])('%s in check, annotation and JUnit', async (_what, own, code, conclusion, level, element) => {
    const base = quiz({ settings: own, system: 'Skip 8' });
    const { at, run } = await pullRequest(base, testsOf(8));
    expect(run).toMatchObject({ code, outputs: { conclusion } });
    const [check] = at.github.state.checkRuns;
    expect(check?.conclusion).toBe(conclusion);
    expect(check?.annotations).toContainEqual(
      expect.objectContaining({
        ...{ path: 'prompts/tests/quiz.yaml', start_line: 10, annotation_level: level },
        title: 'quiz: q8 is new and fails',
        message: expect.stringContaining(`${ADDED}.`),
      }),
    );
    const junit = run.reports['junit.xml'];
    expect(junit).toContain(`<${element} type="new" message="new, and fails: ${ADDED}">`);
    expect(junit).not.toContain('name="gate"');
    const { repository, evaldiff } = await desk(base);
    repository.write(testsOf(8));
    expect((await evaldiff('diff')).code).toBe(code);
  });

  test('in the pull request that adds the first suite is shown with its answer and reason in annotation and JUnit', async () => {
    const { at, run } = await pullRequest(
      { 'evaldiff.yaml': settings },
      quiz({ settings, system: 'Skip 2' }),
    );
    expect(run).toMatchObject({ code: 1, outputs: { conclusion: 'failure' } });
    const why = 'Head: no idea\nanswer: fail, is not "answer 2"';
    expect(at.github.state.checkRuns[0]?.annotations).toContainEqual(
      expect.objectContaining({
        ...{ path: 'prompts/tests/quiz.yaml', start_line: 4, annotation_level: 'failure' },
        title: 'quiz: q2 is new and fails',
        message: `0 of 2 passed.\n${why}`,
      }),
    );
    expect(run.reports['junit.xml']).toContain(why.replaceAll('"', '&quot;'));
  });
});

describe('mode: noise', () => {
  test("measures the gate's false-alarm rate on base, stores it for later comments and publishes nothing", async () => {
    const at = await stage(chancy((_, question) => (question === 1 ? 0.5 : 1)));
    const { origin, base: sha } = changeOf(quiz(), WORSE);
    const checkout = shallowCheckout(origin, 'refs/heads/main');
    const event = { name: 'schedule', payload: eventPayload('schedule'), sha };
    const run = await runOn(
      at,
      { checkout, event },
      { inputs: { mode: 'noise', 'noise-runs': '4' } },
    );
    const title = /^Measured noise: \d of 4 comparisons of base with itself red/;
    expect(run).toMatchObject({ code: 0, outputs: { conclusion: 'success' } });
    expect(run.outputs['title']).toMatch(title);
    expect(run.outputs['calls']).toBe(String(at.models.requests.length));
    expect(run.lastLine).toContain('evaldiff: success (measured). Measured noise: ');
    expect(run.summary).toContain('Measured noise: ');
    const file = join(run.outputs['report-path']!, 'noise.json');
    const noise = JSON.parse(readFileSync(file, 'utf8')) as NoiseResult;
    expect(noise).toMatchObject({ runs: 4, head: { sha }, flaky: [{ id: 'q1' }] });
    expect([at.github.state.comments, at.github.state.checkRuns]).toEqual([[], []]);
  });

  test('reports an invalid number of comparisons', async () => {
    const none = { mode: 'noise', 'noise-runs': '0' };
    const { run } = await pullRequest(quiz(), {}, { inputs: none });
    expect(run.code).toBe(1);
    expect(run.messages).toContain('noise-runs: must be a whole number from 1 to 1000, not "0"');
  });
});
