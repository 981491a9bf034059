import { readFileSync, readdirSync } from 'node:fs';
import { afterAll, describe, expect, test } from '@jest/globals';
import { scoreMetric } from '../../../src/metrics/index.ts';
import { createSandbox } from '../../../src/sandbox/index.ts';
import type { Json, JsonMap } from '../../../src/types/plain.ts';
import { read } from '../../unit/config/tree.ts';
import { onAnswers, sample, tools } from '../../unit/metrics/samples.ts';

const FOLDER = new URL('../../../fixtures/promptfoo/', import.meta.url);

interface Row {
  type: string;
  value?: Json;
  threshold?: number;
  pass: string;
}

const MATRIX = JSON.parse(readFileSync(new URL('matrix.json', FOLDER), 'utf8')) as {
  vars: JsonMap;
  answers: string[];
  assertions: Row[];
};

const FILES = Object.fromEntries(
  ['checks', 'values'].flatMap((folder) =>
    readdirSync(new URL(`${folder}/`, FOLDER)).map((name) => [
      `${folder}/${name}`,
      readFileSync(new URL(`${folder}/${name}`, FOLDER), 'utf8'),
    ]),
  ),
);

const sandbox = createSandbox({
  mode: 'sandbox',
  env: {},
  timeoutSeconds: 20,
  log: () => undefined,
});
afterAll(() => sandbox.close());

/** Our verdicts on every answer: 1 and 0, e for an error, - where the assertion is not carried. */
async function verdicts(row: Row): Promise<{ pass: string; told: string }> {
  const { pass: _, ...assertion } = row;
  const { project, problems, notices } = await read({
    ...FILES,
    'promptfooconfig.yaml': JSON.stringify({
      prompts: ['Give an answer'],
      providers: ['openai:gpt-4o'],
      tests: [{ vars: MATRIX.vars, assert: [assertion] }],
    }),
  });
  const reference = project.suites[0]?.tests.references[0];
  const metric = reference?.metrics?.[0];
  if (reference === undefined || metric === undefined)
    return { pass: '-', told: [...problems, ...notices].join('\n') };
  const scores = await scoreMetric(
    metric,
    MATRIX.answers.map((answer) =>
      sample(answer, {
        input: reference.input,
        messages: [{ role: 'user', content: 'Give an answer' }],
      }),
    ),
    tools({ evaluate: onAnswers(sandbox.evaluate) }),
  );
  return {
    pass: scores.map(({ status }) => ({ pass: '1', fail: '0' })[String(status)] ?? 'e').join(''),
    told: scores.find(({ status }) => status === 'error')?.reason ?? '',
  };
}

const nameOf = ({ type, value, threshold }: Row): string =>
  JSON.stringify({ type, value, threshold });

describe("promptfoo's own verdicts", () => {
  test('are ours, cell by cell', async () => {
    const differing: string[] = [];
    for (const row of MATRIX.assertions) {
      const { pass, told } = await verdicts(row);
      if (pass !== row.pass) differing.push(`${nameOf(row)}\n  ${row.pass}\n  ${pass} ${told}`);
    }
    expect(differing).toEqual([]);
  });
});
