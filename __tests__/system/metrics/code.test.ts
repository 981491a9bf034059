import type { MetricAnswer } from '../../../src/metrics/answer.ts';
import { scoreMetric } from '../../../src/metrics/index.ts';
import type { CodeJob, Evaluate } from '../../../src/types/model.ts';
import type { CodeLanguage } from '../../../src/types/plain.ts';
import { builtIn, onAnswers, sample, scored, tools } from '../../unit/metrics/samples.ts';
import { realSandbox } from './real-sandbox.ts';

const sandbox = realSandbox();

interface Setting {
  language?: CodeLanguage;
  threshold?: number | null;
  evaluate?: Evaluate;
}

const codeMetric = (code: string, { language = 'python', threshold = null }: Setting = {}) =>
  builtIn('m', {}, { source: { kind: 'code', language, code }, threshold });
const run = (code: string, answer: MetricAnswer | string = 'x', of: Setting = {}) =>
  scored(codeMetric(code, of), answer, { evaluate: onAnswers(of.evaluate ?? sandbox.evaluate) });
const runAll = (code: string, outputs: string[], of: Setting = {}) =>
  scoreMetric(
    codeMetric(code, of),
    outputs.map((output) => sample(output)),
    tools({ evaluate: onAnswers(of.evaluate ?? sandbox.evaluate) }),
  );

describe('metric code', () => {
  const sum = sample('16', {
    expected: 16,
    input: { a: 4, b: 4 },
    messages: [
      { role: 'system', content: 'Add.' },
      { role: 'user', content: '4 * 4' },
    ],
  });

  test.each<[string, string, CodeLanguage, MetricAnswer | string, object]>([
    [
      'sees prompt, actual, input and expected in Python',
      'metric = [prompt, actual, input["a"] * input["b"], expected]\nresult = int(actual) == expected',
      'python',
      sum,
      { status: 'pass', value: ['system: Add.\nuser: 4 * 4', '16', 16, 16], reason: null },
    ],
    [
      'sees prompt, actual and expected in JavaScript',
      'metric = prompt.length; result = Number(actual) === expected + 1',
      'javascript',
      sum,
      { status: 'fail', value: 24 },
    ],
    [
      'has no variable expected where the reference has none',
      'metric = "expected" in globals() or "expected" in locals()\nresult = True',
      'python',
      'x',
      { status: 'pass', value: false },
    ],
    [
      'gets hostile answers as values, never as source',
      'metric = len(actual)\nresult = actual == expected',
      'python',
      sample('"""; result = True; """\n__import__("os")', {
        expected: '"""; result = True; """\n__import__("os")',
      }),
      { status: 'pass', value: 40 },
    ],
  ])('runs as expected: it %s', async (_, code, language, answer, score) => {
    expect(await run(code, answer, { language })).toMatchObject(score);
  });

  test.each([
    ['metric = int(actual)\nresult = True', /^metric "m": ValueError on line 1: invalid literal/],
    ['metric = 1\nresult = actual == expected', /^metric "m": NameError on line 2/],
    ['metric = 1', /^metric "m" did not set result$/],
    ['result = True', /^metric "m" did not set metric$/],
    ['metric = 1\nresult = 2', /^metric "m": result must be True or False/],
    ['metric = 1\nresult = (', /^metric "m": SyntaxError on line 2/],
  ])('that raises (%j) fails the answer with the exception as its reason', async (code, reason) => {
    expect(await run(code)).toEqual({
      metric: 'm',
      status: 'fail',
      raised: true,
      value: null,
      reason: expect.stringMatching(reason),
      skip: false,
    });
  });

  test('that ends its process causes an error and no verdict', async () =>
    expect(await run('import os; os._exit(0)')).toMatchObject({
      status: 'error',
      value: null,
      reason: 'metric "m" ended the Python process',
    }));

  test.each([
    ['python', 'metric = 1\nresult = 0', 'fail'],
    ['python', 'metric = 1\nresult = 1', 'pass'],
    ['javascript', 'metric = 1; result = 0', 'fail'],
    ['javascript', 'metric = 1; result = 1', 'pass'],
  ] as const)('accepts 0 and 1 as booleans in %s: %j', async (language, code, status) => {
    const score = await run(code, 'x', { language });
    expect(score).toMatchObject({ status, value: 1, reason: null });
    expect(score).not.toHaveProperty('raised');
  });

  test.each([
    ['python', 'metric = len(actual)\nresult = False\nreason = f"no total in {actual}"'],
    [
      'javascript',
      'metric = actual.length; result = false; const reason = `no total in ${actual}`',
    ],
  ] as const)('can set the reason of its score in %s', async (language, code) => {
    const shown = { value: 3, reason: 'no total in abc' };
    expect(await run(code, 'abc', { language })).toMatchObject({ status: 'fail', ...shown });
    const held = await run(code, 'abc', { language, threshold: 2 });
    expect(held).toMatchObject({ status: 'pass', ...shown });
  });

  test.each([
    ['python', 'import re\nmetric = 1\nresult = True\nreason = re.compile("a")'],
    ['javascript', 'metric = 1; result = true; const reason = () => 1'],
  ] as const)(
    'gives a score without a reason if it sets a reason that is not text in %s',
    async (language, code) => {
      const score = await run(code, 'abc', { language });
      expect(score).toMatchObject({ status: 'pass', reason: null });
    },
  );

  test("reports exceptions with the line of the user's file", async () => {
    const at = { file: 'tests/a.yaml', line: 12, linewise: true };
    const evaluate: Evaluate = (job) => sandbox.evaluate({ ...job, at });
    const code = 'import json\n\nmetric = json.loads(actual)\nresult = True';
    const { reason } = await run(code, 'I am sorry', { evaluate });
    expect(reason).toMatch(/^metric "m": JSONDecodeError at tests\/a\.yaml:14: Expecting/);
  });

  test('runs on all answers in one job, where one exception does not affect the others', async () => {
    const jobs: CodeJob[] = [];
    const evaluate: Evaluate = (job) => {
      jobs.push(job);
      return sandbox.evaluate(job);
    };
    const code = 'metric = int(actual)\nresult = metric > 1';
    const scores = await runAll(code, ['1', 'x', '2'], { evaluate });
    expect(scores.map(({ status }) => status)).toEqual(['fail', 'fail', 'pass']);
    expect(jobs).toHaveLength(1);
  });

  test('with a threshold passes if `metric` reaches it, and does not have to set `result`', async () => {
    const scores = await runAll('metric = len(actual) / 4', ['a', 'ab', 'abc'], { threshold: 0.5 });
    expect(scores).toMatchObject([
      { status: 'fail', value: 0.25, reason: '0.25, at least 0.5 wanted' },
      { status: 'pass', value: 0.5 },
      { status: 'pass', value: 0.75 },
    ]);
    expect(await run('metric = actual', 'x', { threshold: 0.5 })).toMatchObject({
      status: 'fail',
      raised: true,
      reason: 'the metric has a threshold, but its value is not a finite number',
    });
  });
});
