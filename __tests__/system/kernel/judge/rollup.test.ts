import { createSandbox } from '../../../../src/edges/sandbox/index.ts';
import { namedRollup, rollUp, tallyTries } from '../../../../src/kernel/judge/roll-up.ts';
import { tryOutcomeOf, triesNeeded } from '../../../../src/kernel/suite/gate.ts';
import type { Score } from '../../../../src/types/metric.ts';
import type { CodeJob } from '../../../../src/types/model.ts';
import { tryResult } from '../../../unit/app/run/builders.ts';

const score = (status: Score['status'], skip = false): Score =>
  status === 'pass' || status === 'fail'
    ? { metric: 'm', status, value: null, reason: null, skip }
    : { metric: 'm', status, value: null, reason: 'why', skip };

describe('the outcome of a try', () => {
  test.each([
    [['pass', 'pass'], 'pass'],
    [['pass', 'fail'], 'fail'],
    [['error', 'fail'], 'fail'],
    [['pass', 'error'], 'error'],
    [['pass', 'ungraded'], 'ungraded'],
    [['pass', 'skipped'], 'pass'],
    [['skipped'], 'skipped'],
    [[], 'skipped'],
  ] as const)('with the score statuses %j is %s', (statuses, outcome) => {
    expect(tryOutcomeOf(statuses.map((status) => score(status)))).toBe(outcome);
  });

  test('ignores metrics outside the verdict', () => {
    expect(tryOutcomeOf([score('pass'), score('fail', true), score('error', true)])).toBe('pass');
  });
});

describe('the tally of outcomes', () => {
  const tries = [
    { ...tryResult('pass'), scores: [score('pass'), score('fail', true)] },
    { ...tryResult('fail', 1), scores: [score('fail'), score('pass', true)] },
    { ...tryResult('ungraded', 2), scores: [score('ungraded'), score('error')] },
    tryResult('error', 3),
  ];

  test('counts a pass or fail of a skipped metric in the totals and also separately, as llmeval does', () => {
    expect(tallyTries(tries, 2, false)).toEqual({
      num_passes: 2,
      num_fails: 2,
      num_skip_passes: 1,
      num_skip_fails: 1,
      num_tries: 4,
      num_metrics: 2,
      num_ungraded: 1,
      num_errors: 2,
    });
  });

  test('counts everything as skipped if the reference is skipped', () => {
    expect(tallyTries(tries, 2, true)).toMatchObject({
      num_passes: 2,
      num_skip_passes: 2,
      num_fails: 2,
      num_skip_fails: 2,
    });
  });
});

describe('named roll-ups (combined tries)', () => {
  const named = (policy: 'all' | 'any' | 'majority') => ({ kind: 'named', policy }) as const;
  const atLeast = (k: number) => ({ kind: 'at_least', k }) as const;
  const rate = (min: number) => ({ kind: 'pass_rate', min }) as const;

  test.each<[Parameters<typeof namedRollup>[0], number, number, 'pass' | 'fail' | null, number?]>([
    [named('all'), 3, 3, 'pass'],
    [named('all'), 2, 3, 'fail'],
    [named('any'), 1, 3, 'pass'],
    [named('any'), 0, 3, 'fail'],
    [named('majority'), 2, 3, 'pass'],
    [named('majority'), 1, 2, 'fail'],
    [atLeast(2), 2, 5, 'pass'],
    [atLeast(3), 2, 5, 'fail'],
    [atLeast(3), 3, 3, 'pass', 2],
    [rate(0.5), 1, 2, 'pass'],
    [rate(0.51), 1, 2, 'fail'],
    // A try that could not be judged does not count as failed.
    [atLeast(3), 2, 2, null, 1],
    [atLeast(3), 1, 2, 'fail', 1],
    // No judged try, so no result.
    [named('any'), 0, 0, null],
  ])(
    'treat %j with %i passes in %i judged tries as %s',
    (rollup, passes, judged, outcome, missing = 0) => {
      expect(namedRollup(rollup, passes, judged, missing)).toBe(outcome);
    },
  );

  test('state the number of tries they need', () => {
    expect([atLeast(4), named('all')].map(triesNeeded)).toEqual([4, 1]);
  });
});

describe('a roll-up in code', () => {
  const rollup = {
    kind: 'code' as const,
    name: 'mine',
    language: 'python' as const,
    code: 'result = num_passes > num_fails',
    place: { file: 't.yaml', line: 3 },
  };
  const entry = (passes: number, fails: number) => ({
    tally: tallyTries(
      Array.from({ length: passes + fails }, (_, i) => tryResult(i < passes ? 'pass' : 'fail', i)),
      1,
      false,
    ),
    passes,
    judged: passes + fails,
  });

  test('runs once for all references and receives the counts', async () => {
    const jobs: CodeJob[] = [];
    const outcomes = await rollUp(
      rollup,
      [entry(2, 1), entry(1, 2)],
      { suite: 'p', side: 'head' },
      async (job) => {
        jobs.push(job);
        return job.inputs.map((input) => ({
          status: 'ok',
          values: { result: Number(input['num_passes']) > Number(input['num_fails']) },
        }));
      },
    );
    expect(outcomes.map(({ rolled }) => rolled.outcome)).toEqual(['pass', 'fail']);
    expect(jobs).toHaveLength(1);
    expect(jobs[0]?.inputs[0]).toMatchObject({
      num_passes: 2,
      num_fails: 1,
      num_skip_passes: 0,
      num_skip_fails: 0,
      num_tries: 3,
    });
  });

  test('that fails is an error with its name, not a verdict', async () => {
    const [outcome] = await rollUp(
      rollup,
      [entry(1, 0)],
      { suite: 'p', side: 'head' },
      async () => [{ status: 'error', cause: 'code', message: 'NameError on line 1: x' }],
    );
    expect(outcome?.rolled).toEqual({
      outcome: null,
      error: 'metrics_rollup "mine": NameError on line 1: x',
    });
  });

  test('that sets a number other than 0 or 1 is an error with its name', async () => {
    const sandbox = createSandbox({
      mode: 'sandbox',
      env: {},
      timeoutSeconds: 600,
      time: Date.UTC(2026, 0, 2),
      log: () => undefined,
    });
    const [outcome] = await rollUp(
      { ...rollup, name: 'majority', code: 'result = num_passes' },
      [entry(2, 0)],
      { suite: 'p', side: 'head' },
      sandbox.evaluate,
    );
    await sandbox.close();
    expect(outcome?.rolled).toEqual({
      outcome: null,
      error: 'metrics_rollup "majority": result must be True or False, not int',
    });
  });
});
