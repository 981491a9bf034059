import { reasonsInWords } from '../../../src/wording/reasons.ts';
import { shallowCheckout, type FixtureFiles } from '../../stand-ins/repository.ts';
import {
  EXACT,
  README,
  SETTINGS,
  changeOf,
  obedient,
  promptOf,
  quiz,
  quizPrompt,
  quizTests,
  type Change,
} from './projects.ts';
import type { StepResult } from './runner.ts';
import {
  desk,
  fromFork,
  onlyComment,
  onPullRequest,
  pullRequest,
  pullRequestEvent,
  runOn,
  stage,
  type Stage,
} from './stage.ts';

const NEVER = SETTINGS.replace('tolerance: 0.4', 'tolerance: 0.4, fail_on: never');
const LAX = quiz({ questions: 4, settings: NEVER });
const TIGHTENED = [quiz({ questions: 12 })];
/**
 * With this prompt, the model is correct on the questions of the branch point and wrong on main's
 * current ones.
 */
const WORSE = promptOf('Skip 5 6 7 8 9 10 11 12');
const KIND = promptOf('Be kind.');

/** Runs the action on a change, after the commits of `behind` were added to main. */
const merging = async (base: FixtureFiles, head: FixtureFiles, behind: FixtureFiles[]) =>
  pullRequest(base, head, { history: { behind } });

/** The same change from a fork, in a workflow that has secrets. */
async function onForksPullRequest(at: Stage, change: Change) {
  fromFork(at, change);
  const event = pullRequestEvent(change, 'pull_request_target.fork');
  return runOn(at, { checkout: shallowCheckout(change.origin, 'refs/heads/main'), event });
}

describe('a pull request whose base branch later got stricter rules', () => {
  test.each([
    ['member', onPullRequest],
    ['untrusted', onForksPullRequest],
  ])(
    "is judged by the base branch's current gate and tests, with trust level %s",
    async (trust, run) => {
      const at = await stage(obedient);
      const change = changeOf(LAX, WORSE, { behind: TIGHTENED });
      const step = await run(at, change);
      expect(step).toMatchObject({ code: 1, outputs: { conclusion: 'failure' } });
      const [suite] = step.result.suites;
      expect(suite?.references.map(({ id, status }) => [id, status])).toEqual(
        Array.from({ length: 12 }, (_, at) => [`q${at + 1}`, at < 4 ? 'unchanged' : 'fell']),
      );
      const sha = change.origin.git('merge-base', change.base, change.head);
      const gate = { fail_on: 'regression' };
      expect(step.result).toMatchObject({ trust, base: { sha }, gate });
      // For an outside contributor, the settings come from the tip instead of head.
      const settings = trust === 'member' ? ['gate.fail_on'] : [];
      const references = [5, 6, 7, 8, 9, 10, 11, 12].map((n) => `reference q${n}`).join(', ');
      expect(step.notices.filter((message) => message.includes('after this branch'))).toEqual(
        [references, ...settings].map(
          (what) =>
            `the base branch changed ${what} after this branch was created: its version is used, as after a merge`,
        ),
      );
      expect(step.notices.join('\n')).not.toMatch(/this pull request (changes|.* and changes)/);
    },
  );

  test("does not run anything for the base branch's own changes", async () => {
    const { run } = await merging(LAX, README, TIGHTENED);
    expect(run.outputs).toMatchObject({ conclusion: 'success', calls: '0' });
  });

  test('keeps its verdict if only other files of the base branch changed', async () => {
    const { run } = await merging(quiz(), KIND, [README]);
    expect(run.outputs['conclusion']).toBe('success');
    expect(run.notices.join('\n')).not.toContain('the base branch');
  });

  test('gets a neutral check that states the reason if the tests of the base branch cannot be read', async () => {
    const broken = { 'prompts/tests/quiz.yaml': 'metrics: 3\nreferences: []\n' };
    const { run } = await merging(quiz(), KIND, [broken]);
    expect(run.outputs['conclusion']).toBe('neutral');
    expect(reasonsInWords(run.result)[0]).toContain("The base branch's tip cannot be read");
  });
});

const q7 = (expected: string) =>
  `  - { id: q7, input: { question: "Question 7?" }, expected: "${expected}" }\n`;

describe('a reference of the base branch that head cannot run', () => {
  const toned = (system: string) => ({
    'prompts/quiz.yaml': quizPrompt(system)
      .replace('  - name: question', '  - name: question\n  - name: tone')
      .replace('"{question}"', '"{tone}: {question}"'),
  });
  const tests = quizTests().replaceAll('input: {', 'input: { tone: calm,');
  const base = { ...quiz(), ...toned('Be exact.'), 'prompts/tests/quiz.yaml': tests };
  const main = { ...promptOf('Be exact.'), 'prompts/tests/quiz.yaml': tests + q7('answer 7') };

  test.each([
    ['grey if nothing else is found', 'Be kind.', 'neutral'],
    ['red if another reference regressed', 'Skip 1 2 3', 'failure'],
  ])('is not compared, and the report names it: %s', async (_what, system, conclusion) => {
    const { at, run } = await merging(base, toned(system), [main]);
    expect(run.outputs['conclusion']).toBe(conclusion);
    expect(run.notices).toContain(
      "quiz: not compared: rebase. Head's prompt cannot run 1 reference that the base branch now has: q7",
    );
    expect(run.result.suites[0]?.references.map(({ id }) => id)).not.toContain('q7');
    expect(onlyComment(at)).toContain('not compared: rebase');
  });

  test('prevents a green result if there is nothing else to compare', async () => {
    const renamed = {
      'prompts/quiz.yaml': quizPrompt('Be exact.').replaceAll('question', 'topic'),
      'prompts/tests/quiz.yaml': quizTests().replaceAll('{ question:', '{ topic:'),
    };
    const { run } = await merging(quiz(), KIND, [renamed]);
    expect(run.outputs).toMatchObject({ conclusion: 'neutral', calls: '0' });
    expect(reasonsInWords(run.result)[0]).toContain('not compared: rebase');
  });
});

test("if both branches add a reference differently, the base branch's version is used and a notice says so", async () => {
  const first = `${EXACT}\nreferences:\n`;
  const tests = quizTests().replace(first, `${first}${q7('no idea')}`);
  const main = { 'prompts/tests/quiz.yaml': quizTests() + q7('answer 7') };
  const { run } = await merging(quiz(), { ...KIND, 'prompts/tests/quiz.yaml': tests }, [main]);
  expect(run.outputs['conclusion']).toBe('success');
  expect(run.notices).toContain(
    "this pull request and the base branch both changed reference q7: the base branch's version is used",
  );
  expect(run.result.suites[0]?.references).toHaveLength(7);
});

describe('evaldiff diff --base main', () => {
  test("judges by main's current tests and compares with the merge base", async () => {
    const { repository, evaldiff } = await desk(LAX);
    const sha = repository.git('rev-parse', 'HEAD');
    repository.git('switch', '--quiet', '--create', 'topic');
    repository.commit('Worse', WORSE);
    repository.git('switch', '--quiet', 'main');
    repository.commit('Tighter', TIGHTENED[0]!);
    repository.git('switch', '--quiet', 'topic');
    const run = await evaldiff('diff', '--base', 'main', '--json');
    expect(run.code).toBe(1);
    const result = JSON.parse(run.stdout) as StepResult['result'];
    expect(result).toMatchObject({ conclusion: 'failure', base: { sha } });
    expect(result.suites[0]?.references).toHaveLength(12);
  });
});
