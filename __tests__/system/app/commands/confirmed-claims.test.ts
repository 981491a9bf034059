import { openProject } from '../../../stand-ins/project.ts';

const REFERENCES = 20;

/** The model's answer to a question from base's prompt or head's broken one. */
type AnswerOf = (question: number, isBroken: boolean, hasDrifted: boolean) => string;

/**
 * Compares base with other prompt texts, always with the same store. The model can drift in
 * between.
 */
async function openClaims(tests: string, gate: string, answerOf: AnswerOf) {
  let hasDrifted = false;
  const prompt = (words: string, own = tests): Record<string, string> => ({
    'prompts/p.yaml': `name: p
model: m
prompt: "${words} {q}"
${own}
references:
${Array.from({ length: REFERENCES }, (_, i) => `  - { id: r${i}, input: { q: "Question ${i}" } }\n`).join('')}`,
  });
  const model = '{ provider: openai, endpoint: local, model: model-1 }';
  const { repository, evaldiff, reported } = await openProject(
    {
      'evaldiff.yaml': `models: { m: ${model}, judge: ${model} }\ngrader: { model: judge }\ngate: ${gate}\n`,
      ...prompt('Answer'),
    },
    {
      width: 200,
      answer: ({ messages }) => {
        const asked = messages.map(({ content }) => content).join('\n');
        if (asked.includes('<<<first')) return { text: preferred(asked) };
        const question = Number(/Question (\d+)/.exec(asked)?.[1] ?? '0');
        return { text: answerOf(question, asked.startsWith('Broken'), hasDrifted) };
      },
    },
  );
  const against = ['--base', 'HEAD', '--store', '../answers.sqlite'];
  const diff = async (words: string, own = tests) => {
    repository.write(prompt(words, own));
    const run = await reported('diff', ...against);
    return { ...run, suite: run.result.suites[0]! };
  };
  await diff('Please answer');
  return {
    diff,
    drift() {
      hasDrifted = true;
    },
    async planned(words: string) {
      repository.write(prompt(words));
      const { out } = await evaldiff('plan', ...against);
      return Number(/up to ([\d,]+) more/.exec(out)?.[1]?.replaceAll(',', '') ?? '0');
    },
  };
}

/** The grader prefers good answers, whichever side they are from. */
function preferred(asked: string) {
  const text = (name: string) =>
    new RegExp(`<<<${name} .*>>>\\n([^]*?)\\n<<<end`).exec(asked)?.[1] ?? '';
  const [first, second] = [text('first'), text('second')];
  const choice = first === second ? 'TIE' : first.startsWith('good') ? 'FIRST' : 'SECOND';
  return JSON.stringify({ reasons: 'because', choice });
}

describe('a suite judged by preference alone', () => {
  const tests = 'metrics: [{ uses: pairwise_preference }]';
  const answer: AnswerOf = (_, isBroken, hasDrifted) => (isBroken || hasDrifted ? 'bad' : 'good');

  test("is red if base's new answers are also preferred to head's", async () => {
    const { diff, planned } = await openClaims(tests, '{}', answer);
    const most = await planned('Broken');
    const { code, suite, calls } = await diff('Broken');
    expect([code, suite.verdict, suite.reason?.by]).toEqual([1, 'regressed', 'fall']);
    expect(suite.confirmation).toMatchObject({ status: 'confirmed', by: 'all', limit: null });
    expect(calls).toBeLessThanOrEqual(most + 2 * 2 * REFERENCES);
  });

  test("is not red if only base's stored answers are preferred to head's", async () => {
    const { diff, drift } = await openClaims(tests, '{}', answer);
    drift();
    const { code, suite } = await diff('Kindly answer');
    expect([code, suite.verdict, suite.reason?.by]).toEqual([0, 'inconclusive', 'unconfirmed']);
    expect(suite.confirmation).toMatchObject({ status: 'unconfirmed', by: null, limit: null });
  });
});

describe('a suite whose gate compares roll-ups (combined tries)', () => {
  const tests = 'metrics: [{ name: has, uses: contains, with: { value: good } }]\nn_tries: 3';
  const gate = '{ unit: references }';
  const answer: AnswerOf = (question, isBroken, hasDrifted) =>
    isBroken || (hasDrifted && question % 2 === 1) ? 'bad' : 'good';

  test("is red if head's roll-ups are also worse than base's new roll-ups", async () => {
    const { diff, drift } = await openClaims(tests, gate, answer);
    drift();
    const { code, suite } = await diff('Broken');
    expect([code, suite.verdict, suite.unit]).toEqual([1, 'regressed', 'references']);
    expect(suite.confirmation).toMatchObject({
      status: 'confirmed',
      by: 'all',
      drift: { stored: 1, today: 0.5 },
    });
  });

  test('is not red if only the model got worse', async () => {
    const { diff, drift } = await openClaims(tests, gate, answer);
    drift();
    const { code, result, suite } = await diff('Kindly answer');
    expect([code, result.outcome.kind, suite.reason?.by]).toEqual([0, 'model-changed', 'model']);
    expect(suite.confirmation).toMatchObject({ drift: { stored: 1, today: 0.5 } });
  });
});

describe('a metric whose mean fails the run', () => {
  const tests =
    'metrics:\n  - { name: has, uses: contains, with: { value: good } }\n' +
    '  - { name: words, uses: word_count, with: { max: 1000 }, better: lower }';
  const gate = '{ metrics: { words: fail } }';
  const words = (count: number) => `good${' word'.repeat(count)}`;
  const answer: AnswerOf = (question, isBroken, hasDrifted) =>
    words((question % 5) + (isBroken ? 20 : 0) + (hasDrifted ? 20 : 0));

  test("makes the run red if head's mean is also worse than that of base's new answers", async () => {
    const { diff } = await openClaims(tests, gate, answer);
    const { code, result, suite } = await diff('Broken');
    expect([code, result.outcome.kind]).toEqual([1, 'failed']);
    expect(suite.confirmation).toMatchObject({ metric: 'words', status: 'confirmed' });
    expect(suite.metrics.find(({ name }) => name === 'words')?.values?.moved).toBe('worse');
  });

  test("does not make the run red if only the model's answers became longer", async () => {
    const { diff, drift } = await openClaims(tests, gate, answer);
    drift();
    const { code, out, result, suite } = await diff('Kindly answer');
    expect([code, result.outcome.kind]).toEqual([0, 'model-changed']);
    expect([suite.verdict, suite.reason?.by]).toEqual(['inconclusive', 'model']);
    expect(suite.confirmation).toMatchObject({
      metric: 'words',
      status: 'model',
      drift: { stored: 3, today: 23 },
    });
    expect(suite.metrics.find(({ name }) => name === 'words')?.values?.moved).toBeNull();
    expect(out).toContain('The model changed, not your prompt');
  });
});

describe("a drop under base's scoring that head's own scoring hides", () => {
  const tests = (value: string) =>
    `metrics: [{ name: has, uses: contains, with: { value: ${value} } }]`;
  const answer: AnswerOf = (_, isBroken, hasDrifted) =>
    isBroken || hasDrifted ? 'good grief' : 'good answer';
  const open = () => openClaims(tests('answer'), '{ scoring: fail }', answer);

  test("fails the run if base's new answers do not drop", async () => {
    const { diff } = await open();
    const { code, result } = await diff('Broken', tests('good'));
    expect([code, result.outcome.kind]).toEqual([1, 'failed']);
  });

  test('does not fail the run if base drops as well', async () => {
    const { diff, drift } = await open();
    drift();
    const { code, out, result } = await diff('Kindly answer', tests('good'));
    expect([code, result.conclusion]).toEqual([0, 'neutral']);
    expect(out).toContain(
      "p, under base's scoring: The model changed, not your prompt: base also drops when re-run today (100 → 0 %).",
    );
  });
});
