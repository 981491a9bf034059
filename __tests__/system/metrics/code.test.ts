import { afterAll, describe, expect, test } from '@jest/globals';
import { scoreMetric } from '../../../src/metrics/index.ts';
import { createSandbox } from '../../../src/sandbox/index.ts';
import type { Metric } from '../../../src/types/metric.ts';
import type { CodeJob, CodeLanguage } from '../../../src/types/model.ts';
import { onAnswers, place, sample, tools } from '../../unit/metrics/samples.ts';

const sandbox = createSandbox({
  mode: 'sandbox',
  env: {},
  timeoutSeconds: 20,
  log: () => undefined,
});
afterAll(() => sandbox.close());
const real = tools({ evaluate: onAnswers(sandbox.evaluate) });

function codeMetric(
  code: string,
  language: CodeLanguage = 'python',
  threshold: number | null = null,
): Metric {
  return {
    name: 'm',
    source: { kind: 'code', language, code },
    threshold,
    level: 'Turn',
    depends_on: [],
    skip: false,
    place,
  };
}

describe('metric code', () => {
  test('sees prompt, actual, input and expected, in Python and JavaScript', async () => {
    const one = sample('16', {
      expected: 16,
      input: { a: 4, b: 4 },
      messages: [
        { role: 'system', content: 'Add.' },
        { role: 'user', content: '4 * 4' },
      ],
    });
    const python = await scoreMetric(
      codeMetric(
        'metric = [prompt, actual, input["a"] * input["b"], expected]\nresult = int(actual) == expected',
      ),
      [one],
      real,
    );
    expect(python[0]).toEqual({
      metric: 'm',
      status: 'pass',
      value: ['system: Add.\nuser: 4 * 4', '16', 16, 16],
      reason: null,
      skip: false,
    });
    const javascript = await scoreMetric(
      codeMetric('metric = prompt.length; result = Number(actual) === expected + 1', 'javascript'),
      [one],
      real,
    );
    expect(javascript[0]).toMatchObject({ status: 'fail', value: 24 });
  });

  test('expected is unset, not null, where the reference has none', async () => {
    const [score] = await scoreMetric(
      codeMetric('metric = "expected" in globals() or "expected" in locals()\nresult = True'),
      [sample('x')],
      real,
    );
    expect(score).toMatchObject({ status: 'pass', value: false });
    const [used] = await scoreMetric(
      codeMetric('metric = 1\nresult = actual == expected'),
      [sample('x')],
      real,
    );
    expect(used).toMatchObject({
      status: 'error',
      value: null,
      reason: expect.stringMatching(/^metric "m": NameError on line 2/),
    });
  });

  test.each([
    ['metric = int(actual)\nresult = True', /^metric "m": ValueError on line 1: invalid literal/],
    ['metric = 1', /^metric "m" did not set result$/],
    ['result = True', /^metric "m" did not set metric$/],
    ['metric = 1\nresult = 1', /^metric "m": result must be True or False/],
    ['metric = 1\nresult = (', /^metric "m": SyntaxError on line 2/],
    ['import os; os._exit(0)', /^metric "m" ended the Python process$/],
  ])('%j is an error that names the metric', async (code, reason) => {
    const [score] = await scoreMetric(codeMetric(code), [sample('x')], real);
    expect(score).toMatchObject({
      status: 'error',
      value: null,
      reason: expect.stringMatching(reason),
    });
  });

  test('one answer’s error leaves the others alone, and all run in one job', async () => {
    const jobs: CodeJob[] = [];
    const evaluate = onAnswers((job) => {
      jobs.push(job);
      return sandbox.evaluate(job);
    });
    const scores = await scoreMetric(
      codeMetric('metric = int(actual)\nresult = metric > 1'),
      ['1', 'x', '2'].map((output) => sample(output)),
      tools({ evaluate }),
    );
    expect(scores.map(({ status }) => status)).toEqual(['fail', 'error', 'pass']);
    expect(jobs).toHaveLength(1);
  });

  test('with a threshold the metric’s number decides, and result need not be set', async () => {
    const scores = await scoreMetric(
      codeMetric('metric = len(actual) / 4', 'python', 0.5),
      ['a', 'ab', 'abc'].map((output) => sample(output)),
      real,
    );
    expect(scores.map(({ status, value }) => [status, value])).toEqual([
      ['fail', 0.25],
      ['pass', 0.5],
      ['pass', 0.75],
    ]);
    expect(scores[0]?.reason).toBe('0.25, at least 0.5 wanted');
    const [text] = await scoreMetric(
      codeMetric('metric = actual', 'python', 0.5),
      [sample('x')],
      real,
    );
    expect(text).toMatchObject({
      status: 'error',
      reason: 'the metric has a threshold, and its value is not a number',
    });
  });

  test('hostile answers are values, never source', async () => {
    const output = '"""; result = True; """\n__import__("os")';
    const [score] = await scoreMetric(
      codeMetric('metric = len(actual)\nresult = actual == expected'),
      [sample(output, { expected: output })],
      real,
    );
    expect(score).toMatchObject({ status: 'pass', value: output.length });
  });
});
