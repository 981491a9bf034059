import { definitionOf } from '../../../src/config/metric.ts';
import { metrics as builtIns } from '../../../src/metrics/index.ts';
import { canFail } from '../../../src/metrics/passing.ts';
import type { Metric, MetricSource, Rubric } from '../../../src/types/metric.ts';
import { metric } from '../app/run/builders.ts';

const python = (code: string): MetricSource => ({ kind: 'code', language: 'python', code });
const uses = (name: string, given: Record<string, number | boolean> = {}): MetricSource => ({
  kind: 'built-in',
  uses: name,
  with: given,
});
const rubric = (name: string): MetricSource => ({ kind: 'rubric', rubric: name });

const choice_scores = new Map([
  ['good', 1],
  ['bad', 0],
]);
const rubrics = new Map<string, Pick<Rubric, 'choice_scores' | 'better' | 'pass'>>([
  ['undirected', { choice_scores }],
  ['directed', { choice_scores, better: 'higher' }],
  ['lenient', { choice_scores, pass: ['good', 'bad'] }],
]);

test.each<[string, MetricSource, Partial<Metric>, boolean]>([
  ['code that sets result to a comparison', python('metric = 1\nresult = metric > 2'), {}, true],
  ['code that sets result to True', python('metric = len(actual)\nresult = True'), {}, false],
  ['code on one line', python('metric = len(actual); result = True  # shown'), {}, false],
  ['JavaScript', python('const metric = 2;\nlet result = true; // always'), {}, false],
  ['code with a limit', python('metric = 1\nresult = True'), { max: 5 }, true],
  ['code that sets result twice', python('result = True\nif x: result = False'), {}, true],
  ['code with a condition', python('metric = 1\nresult = True if metric else False'), {}, true],
  ['code that asserts', python('assert actual\nmetric = 1\nresult = True'), {}, true],
  ['code that sets two names at once', python('metric, result = check(actual)'), {}, true],
  ['a count', uses('word_count'), {}, false],
  ['a count with a limit in its parameters', uses('word_count', { max: 3 }), {}, true],
  ['a count with a limit', uses('word_count'), { min: 3 }, true],
  ['a negated count', uses('length', { negate: true }), {}, true],
  ['latency', uses('latency'), {}, false],
  ['latency with a threshold', uses('latency'), { threshold: 100 }, true],
  ['a constant', uses('constant'), {}, false],
  ['a similarity with its default threshold', uses('rouge_l'), {}, true],
  ['a check', uses('contains'), {}, true],
  ['a rubric without direction', rubric('undirected'), {}, false],
  ['a rubric with a direction', rubric('directed'), {}, true],
  ['a rubric of which all labels pass', rubric('lenient'), {}, false],
])('an answer may or may not fail %s', (_, source, more, expected) => {
  const own = metric('own', { source, ...definitionOf(source, builtIns), ...more });
  expect(canFail(own, rubrics as Map<string, Rubric>)).toBe(expected);
});
