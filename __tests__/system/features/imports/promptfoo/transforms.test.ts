import { scoreMetric } from '../../../../../src/metrics/index.ts';
import { read } from '../../../../unit/config/tree.ts';
import { onAnswers, sample, tools } from '../../../../unit/metrics/samples.ts';
import { realSandbox } from '../../../metrics/real-sandbox.ts';

const sandbox = realSandbox();

async function scoresOf(answer: string, options: string, assertion: string) {
  const { project, problems } = await read({
    'promptfooconfig.yaml': `prompts: ['Say {{x}}']
providers: [openai:gpt-4o]
tests: [{ vars: { x: one }, options: ${options}, assert: [${assertion}] }]
`,
  });
  const [reference] = project.suites[0]?.tests.references ?? [];
  const scores = (reference?.metrics ?? []).map(async (metric) => {
    const [score] = await scoreMetric(
      metric,
      [sample(answer, { input: reference?.input ?? {} })],
      tools({ evaluate: onAnswers(sandbox.evaluate) }),
    );
    return [score?.status, score?.reason ?? null];
  });
  return { scores: await Promise.all(scores), problems };
}

const CHANGED = 'of the changed answer';

describe('a transform of promptfoo', () => {
  test.each([
    [
      'an expression',
      '{ transform: output.trim() }',
      '{ type: equals, value: yes }',
      'pass',
      `${CHANGED} "yes"`,
    ],
    [
      'lines that return',
      '{ transform: "const t = output.trim();\\nreturn t" }',
      '{ type: equals, value: yes }',
      'pass',
      `${CHANGED} "yes"`,
    ],
    [
      'an object, as JSON',
      '{ transform: "({ x: context.vars.x })" }',
      '{ type: equals, value: { x: one } }',
      'pass',
      `${CHANGED} "{\\"x\\":\\"one\\"}"`,
    ],
    [
      'steps of the test and the assertion',
      '{ transform: output.trim() }',
      '{ type: equals, value: YES, transform: output.toUpperCase() }',
      'pass',
      `${CHANGED} "YES"`,
    ],
    [
      'a failing check',
      '{ transform: output.trim() }',
      '{ type: contains, value: no }',
      'fail',
      'does not contain "no", of the changed answer "yes"',
    ],
    [
      'nothing',
      '{ transform: output.answer }',
      '{ type: contains, value: no }',
      'fail',
      expect.stringContaining('TypeError: the transform returns nothing'),
    ],
    [
      'an exception',
      '{ transform: JSON.parse(output) }',
      '{ type: contains, value: no }',
      'fail',
      expect.stringContaining('SyntaxError'),
    ],
    [
      'an infinite loop',
      '{ transform: "while (true) {}\\n" }',
      '{ type: contains, value: no }',
      'error',
      expect.stringContaining('transform: '),
    ],
    [
      'a check in code',
      '{ transform: "({ n: output.trim().length })" }',
      '{ type: javascript, value: output.n === 3 }',
      'pass',
      null,
    ],
    [
      'an exception before a check in code',
      '{ transform: JSON.parse(output) }',
      '{ type: javascript, value: "true" }',
      'fail',
      expect.stringContaining('SyntaxError'),
    ],
  ])('runs in the sandbox before the metric: %s', async (_, options, assertion, status, reason) => {
    const { scores, problems } = await scoresOf('  yes  ', options, assertion);
    expect(problems).toEqual([]);
    expect(scores).toEqual([[status, reason]]);
  });
});
