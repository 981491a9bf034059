import { describe, expect, test } from '@jest/globals';
import type { z } from 'zod';
import { metrics, scoreMetric } from '../../../src/metrics/index.ts';
import {
  builtIn,
  embedder,
  exampleModel,
  fromExample,
  onAnswers,
  sample,
  tools,
} from '../../unit/metrics/samples.ts';
import { realSandbox } from './real-sandbox.ts';

const sandbox = realSandbox();

describe('every entry of the catalogue', () => {
  test.each([...metrics.values()].map((metric) => [metric.name, metric] as const))(
    "%s gives its example's value",
    async (name, { example }) => {
      const [score] = await scoreMetric(
        builtIn(name, example.with),
        [fromExample(example)],
        tools({ complete: exampleModel(example), embedder, evaluate: onAnswers(sandbox.evaluate) }),
      );
      expect(score).toMatchObject({ metric: name, status: example.pass ? 'pass' : 'fail' });
      if (typeof example.value === 'number') expect(score?.value).toBeCloseTo(example.value, 12);
      else expect(score?.value).toEqual(example.value);
      if (!example.pass) expect(score?.reason).toEqual(expect.stringMatching(/\S/));
    },
  );

  test.each([...metrics.values()].map((metric) => [metric.name, metric] as const))(
    '%s describes itself and each of its parameters',
    (name, metric) => {
      expect(name).toMatch(/^[a-z][a-z0-9_]*$/);
      for (const text of [metric.summary, metric.range, metric.passes, metric.source])
        expect(text.length).toBeGreaterThan(3);
      for (const parameter of Object.values(metric.parameters.shape))
        expect((parameter as z.ZodType).description ?? '').toMatch(/\S/);
      expect(metric.problems(metric.example.with ?? {})).toEqual([]);
    },
  );

  test.each(
    [...metrics.values()]
      .filter((metric) => metric.usesExpected(metric.example.with ?? {}))
      .map(({ name, example }) => [name, example] as const),
  )('%s without an expected value is an error that names the metric', async (name, example) => {
    const { expected: _, ...rest } = example;
    const [score] = await scoreMetric(
      builtIn(name, example.with),
      [fromExample(rest)],
      tools({ embedder }),
    );
    expect(score).toMatchObject({
      status: 'error',
      value: null,
      reason: `the reference has no expected value, and metric ${name} uses it`,
    });
  });

  test.each([...metrics.keys()])(
    '%s gives a tagged score for an empty, filtered answer',
    async (name) => {
      const metric = metrics.get(name)!;
      const empty = fromExample({
        ...metric.example,
        output: '',
        completion: { finish_reason: 'filter' },
      });
      const scores = await scoreMetric(
        builtIn(name, metric.example.with),
        [{ ...empty, thread: empty.messages.concat({ role: 'assistant', content: '' }) }],
        tools({
          complete: exampleModel(metric.example),
          embedder,
          evaluate: onAnswers(sandbox.evaluate),
        }),
      );
      expect(scores).toHaveLength(1);
      expect(['pass', 'fail', 'error', 'ungraded', 'skipped']).toContain(scores[0]?.status);
    },
  );

  test('the names of the catalogue are those the files may use', () => {
    expect([...metrics.keys()]).toEqual(
      expect.arrayContaining([
        'exact_match',
        'contains',
        'starts_with',
        'ends_with',
        'regex',
        'is_json',
        'json_schema',
        'levenshtein',
        'rouge_l',
        'length',
        'passes_ast',
        'match',
        'numeric_diff',
        'token_f1',
        'rouge_1',
        'rouge_2',
        'bleu',
        'chrf',
        'set_precision',
        'set_recall',
        'set_f1',
        'json_match',
        'tool_call_match',
        'word_count',
        'latency',
        'cost',
        'tokens',
        'refusal',
        'finish_reason',
        'embedding_similarity',
        'llm_rubric',
        'criteria',
        'factuality',
        'closed_qa',
        'g_eval',
        'faithfulness',
        'answer_relevance',
        'pairwise_preference',
      ]),
    );
    expect(
      [...metrics.values()].filter(({ needs }) => needs.model).map(({ name }) => name),
    ).toEqual([
      'llm_rubric',
      'criteria',
      'factuality',
      'closed_qa',
      'g_eval',
      'faithfulness',
      'answer_relevance',
      'pairwise_preference',
    ]);
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
  ])('%j parses: %j, and is not run', async (output, pass) => {
    const [score] = await scoreMetric(
      builtIn('passes_ast'),
      [sample(output)],
      tools({ evaluate: onAnswers(sandbox.evaluate) }),
    );
    expect(score?.status).toBe(pass ? 'pass' : 'fail');
  });

  test('all answers are parsed in one batch, in order', async () => {
    let jobs = 0;
    const evaluate = onAnswers((job) => {
      jobs++;
      return sandbox.evaluate(job);
    });
    const scores = await scoreMetric(
      builtIn('passes_ast'),
      ['1 +', '1 + 1', 'if'].map((output) => sample(output)),
      tools({ evaluate }),
    );
    expect(scores.map(({ status }) => status)).toEqual(['fail', 'pass', 'fail']);
    expect(scores[0]?.reason).toContain('on line 1');
    expect(jobs).toBe(1);
  });
});
