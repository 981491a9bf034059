import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import type { NoiseResult } from '../../../src/features/noise/result.ts';
import { shallowCheckout } from '../../stand-ins/repository.ts';
import { changeOf, chancy, obedient, quiz, quizPrompt } from './projects.ts';
import {
  eventPayload,
  onlyComment,
  onPullRequest,
  PULL,
  pullRequestEvent,
  runOn,
  stage,
  pullRequest,
} from './stage.ts';

const LABEL = 'evaldiff-accept';
const inputs = { 'override-label': LABEL };

describe('a red pull request with the override label', () => {
  const worse = () => changeOf(quiz(), { 'prompts/quiz.yaml': quizPrompt('Be quick. Skip 2 4 5') });

  test('is neutral, and the reason stands in comment, check, log and result', async () => {
    const at = await stage(obedient);
    const change = worse();
    expect((await onPullRequest(at, change, { inputs })).code).toBe(1);
    Object.assign(at.github.state.pulls.get(PULL)!, {
      labels: [LABEL],
      body: `Quick answers.\n\n${LABEL}: three questions are retired next week`,
    });
    // Adding the label starts another run.
    const run = await onPullRequest(at, change, { inputs, env: { GITHUB_RUN_ID: '7002' } });

    expect(run.code).toBe(0);
    expect(run.outputs).toMatchObject({
      conclusion: 'neutral',
      title: expect.stringMatching(/^Overridden: Regressed: quiz/),
      regressed: '3',
    });
    expect(run.result.override).toEqual({
      label: LABEL,
      reason: 'three questions are retired next week',
    });
    const said = `Not red, because the label "${LABEL}" overrides the gate: three questions are retired next week`;
    expect(run.result.reasons[0]).toBe(said);
    expect(run.log).toContain(said);
    expect(onlyComment(at)).toContain('### ❌ Regressed, overridden: ');
    expect(onlyComment(at)).toContain('three questions are retired next week');
    const check = at.github.state.checkRuns.at(-1);
    expect(check).toMatchObject({ conclusion: 'neutral', title: run.outputs['title'] });
  });

  test('stays red where nobody says why, where the label is in the payload alone, and where head comes from an outside contributor', async () => {
    const at = await stage(obedient);
    const change = worse();
    const event = pullRequestEvent(change);
    (event.payload as { pull_request: { labels: object[] } }).pull_request.labels = [
      { name: LABEL, description: 'Stale' },
    ];
    expect((await onPullRequest(at, change, { inputs, event })).outputs['conclusion']).toBe(
      'failure',
    );

    Object.assign(at.github.state.pulls.get(PULL)!, { labels: [LABEL] });
    const silent = await onPullRequest(at, change, { inputs });
    expect(silent.outputs['conclusion']).toBe('failure');
    expect(silent.annotations).toContainEqual(
      expect.objectContaining({
        level: 'warning',
        message: expect.stringContaining('because nobody says why'),
      }),
    );

    Object.assign(at.github.state.pulls.get(PULL)!, { body: `${LABEL}: please` });
    const checkout = shallowCheckout(change.origin, 'refs/heads/main');
    const outside = await runOn(
      at,
      { checkout, event: pullRequestEvent(change, 'pull_request_target.fork') },
      { inputs },
    );
    expect(outside.result).toMatchObject({
      trust: 'untrusted',
      conclusion: 'failure',
      override: null,
    });
  });
});

describe('mode: noise', () => {
  test('measures the gate on base alone, keeps the figure for later comments and publishes nothing', async () => {
    const at = await stage(chancy((_, question) => (question === 1 ? 0.5 : 1)));
    const change = changeOf(quiz(), { 'prompts/quiz.yaml': quizPrompt('Skip 1 2 3') });
    const checkout = shallowCheckout(change.origin, 'refs/heads/main');
    const payload = eventPayload('schedule');
    const run = await runOn(
      at,
      { checkout, event: { name: 'schedule', payload, sha: change.base } },
      { inputs: { mode: 'noise', 'noise-runs': '4' } },
    );
    expect(run.code).toBe(0);
    expect(run.outputs).toMatchObject({
      conclusion: 'success',
      title: expect.stringMatching(/^Measured noise: \d of 4 comparisons of base with itself red/),
      calls: String(at.models.requests.length),
    });
    expect(run.lastLine).toContain('evaldiff: success (measured). Measured noise: ');
    expect(run.summary).toContain('Measured noise: ');
    const noise = JSON.parse(
      readFileSync(join(run.outputs['report-path']!, 'noise.json'), 'utf8'),
    ) as NoiseResult;
    expect(noise).toMatchObject({ runs: 4, head: { sha: change.base }, flaky: [{ id: 'q1' }] });
    expect(at.github.state.comments).toEqual([]);
    expect(at.github.state.checkRuns).toEqual([]);
  });

  test('tells a number of comparisons that is none', async () => {
    const { run } = await pullRequest(quiz(), {}, { inputs: { mode: 'noise', 'noise-runs': '0' } });
    expect(run.code).toBe(1);
    expect(run.messages).toContainEqual(
      'noise-runs: must be a whole number from 1 to 1000, not "0"',
    );
  });
});
