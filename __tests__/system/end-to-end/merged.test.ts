import { describe, expect, test } from '@jest/globals';
import { addPull } from '../../stand-ins/github/index.ts';
import {
  createRepository,
  shallowCheckout,
  temporaryFolder,
  type FixtureFiles,
} from '../../stand-ins/repository.ts';
import {
  changeOf,
  obedient,
  quiz,
  quizPrompt,
  quizTests,
  SETTINGS,
  type Change,
  EXACT,
} from './projects.ts';
import { bareEnvironment, startCommand, type StepResult } from './runner.ts';
import {
  endpointLines,
  MODEL_KEY,
  onlyComment,
  onPullRequest,
  PULL,
  pullRequestEvent,
  runOn,
  stage,
  type Stage,
  pullRequest,
} from './stage.ts';

const NEVER = SETTINGS.replace('tolerance: 0.4', 'tolerance: 0.4, fail_on: never');
const LAX = quiz({ questions: 4, settings: NEVER });
const TIGHTENED = [quiz({ questions: 12 })];
/** Right in what the branch point asked, wrong in what main asks by now. */
const WORSE = { 'prompts/quiz.yaml': quizPrompt('Skip 5 6 7 8 9 10 11 12') };

const messagesOf = ({ result }: StepResult): string[] =>
  result.notices.map(({ message }) => message);

/** The same change from a fork, where secrets are in reach. */
async function onForksPullRequest(at: Stage, change: Change): Promise<StepResult> {
  change.origin.git('update-ref', '-d', 'refs/heads/topic');
  addPull(at.github.state, {
    number: PULL,
    base: { ref: 'main', sha: change.base },
    head: { ref: 'friendlier', sha: change.head, repository: 'bo-example/prompts' },
  });
  return runOn(at, {
    checkout: shallowCheckout(change.origin, 'refs/heads/main'),
    event: pullRequestEvent(change, 'pull_request_target.fork'),
  });
}

describe('a pull request whose base branch was tightened after it was made', () => {
  test.each([
    ['member', onPullRequest],
    ['untrusted', onForksPullRequest],
  ])("is judged by the base branch's present gate and tests, at %s", async (trust, run) => {
    const at = await stage(obedient);
    const change = changeOf(LAX, WORSE, { behind: TIGHTENED });
    const step = await run(at, change);
    expect([step.code, step.outputs['conclusion']]).toEqual([1, 'failure']);
    const [suite] = step.result.suites;
    expect(suite?.references.map(({ id, status }) => [id, status])).toEqual(
      Array.from({ length: 12 }, (_, at) => [`q${String(at + 1)}`, at < 4 ? 'unchanged' : 'fell']),
    );
    expect(step.result).toMatchObject({
      trust,
      base: { sha: change.origin.git('merge-base', change.base, change.head) },
      gate: { fail_on: 'regression' },
    });
    // For an outside contributor, the tip's settings are read instead of head's.
    const settings = trust === 'member' ? ['gate.fail_on'] : [];
    expect(messagesOf(step).filter((message) => message.includes('since this branch'))).toEqual([
      'the base branch changed reference q5, reference q6, reference q7, reference q8, reference q9, reference q10, reference q11, reference q12 since this branch left it: that is used, as it would be after the merge',
      ...settings.map(
        (key) =>
          `the base branch changed ${key} since this branch left it: that is used, as it would be after the merge`,
      ),
    ]);
    expect(messagesOf(step).join('\n')).not.toMatch(/this pull request (changes|.* and changes)/);
  });

  test('is not charged with what the base branch changed: it runs nothing for that', async () => {
    const { run: step } = await pullRequest(
      LAX,
      { 'README.md': 'About' },
      { history: { behind: TIGHTENED } },
    );
    expect(step.outputs).toMatchObject({ conclusion: 'success', calls: '0' });
  });

  test("is judged as before where the base branch's other files moved on", async () => {
    const { run: step } = await pullRequest(
      quiz(),
      { 'prompts/quiz.yaml': quizPrompt('Be kind.') },
      { history: { behind: [{ 'README.md': 'About' }] } },
    );
    expect(step.outputs['conclusion']).toBe('success');
    expect(messagesOf(step).join('\n')).not.toContain('the base branch');
  });

  test('says so, grey, where the tests of the base branch cannot be read', async () => {
    const { run: step } = await pullRequest(
      quiz(),
      { 'prompts/quiz.yaml': quizPrompt('Be kind.') },
      { history: { behind: [{ 'prompts/tests/quiz.yaml': 'metrics: 3\nreferences: []\n' }] } },
    );
    expect(step.outputs['conclusion']).toBe('neutral');
    expect(step.result.reasons[0]).toContain("The base branch's tip cannot be read");
  });
});

describe('a reference of the base branch that head cannot be asked', () => {
  const toned = (system: string, tone = true): string => {
    const text = quizPrompt(system);
    return tone
      ? text
          .replace('  - name: question', '  - name: question\n  - name: tone')
          .replace('"{question}"', '"{tone}: {question}"')
      : text;
  };
  const tests = (questions: number): string =>
    quizTests(questions, EXACT).replaceAll('input: {', 'input: { tone: calm,');
  const base: FixtureFiles = {
    ...quiz(),
    'prompts/quiz.yaml': toned('Be exact.'),
    'prompts/tests/quiz.yaml': tests(6),
  };
  const q7 = '  - { id: q7, input: { question: "Question 7?" }, expected: "answer 7" }\n';
  const behind = [
    { 'prompts/quiz.yaml': toned('Be exact.', false), 'prompts/tests/quiz.yaml': tests(6) + q7 },
  ];

  test.each([
    ['grey where nothing else is found', 'Be kind.', 'neutral'],
    ['red where another reference regressed', 'Skip 1 2 3', 'failure'],
  ])('is not compared, by name: %s', async (_what, system, conclusion) => {
    const { at, run: step } = await pullRequest(
      base,
      { 'prompts/quiz.yaml': toned(system) },
      { history: { behind } },
    );
    expect(step.outputs['conclusion']).toBe(conclusion);
    expect(messagesOf(step)).toContain(
      "quiz: not compared: rebase. Head's prompt cannot be asked 1 reference that the base branch has by now: q7",
    );
    expect(step.result.suites[0]?.references.map(({ id }) => id)).not.toContain('q7');
    expect(onlyComment(at)).toContain('not compared: rebase');
  });

  test('leaves no green where it is all that there is', async () => {
    const renamed = quizPrompt('Be exact.').replaceAll('question', 'topic');
    const { run: step } = await pullRequest(
      quiz(),
      { 'prompts/quiz.yaml': quizPrompt('Be kind.') },
      {
        history: {
          behind: [
            {
              'prompts/quiz.yaml': renamed,
              'prompts/tests/quiz.yaml': quizTests(6, EXACT).replaceAll('{ question:', '{ topic:'),
            },
          ],
        },
      },
    );
    expect(step.outputs).toMatchObject({ conclusion: 'neutral', calls: '0' });
    expect(step.result.reasons[0]).toContain('not compared: rebase');
  });
});

const REFERENCES = 'references:\n';
const ADDED = (expected: string): string =>
  `  - { id: q7, input: { question: "Question 7?" }, expected: "${expected}" }\n`;
const ADDED_TWICE: [FixtureFiles, FixtureFiles] = [
  {
    'prompts/quiz.yaml': quizPrompt('Be kind.'),
    'prompts/tests/quiz.yaml': quizTests(6, EXACT).replace(
      REFERENCES,
      `${REFERENCES}${ADDED('no idea')}`,
    ),
  },
  { 'prompts/tests/quiz.yaml': quizTests(6, EXACT) + ADDED('answer 7') },
];
const CONFLICT =
  "this pull request and the base branch both changed reference q7: the base branch's is used";

test("a reference that both sides added differently is the base branch's, and that is reported", async () => {
  const [head, main] = ADDED_TWICE;
  const { run: step } = await pullRequest(quiz(), head, { history: { behind: [main] } });
  expect(step.outputs['conclusion']).toBe('success');
  expect(messagesOf(step)).toContain(CONFLICT);
  expect(step.result.suites[0]?.references).toHaveLength(7);
});

describe('evaldiff diff --base main', () => {
  test("judges by that branch's tip, and compares with where head left it", async () => {
    const { models } = await stage(obedient);
    const repository = createRepository();
    const start = repository.commit('Base', LAX);
    repository.git('switch', '--quiet', '--create', 'topic');
    repository.commit('Worse', WORSE);
    repository.git('switch', '--quiet', 'main');
    repository.commit('Tighter', TIGHTENED[0]!);
    repository.git('switch', '--quiet', 'topic');
    const run = await startCommand(
      ['diff', '--base', 'main', '--json'],
      {
        ...bareEnvironment(),
        TMPDIR: temporaryFolder('tmp'),
        LOCAL_KEY: MODEL_KEY,
        EVALDIFF_ENDPOINTS: endpointLines(models),
      },
      repository.directory,
    );
    expect(run.code).toBe(1);
    const result = JSON.parse(run.stdout) as StepResult['result'];
    expect(result).toMatchObject({ conclusion: 'failure', base: { sha: start } });
    expect(result.suites[0]?.references).toHaveLength(12);
  });
});
