import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Result } from '../../../src/kernel/result/result.ts';
import { quiz, testsOf } from './projects.ts';
import { startBundle } from './runner.ts';
import { commandEnvironment, desk } from './stage.ts';

const flood = JSON.stringify(Array.from({ length: 30_000 }, (_, index) => index));

/** Each definition checks the one below it twice, so the answer is checked 2⁴⁰ times. */
const slow = JSON.stringify({
  $ref: '#/$defs/d40',
  $defs: Object.fromEntries(
    Array.from({ length: 41 }, (_, index) => {
      const below = { $ref: `#/$defs/d${index - 1}` };
      return [`d${index}`, index === 0 ? { minItems: 1 } : { allOf: [below, below] }];
    }),
  ),
});

/** Runs the bundle's `evaldiff run` on one question, whose answer is the deeply nested value. */
async function judged(metrics: string) {
  const { models, repository } = await desk({ ...quiz(), ...testsOf(1, metrics) }, () => ({
    text: flood,
  }));
  const ended = await startBundle(
    'cli/index.js',
    ['run', '--report', 'out'],
    commandEnvironment(models),
    repository.directory,
  );
  const report = join(repository.directory, 'out', 'result.json');
  return {
    ...ended,
    result: existsSync(report) ? (JSON.parse(readFileSync(report, 'utf8')) as Result) : null,
  };
}

describe('a schema that never finishes validating', () => {
  test('is an error of its metric with the fix, and the other metrics are judged', async () => {
    const { result, stderr } = await judged(
      `n_tries: 1
metrics:
  - { name: endless, uses: json_schema, with: { schema: { $ref: "#" } } }
  - { name: flood, uses: json_schema, with: { schema: ${slow} } }
  - { name: array, uses: json_schema, with: { schema: { type: array } } }`,
    );
    expect(stderr).not.toMatch(/Internal error|RangeError|\n {4}at /);
    const [reference] = result!.suites[0]!.references;
    expect(
      reference!.head!.tries[0]!.scores.map(({ metric, status, reason }) => [
        metric,
        status,
        reason,
      ]),
    ).toEqual([
      ['endless', 'error', 'the schema refers to itself ($ref) in an endless loop; remove one'],
      ['flood', 'error', 'the schema took longer than 2 s; use fewer $ref, anyOf and allOf'],
      ['array', 'pass', null],
    ]);
  });
});
