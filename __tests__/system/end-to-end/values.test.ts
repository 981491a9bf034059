import { renderGithub } from '../../stand-ins/github-markdown.ts';
import type { Script } from '../../stand-ins/models/server.ts';
import { shallowCheckout } from '../../stand-ins/repository.ts';
import {
  SETTINGS,
  promptOf,
  questionOf,
  quiz,
  quizPrompt,
  quizTests,
  straight,
} from './projects.ts';
import { eventPayload, onlyComment, pullRequest, runOn, stage } from './stage.ts';

/** Three sentences, or five to the first eight questions if the prompt asks for long answers. */
const wordy: Script = ({ messages }) => {
  const n = questionOf(messages);
  const isLong = messages[0]?.content === 'Be long.' && n <= 8;
  return { text: `Answer ${n}. `.repeat(isLong ? 5 : 3).trim() };
};

/** The grader gives longer answers a lower score, and none the best one. */
const graded: Script = (request) => {
  if (request.model === 'quiz-1') return wordy(request);
  const answers = request.messages.at(-1)?.content.match(/Answer \d/g) ?? [];
  return { text: JSON.stringify({ reasons: 'Seen.', choice: answers.length > 4 ? '1' : '3' }) };
};

const code = (text: string, more = '') =>
  `metrics: [{ name: own, code: "${text.replaceAll('\n', '\\n')}"${more} }]`;

const SENTENCES = "metric = actual.count('.')\nresult = True";

interface Case {
  metrics: string;
  conclusion: 'failure' | 'success' | 'neutral';
  title: RegExp;
}

const CASES: Record<string, Case> = {
  'the value of code with a direction': {
    metrics: code(SENTENCES, ', better: lower'),
    conclusion: 'failure',
    title: /^Regressed: quiz: own 3\.00 → 4\.33, higher in 8 of 12 tests: clearly worse/,
  },
  'the value of code in the other direction': {
    metrics: code(SENTENCES, ', better: higher'),
    conclusion: 'success',
    title: /^Improved: quiz: own 3\.00 → 4\.33, higher in 8 of 12 tests: clearly better/,
  },
  'an entry of a map': {
    metrics: code(
      "metric = {'dots': actual.count('.'), 'commas': actual.count(',')}\nresult = True",
      ', better: lower',
    ),
    conclusion: 'failure',
    title: /^Regressed: quiz: own\.dots 3\.00 → 4\.33, higher in 8 of 12 tests: clearly worse/,
  },
  'a similarity whose threshold no answer of base reaches': {
    metrics: 'metrics: [{ name: near, uses: levenshtein, threshold: 0.9 }]',
    conclusion: 'failure',
    title: /^Regressed: quiz: near 0\.\d+ → 0\.\d+, lower in 8 of 12 tests: clearly worse/,
  },
};

const WORDS_OF_PASSES =
  /\bpass(?:es|ed|ing)?\b|\bbroke\b|pass rate|\d %(?! (?:likely|sure))|✅ ?An|❌ ?An/i;

describe('a pull request whose tests cannot pass or fail', () => {
  test.each(Object.entries(CASES))(
    'is judged by %s',
    async (_what, { metrics, conclusion, title }) => {
      const { at, run } = await pullRequest(
        quiz({ questions: 12, metrics }),
        promptOf('Be long.'),
        { answer: wordy },
      );
      expect(run.outputs).toMatchObject({ conclusion, title: expect.stringMatching(title) });
      expect(at.github.state.checkRuns.at(-1)).toMatchObject({ conclusion });
      const sentence = run.outputs['title']!.replace(/^\w+: /, '');
      const { text } = renderGithub(onlyComment(at));
      expect(text).toContain(sentence);
      const junit = run.reports['junit.xml'];
      expect(junit.includes('<testcase name="values"')).toBe(conclusion === 'failure');
      expect(at.github.state.checkRuns.at(-1)?.annotations?.[0]?.message).toContain(sentence);
      const needsThreshold = metrics.includes('threshold');
      expect(text.includes('Nothing passes on base, so values decide')).toBe(needsThreshold);
      if (!needsThreshold) expect(text).not.toMatch(WORDS_OF_PASSES);
    },
  );

  test('does not say that nothing could break if its values decide', async () => {
    const metrics = 'metrics: [{ name: near, uses: levenshtein, threshold: 0.9 }]';
    const files = quiz({ questions: 12, metrics });
    const { at, run } = await pullRequest(files, promptOf('Be kind.'), { answer: wordy });
    expect(run.outputs).toMatchObject({
      conclusion: 'success',
      title: expect.stringMatching(/^No regression: quiz: near/),
    });
    const { text } = renderGithub(onlyComment(at));
    expect(text).toContain('Nothing passes on base, so values decide');
    expect(text).not.toMatch(/nothing could break/i);
  });

  test('is judged by the score of a rubric whose best label no answer of base gets', async () => {
    const rubric =
      'short:\n  prompt: "Is it short? {content}"\n' +
      "  choice_scores: { '1': 1, '3': 3, '5': 5 }\n  better: higher\n";
    const grader = '  judge: { provider: openai, endpoint: local, model: judge-1 }\n';
    const { run } = await pullRequest(
      {
        ...quiz({ questions: 12, metrics: 'metrics: [{ name: short, rubric: short }]' }),
        'rubrics/short.yaml': rubric,
        'evaldiff.yaml': `grader: judge\n${SETTINGS}${grader}`,
      },
      promptOf('Be long.'),
      { answer: graded },
    );
    expect(run.outputs).toMatchObject({
      conclusion: 'failure',
      title: expect.stringMatching(
        /^Regressed: quiz: short 3\.00 → 1\.67, lower in 8 of 12 tests: clearly worse/,
      ),
    });
  });

  test.each([
    ['no value has a better direction', 'metrics: [{ uses: word_count }]'],
    [
      'gate.metrics only warns of its values',
      'metrics: [{ uses: word_count, better: lower }]\ngate: { metrics: { word_count: warn } }',
    ],
  ])('is not green if %s, and says what would let it show a fall', async (_what, metrics) => {
    const { at, run } = await pullRequest(quiz({ questions: 12, metrics }), promptOf('Be long.'), {
      answer: wordy,
    });
    expect(run.outputs).toMatchObject({ conclusion: 'neutral' });
    expect(run.outputs['title']).toContain(
      'Set threshold, min or max on a metric to say what passes, or better to compare its values.',
    );
    expect(renderGithub(onlyComment(at)).text).toMatch(/6\.00 → 8\.67/);
  });

  test('says what would let it show a fall beside a suite that decides by passes', async () => {
    const passing = {
      'prompts/plain.yaml': quizPrompt('Be exact.', 'quiz-model', 'plain'),
      'prompts/tests/plain.yaml': quizTests(8, 'metrics: [{ uses: contains, with: { value: A } }]'),
    };
    const { at, run } = await pullRequest(
      { ...quiz({ questions: 8, metrics: 'metrics: [{ uses: word_count }]' }), ...passing },
      {
        ...promptOf('Be long.'),
        'prompts/plain.yaml': quizPrompt('Be long.', 'quiz-model', 'plain'),
      },
      { answer: wordy },
    );
    expect(run.outputs['conclusion']).toBe('success');
    expect(renderGithub(onlyComment(at)).text).toContain(
      'quiz: No metric decides: set a threshold, min, max or better.',
    );
  });

  test('is red by the pass rate if head raises errors, although no value can fail', async () => {
    const raising =
      "metric = len(actual)\nresult = True\nmetric = metric / (5 - actual.count('.'))";
    const { run } = await pullRequest(
      quiz({ questions: 12, metrics: code(raising, ', better: higher') }),
      promptOf('Be long.'),
      { answer: wordy },
    );
    expect(run.outputs).toMatchObject({ conclusion: 'failure' });
    expect(run.result.suites[0]).toMatchObject({ unit: 'tries', verdict: 'regressed' });
  });
});

test('a new suite of values is reported with means, and not as passing', async () => {
  const { at, run } = await pullRequest(
    { 'evaldiff.yaml': quiz()['evaldiff.yaml']! },
    quiz({ questions: 3, metrics: 'metrics: [{ uses: word_count, better: lower }]' }),
    { answer: wordy },
  );
  expect(run.outputs['title']).toBe('New: 3 tests');
  expect(renderGithub(onlyComment(at)).text).not.toMatch(WORDS_OF_PASSES);
});

test('a full sweep of values reports means, and no pass rates', async () => {
  const at = await stage(wordy);
  const files = quiz({ questions: 3, metrics: 'metrics: [{ uses: word_count, better: lower }]' });
  const { origin } = straight(files);
  const checkout = shallowCheckout(origin, 'refs/heads/main');
  const event = { name: 'workflow_dispatch', payload: eventPayload('workflow_dispatch') };
  const run = await runOn(at, { checkout, event });
  expect(run.outputs['title']).toBe('Evaluated 3 tests of 1 suite');
  expect(run.summary).toMatch(/word_count.* 6\.00/);
  expect(run.summary).not.toMatch(WORDS_OF_PASSES);
});
