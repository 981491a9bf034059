import type { z } from 'zod';
import type { MetricAnswer } from '../../../src/metrics/answer.ts';
import type { MetricExample } from '../../../src/metrics/definition.ts';
import { metrics, scoreMetric } from '../../../src/metrics/index.ts';
import {
  builtIn,
  embedder,
  exampleModel,
  fromExample,
  onAnswers,
  sample,
  scored,
  tools,
} from '../../unit/metrics/samples.ts';
import { realSandbox } from './real-sandbox.ts';

const sandbox = realSandbox();
const evaluate = onAnswers(sandbox.evaluate);
const all = [...new Set(metrics.values())].map((metric) => [metric.name, metric] as const);

const scoredBy = (name: string, example: MetricExample, answer: MetricAnswer) =>
  scored(builtIn(name, example.with), answer, {
    ...{ complete: exampleModel(example), embedder, evaluate },
  });

describe('metric catalogue', () => {
  test.each(all)(
    'contains an example for %s that gives the stated value',
    async (name, { example }) => {
      const { pass, value } = example;
      expect(await scoredBy(name, example, fromExample(example))).toMatchObject({
        metric: name,
        status: pass ? 'pass' : 'fail',
        value: typeof value === 'number' ? expect.closeTo(value, 12) : value,
        ...(pass ? {} : { reason: expect.stringMatching(/\S/) }),
      });
    },
  );

  test.each(all)('describes %s and each of its parameters', (name, metric) => {
    expect(name).toMatch(/^[a-z][a-z0-9_]*$/);
    for (const text of [metric.summary, metric.range, metric.passes, metric.source])
      expect(text.length).toBeGreaterThan(3);
    for (const parameter of Object.values(metric.parameters.shape))
      expect((parameter as z.ZodType).description ?? '').toMatch(/\S/);
    expect(metric.problems(metric.example.with ?? {})).toEqual([]);
  });

  test.each(all.filter(([, metric]) => metric.usesExpected(metric.example.with ?? {})))(
    'contains %s, which returns an error with its name if there is no expected value',
    async (name, { example }) => {
      const { expected: _, ...rest } = example;
      const answer = fromExample(rest);
      expect(await scored(builtIn(name, example.with), answer, { embedder })).toMatchObject({
        status: 'error',
        value: null,
        reason: `the reference has no expected value, but metric ${name} needs one`,
      });
    },
  );

  test.each(all)(
    'contains %s, which returns a score even for an empty answer that was filtered',
    async (name, metric) => {
      const completion = { ended: 'filtered' as const };
      const empty = fromExample({ ...metric.example, output: '', completion });
      const thread = empty.messages.concat({ role: 'assistant', content: '' });
      const { status } = await scoredBy(name, metric.example, { ...empty, thread });
      expect(['pass', 'fail', 'error', 'ungraded', 'skipped']).toContain(status);
    },
  );

  const named = (text: string) => text.trim().split(/\s+/);
  const BY_A_MODEL = named(
    'llm_rubric criteria factuality g_eval faithfulness answer_relevance pairwise_preference',
  );

  test('contains exactly the metrics that suites may use', () => {
    const others = named(`
      exact_match contains starts_with ends_with regex match length word_count numeric_diff
      is_json json_schema json_match set_precision set_recall set_f1 tool_call_match
      levenshtein token_f1 rouge_1 rouge_2 rouge_l bleu embedding_similarity openai_moderation_api
      passes_ast latency cost tokens refusal finish_reason
    `);
    expect([...metrics.keys()]).toEqual(expect.arrayContaining([...others, ...BY_A_MODEL]));
    const graded = all.filter(([, { needs }]) => needs.model).map(([name]) => name);
    expect(graded).toEqual(BY_A_MODEL);
  });
});

describe('passes_ast', () => {
  test.each([
    ['def f(x):\n    return x', true],
    ['```python\nprint("hi")\n```', true],
    ['print "hi"', false],
    ['  x = 1', false],
    ['', false],
    ['x = (', false],
    ['import os; os._exit(1)', true],
    ['x = "\u0000"', false],
    [`${'('.repeat(5000)}`, false],
  ])('parses %j (result: %j) and does not run it', async (output, pass) => {
    const { status } = await scored('passes_ast', output, { evaluate });
    expect(status).toBe(pass ? 'pass' : 'fail');
  });

  test('parses all answers in one batch and keeps their order', async () => {
    let jobs = 0;
    const counted = onAnswers((job) => {
      jobs++;
      return sandbox.evaluate(job);
    });
    const samples = ['1 +', '1 + 1', 'if'].map((output) => sample(output));
    const scores = await scoreMetric(builtIn('passes_ast'), samples, tools({ evaluate: counted }));
    expect(scores.map(({ status }) => status)).toEqual(['fail', 'pass', 'fail']);
    expect(scores[0]?.reason).toContain('on line 1');
    expect(jobs).toBe(1);
  });
});
