import { describe, expect, test } from '@jest/globals';
import { answerText } from '../../../src/report/answers/text.ts';
import { suiteSummary } from '../../../src/wording/suites.ts';
import {
  chancy,
  obedient,
  questionOf,
  quiz,
  quizPrompt,
  quizTests,
  SETTINGS,
  EXACT,
  README,
  testsOf,
  promptOf,
} from './projects.ts';
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

  test('is never a regression if only one try changes from pass to fail, whatever the number of tries', async () => {
    const asked = new Map<string, number>();
    const two = (system: string) => ({
      'prompts/quiz.yaml': quizPrompt(system),
      'prompts/fixed.yaml': quizPrompt(system, 'quiz-model', 'fixed').replace(
        'temperature: 0.5',
        'temperature: 0.6',
      ),
      'prompts/tests/fixed.yaml': `n_tries: 3\n${quizTests(6)}`,
    });
    const { run } = await pullRequest({ ...quiz(), ...two('Be exact.') }, two('Be brief.'), {
      answer: ({ messages, ...rest }) => {
        const key = JSON.stringify(messages);
        asked.set(key, (asked.get(key) ?? 0) + 1);
        const flips =
          messages[0]?.content === 'Be brief.' &&
          questionOf(messages) === 3 &&
          asked.get(key) === 1;
        return flips ? { text: 'no idea' } : obedient({ messages, ...rest });
      },
    });
    expect(run).toMatchObject({ code: 0, outputs: { regressed: '0' } });
    expect(run.result.suites.map(({ verdict }) => verdict)).not.toContain('regressed');
    const flipped = run.result.suites.flatMap(({ references }) =>
      references
        .filter(({ id }) => id === 'q3')
        .map(({ head, status }) => [head!.passes < head!.tries_judged, status]),
    );
    // Both prompts send the same messages, so the one wrong answer reached at least one of them.
    expect(flipped.some(([hasFailed]) => hasFailed)).toBe(true);
    expect(flipped.map(([, status]) => status)).not.toContain('regressed');
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

  test('is inconclusive if one of six references drops, and shows the drop that is still possible', async () => {
    const { at, run } = await pullRequest(
      quiz({ settings: `${SETTINGS.replace('tolerance: 0.4', 'tolerance: 0.05')}n_tries: 2\n` }),
      promptOf('Skip 2'),
    );
    expect(run).toMatchObject({ code: 0, outputs: { conclusion: 'neutral' } });
    expect(onlyComment(at)).toContain(
      '`quiz` 100 → 83 %: 6 tests are too few to tell whether it got worse',
    );
    expect(suiteSummary(run.result.suites[0]!)).toContain(
      'A drop above 5.0 points (gate.tolerance) is still possible.',
    );
    expect(at.github.state.checkRuns[0]?.conclusion).toBe('neutral');
  });
});

describe('a change of the scoring alone', () => {
  test('generates each answer once for both sides, and reports no prompt effect', async () => {
    const settings = `${SETTINGS}n_tries: 2\n`;
    const { at, run } = await pullRequest(
      quiz({ system: 'Be exact. Skip 1 2', questions: 8, settings }),
      testsOf(8, 'metrics:\n  - { name: answer, uses: contains, with: { value: " " } }'),
    );
    expect(at.models.requests).toHaveLength(16);
    expect(run.outputs).toMatchObject({ conclusion: 'success', calls: '16' });
    expect(Number(run.outputs['reused'])).toBeGreaterThanOrEqual(16);
    const [split] = run.result.scoring;
    expect(split?.rates).toEqual({ base_base: 0.75, base_head: 1, head_base: 0.75, head_head: 1 });
    expect([split?.prompt_effect, split?.scoring_effect, split?.total]).toEqual([0, 0.25, 0.25]);
    expect(split?.flipped.map(({ id, from, to }) => [id, from, to])).toEqual([
      ['q1', 'fail', 'pass'],
      ['q2', 'fail', 'pass'],
    ]);
    expect(run.result.suites[0]?.because).toEqual([
      { key: 'metrics.answer', file: 'prompts/tests/quiz.yaml' },
    ]);
    expect(onlyComment(at)).toContain('1 scoring change');
  });
});

describe('answers', () => {
  test('are shared by references with the same messages, but never by two tries', async () => {
    const twins = `${EXACT}\nreferences:\n${['a', 'b'].map((id) => `  - { id: ${id}, input: { question: "Question 1?" }, expected: "answer 1" }\n`).join('')}`;
    const { run } = await pullRequest(
      README,
      { ...quiz(), 'prompts/tests/quiz.yaml': `n_tries: 4\n${twins}` },
      { answer: chancy(() => 0.5) },
    );
    expect(run.outputs).toMatchObject({ calls: '4', reused: '4' });
    const answers = run.result.suites[0]!.references.map(({ head }) => head!.tries.map(answerText));
    expect(answers[0]).toEqual(answers[1]);
    expect(new Set(answers[0]).size).toBeGreaterThan(1);
  });
});
