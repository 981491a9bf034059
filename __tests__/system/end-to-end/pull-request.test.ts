import { renderGithub } from '../../stand-ins/github-markdown.ts';
import { temporaryFolder } from '../../stand-ins/repository.ts';
import {
  changeOf,
  obedient,
  pushed,
  quiz,
  quizPrompt,
  quizTests,
  SETTINGS,
  README,
  testsOf,
  promptOf,
  WORSE,
  below,
} from './projects.ts';
import { onPullRequest, onlyComment, stage, pullRequest } from './stage.ts';

describe('a pull request that makes a prompt worse', () => {
  test('is red in every place a reviewer looks, and the same comment turns green after the fix', async () => {
    const at = await stage(obedient);
    const worse = changeOf(quiz(), {
      'prompts/quiz.yaml': quizPrompt('Be quick. Skip 2 4 5'),
      ...testsOf(7),
      'README.md': 'About',
    });
    const red = await onPullRequest(at, worse, { shipped: true });

    expect(red.code).toBe(1);
    const title = 'Regressed: quiz 100 → 57 %: 3 of 7 tests broke; New: 1 test, it passes';
    expect(red.lastLine).toBe(`| evaldiff: failure (the gate failed). ${title}`);
    expect(red.annotations).toEqual([]);
    const [check] = at.github.state.checkRuns;
    const [comment] = at.github.state.comments;
    expect(red.outputs).toEqual({
      conclusion: 'failure',
      title,
      ...{ regressed: '3', 'regressed-attributes': '0', improved: '0', inconclusive: '0' },
      ...{ errors: '0', reused: '0', replayed: '0' },
      'pass-rate-base': '1.0000',
      'pass-rate-head': '0.5714',
      calls: String(at.models.requests.length),
      // Every call has 10 input and 5 output tokens, at $1 and $2 per million.
      'cost-usd': (at.models.requests.length * 20e-6).toFixed(4),
      'report-path': expect.stringMatching(/\/evaldiff-report$/),
      'comment-id': String(comment?.id),
      'check-run-id': String(check?.id),
    });

    const [first, second, , third, ...rest] = onlyComment(at).split('\n');
    expect(first).toMatch(/^<!-- evaldiff comment evaldiff [0-9a-f]{8} -->$/);
    expect(second).toBe('### ❌ Regressed: `quiz`');
    expect(third).toBe('- `quiz` 100 → 57 %: 3 of 7 tests broke');
    const { text } = renderGithub(rest.join('\n'));
    expect(text).toContain('What it did: q2, 2 of 2 → 0 of 2 passed; 2 more failed ');
    expect(text).toContain('quiz › q4 – 2 of 2 → 0 of 2 passed');
    expect(comment?.body).toMatch(/prompts\/tests\/quiz\.yaml#L6[^>]*><code>q4<\/code>/);
    expect(comment?.user.login).toBe('github-actions[bot]');

    expect(at.github.state.checkRuns).toHaveLength(1);
    expect(check).toMatchObject({
      name: 'evaldiff',
      headSha: worse.head,
      status: 'completed',
      conclusion: 'failure',
      title: red.outputs['title'],
      externalId: expect.stringMatching(/^evaldiff:[0-9a-f]{8}:7001:1:12:main:failure$/),
    });
    const annotation = (path: string, line: number, title: unknown) => ({
      ...{ path, start_line: line, end_line: line, annotation_level: 'failure', title },
    });
    expect(check?.annotations).toMatchObject([
      annotation('prompts/quiz.yaml', 9, 'Regressed, new in 1 suite'),
      annotation('prompts/tests/quiz.yaml', 9, 'Regressed, new in 1 suite'),
      annotation('prompts/tests/quiz.yaml', 4, 'quiz: q2 and 2 more broke'),
    ]);

    expect(red.summary).toContain('### ❌ Regressed: `quiz`');
    expect(red.result).toMatchObject({
      schema_version: 2,
      conclusion: 'failure',
      base: { sha: worse.base },
      head: { sha: worse.head },
      trust: 'member',
    });
    expect(
      red.result.suites[0]?.references.map(({ id, line, status }) => [id, line, status]),
    ).toEqual([
      ['q1', 3, 'unchanged'],
      ['q2', 4, 'fell'],
      ['q3', 5, 'unchanged'],
      ['q4', 6, 'fell'],
      ['q5', 7, 'fell'],
      ['q6', 8, 'unchanged'],
      ['q7', 9, 'added'],
    ]);
    expect(red.reports['junit.xml']).toContain('<failure');
    expect(red.reports['report.html']).toMatch(/^<!doctype html>/i);
    expect(red.reports['comment.md']).toContain('### ❌ Regressed: `quiz`');

    const fixed = pushed(worse, promptOf('Be quick, and answer everything.'));
    const green = await onPullRequest(at, fixed, { shipped: true });
    expect(green.code).toBe(0);
    expect(green.lastLine).toBe(
      '| evaldiff: success (the gate passed). No change found: quiz 100 → 100 %; New: 1 test, it passes',
    );
    const id = { 'comment-id': red.outputs['comment-id'] };
    expect(green.outputs).toMatchObject({ conclusion: 'success', regressed: '0', ...id });
    expect(onlyComment(at)).toMatch(
      /^<!-- evaldiff comment evaldiff [0-9a-f]{8} -->\n### ✅ No change found: `quiz` 100 → 100 %\n/,
    );
    const success = { headSha: fixed.head, conclusion: 'success' };
    expect(at.github.state.checkRuns[1]).toMatchObject(success);

    const idle = await onPullRequest(at, pushed(fixed, quiz()));
    expect(idle.outputs).toMatchObject({ conclusion: 'success', calls: '0', ...id });
    expect(onlyComment(at)).toContain('### ✅ Nothing affected\n');
  });

  test('does not get annotations in unchanged files, such as its test files', async () => {
    const { at, run } = await pullRequest(quiz(), WORSE, { inputs: { 'check-name': 'Quiz gate' } });
    expect(run.outputs).toMatchObject({ conclusion: 'failure', regressed: '3' });
    expect(at.github.state.checkRuns[0]?.name).toBe('Quiz gate');
    expect(at.github.state.checkRuns[0]?.annotations.map(({ path }) => path)).toEqual([
      'prompts/quiz.yaml',
    ]);
    expect(onlyComment(at)).toMatch(/^<!-- evaldiff comment quiz-gate [0-9a-f]{8} -->\n/);
  });
});

describe('a pull request that changes nothing relevant', () => {
  test('gets a green check without a model call, and no comment', async () => {
    const base = quiz();
    const head = {
      'README.md': 'About',
      'src/index.js': 'export {};\n',
      'prompts/quiz.yaml': `# A remark.\n${base['prompts/quiz.yaml']!.replace('name: quiz\nmodel: quiz-model\n', 'model:   quiz-model\nname: "quiz"\n')}\n`,
    };
    const { at, run } = await pullRequest(base, head);
    expect(run.code).toBe(0);
    expect(at.models.requests).toEqual([]);
    const empty = { 'pass-rate-base': '', 'pass-rate-head': '', 'comment-id': '' };
    expect(run.outputs).toMatchObject({ conclusion: 'success', calls: '0', ...empty });
    expect(at.github.state.comments).toEqual([]);
    const title = 'No prompt, rubric or test changed: nothing to run.';
    expect(at.github.state.checkRuns).toMatchObject([
      { conclusion: 'success', title, annotations: [] },
    ]);
    expect(run.lastLine).toBe(`| evaldiff: success (the gate passed). ${title}`);
    expect(run.summary).toContain('Nothing affected');
  });

  test('gets a comment if the workflow always wants one, and no check if it wants none', async () => {
    const { at, run } = await pullRequest(quiz(), README, {
      inputs: { comment: 'always', 'check-name': '' },
    });
    expect(onlyComment(at)).toContain('### ✅ Nothing affected\n');
    expect(run.outputs['check-run-id']).toBe('');
    expect(at.github.state.checkRuns).toEqual([]);
  });

  test('runs nothing if only n_tries and gate settings changed, and reports when they take effect', async () => {
    const { run } = await pullRequest(quiz(), {
      'evaldiff.yaml': `${SETTINGS.replace('tolerance: 0.4', 'alpha: 0.2')}n_tries: 4\n`,
    });
    expect(run.outputs).toMatchObject({ conclusion: 'success', calls: '0' });
    expect(run.result.notices.map(({ kind, message }) => [kind, message])).toEqual([
      ['settings', expect.stringMatching(/gate/)],
      ['settings', expect.stringMatching(/n_tries/)],
    ]);
  });
});

describe('a pull request', () => {
  test('names the references of a deleted prompt without calling a model', async () => {
    const base = {
      ...quiz({ questions: 3 }),
      'prompts/other.yaml': quizPrompt('Be exact.', 'quiz-model', 'other'),
      'prompts/tests/other.yaml': quizTests(2),
    };
    const { at, run } = await pullRequest(base, {
      'prompts/other.yaml': null,
      'prompts/tests/other.yaml': null,
    });
    expect(run).toMatchObject({ code: 0, outputs: { conclusion: 'neutral', calls: '0' } });
    expect(run.log).toContain('No test ran, so there is no verdict.');
    const message = expect.stringMatching(/^other: 2 tests removed .*: q1, q2$/);
    expect(run.result.notices).toMatchObject([{ kind: 'removed', message }]);
    expect(onlyComment(at)).toContain('### ➖ Deleted: 2 tests (`q1`, `q2`)');
    expect(run.lastLine).toBe('| evaldiff: neutral (not red). Deleted: 2 tests (q1, q2)');
  });

  test('is compared with its merge base, even from a checkout of depth 1', async () => {
    const { change, run } = await pullRequest(
      quiz(),
      { 'docs/a.md': 'a' },
      {
        history: {
          // Main regressed and was fixed after the branch point; the pull request did neither.
          behind: [
            promptOf('Skip 1 2 3 4 5 6'),
            { 'docs/b.md': 'b' },
            promptOf('Be exact.'),
            { 'docs/c.md': 'c' },
          ],
          ahead: [{ 'docs/a.md': 'aa' }, promptOf('Be exact and brief.'), { 'docs/a.md': 'aaa' }],
        },
      },
    );
    const branchedOff = change.origin.git('merge-base', change.base, change.head);
    expect(branchedOff).not.toBe(change.base);
    const rates = { 'pass-rate-base': '1.0000', 'pass-rate-head': '1.0000' };
    expect(run.outputs).toMatchObject({ conclusion: 'success', ...rates });
    expect(run.result).toMatchObject({ base: { sha: branchedOff }, head: { sha: change.head } });
    expect(run.result.suites[0]?.because).toEqual([{ key: 'messages', file: 'prompts/quiz.yaml' }]);
  });

  test("shows paths from the repository's root if the project is in a subfolder", async () => {
    const { at, change, run } = await pullRequest(
      { ...below('apps/quiz', quiz()), 'prompts/broken.yaml': ': no prompt of this project' },
      below('apps/quiz', WORSE),
      { inputs: { 'working-directory': 'apps/quiz' } },
    );
    expect(run.outputs).toMatchObject({ conclusion: 'failure', regressed: '3' });
    expect(at.github.state.checkRuns[0]?.annotations.map(({ path }) => path)).toEqual([
      'apps/quiz/prompts/quiz.yaml',
    ]);

    const broken = await onPullRequest(
      at,
      pushed(change, below('apps/quiz', { 'prompts/quiz.yaml': 'name: quiz\n' })),
      { inputs: { 'working-directory': 'apps/quiz' } },
    );
    expect(broken.outputs['conclusion']).toBe('error');
    expect(broken.annotations.map(({ properties }) => properties)).toContainEqual(
      expect.stringMatching(/^file=apps\/quiz\/prompts\/quiz\.yaml,line=\d+$/),
    );
  });
});

test.each([
  ['true', true],
  ['false', false],
])('with cache: %s, a later run on the same runner reuses answers: %s', async (cache, reuses) => {
  const at = await stage(obedient);
  const change = changeOf(quiz(), promptOf('Be quick.'));
  const options = { inputs: { cache }, env: { RUNNER_TEMP: temporaryFolder('runner') } };
  const first = await onPullRequest(at, change, options);
  const again = await onPullRequest(at, change, options);
  expect(again.outputs).toMatchObject(
    reuses
      ? { calls: '0', reused: first.outputs['calls'] }
      : { calls: first.outputs['calls'], reused: '0' },
  );
});
