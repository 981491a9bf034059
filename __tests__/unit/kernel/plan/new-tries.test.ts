import { begun, made } from '../../../../benchmarks/verdicts/simulate.ts';
import { mapRuns, type SuiteComparison } from '../../../../src/kernel/plan/suite-run.ts';
import { nextTries } from '../../../../src/kernel/plan/tries.ts';
import { DEFAULT_GATE } from '../../../../src/kernel/suite/gate-settings.ts';

type Policy = SuiteComparison['policy'];

const ADAPTIVE: Policy = { kind: 'adaptive' };
const FIXED: Policy = { kind: 'fixed', tries: 1 };

/** One new test with these tries: `.` passes, `x` fails. */
function freshSuite(tries: string, policy: Policy, head = {}): SuiteComparison {
  const suite = mapRuns(begun({ base: [1], head: [1] }, 0, policy), ({ affected }) => ({
    affected: {
      ...affected,
      ...{ change: 'added', base: null, baseReference: null },
      head: { ...affected.head, ...head } as typeof affected.head,
    },
    base: [],
    head: [...tries].map((mark, at) => made(at, mark === 'x' ? 'fail' : 'pass')),
  }));
  return { ...suite, compared: [] };
}

test.each([
  ['..', ADAPTIVE, null],
  ['.x', ADAPTIVE, 3],
  ['xx', ADAPTIVE, 3],
  ['xxx', ADAPTIVE, null],
  ['.x......', ADAPTIVE, 9],
  ['.x.......', ADAPTIVE, null],
  ['x', FIXED, 2],
  ['.', FIXED, null],
] as const)(
  'a new test with the tries %s under %j gets its try number %j',
  (tries, policy, most) => {
    const suite = freshSuite(tries, policy);
    const wanted = nextTries([suite], DEFAULT_GATE)(suite.run).get(0) ?? null;
    expect(wanted).toBe(most);
  },
);

test('a new test gets no further try in a sweep, or if its answer is recorded', () => {
  const suite = freshSuite('.x', ADAPTIVE);
  expect(nextTries([suite], DEFAULT_GATE, false)(suite.run).size).toBe(0);
  const recorded = freshSuite('x', FIXED, { kind: 'recorded' });
  expect(nextTries([recorded], DEFAULT_GATE)(recorded.run).size).toBe(0);
});
