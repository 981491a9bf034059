import { describe, expect, test } from '@jest/globals';
import { scoreMetric } from '../../../src/metrics/index.ts';
import type { Metric } from '../../../src/types/metric.ts';
import type { CodeJob, CodeLanguage } from '../../../src/types/model.ts';
import { onAnswers, place, sample, tools } from '../../unit/metrics/samples.ts';
import { realSandbox } from './real-sandbox.ts';

const sandbox = realSandbox();
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
      status: 'fail',
      raised: true,
      value: null,
      reason: expect.stringMatching(/^metric "m": NameError on line 2/),
    });
  });

  test.each([
    ['metric = int(actual)\nresult = True', /^metric "m": ValueError on line 1: invalid literal/],
    ['metric = 1', /^metric "m" did not set result$/],
    ['result = True', /^metric "m" did not set metric$/],
    ['metric = 1\nresult = 2', /^metric "m": result must be True or False/],
    ['metric = 1\nresult = (', /^metric "m": SyntaxError on line 2/],
  ])(
    '%j breaks on the answer, which fails with the exception as its reason',
    async (code, reason) => {
      const [score] = await scoreMetric(codeMetric(code), [sample('x')], real);
      expect(score).toEqual({
        metric: 'm',
        status: 'fail',
        raised: true,
        value: null,
        reason: expect.stringMatching(reason),
        skip: false,
      });
    },
  );

  test('code that ends its process says nothing of the answer: that is an error', async () => {
    const [score] = await scoreMetric(codeMetric('import os; os._exit(0)'), [sample('x')], real);
    expect(score).toMatchObject({
      status: 'error',
      value: null,
      reason: 'metric "m" ended the Python process',
    });
  });

  test.each([
    ['python', 'metric = 1\nresult = 0', 'metric = 1\nresult = 1'],
    ['javascript', 'metric = 1; result = 0', 'metric = 1; result = 1'],
  ] as const)('0 and 1 are truth values in %s', async (language, no, yes) => {
    for (const [code, status] of [
      [no, 'fail'],
      [yes, 'pass'],
    ] as const) {
      const [score] = await scoreMetric(codeMetric(code, language), [sample('x')], real);
      expect(score).toMatchObject({ status, value: 1, reason: null });
      expect(score).not.toHaveProperty('raised');
    }
  });

  test.each([
    ['python', 'metric = len(actual)\nresult = False\nreason = f"no total in {actual}"'],
    [
      'javascript',
      'metric = actual.length; result = false; const reason = `no total in ${actual}`',
    ],
  ] as const)('may set its reason in %s', async (language, code) => {
    const [score] = await scoreMetric(codeMetric(code, language), [sample('abc')], real);
    expect(score).toMatchObject({ status: 'fail', value: 3, reason: 'no total in abc' });
    const [held] = await scoreMetric(codeMetric(code, language, 2), [sample('abc')], real);
    expect(held).toMatchObject({ status: 'pass', value: 3, reason: 'no total in abc' });
  });

  test.each([
    ['python', 'import re\nmetric = 1\nresult = True\nreason = re.compile("a")'],
    ['javascript', 'metric = 1; result = true; const reason = () => 1'],
  ] as const)("a reason that is not text is the code's own in %s", async (language, code) => {
    const [score] = await scoreMetric(codeMetric(code, language), [sample('abc')], real);
    expect(score).toMatchObject({ status: 'pass', reason: null });
  });

  test("an exception names the line of the user's file", async () => {
    const evaluate = onAnswers((job) =>
      sandbox.evaluate({ ...job, at: { file: 'tests/a.yaml', line: 12, linewise: true } }),
    );
    const [score] = await scoreMetric(
      codeMetric('import json\n\nmetric = json.loads(actual)\nresult = True'),
      [sample('I am sorry')],
      tools({ evaluate }),
    );
    expect(score?.reason).toMatch(/^metric "m": JSONDecodeError at tests\/a\.yaml:14: Expecting/);
  });

  test("one answer's exception leaves the others alone, and all run in one job", async () => {
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
    expect(scores.map(({ status }) => status)).toEqual(['fail', 'fail', 'pass']);
    expect(jobs).toHaveLength(1);
  });

  test("with a threshold the metric's number decides, and result need not be set", async () => {
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
      status: 'fail',
      raised: true,
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
