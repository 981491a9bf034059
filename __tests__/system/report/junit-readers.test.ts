import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { convertJUnitToCTRFReport } from 'junit-to-ctrf';
import { parse } from 'test-results-parser';
import type { Result } from '../../../src/kernel/result/result.ts';
import { renderJunit } from '../../stand-ins/reports.ts';
import { temporaryFolder } from '../../stand-ins/repository.ts';
import {
  enormous,
  green,
  referenceOf,
  regression,
  resultOf,
  suiteOf,
  withProblems,
  passed,
  failed,
} from '../../unit/report/results.ts';

const folder = temporaryFolder('junit');

/** Every reference fell from 1 of 1 to 0 of 1, which is too few tries to flag one. */
function allFell() {
  const fell = ['a', 'b', 'c'].map((id) =>
    referenceOf(id, 'fell', { base: passed('x'), head: failed('y') }),
  );
  return resultOf({
    conclusion: 'failure',
    n_tries: 1,
    suites: [suiteOf('s', fell, { verdict: 'regressed' })],
  });
}

/** The suite regressed, but no reference is flagged. */
function suiteAlone() {
  return resultOf({
    conclusion: 'failure',
    suites: [suiteOf('s', [referenceOf('a', 'inconclusive')], { verdict: 'regressed' })],
  });
}

const RUNS: [string, () => Result, { tests: number; red: number }][] = [
  ['a regression', regression, { tests: 26, red: 3 }],
  ['a fall with one try each', allFell, { tests: 3, red: 3 }],
  ['a suite that fell as a whole', suiteAlone, { tests: 2, red: 1 }],
  ['files to fix', withProblems, { tests: 4, red: 4 }],
  ['a green run', green, { tests: 17, red: 0 }],
  // junit.test.ts tests two thousand, which would take these readers seconds.
  ['a thousand failures', () => enormous(1000), { tests: 1000, red: 1000 }],
];

describe('readers of JUnit files', () => {
  test.each(RUNS)(
    'count the failures in the file of %s correctly',
    async (_what, build, counts) => {
      const file = join(folder, 'junit.xml');
      await writeFile(file, renderJunit(build()));

      const report = await convertJUnitToCTRFReport(file, { log: false });
      expect(report?.results.summary).toMatchObject({ tests: counts.tests, failed: counts.red });

      const parsed = parse({ type: 'junit', files: [file] });
      expect([parsed.total, parsed.failed + parsed.errors]).toEqual([counts.tests, counts.red]);
      expect(parsed.status).toBe(counts.red === 0 ? 'PASS' : 'FAIL');
    },
  );

  test('show the file and line of a failure in its first line', async () => {
    const file = join(folder, 'places.xml');
    await writeFile(file, renderJunit(regression()));
    const report = await convertJUnitToCTRFReport(file, { log: false });
    const failed = report?.results.tests.find(({ status }) => status === 'failed');
    expect(failed?.name).toBe('australia');
    expect(failed?.trace?.split('\n')[0]).toBe('prompts/tests/capitals.yaml:14');
  });
});
