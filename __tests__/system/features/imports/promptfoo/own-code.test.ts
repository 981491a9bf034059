import { scoreMetric } from '../../../../../src/metrics/index.ts';
import { read } from '../../../../unit/config/tree.ts';
import { onAnswers, sample, tools } from '../../../../unit/metrics/samples.ts';
import { realSandbox } from '../../../metrics/real-sandbox.ts';

const sandbox = realSandbox();

async function scoresOf(
  answer: string,
  options: string,
  assertion: string,
  files: Record<string, string> = {},
) {
  const { project, problems, notices } = await read({
    ...files,
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
  return { scores: await Promise.all(scores), problems, notices };
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
      'lacks "no", of the changed answer "yes"',
    ],
    [
      'nothing',
      '{ transform: output.answer }',
      '{ type: contains, value: no }',
      'fail',
      expect.stringContaining('the transform returns nothing'),
    ],
    [
      'an exception',
      '{ transform: JSON.parse(output) }',
      '{ type: contains, value: no }',
      'fail',
      expect.stringContaining('SyntaxError'),
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

const CHECK = '{ type: javascript, value: file://checks/check.mjs }';
const FILES = {
  'checks/check.mjs': `import { limit } from '../limits.js';
import names from './names.json';
export default (output) => names.includes(output.trim()) && output.length > limit();`,
  'checks/names.json': '["yes"]',
  'limits.js': `const { least } = require('./least');
odd = 1; // CommonJS is not strict
exports.limit = () => least;`,
  'least.ts': `import { Rule } from 'a-package';
import type { Other } from './types';
export const least: number = ({ at: 2 } satisfies { at: number } as Rule).at;`,
};
const OWN = (text: string, name = 'check.js') => ({ [`checks/${name}`]: text });

describe('a check of promptfoo in a file', () => {
  test.each([
    ['imports, JSON, CommonJS and TypeScript', CHECK, FILES],
    [
      'a function of TypeScript by its name',
      '{ type: javascript, value: "file://checks/check.ts:isKind" }',
      OWN(
        'export function isKind(output: string): boolean { return output.includes("yes"); }',
        'check.ts',
      ),
    ],
    [
      'pure modules of Node',
      '{ type: javascript, value: file://checks/check.js }',
      OWN(`const path = require('node:path');
const assert = require('assert');
const { fileURLToPath } = require('url');
module.exports = (output) => {
  assert.strictEqual(path.join(__dirname, '..', 'a', './b.txt'), '/a/b.txt');
  assert.deepStrictEqual([path.basename('a/b.txt', '.txt'), path.extname('a/b.txt'), path.dirname('/a/b')], ['b', '.txt', '/a']);
  assert(fileURLToPath('file:///a%20b') === path.resolve('/a', '..', 'a b'));
  return output.trim() === 'yes';
};`),
    ],
  ])('runs in the sandbox with %s', async (_, assertion, files) => {
    const { scores, problems, notices } = await scoresOf('  yes  ', '{}', assertion, files);
    expect([problems, notices, scores]).toEqual([[], [], [['pass', null]]]);
    const { scores: wrong } = await scoresOf('no', '{}', assertion, files);
    expect(wrong).toEqual([['fail', null]]);
  });

  test.each([
    [
      'a package',
      { ...FILES, 'least.ts': "import ajv from 'ajv';\nexport const least = ajv(2);" },
      'it imports ajv at least.ts',
    ],
    [
      "Node's I/O",
      OWN("import fs from 'fs';\nexport default () => fs.x;", 'check.mjs'),
      'it imports fs at checks/check.mjs',
    ],
    [
      'a missing file',
      OWN("import './x.js';", 'check.mjs'),
      'it imports ./x.js at checks/check.mjs',
    ],
    [
      'the network',
      { ...FILES, 'least.ts': 'export const least = fetch("x");' },
      'it uses fetch at least.ts:1',
    ],
    ['an enum', { ...FILES, 'least.ts': 'export enum Least { a }' }, 'least.ts: '],
    [
      'a path that is computed',
      { ...FILES, 'limits.js': 'require("./" + x)' },
      'it uses require("./" + x) at limits.js:1',
    ],
  ])('is lost if it needs %s', async (_, files, reason) => {
    const { scores, problems, notices } = await scoresOf('yes', '{}', CHECK, files);
    expect([problems, scores]).toEqual([[], []]);
    expect(notices.join('\n')).toContain(`the assertion javascript is not converted: ${reason}`);
  });
});
