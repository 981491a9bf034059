import { renderGithub } from '../../stand-ins/github-markdown.ts';
import type { Script } from '../../stand-ins/models/server.ts';
import { shallowCheckout } from '../../stand-ins/repository.ts';
import { promptOf, questionOf, quiz, straight } from './projects.ts';
import { eventPayload, onlyComment, pullRequest, runOn, stage } from './stage.ts';

/** Three sentences, or five to the first eight questions if the prompt asks for long answers. */
const wordy: Script = ({ messages }) => {
  const n = questionOf(messages);
  const isLong = messages[0]?.content === 'Be long.' && n <= 8;
  return { text: `Answer ${n}. `.repeat(isLong ? 5 : 3).trim() };
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
