import { reasonsInWords } from '../../../src/wording/reasons.ts';
import { renderGithub } from '../../stand-ins/github-markdown.ts';
import type { Script } from '../../stand-ins/models/server.ts';
import { quiz, SETTINGS } from './projects.ts';
import { onlyComment, pullRequest } from './stage.ts';

const GRADER = `grader: judge
n_tries: 3
${SETTINGS}  judge: { provider: openai, endpoint: local, model: judge-1, price: { input: 3, output: 6 } }
`;
const EXAMPLES = `
  examples:
    - { content: "Hello, here it is.", expected: YES }
    - { content: "Hello you.", expected: YES }
    - { content: "Find it yourself.", expected: NO }
`;
const rubric = (text: string, more = ''): string =>
  `polite:\n  prompt: "Is it polite? ${text} {content}"\n  choice_scores: { YES: 1, NO: 0 }\n  better: higher\n${more}`;
const project = (text: string, more = '', settings = GRADER): Record<string, string> => ({
  ...quiz({ metrics: 'metrics: [{ name: kind, rubric: polite }]', settings }),
  'rubrics/tone.yaml': rubric(text, more),
});
const STRICT = 'Demand a greeting.';
const LOOSE = 'Take it easy.';

/**
 * The model greets only in odd questions. As a grader, it requires a greeting if the rubric does.
 */
const shop: Script = ({ model, messages }) => {
  const text = messages.at(-1)?.content ?? '';
  if (model === 'quiz-1')
    return { text: /Question [135]\?/.test(text) ? 'Hello, here it is.' : 'Here.' };
  const choice = text.includes('Hello') || !text.includes(STRICT) ? 'YES' : 'NO';
  return { text: JSON.stringify({ reasons: 'By the rubric.', choice }) };
};

describe('a pull request that only loosens a rubric', () => {
  test('is reported as a scoring change without a prompt effect, and answers are reused', async () => {
    const { at, run } = await pullRequest(project(STRICT, EXAMPLES), project(LOOSE, EXAMPLES), {
      answer: shop,
    });

    const asked = (model: string): number =>
      at.models.requests.filter((request) => request.model === model).length;
    expect(asked('quiz-1')).toBe(6 * 3);
    const rates = { 'pass-rate-base': '1.0000', 'pass-rate-head': '1.0000' };
    expect(run).toMatchObject({ code: 0, outputs: { conclusion: 'success', ...rates } });
    expect(run.result.scoring).toMatchObject([
      {
        ...{ prompt_effect: 0, scoring_effect: 0.5, total: 0.5 },
        because: [{ key: 'rubrics.polite', file: 'rubrics/tone.yaml' }],
        flipped: [{ id: 'q2' }, { id: 'q4' }, { id: 'q6' }],
      },
    ]);
    const flipped = [{ content: 'Find it yourself.', expected: 'NO', base: 'NO', head: 'YES' }];
    expect(run.result.graders).toMatchObject([
      { side: 'base', agreement: 1 },
      { side: 'head', agreement: 2 / 3, flipped },
    ]);
    // Grading is billed separately: 10 input and 5 output tokens a call, at $3 and $6 per million.
    expect(run.result.usage.by_purpose).toMatchObject({
      prompt: { calls: 18 },
      grader: { calls: asked('judge-1') },
    });
    expect(run.result.usage.by_purpose.grader?.cost_usd).toBeCloseTo(asked('judge-1') * 60e-6, 12);

    const comment = renderGithub(onlyComment(at)).text;
    expect(comment).toContain(
      'The pass rate rose 50.0 points (50.0 % → 100.0 %): 0.0 from the prompt, +50.0 because the rubric polite got easier.',
    );
    expect(comment).toContain('50 → 100 % of the same answers pass.');
    expect(comment).toContain('of the same 18 answers in quiz, 0 pass → fail, 9 fail → pass');
    // The two texts above already say so; the usual hint would repeat it.
    expect(comment).not.toContain('review that change');
    expect(comment).toMatch(/polite3100\.0 % → 66\.7 %100\.0 % → 100\.0 %100\.0 % → 0\.0 %/);
  });

  test("fails if base's settings say so, and a notice says that the rubric has no labelled examples", async () => {
    const settings = GRADER.replace('gate: {', 'gate: { scoring: fail,');
    const { run } = await pullRequest(project(STRICT, '', settings), project(LOOSE, '', settings), {
      answer: shop,
    });
    expect(run.code).toBe(1);
    expect(reasonsInWords(run.result)).toEqual([
      expect.stringMatching(
        /^quiz: \d+ of \d+ answers now pass under the new scoring; gate\.scoring is fail$/,
      ),
    ]);
    const named = run.result.notices.map(({ kind, place }) => [kind, place?.file]);
    expect(named).toContainEqual(['scoring', 'rubrics/tone.yaml']);
  });
});

describe('three graders', () => {
  test('vote, and the reason shows which of them disagree', async () => {
    const settings = `${GRADER.replace('grader: judge', 'grader: [judge, lenient, quiz-claude]')}  lenient: { provider: openai, endpoint: local, model: judge-2 }\n`;
    const { at, run } = await pullRequest(
      project(LOOSE, EXAMPLES, settings),
      { ...project(STRICT, EXAMPLES, settings) },
      {
        answer: (request) =>
          request.model === 'judge-2'
            ? { text: JSON.stringify({ reasons: 'All is well.', choice: 'YES' }) }
            : shop(request),
      },
    );
    const scores = run.result.suites[0]?.references.map(
      ({ head }) => head?.tries[0]?.scores[0]?.reason,
    );
    expect(scores?.slice(0, 2)).toEqual([
      'YES: By the rubric. (3 of 3 graders)',
      'NO: By the rubric. (2 of 3 graders; judge-2: YES)',
    ]);
    const asked = new Set(at.models.requests.map(({ model }) => model));
    expect(asked).toEqual(new Set(['quiz-1', 'judge-1', 'judge-2', 'claude-quiz']));
  });
});
