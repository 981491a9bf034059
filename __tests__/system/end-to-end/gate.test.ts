import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { NoiseResult } from '../../../src/features/noise/result.ts';
import { reasonsInWords } from '../../../src/wording/reasons.ts';
import { addPull, type Account, type Pull, type PullEvent } from '../../stand-ins/github/index.ts';
import { shallowCheckout } from '../../stand-ins/repository.ts';
import {
  changeOf,
  chancy,
  obedient,
  promptOf,
  quiz,
  SETTINGS,
  testsOf,
  WORSE,
  type Change,
} from './projects.ts';
import type { Event } from './runner.ts';
import {
  desk,
  eventPayload,
  onlyComment,
  onPullRequest,
  PULL,
  pullRequest,
  pullRequestEvent,
  queueEvent,
  runOn,
  stage,
} from './stage.ts';

const LABEL = 'evaldiff-accept';
const inputs = { 'override-label': LABEL };

const MINUTE = 60_000;
const labelledBy = (login: string, more: Partial<PullEvent> = {}): PullEvent => {
  const actor = { login, id: 3000, type: login.endsWith('[bot]') ? 'Bot' : 'User' } as const;
  return { event: 'labeled', label: LABEL, at: new Date(), actor, ...more };
};
const ROLES = { mia: 'maintain', tri: 'triage', rea: 'read', 'help[bot]': 'write' };

describe('a red pull request with the override label', () => {
  const change = () => changeOf(quiz(), promptOf('Be quick. Skip 2 4 5'));
  /** `again`: the first run had no label. */
  async function overridden(pull: Partial<Pull>, { event, again = false }: Overridden = {}) {
    const at = await stage(obedient);
    const made = change();
    const known = addPull(at.github.state, { number: PULL, base: { ref: 'main', sha: made.base } });
    for (const [login, role] of Object.entries(ROLES)) at.github.state.roles.set(login, role);
    if (again) await onPullRequest(at, made, { inputs });
    Object.assign(known, { labels: [LABEL], body: `${LABEL}: the questions retire` }, pull);
    const env = { GITHUB_RUN_ID: '7002' };
    const run = await onPullRequest(at, made, {
      inputs,
      env,
      ...(event && { event: event(made) }),
    });
    expect(at.github.state.violations).toEqual([]);
    return { at, run };
  }
  interface Overridden {
    event?: (made: Change) => Event;
    again?: boolean;
  }

  test('gets a neutral check, and comment, check, log and result show the reason and who added the label', async () => {
    const { at, run } = await overridden({ events: [labelledBy('mia')] }, { again: true });
    const title = expect.stringMatching(/^Overridden: Regressed: quiz/);
    expect(run).toMatchObject({
      code: 0,
      outputs: { conclusion: 'neutral', title, regressed: '3' },
    });
    const reason = 'the questions retire';
    expect(run.result.override).toEqual({ label: LABEL, by: 'mia (maintain)', reason });
    const said = `Not red, because mia (maintain) overrides the gate with the label "${LABEL}": ${reason}`;
    expect(reasonsInWords(run.result)[0]).toBe(said);
    expect(run.log).toContain(said);
    expect(onlyComment(at)).toContain('### ❌ Regressed, overridden: ');
    expect(onlyComment(at)).toContain('mia (maintain)');
    const check = at.github.state.checkRuns.at(-1);
    expect(check).toMatchObject({
      conclusion: 'neutral',
      title: run.outputs['title'],
    });
  });

  const others = Array.from({ length: 120 }, () => labelledBy('tri', { label: 'bug' }));
  test('is neutral in a workflow on pull_request_target', async () => {
    const event = (made: Change): Event => ({
      ...pullRequestEvent(made),
      name: 'pull_request_target',
    });
    const { run } = await overridden({ events: [labelledBy('mia')] }, { event });
    expect(run.result).toMatchObject({ conclusion: 'neutral' });
  });

  test('stays red if the last one who added it may not write, and the report says why', async () => {
    const last = labelledBy('tri', { label: LABEL.toUpperCase() });
    const events = [labelledBy('mia'), ...others, last];
    const { at, run } = await overridden({ events });
    expect(run.result).toMatchObject({ conclusion: 'failure', override: null });
    const said = `The label "${LABEL}" does not override the gate: `;
    expect(run.messages.join('\n')).toContain(said);
    expect(run.messages.join('\n')).toContain('tri, who added the label, has no write');
    expect(onlyComment(at)).toContain('does not override the gate');
  });

  const later = new Date(Date.now() + 600 * MINUTE);
  const stranger = { login: 'guest', id: 77, type: 'User' } as const;
  const old = labelledBy('mia', { at: new Date(Date.now() - MINUTE) });
  const young = labelledBy('mia', { at: later });
  test.each<[string, string, Account, PullEvent[]]>([
    ['failure', 'before the first run of this commit', stranger, [old]],
    ['neutral', 'after the first run of this commit', stranger, [young]],
  ])(
    'is %s if a maintainer added it %s, and only then if the author may not write',
    async (conclusion, _when, user, events) => {
      const { run } = await overridden({ events, user }, { again: true });
      expect(run.result.conclusion).toBe(conclusion);
    },
  );

  test('stays red if GitHub does not report the check runs, and the report says so', async () => {
    const at = await stage(obedient);
    const made = change();
    const events = [young];
    const pull = { labels: [LABEL], body: `${LABEL}: why`, user: stranger, events };
    addPull(at.github.state, { number: PULL, base: { ref: 'main', sha: made.base }, ...pull });
    at.github.state.roles.set('mia', 'admin');
    at.github.intercept('GET', /\/check-runs$/, () => ({ status: 500, body: { message: 'down' } }));
    const run = await onPullRequest(at, made, { inputs });
    expect(run.result).toMatchObject({ conclusion: 'failure', override: null });
    expect(run.messages.join('\n')).toMatch(/does not override the gate: it is unknown/);
  });

  test('stays red without a stated reason, if the label was removed after the event, in a merge queue, or for outside contributors', async () => {
    const { at, change: made } = await pullRequest(quiz(), promptOf('Be quick. Skip 2 4 5'), {
      inputs,
    });
    const event = pullRequestEvent(made);
    const payload = event.payload as { pull_request: { labels: object[] } };
    payload.pull_request.labels = [{ name: LABEL, description: 'Stale' }];
    const stale = await onPullRequest(at, made, { inputs, event });
    expect(stale.outputs['conclusion']).toBe('failure');

    const pull = at.github.state.pulls.get(PULL)!;
    Object.assign(pull, { labels: [LABEL], events: [labelledBy('ada-example')] });
    const silent = await onPullRequest(at, made, { inputs });
    expect(silent.outputs['conclusion']).toBe('failure');
    const message = expect.stringContaining('does not override the gate: it has no reason');
    const warning = expect.objectContaining({ level: 'warning', message });
    expect(silent.annotations).toContainEqual(warning);

    Object.assign(pull, { body: `${LABEL}: please` });
    const queue = queueEvent(made, made.base, made.head);
    const queued = await runOn(at, queue, { inputs });
    expect(queued.result).toMatchObject({ conclusion: 'failure', override: null });

    const checkout = shallowCheckout(made.origin, 'refs/heads/main');
    const foreign = pullRequestEvent(made, 'pull_request_target.fork');
    const { result } = await runOn(at, { checkout, event: foreign }, { inputs });
    expect(result).toMatchObject({ trust: 'untrusted', conclusion: 'failure', override: null });
  });
});

describe('a new test that fails', () => {
  const settings = SETTINGS.replace('gate: { ', 'gate: { new: fail, ');
  const ADDED = '0 of 3 passed on base, 0 of 3 passed on head';

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
    expect(noise).toMatchObject({ runs: 4, head: { sha } });
    expect([at.github.state.comments, at.github.state.checkRuns]).toEqual([[], []]);
  });
});

describe('mode: drift', () => {
  test('asks every question of the commit, stays green and publishes nothing if nothing changed', async () => {
    const at = await stage(obedient);
    const { origin, base: sha } = changeOf(quiz(), WORSE);
    const checkout = shallowCheckout(origin, 'refs/heads/main');
    const event = { name: 'schedule', payload: eventPayload('schedule'), sha };
    const run = await runOn(at, { checkout, event }, { inputs: { mode: 'drift' } });
    const title = 'First answers of 1 suite stored';
    expect(run).toMatchObject({ code: 0, outputs: { conclusion: 'success', title } });
    expect(at.models.requests).toHaveLength(6 * 2);
    expect(run.summary).toContain(title);
    const { comments, checkRuns, issues } = at.github.state;
    expect([comments, checkRuns, issues]).toEqual([[], [], []]);
  });
});
